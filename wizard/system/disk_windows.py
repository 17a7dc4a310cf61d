"""The disk as Windows has it. Plain Python throughout, so that it runs anywhere (tests/windows/test_disk_side.py).

A file is read and written at a place by going there first, which one thread does at a time; a junction is a folder to
the listing and leads elsewhere all the same.
"""

from __future__ import annotations

import errno
import os
import random
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from wizard.system.facts import DiskSpace
from wizard.system.links import is_true_folder, reparse_tag_of
from wizard.system.windows.calls import lock_behind_all

BINARY = getattr(os, "O_BINARY", 0)  # no line ends are put in; only Windows has it
# winerror.h: access denied, sharing violation, lock violation; folder not empty (of a file whose end is pending)
_HELD_BY_OTHERS = frozenset({5, 32, 33, 145})
# Beside one that held the file nearly always, 2 or 50 ms at a time, pauses of up to 0.1 s found no moment in 10 and 25
# of 30 cases, these in none and 5.
_INSIST_SECONDS, _SHORTEST_PAUSE, _LONGEST_PAUSE = 3.0, 0.002, 0.01

_T = TypeVar("_T")


def insist(action: Callable[[], _T]) -> _T:
    """Windows opens most files so that nobody may remove or replace them meanwhile. A refusal for lack of rights has
    the same number and takes the whole time; nothing tells them apart."""
    until, pause = time.monotonic() + _INSIST_SECONDS, _SHORTEST_PAUSE
    while True:
        try:
            return action()
        except OSError as error:
            if getattr(error, "winerror", None) not in _HELD_BY_OTHERS or time.monotonic() + pause > until:
                raise
        time.sleep(pause * random.uniform(0.5, 1.0))  # not in step with who reads all the time
        pause = min(2 * pause, _LONGEST_PAUSE)


def sync_folder(folder: Path) -> None:
    """Windows has no such call."""


def sync_data(descriptor: int) -> None:
    os.fsync(descriptor)


def take_owner(path: Path, old: os.stat_result, new: os.stat_result) -> None:
    """A new file belongs to who made it."""


def user_ids() -> tuple[int, int] | None:
    return None


def user_name(number: int) -> str:
    return str(number)


def room_of(folder: Path) -> DiskSpace | None:
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


def open_own(path: Path, flags: int) -> int:
    """To read or write a file of the program's own; not through a link. Raises OSError."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return os.open(path, flags | BINARY, 0o600)


def append_whole(path: Path, data: bytes) -> None:
    """Write at the end as one piece. Windows' C library goes to the end first and writes then, so that programs wait
    for each other at a byte that no file reaches; who does not get it in time writes all the same. Raises OSError."""
    descriptor = open_own(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        until = time.monotonic() + _INSIST_SECONDS
        while not lock_behind_all(descriptor) and time.monotonic() < until:
            time.sleep(random.uniform(0.5, 1.0) * _SHORTEST_PAUSE)
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def change_stamp(path: Path) -> str | None:
    """None: all times of a file can be set by whoever may write it."""
    return None


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
        """Read a block at its offset and return its bytes; one reader at a time, since Windows moves one pointer."""
        with self._turn:
            os.lseek(self.descriptor, offset, os.SEEK_SET)
            data = os.read(self.descriptor, len(block))
        block[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the descriptor; it may be called twice."""
        with self._turn:
            if self.descriptor >= 0:
                os.close(self.descriptor)
                self.descriptor = -1
