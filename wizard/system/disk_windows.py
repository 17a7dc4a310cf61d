"""The disk as Windows has it. Plain Python throughout, so that it runs anywhere (tests/windows/test_disk_side.py).

A file is read and written at a place by going there first, which one thread does at a time; a junction is a folder to
the listing and leads elsewhere all the same.
"""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

from wizard.system.links import is_true_folder, reparse_tag_of
from wizard.system.room import Room

BINARY = getattr(os, "O_BINARY", 0)  # no line ends are put in; only Windows has it


def sync_folder(folder: Path) -> None:
    """Windows has no such call."""


def sync_data(descriptor: int) -> None:
    os.fsync(descriptor)


def take_owner(path: Path, old: os.stat_result, new: os.stat_result) -> None:
    """A new file belongs to who made it."""


def user_ids() -> tuple[int, int] | None:
    return None


def room_of(folder: Path) -> Room | None:
    return None


def open_folder(path: str, name: str, above: int) -> int:
    return -1


def is_true_folder_entry(entry: os.DirEntry[str]) -> bool:
    """Costs no system call either: the listing carries the tag."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    return is_true_folder(stat.S_IFDIR, reparse_tag_of(entry.stat(follow_symlinks=False)))


def entry_status(entry: os.DirEntry[str]) -> os.stat_result:
    """Windows' listing does not say how many names a file has."""
    return os.lstat(entry.path)


def open_quietly(path: Path) -> int:
    return os.open(path, os.O_RDONLY)


def share_blocks(reader: int, writer: int) -> bool:
    return False


def move_blocks(reader: int, writer: int, most: int) -> int | None:
    return None


class Positioned:
    def __init__(self, path: Path, flags: int) -> None:
        self.is_direct = False
        self._turn = threading.Lock()
        self.descriptor = os.open(path, flags | BINARY, 0o666)

    def leave_direct(self) -> None:
        self.is_direct = False

    def write(self, data: memoryview, offset: int) -> int:
        with self._turn:
            os.lseek(self.descriptor, offset, os.SEEK_SET)
            return os.write(self.descriptor, data)

    def read(self, block: memoryview, offset: int) -> int:
        with self._turn:
            os.lseek(self.descriptor, offset, os.SEEK_SET)
            data = os.read(self.descriptor, len(block))
        block[: len(data)] = data
        return len(data)

    def close(self) -> None:
        with self._turn:
            if self.descriptor >= 0:
                os.close(self.descriptor)
                self.descriptor = -1
