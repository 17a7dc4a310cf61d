"""Unpacks the plain members of a wheel while it is still being fetched, from the bytes that its hash has just taken.

A wheel is read back from the disk only to be unpacked; at full speed that is what an install waits for. What comes
out counts for nothing until the wheel's hash was right (`build.py`). Whatever is odd (a header without sizes, a file
that begins anew, a full disk) only means that the wheel is unpacked the usual way (`unpack.py`).
"""

from __future__ import annotations

import errno
import os
import struct
import zipfile
import zlib
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from wizard.install.store.unpack import BAD_STREAM, LARGE_BYTES, AlignedWriter, inflater
from wizard.install.wheel import is_plain
from wizard.system import moving
from wizard.transfer.download.part_file import PartFile

_LOCAL = struct.Struct("<4s5H3I2H")
_ENCRYPTED, _SIZES_FOLLOW = 1, 8
_IN_EXTRA = 0xFFFFFFFF
_ZIP64 = 1
_OUT = 2 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_Bytes = Generator[None, memoryview, None]
# What does not fit; RuntimeError: it was closed meanwhile.
_UNFIT: tuple[type[BaseException], ...] = (OSError, ValueError, RuntimeError, struct.error, *BAD_STREAM)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """One member that was unpacked while its wheel came, whole by its header's CRC-32."""

    number: int  # its name in the folder
    size: int
    crc: int
    written: Future[None]  # its bytes are on the disk; raises what its writing ended with


class WheelStream:
    """One wheel's bytes on their way through, into files of `folder` that have numbers for names."""

    def __init__(self, folder: Path, pool: ThreadPoolExecutor) -> None:
        self.folder = folder
        self._pool = pool
        self._at = 0
        self._out: PartFile | None = None
        self._writer: AlignedWriter | None = None
        self._view = memoryview(b"")
        self.found: dict[str, Unpacked] = {}
        self._count = 0
        self._walk: _Bytes | None = self._members()
        next(self._walk)

    def feed(self, start: int, data: memoryview) -> None:
        """Unpack the next bytes of a wheel while it is fetched; what does not fit makes it be unpacked later."""
        if self._walk is None:
            return
        try:
            if start != self._at:
                raise ValueError(f"byte {start} after byte {self._at}")
            self._at += len(data)
            self._walk.send(data)
        except StopIteration:
            self._walk = None
        except _UNFIT:
            self.drop()
        finally:
            self._view = memoryview(b"")  # the buffer goes back to the fetcher

    def drop(self) -> None:
        """Give up unpacking on the way and remove what was unpacked so far."""
        self._walk = None
        wait([*(each.written for each in self.found.values()), *(self._writer.under_way if self._writer else ())])
        self.found = {}
        if self._out:
            self._out.close()
            self._out = None
        moving.remove_tree(self.folder)

    # -- the walk: each `yield` waits for the next bytes -------------------------------------------------------

    def _members(self) -> _Bytes:
        self._view = yield
        while True:
            head = yield from self._exactly(_LOCAL.size)
            if head[:4] != b"PK\3\4":
                return  # the directory begins: there are no more members
            _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _LOCAL.unpack(head)
            name = (yield from self._exactly(name_length)).decode("utf-8")
            packed, size = _sizes(packed, size, (yield from self._exactly(extra_length)))
            if flags & (_ENCRYPTED | _SIZES_FOLLOW):
                raise ValueError(f"{name}: its size is not in front of it")
            if not is_plain(name) or name.endswith("/") or method not in _METHODS:
                yield from self._skip(packed)
            elif size >= LARGE_BYTES:
                yield from self._unpack(name, method, packed, size, crc)
            else:
                yield from self._unpack_small(name, method, packed, size, crc)

    def _exactly(self, count: int) -> Generator[None, memoryview, bytes]:
        kept = bytearray()
        while len(kept) < count:
            piece = yield from self._some(count - len(kept))
            kept += piece
        return bytes(kept)

    def _some(self, most: int) -> Generator[None, memoryview, memoryview]:
        while not self._view:
            self._view = yield
        piece, self._view = self._view[:most], self._view[most:]
        return piece

    def _skip(self, count: int) -> _Bytes:
        while count:
            count -= len((yield from self._some(count)))

    def _next(self) -> tuple[int, str]:
        # A number for a name: what the wheel calls it is believed only when its hash was right.
        if not self._count:
            self.folder.mkdir(parents=True, exist_ok=True)
        self._count += 1  # not what was found: an odd wheel may hold a name twice
        return self._count, f"{self.folder}{os.sep}{self._count}"

    def _unpack(self, name: str, method: int, packed: int, size: int, crc: int) -> _Bytes:
        number, path = self._next()
        writer = self._writer = self._writer or AlignedWriter(_OUT, self._pool)
        out = self._out = PartFile(Path(path), truncate=True)
        writer.begin(out)
        stream = inflater.decompressobj(-15) if method == zipfile.ZIP_DEFLATED else None
        while packed:
            piece = yield from self._some(packed)
            packed -= len(piece)
            _add(writer, stream, piece)
            if writer.size > size:
                raise ValueError(f"{name} is longer than its header says")
        if writer.end() != (size, crc) or (stream and not stream.eof):
            raise ValueError(f"{name} is damaged")
        # The pool begins in the order of asking: what this waits for has begun before it.
        self.found[name] = Unpacked(number, size, crc, self._pool.submit(_finish, out, size, writer.under_way))
        self._out = None

    def _unpack_small(self, name: str, method: int, packed: int, size: int, crc: int) -> _Bytes:
        number, path = self._next()
        content = yield from self._exactly(packed)
        if method == zipfile.ZIP_DEFLATED:
            content = inflater.decompressobj(-15).decompress(content, size + 1)
        if (len(content), inflater.crc32(content)) != (size, crc):
            raise ValueError(f"{name} is damaged")
        with open(path, "wb", 0) as out:  # noqa: PTH123 (tens of thousands of files)
            if out.write(content) < size:  # what fitted
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        self.found[name] = Unpacked(number, size, crc, _DONE)


_DONE: Future[None] = Future()
_DONE.set_result(None)


def _add(writer: AlignedWriter, stream: zlib._Decompress | None, piece: memoryview) -> None:
    if stream is None:
        writer.add(piece)
        return
    writer.add(stream.decompress(piece, _OUT))
    while stream.unconsumed_tail:
        writer.add(stream.decompress(stream.unconsumed_tail, _OUT))


def _finish(out: PartFile, size: int, before: tuple[Future[None], ...]) -> None:
    try:
        for future in before:
            future.result()
        out.finish(size)
    finally:
        out.close()


def _sizes(packed: int, size: int, extra: bytes) -> tuple[int, int]:
    """Compressed and whole; of a large member they stand in the header's extra field."""
    if _IN_EXTRA not in (packed, size):
        return packed, size
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == _ZIP64:
            if length < 16:
                break
            size, packed = struct.unpack_from("<2Q", extra, at + 4)
            return packed, size
        at += 4 + length
    raise ValueError("no sizes")
