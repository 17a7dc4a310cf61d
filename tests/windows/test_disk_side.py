"""Windows' side of the disk at work: it is plain Python, so it runs here.

What it does on Linux's disk is what it does on Windows' own, less what only Windows can refuse.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.abilities import needs_counted_names, needs_links
from wizard.environment import disk
from wizard.environment.create.clone_files import Copier
from wizard.environment.disk import WindowsVolume
from wizard.environment.inspect import sizes, survey
from wizard.environment.remove import erase
from wizard.system import disk_windows, links, traits
from wizard.transfer.download import part_file


def test_a_file_of_several_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks in any order, several threads at once: each goes to its place and writes there undisturbed."""
    monkeypatch.setattr(part_file, "Positioned", disk_windows.Positioned)
    monkeypatch.setattr(part_file, "sync_data", disk_windows.sync_data)
    file = part_file.PartFile(tmp_path / "x.part")
    count, size = 64, part_file.ALIGN
    written = {number: bytes([number]) * size for number in range(count)}

    def write(numbers: list[int]) -> None:
        for number in numbers:
            block = part_file.new_buffer(size)
            block[:size] = written[number]
            file.write(block, size, number * size)

    threads = [threading.Thread(target=write, args=([n for n in range(count) if n % 4 == k][::-1],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.sync()
    block = part_file.new_buffer(size)
    assert all(file.read(block, size, n * size) == size and bytes(block) == written[n] for n in range(count))
    file.finish(count * size - 7)
    file.close()
    assert (tmp_path / "x.part").read_bytes() == b"".join(written.values())[:-7]


def test_copies_are_plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.environment.create.clone_files.share_blocks", disk_windows.share_blocks)
    monkeypatch.setattr("wizard.environment.create.clone_files.move_blocks", disk_windows.move_blocks)
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    heard: list[int] = []
    copier = Copier(heard.append, lambda: False)
    copier.copy(str(tmp_path / "a"), str(tmp_path / "b"), 100_000)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    assert (sum(heard), copier.shared_bytes) == (100_000, 0)


def as_windows(monkeypatch: pytest.MonkeyPatch, module: ModuleType, *names: str) -> None:
    for name in names:
        monkeypatch.setattr(module, name, getattr(disk_windows, name))


@needs_links
def test_a_tree_is_removed_by_paths_and_links_are_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_windows(monkeypatch, erase, "open_folder", "is_true_folder_entry")
    monkeypatch.setattr(erase, "_BY_DESCRIPTOR", False)  # as it is there
    root, outside = tmp_path / "env", tmp_path / "outside"
    (root / "Lib/site-packages/我的").mkdir(parents=True)
    (root / "Lib/site-packages/我的/a.py").write_text("x")
    outside.mkdir()
    (outside / "kept").write_text("x")
    (root / "link").symlink_to(outside, target_is_directory=True)
    seen: list[int] = []
    erase.erase(root, seen.append)
    assert not root.exists()
    assert (outside / "kept").exists()
    assert sum(seen) == 2


def test_a_file_that_is_read_only_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to remove it until the mark is taken away."""
    as_windows(monkeypatch, erase, "open_folder", "is_true_folder_entry")
    monkeypatch.setattr(erase, "_BY_DESCRIPTOR", False)
    (tmp_path / "env").mkdir()
    protected = tmp_path / "env" / "a"
    protected.write_text("x")
    protected.chmod(0o444)
    real = os.unlink

    def unlink(path: Any, **more: Any) -> None:
        if not os.lstat(path).st_mode & stat.S_IWRITE:
            raise PermissionError(errno.EACCES, "Access is denied", path)
        real(path, **more)

    monkeypatch.setattr(os, "unlink", unlink)
    erase.erase(tmp_path / "env")
    assert not (tmp_path / "env").exists()


def entry(mode: int, tag: int) -> Any:
    """A row of a listing as Windows gives it: a junction calls itself a folder."""
    status = SimpleNamespace(st_mode=mode, st_reparse_tag=tag)
    return SimpleNamespace(is_dir=lambda follow_symlinks: stat.S_ISDIR(mode), stat=lambda follow_symlinks: status)


def test_a_junction_is_no_folder_and_a_file_of_the_cloud_is_one() -> None:
    junction, cloud = 0xA000_0003, 0x9000_101A
    assert not disk_windows.is_true_folder_entry(entry(stat.S_IFDIR, junction))
    assert disk_windows.is_true_folder_entry(entry(stat.S_IFDIR, cloud))
    assert disk_windows.is_true_folder_entry(entry(stat.S_IFDIR, 0))
    assert not disk_windows.is_true_folder_entry(entry(stat.S_IFREG, 0))


@needs_counted_names
def test_the_names_of_a_file_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_windows(monkeypatch, sizes, "entry_status", "is_true_folder_entry")
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    folders: list[sizes.Folder] = []
    sizes.walk(tmp_path, folders.append)
    assert {name: status.st_nlink for name, status in folders[0].files} == {"a": 2, "b": 2}


def test_nobody_is_numbered_and_no_quota_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traits, "os_name", lambda: "windows")
    as_windows(monkeypatch, survey, "user_ids")
    monkeypatch.setattr("wizard.environment.disk.user_ids", disk_windows.user_ids)
    from wizard.environment.disk import quota_left

    assert quota_left("/dev/sda1") is None
    tmp_path.chmod(0o500)
    assert survey._may_empty(tmp_path, owner=4711)
    assert survey.mounted_in(tmp_path) == ()
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    assert survey.mounted_in(tmp_path) == ("",)


def test_the_ground_is_asked_of_the_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_windows(monkeypatch, disk, "room_of")
    monkeypatch.setattr(disk, "look_at_volume", lambda path: WindowsVolume(5, "exFAT", True, False, False))
    seen = disk.look_at_ground(tmp_path / "env")
    assert (seen.free, seen.kind, seen.is_network, seen.has_links, seen.files_left) == (5, "exFAT", True, False, None)


def test_what_a_file_belongs_to_and_how_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\r\nb")
    status = (tmp_path / "a").stat()
    disk_windows.take_owner(tmp_path / "a", SimpleNamespace(st_uid=1, st_gid=1), status)  # type: ignore[arg-type]
    disk_windows.sync_folder(tmp_path / "gone")
    with os.fdopen(disk_windows.open_quietly(tmp_path / "a"), "rb") as file:
        assert file.read() == b"a\r\nb"
    assert (tmp_path / "a").stat().st_uid == status.st_uid


def test_long_paths_of_this_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traits, "os_name", lambda: "windows")
    assert links.extended("C:\\a") == "\\\\?\\C:\\a"
