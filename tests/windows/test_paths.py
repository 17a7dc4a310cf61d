"""Windows' own ways to write a path: reserved names, drive-relative, UNC, device paths. With PureWindowsPath."""

from __future__ import annotations

from pathlib import PureWindowsPath

import pytest

from wizard.environment.naming import check_name, check_place
from wizard.model.errors import UsageError
from wizard.system.links import extended

HOME = PureWindowsPath("C:/Users/小明")


def refused(path: str) -> str:
    with pytest.raises(UsageError) as error:
        check_place(PureWindowsPath(path), "windows", HOME)
    return error.value.code


@pytest.mark.parametrize("path", ["C:env", "D:", "env", "\\env", "..\\env", ""])
def test_a_path_that_depends_on_where_one_stands(path: str) -> None:
    assert refused(path) == "target-relative"


@pytest.mark.parametrize("path", ["\\\\server\\share", "\\\\server\\share\\", "C:\\", "C:\\Windows\\env", "C:\\Users"])
def test_roots_and_system_folders(path: str) -> None:
    assert refused(path) == "target-is-system"


@pytest.mark.parametrize("path", ["\\\\?\\C:\\env\\x", "\\\\.\\C:\\env\\x", "\\\\?\\UNC\\server\\share\\env"])
def test_device_paths(path: str) -> None:
    assert refused(path) == "bad-name"


@pytest.mark.parametrize(
    "path", ["C:\\data\\env", "D:\\env", "\\\\server\\share\\env", "C:\\Users\\小明\\torch-envs\\x"]
)
def test_good_places(path: str) -> None:
    check_place(PureWindowsPath(path), "windows", HOME)


@pytest.mark.parametrize("name", ["con", "NUL.txt", "COM1", "lpt9.tar.gz", "COM¹", "aux ", "CONIN$", "x.", "x "])
def test_reserved_names(name: str) -> None:
    with pytest.raises(UsageError):
        check_name(name, "windows")
    with pytest.raises(UsageError):
        check_place(PureWindowsPath("C:/data", name), "windows", HOME)


@pytest.mark.parametrize("name", ["console", "com10", "nullable", "auxiliary"])
def test_names_that_only_begin_like_them(name: str) -> None:
    check_name(name, "windows")


def test_long_paths_are_extended_by_their_kind() -> None:
    assert extended("C:\\a", is_windows=True) == "\\\\?\\C:\\a"
    assert extended("\\\\server\\share\\a", is_windows=True) == "\\\\?\\UNC\\server\\share\\a"
    assert extended("\\\\?\\C:\\a", is_windows=True) == "\\\\?\\C:\\a"
    assert extended("/a", is_windows=False) == "/a"
