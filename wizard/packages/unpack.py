"""Unpacks the bulk members of verified wheels straight into site-packages, on threads of its own.

Written under a temporary name, past the page cache where possible, flushed, then renamed: a file with its
right name is whole. Inflating takes most of an install's time; isal does it more than twice as fast as zlib.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
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
_BLOCKS = 3  # one is filled while two are written
_EXECUTABLE = 0o111


@dataclass(frozen=True, slots=True)
class Early:
    """One member that was unpacked while its wheel came (`early.py`), whole by its header's CRC-32."""

    path: Path
    size: int
    crc: int
    written: Future[None]  # its bytes are on the disk; raises what its writing ended with


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
        writer = BulkWriter()
        writer.begin(out)
        for piece in _inflate(source, member.info):
            writer.add(piece)
        size, crc = writer.end()
        if size != member.info.file_size or crc != member.info.CRC:
            raise zipfile.BadZipFile(f"{member.info.filename} in {member.wheel.name} is damaged")
        out.finish(size)
    except zlib.error as error:
        raise zipfile.BadZipFile(f"{member.info.filename} in {member.wheel.name}: {error}") from error
    finally:
        out.close()
    _put(part, member)


def _put(whole: Path, member: Member) -> None:
    if (member.info.external_attr >> 16) & _EXECUTABLE:
        whole.chmod(whole.stat().st_mode | _EXECUTABLE)
    whole.replace(member.target)


def _move(early: Early | None, member: Member) -> bool:
    """Whether what was unpacked early is this member, and is in its place now."""
    if early is None or (early.size, early.crc) != (member.info.file_size, member.info.CRC):
        return False
    try:
        early.written.result()
        member.target.parent.mkdir(parents=True, exist_ok=True)
        _put(early.path, member)
    except OSError:  # another volume after all, or a full one: unpacked again
        with contextlib.suppress(OSError):
            early.path.unlink()  # its room is wanted
        return False
    return True


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


class BulkWriter:
    """Gathers pieces into whole aligned blocks of a file; keeps length and CRC-32. Used for one file after another.

    With a `pool` the blocks are written by its threads, two at a time at most, while the next one is filled.
    """

    def __init__(self, size: int = _WRITE, pool: Executor | None = None) -> None:
        self._most = size
        self._pool = pool
        self._free = [new_buffer(size) for _ in range(1 if pool is None else _BLOCKS)]
        self._buffer = self._free.pop()
        self._pending: deque[tuple[Future[None], memoryview]] = deque()
        self._out: PartFile | None = None

    def begin(self, out: PartFile) -> None:
        self._out = out
        self._filled = self._written = self._crc = 0

    @property
    def size(self) -> int:
        return self._written + self._filled

    @property
    def under_way(self) -> tuple[Future[None], ...]:
        """What the pool was given and need not have done yet."""
        return tuple(future for future, _ in self._pending)

    def add(self, piece: bytes | memoryview) -> None:
        self._crc = inflater.crc32(piece, self._crc)
        view = memoryview(piece)
        while view:
            count = min(len(view), self._most - self._filled)
            self._buffer[self._filled : self._filled + count] = view[:count]
            self._filled += count
            view = view[count:]
            if self._filled == self._most:
                self._flush()

    def end(self) -> tuple[int, int]:
        """Returns length and CRC-32; `PartFile.finish` is the caller's, when nothing is under way any more."""
        if self._filled:
            self._flush()
        return self._written, self._crc

    def _flush(self) -> None:
        assert self._out is not None
        if self._pool is None:
            self._out.write(self._buffer, self._filled, self._written)
        else:
            future = self._pool.submit(self._out.write, self._buffer, self._filled, self._written)
            self._pending.append((future, self._buffer))
            self._buffer = self._free.pop() if self._free else self._first_written()
        self._written += self._filled
        self._filled = 0

    def _first_written(self) -> memoryview:
        future, buffer = self._pending.popleft()
        future.result()
        return buffer


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

    def add(self, wheel: Wheel, folder: Path, early: Mapping[str, Early]) -> None:
        """`early`: what is unpacked already only has to be moved."""
        path = wheel.path
        members = [Member(path, info, folder / info.filename) for info in wheel.bulk]
        members = [member for member in members if not _move(early.get(member.info.filename), member)]
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
