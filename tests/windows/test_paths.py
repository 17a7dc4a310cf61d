"""Windows' own ways to write a path: reserved names, drive-relative, UNC, device paths. With PureWindowsPath."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import replace
from pathlib import Path, PureWindowsPath

import pytest

from wizard.compatibility.model import Choices
from wizard.environment.naming import check_name, check_place
from wizard.environment.remove.unfinished import mark_begun
from wizard.model.errors import UsageError
from wizard.model.messages import text
from wizard.run.plan.place import short_rows, target_prefix
from wizard.system import paths, traits
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


def test_a_short_place_is_proposed_where_the_home_folder_is_deep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, local, drive = tmp_path / ("h" * 60), tmp_path / "local", tmp_path / "c"
    for folder in (home, local, drive):
        folder.mkdir()
    monkeypatch.delenv(paths.HOME_VARIABLE)
    monkeypatch.setattr(paths, "home", lambda: tmp_path / "state")
    for name, folder in (("HOME", home), ("USERPROFILE", home), ("LOCALAPPDATA", local), ("SYSTEMDRIVE", drive)):
        monkeypatch.setenv(name, str(folder))
    row = replace(traits.WINDOWS, longest_sure_path=len(str(local / "torch-envs")) + 13)
    monkeypatch.setattr(paths, "this", lambda: row)
    monkeypatch.setattr(traits, "os_name", lambda: "windows")
    proposed = paths.default_environments_dir()
    assert proposed == local / "torch-envs"
    assert [path.name for path in local.iterdir()] == [], "looked at, and nothing is left of that"
    (told,) = short_rows(target_prefix(Choices(name="torch")))
    for language in ("en", "zh_CN"):
        assert str(home / "torch-envs") in text(told.fact, language)
        assert str(proposed) in text(told.fact, language)
    assert not tuple(short_rows(home / "torch-envs" / "torch"))
    local.rmdir()
    local.write_bytes(b"closed to us")
    proposed = paths.default_environments_dir()
    assert proposed == Path(f"{drive}/") / "torch-envs"
    mark_begun(proposed / "torch", "run")
    assert paths.default_environments_dir() == proposed, "we made it"
    (proposed / "torch").rename(home / "kept")
    proposed.rename(drive / "ours")
    proposed.mkdir()
    assert paths.default_environments_dir() == home / "torch-envs", "somebody else made that one"
    row = replace(row, longest_sure_path=None)
    monkeypatch.setattr(paths, "this", lambda: row)
    assert paths.default_environments_dir() == home / "torch-envs"


def others_rights(folder: Path) -> list[str]:
    """Return the entries for everybody, users and who is logged in, as Windows writes them; the bits elsewhere."""
    if sys.platform != "win32":
        return [f"{folder.stat().st_mode & 0o077:o}"] if folder.stat().st_mode & 0o077 else []
    size, words = ctypes.c_uint32(), ctypes.c_wchar_p()
    system, entries = ctypes.WinDLL("advapi32"), 4  # DACL_SECURITY_INFORMATION
    system.GetFileSecurityW(str(folder), entries, None, 0, ctypes.byref(size))
    found = ctypes.create_string_buffer(size.value)
    assert system.GetFileSecurityW(str(folder), entries, found, size, ctypes.byref(size))
    assert system.ConvertSecurityDescriptorToStringSecurityDescriptorW(found, 1, entries, ctypes.byref(words), None)
    assert words.value
    return [entry for entry in words.value.split("(") if entry.rstrip(")").endswith((";WD", ";BU", ";AU"))]


def test_the_folder_that_is_made_in_a_drives_root_is_closed_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the root of a drive every user may write, and in what is made there, unless it is closed."""
    monkeypatch.setattr(traits, "os_name", lambda: "windows")
    monkeypatch.setenv("SYSTEMDRIVE", str(tmp_path))
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "home"))
    mark_begun(tmp_path / "torch-envs" / "torch", "run")
    mark_begun(tmp_path / "for all" / "torch", "run")
    assert others_rights(tmp_path / "torch-envs") == []
    assert others_rights(tmp_path / "for all"), "a place that a person names is as the person wants it"


def test_long_paths_are_extended_by_their_kind() -> None:
    assert extended("C:\\a", is_windows=True) == "\\\\?\\C:\\a"
    assert extended("\\\\server\\share\\a", is_windows=True) == "\\\\?\\UNC\\server\\share\\a"
    assert extended("\\\\?\\C:\\a", is_windows=True) == "\\\\?\\C:\\a"
    assert extended("/a", is_windows=False) == "/a"
    assert extended("\\a", is_windows=True) == "\\a", "of whatever drive is the current one"


def test_a_program_of_the_current_folder_is_none_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows looks there first, and a stranger's project may have a git.exe of its own."""
    ending = traits.this().program_ending
    for name in ("project", "programs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"tool{ending}").write_bytes(b"")
        (tmp_path / name / f"tool{ending}").chmod(0o755)
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", str(tmp_path / "programs"))))
    assert paths.find_program("tool") == str(tmp_path / "programs" / f"tool{ending}")
    assert paths.find_program("tool", os.pathsep.join((".", ""))) is None
    assert paths.find_program("tool", "") is None


def test_on_windows_a_program_has_one_of_the_endings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "this", lambda: replace(traits.this(), program_ending=".exe"))
    monkeypatch.setenv("PATHEXT", ".COM;.EXE;.CMD")
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("code", "code.cmd", "nvcc.exe"):
        (tmp_path / name).write_bytes(b"")
        (tmp_path / name).chmod(0o755)
    assert paths.find_program("code") == str(tmp_path / "code.cmd"), "beside it lies a script for bash"
    assert paths.find_program("nvcc.exe") == paths.find_program("nvcc") == str(tmp_path / "nvcc.exe")
