"""Unpacks the bulk members of verified wheels straight into site-packages, on threads of its own.

Written under a temporary name, past the page cache where possible, flushed, then renamed: a file with its
right name is whole. Inflating takes most of an install's time; isal does it more than twice as fast as zlib.
"""

from __future__ import annotations

import queue
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from wizard.errors import Cancelled
from wizard.packages.fetch.part import ALIGN, PartFile, new_buffer
from wizard.packages.record import PART_SUFFIX
from wizard.packages.thin import local_data_offset
from wizard.packages.wheel import Wheel

try:
    from isal import isal_zlib
except ImportError:  # no wheel of it for this platform
    inflater: ModuleType = zlib
else:
    inflater = isal_zlib

IsCancelled = Callable[[], bool]

_READ = 1 << 20
_FEED = 64 * 1024
_WRITE = 2 << 20
_EXECUTABLE = 0o111


@dataclass(frozen=True, slots=True)
class Member:
    """One large file."""

    wheel: Path
    info: zipfile.ZipInfo
    target: Path


def unpack(member: Member, is_cancelled: IsCancelled) -> None:
    """Raises OSError, zipfile.BadZipFile, Cancelled."""
    part = member.target.with_name(member.target.name + PART_SUFFIX)
    part.parent.mkdir(parents=True, exist_ok=True)
    out = PartFile(part, truncate=True)
    try:
        with member.wheel.open("rb") as stream:
            offset = local_data_offset(stream, member.info)
        source = _read(member.wheel, offset, member.info.compress_size, is_cancelled)
        size, crc = _write(out, _inflate(source, member.info))
        if size != member.info.file_size or crc != member.info.CRC:
            raise zipfile.BadZipFile(f"{member.info.filename} in {member.wheel.name} is damaged")
        out.finish(size)
    except zlib.error as error:
        raise zipfile.BadZipFile(f"{member.info.filename} in {member.wheel.name}: {error}") from error
    finally:
        out.close()
    if (member.info.external_attr >> 16) & _EXECUTABLE:
        part.chmod(part.stat().st_mode | _EXECUTABLE)
    part.replace(member.target)


def _read(wheel: Path, offset: int, length: int, is_cancelled: IsCancelled) -> Iterator[memoryview]:
    buffer = new_buffer(_READ)
    source = PartFile(wheel, read_only=True)
    try:
        at, end = offset, offset + length
        while at < end:
            if is_cancelled():
                raise Cancelled
            base = at // ALIGN * ALIGN
            count = source.read(buffer, min(_READ, end - base), base)
            if base + count <= at:
                raise zipfile.BadZipFile(f"{wheel.name} ends too early")
            for low in range(at - base, count, _FEED):
                yield buffer[low : min(low + _FEED, count)]
            at = base + count
    finally:
        source.close()


def _inflate(source: Iterator[memoryview], info: zipfile.ZipInfo) -> Iterator[bytes | memoryview]:
    if info.compress_type == zipfile.ZIP_STORED:
        yield from source
        return
    stream = inflater.decompressobj(-15)
    for data in source:
        yield stream.decompress(data, _WRITE)
        while stream.unconsumed_tail:
            yield stream.decompress(stream.unconsumed_tail, _WRITE)
    if not stream.eof:
        raise zlib.error("the data end too early")


def _write(out: PartFile, pieces: Iterator[bytes | memoryview]) -> tuple[int, int]:
    """Returns length and CRC-32."""
    buffer = new_buffer(_WRITE)
    filled = written = crc = 0
    for piece in pieces:
        crc = inflater.crc32(piece, crc)
        view = memoryview(piece)
        while view:
            count = min(len(view), _WRITE - filled)
            buffer[filled : filled + count] = view[:count]
            filled += count
            view = view[count:]
            if filled == _WRITE:
                out.write(buffer, filled, written)
                written += filled
                filled = 0
    if filled:
        out.write(buffer, filled, written)
    return written + filled, crc


class Unpacker:
    """A few threads that unpack members; who waits for a wheel asks `wait`."""

    def __init__(self, threads: int, is_cancelled: IsCancelled) -> None:
        self._queue: queue.PriorityQueue[tuple[int, int, Member | None]] = queue.PriorityQueue()
        self._changed = threading.Condition()
        self._left: dict[Path, int] = {}
        self._error: Exception | None = None
        self._closed = False
        self._count = 0
        self._is_cancelled = is_cancelled
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def add(self, wheel: Wheel, folder: Path) -> None:
        path = wheel.path
        members = [Member(path, info, folder / info.filename) for info in wheel.bulk]
        with self._changed:
            self._left[path] = len(members)
            for member in members:
                self._count += 1
                # The largest first: the last one to end should be a short one.
                self._queue.put((-member.info.file_size, self._count, member))

    def is_done(self, wheel: Path) -> bool:
        """Raises what a thread ended with."""
        with self._changed:
            if self._error:
                raise self._error
            return self._left.get(wheel, 0) == 0

    def wait(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait(seconds)

    def close(self) -> None:
        """Stops the threads; what they were at stays unfinished."""
        self._closed = True
        for _ in self._threads:
            self._queue.put((1, 0, None))
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (member := self._queue.get()[2]) and not self._closed:
            try:
                unpack(member, lambda: self._closed or self._is_cancelled())
            except Exception as error:
                with self._changed:
                    self._error = self._error or error
            with self._changed:
                self._left[member.wheel] -= 1
                self._changed.notify_all()
