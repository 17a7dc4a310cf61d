"""A file that is being fetched: blocks written at their place, in any order, by several threads.

On Linux the blocks bypass the page cache where the file system allows it: gigabytes that are read once
would push out what the machine needs, and on virtual machines touching fresh memory costs more than
the disk. Buffers are therefore page-aligned (`new_buffer`) and blocks start at multiples of ALIGN.
"""

from __future__ import annotations

import errno
import mmap
import os
import sys
import threading
from pathlib import Path

ALIGN = 4096


def new_buffer(size: int) -> memoryview:
    """Page-aligned memory that is only really taken where it is written."""
    return memoryview(mmap.mmap(-1, -(-size // ALIGN) * ALIGN))


def round_up(length: int) -> int:
    return -(-length // ALIGN) * ALIGN


class PartFile:
    """Raises OSError, with ENOSPC when the disk is full."""

    def __init__(self, path: Path, truncate: bool = False, read_only: bool = False) -> None:
        self._lock = threading.Lock()
        flags = os.O_RDONLY if read_only else os.O_RDWR | os.O_CREAT | (os.O_TRUNC if truncate else 0)
        flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self._direct = False
        if sys.platform == "linux":
            try:
                self._fd = os.open(path, flags | os.O_DIRECT, 0o666)
                self._direct = True
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
        if not self._direct:
            self._fd = os.open(path, flags, 0o666)

    def write(self, block: memoryview, length: int, offset: int) -> None:
        """`block` is a whole buffer; its first `length` bytes go to `offset`. A direct write of the file's
        tail is padded to ALIGN; `finish` cuts it off."""
        done = 0
        want = round_up(length) if self._direct else length
        while done < want:
            try:
                done += self._pwrite(block[done:want], offset + done)
            except OSError as error:
                if not (self._direct and error.errno == errno.EINVAL):
                    raise
                self._leave_direct()
                want = length

    def read(self, block: memoryview, length: int, offset: int) -> int:
        """Into `block`; returns how much was there (padding excluded by the caller's `length`)."""
        want = round_up(length) if self._direct else length
        done = 0
        while done < length:
            count = self._pread(block[done:want], offset + done)
            if not count:
                break
            done += count
        return min(done, length)

    def _leave_direct(self) -> None:
        """Some file systems take the flag when opening and refuse the write."""
        if sys.platform == "linux":
            import fcntl

            fcntl.fcntl(self._fd, fcntl.F_SETFL, fcntl.fcntl(self._fd, fcntl.F_GETFL) & ~os.O_DIRECT)
        self._direct = False

    if sys.platform == "win32":

        def _pwrite(self, data: memoryview, offset: int) -> int:
            with self._lock:
                os.lseek(self._fd, offset, os.SEEK_SET)
                return os.write(self._fd, data)

        def _pread(self, block: memoryview, offset: int) -> int:
            with self._lock:
                os.lseek(self._fd, offset, os.SEEK_SET)
                data = os.read(self._fd, len(block))
            block[: len(data)] = data
            return len(data)

    else:

        def _pwrite(self, data: memoryview, offset: int) -> int:
            return os.pwrite(self._fd, data, offset)

        def _pread(self, block: memoryview, offset: int) -> int:
            return os.preadv(self._fd, [block], offset)

    def sync(self) -> None:
        """What was written is on the disk."""
        if sys.platform == "win32" or sys.platform == "darwin":
            os.fsync(self._fd)
        else:
            os.fdatasync(self._fd)

    def finish(self, size: int) -> None:
        os.ftruncate(self._fd, size)
        os.fsync(self._fd)
        self.close()

    def close(self) -> None:
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1
