"""What Windows says of its folders, by recorded values; and that nothing outside is touched, for real."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from wizard.environment.remove.erase import erase
from wizard.model.errors import Cancelled
from wizard.system.links import extended, is_link, is_true_folder

# winnt.h and ntifs.h
JUNCTION = 0xA0000003
SYMLINK = 0xA000000C
APP_EXECUTION_ALIAS = 0x8000001B
ONEDRIVE = 0x9000601A
WSL_LINK = 0xA000001D
DEDUPLICATED = 0x80000013


@pytest.mark.parametrize(
    ("mode", "tag", "expected"),
    [
        (stat.S_IFDIR, 0, True),
        (stat.S_IFDIR, JUNCTION, False),
        (stat.S_IFDIR, SYMLINK, False),
        (stat.S_IFDIR, WSL_LINK, False),
        (stat.S_IFDIR, ONEDRIVE, True),
        (stat.S_IFDIR, DEDUPLICATED, True),
        (stat.S_IFREG, 0, False),
        (stat.S_IFREG, APP_EXECUTION_ALIAS, False),
        (stat.S_IFLNK, SYMLINK, False),
    ],
)
def test_folders_that_lead_elsewhere_are_no_folders(mode: int, tag: int, expected: bool) -> None:
    assert is_true_folder(mode, tag) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (r"C:\Users\李\envs\torch", "\\\\?\\C:\\Users\\李\\envs\\torch"),
        (r"\\server\share\env", r"\\?\UNC\server\share\env"),
        (r"\\?\C:\x", r"\\?\C:\x"),
        (r"\\.\pipe\x", r"\\.\pipe\x"),
    ],
)
def test_long_paths(path: str, expected: str) -> None:
    assert extended(path, is_windows=True) == expected
    assert extended(path, is_windows=False) == path


pytest_linux = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")


def precious(folder: Path) -> Path:
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "thesis").write_text("ten years")
    return folder


def snapshot(folder: Path) -> list[tuple[str, int, int]]:
    status = ((str(path), path.lstat().st_mode, path.lstat().st_size) for path in sorted(folder.rglob("*")))
    return [*status, (".", folder.lstat().st_mode, 0)]


@pytest_linux
def test_no_link_is_followed(tmp_path: Path) -> None:
    outside = precious(tmp_path / "outside")
    before = snapshot(outside)
    tree = tmp_path / "tree"
    (tree / "closed").mkdir(parents=True)
    (tree / "absolute").symlink_to(outside)
    (tree / "file").symlink_to(outside / "deep" / "thesis")
    (tree / "closed" / "up").symlink_to("../../outside")
    (tree / "loop").symlink_to(".")
    (tree / "nowhere").symlink_to("/no/such/place")
    (tree / "hard").hardlink_to(outside / "deep" / "thesis")
    os.mkfifo(tree / "pipe")
    (tree / "closed").chmod(0o555)
    erase(tree)
    assert not tree.exists()
    assert snapshot(outside) == before


@pytest_linux
def test_a_root_that_is_a_link_is_refused(tmp_path: Path) -> None:
    outside = precious(tmp_path / "outside")
    (tmp_path / "link").symlink_to(outside)
    assert is_link(tmp_path / "link")
    with pytest.raises(OSError, match="link"):
        erase(tmp_path / "link")
    assert (outside / "deep" / "thesis").exists()
    assert not is_link(outside)
    assert not is_link(tmp_path / "nothing")


@pytest_linux
def test_read_only_files_and_folders_go(tmp_path: Path) -> None:
    tree = precious(tmp_path / "tree")
    (tree / "deep" / "thesis").chmod(0o400)
    for folder in (tree / "deep", tree):
        folder.chmod(0o500)
    erase(tree)
    assert not tree.exists()


def test_what_is_kept_and_what_is_counted(tmp_path: Path) -> None:
    tree = precious(tmp_path / "tree")
    (tree / "mark").write_text("m")
    (tree / "deep" / "mark").write_text("also called so, and not at the top")
    gone: list[int] = []
    erase(tree, gone.append, keep=("mark",))
    assert [path.name for path in tree.rglob("*")] == ["mark"]
    assert sum(gone) == 2


@pytest.mark.parametrize("threads", [1, 4])
def test_stopped_and_begun_again(tmp_path: Path, threads: int) -> None:
    tree = tmp_path / "tree"
    for number in range(60):
        precious(tree / f"a{number % 5}" / f"b{number}")
    gone: list[int] = []
    before = open_descriptors()
    with pytest.raises(Cancelled):
        erase(tree, gone.append, lambda: len(gone) >= 10, threads=threads)
    assert 10 <= len(gone) < 30
    assert tree.is_dir()
    assert open_descriptors() == before
    erase(tree, threads=threads)
    assert not tree.exists()
    assert open_descriptors() == before


def open_descriptors() -> int:
    folder = Path("/proc/self/fd")
    # In Wine that is a folder of the Linux below.
    return len(list(folder.iterdir())) if folder.is_dir() and sys.platform != "win32" else 0


def test_a_bug_in_who_listens_ends_it_and_hangs_nothing(tmp_path: Path) -> None:
    precious(tmp_path / "tree")

    def listen(files: int) -> None:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        erase(tmp_path / "tree", listen)


def test_a_deep_tree(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY) if sys.platform != "win32" else -1
    if here < 0:
        pytest.skip("made through open folders")
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    erase(tmp_path / "d")
    assert not (tmp_path / "d").exists()
