"""Unpacks one member of a verified wheel: past the page cache where possible, and a large one down to the disk.

Inflating takes most of an install's time; isal does it more than twice as fast as zlib.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from wizard.install.wheel import THIN, Wheel
from wizard.model.errors import Cancelled
from wizard.transfer.download.part_file import ALIGN, PartFile, new_buffer

# A *thin* wheel: the same wheel without its plain members, for uv to install in a fraction of the time.
#
# uv leaves the missing files out of the RECORD that it writes; `record.complete_record` adds them once they are in
# place (`link.py`), so every tool can uninstall the package. Compressed bytes are copied as they are.

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_UTF8 = 0x800
_VERSION = 20
_AHEAD = 1 << 20  # the members lie one behind the other


def local_data_offset(stream: BinaryIO, member: zipfile.ZipInfo) -> int:
    """Return where a member's bytes begin: its local header has lengths of its own."""
    stream.seek(member.header_offset)
    header = stream.read(_LOCAL.size)
    if len(header) < _LOCAL.size or header[:4] != b"PK\3\4":
        raise zipfile.BadZipFile(f"no local header for {member.filename}")
    name_length, extra_length = struct.unpack("<2H", header[26:30])
    return member.header_offset + _LOCAL.size + int(name_length) + int(extra_length)


def write_thin(wheel: Wheel, left_out: Collection[str], target: Path) -> None:
    """Write the wheel without these members. Raises OSError, zipfile.BadZipFile, struct.error (more than the plain zip
    format holds)."""
    directory: list[bytes] = []
    with wheel.path.open("rb", _AHEAD) as source, target.open("wb", _AHEAD) as out:
        for member in sorted(wheel.members, key=lambda member: member.header_offset):
            if member.filename in left_out:
                continue
            source.seek(local_data_offset(source, member))
            directory.append(_copy(member, source.read(member.compress_size), out))
        start = out.tell()
        central = b"".join(directory)
        out.write(central)
        comment = THIN if directory and left_out else b""
        out.write(_END.pack(b"PK\5\6", 0, 0, len(directory), len(directory), len(central), start, len(comment)))
        out.write(comment)


def _copy(member: zipfile.ZipInfo, data: bytes, out: BinaryIO) -> bytes:
    """Writes the member; returns its line of the central directory."""
    name = member.filename.encode("utf-8")
    year, month, day, hour, minute, second = member.date_time
    common = (
        (hour << 11) | (minute << 5) | (second // 2),
        ((year - 1980) << 9) | (month << 5) | day,
        member.CRC,
        member.compress_size,
        member.file_size,
    )
    offset = out.tell()
    out.write(_LOCAL.pack(b"PK\3\4", _VERSION, _UTF8, member.compress_type, *common, len(name), 0) + name + data)
    made_by_unix = 3 << 8 | _VERSION
    head = (b"PK\1\2", made_by_unix, _VERSION, _UTF8, member.compress_type)
    return _CENTRAL.pack(*head, *common, len(name), 0, 0, 0, 0, member.external_attr, offset) + name


try:
    from isal import isal_zlib
except ImportError:  # no wheel of it for this platform
    inflater: ModuleType = zlib
else:
    inflater = isal_zlib

# isal's error is none of zlib's.
BAD_STREAM: tuple[type[BaseException], ...] = (zlib.error, inflater.error)

IsCancelled = Callable[[], bool]

_READ = 1 << 20
_FEED = 64 * 1024
_WRITE = 2 << 20
_BLOCKS = 3  # one is filled while two are written
LARGE_BYTES = 1 << 20  # from here on a file is written block by block, beside the next one


def unpack(wheel: Path, info: zipfile.ZipInfo, target: Path, is_cancelled: IsCancelled) -> None:
    """Write one member of a wheel file. Raises OSError, zipfile.BadZipFile, Cancelled."""
    out = PartFile(target, truncate=True)
    try:
        with wheel.open("rb") as stream:
            offset = local_data_offset(stream, info)
        source = _read(wheel, offset, info.compress_size, is_cancelled)
        writer = AlignedWriter(min(_WRITE, max(info.file_size, 1)))
        writer.begin(out)
        for piece in _inflate(source, info):
            writer.add(piece)
        size, crc = writer.end()
        if size != info.file_size or crc != info.CRC:
            raise zipfile.BadZipFile(f"{info.filename} in {wheel.name} is damaged")
        out.finish(size, flush=info.file_size >= LARGE_BYTES)
    except BAD_STREAM as error:
        raise zipfile.BadZipFile(f"{info.filename} in {wheel.name}: {error}") from error
    finally:
        out.close()


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


class AlignedWriter:
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
        """Return what the pool was given and need not have done yet."""
        return tuple(future for future, _ in self._pending)

    def add(self, piece: bytes | memoryview) -> None:
        """Take bytes in and write whole buffers, counting the checksum on the way."""
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
        """Return length and CRC-32; `PartFile.finish` is the caller's, when nothing is under way any more."""
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
