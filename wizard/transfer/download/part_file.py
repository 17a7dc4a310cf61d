"""A file that is being fetched: its blocks, the ranges that are surely there, and the note beside it.

A file that is being fetched: blocks written at their place, in any order, by several threads.

Where the system and the file system allow it, the blocks bypass the page cache: gigabytes that are read once
would push out what the machine needs, and on virtual machines touching fresh memory costs more than
the disk. Buffers are therefore page-aligned (`new_buffer`) and blocks start at multiples of ALIGN.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import mmap
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.model.typed import from_own_json
from wizard.system import moving
from wizard.system.disk import Positioned, sync_data

# Sets of byte ranges: sorted, disjoint, half-open `(start, end)` pairs. Pure functions.

Range = tuple[int, int]
Ranges = tuple[Range, ...]


def add(ranges: Iterable[Range], start: int, end: int) -> Ranges:
    """With `start..end` included; what overlaps or touches becomes one."""
    merged: list[Range] = []
    for low, high in sorted([*ranges, (start, end)]):
        if low >= high:
            continue
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def missing(ranges: Ranges, size: int, align: int = 1) -> Ranges:
    """What is not covered of `0..size`. Starts are rounded down to `align` (direct writes need whole blocks)."""
    gaps: list[Range] = []
    at = 0
    for start, end in ranges:
        if start > at:
            gaps.append((at, start))
        at = max(at, end // align * align if end < size else end)
    if at < size:
        gaps.append((at, size))
    return tuple(gaps)


def split(gaps: Iterable[Range], chunk: int) -> Iterator[Range]:
    for start, end in gaps:
        for low in range(start, end, chunk):
            yield low, min(low + chunk, end)


def total(ranges: Iterable[Range]) -> int:
    return sum(end - start for start, end in ranges)


def covered_to(ranges: Ranges, at: int) -> int:
    """How far the bytes reach from `at` without a hole."""
    return next((end for start, end in ranges if start <= at < end), at)


# The sidecar of a half-fetched file: which bytes are surely there.
#
# Replaced atomically, and only after the bytes that it names were handed to the disk, so that a kill or a power cut
# costs about a second of work. It names no address: those may hold credentials.

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class PartState:
    """`etag` belongs to the address whose fingerprint is `source`."""

    sha256: str
    size: int
    done: Ranges = ()
    etag: str | None = None
    source: str = ""


def fingerprint(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _StateFile(PartState):
    schema: int = 0


def parse_state(text: str) -> PartState | None:
    """Return the state; None for anything that is not a whole one of this schema: then the file starts anew."""
    try:
        found = from_own_json(text, _StateFile)
    except (ValueError, RecursionError):
        return None
    if found.schema != SCHEMA or not all(0 <= start < end <= found.size for start, end in found.done):
        return None
    done: Ranges = ()
    for start, end in found.done:
        done = add(done, start, end)
    return PartState(found.sha256, found.size, done, found.etag, found.source)


def read_state(path: Path) -> PartState | None:
    """Return how far a file had come; None where nothing is noted or the note is damaged."""
    try:
        return parse_state(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def write_state(path: Path, state: PartState) -> None:
    """Note how far a file has come, whole or not at all. Raises OSError."""
    data = {
        "schema": SCHEMA,
        "sha256": state.sha256,
        "size": state.size,
        "done": [list(pair) for pair in state.done],
        "etag": state.etag,
        "source": state.source,
    }
    moving.write_whole(path, json.dumps(data).encode())


def remove_state(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        moving.unlink(path)


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

    def cut(self, size: int) -> None:
        """Let go of all bytes from `size` on."""
        os.ftruncate(self._file.descriptor, size)

    def finish(self, size: int, flush: bool = True) -> None:
        """Give it its true size and close it; with `flush` it is on the disk then."""
        os.ftruncate(self._file.descriptor, size)
        if flush:
            os.fsync(self._file.descriptor)
        self.close()

    def close(self) -> None:
        with self._lock:
            self._file.close()
