"""A file that is being fetched: blocks written at their place, in any order, by several threads.

Where the system and the file system allow it, the blocks bypass the page cache: gigabytes that are read once
would push out what the machine needs, and on virtual machines touching fresh memory costs more than
the disk. Buffers are therefore page-aligned (`new_buffer`) and blocks start at multiples of ALIGN.
"""

from __future__ import annotations

import errno
import mmap
import os
import threading
from pathlib import Path

from wizard.system.disk import Positioned, sync_data

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
        self._file = Positioned(path, flags)

    def write(self, block: memoryview, length: int, offset: int) -> None:
        """`block` is a whole buffer; its first `length` bytes go to `offset`. A direct write of the file's
        tail is padded to ALIGN; `finish` cuts it off."""
        done = 0
        want = round_up(length) if self._file.is_direct else length
        while done < want:
            try:
                done += self._file.write(block[done:want], offset + done)
            except OSError as error:
                if not (self._file.is_direct and error.errno == errno.EINVAL):
                    raise
                self._file.leave_direct()
                want = length

    def read(self, block: memoryview, length: int, offset: int) -> int:
        """Into `block`; returns how much was there (padding excluded by the caller's `length`)."""
        want = round_up(length) if self._file.is_direct else length
        done = 0
        while done < length:
            count = self._file.read(block[done:want], offset + done)
            if not count:
                break
            done += count
        return min(done, length)

    def sync(self) -> None:
        """What was written is on the disk."""
        sync_data(self._file.descriptor)

    def finish(self, size: int, flush: bool = True) -> None:
        """Give it its true size and close it; with `flush` it is on the disk then."""
        os.ftruncate(self._file.descriptor, size)
        if flush:
            os.fsync(self._file.descriptor)
        self.close()

    def close(self) -> None:
        with self._lock:
            self._file.close()
