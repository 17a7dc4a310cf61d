"""Unpacks the bulk members of a wheel while it is still being fetched, from the bytes that its hash has just taken.

A wheel is read back from the disk only to be unpacked; at full speed that is what an install waits for. What comes
out lies in a folder of its own beside the downloads and counts for nothing until the wheel's hash was right; then
the installer moves it to its place. Whatever is odd (a header without sizes, a file that begins anew, a full disk)
only means that the wheel is unpacked the usual way (`unpack.py`).
"""

from __future__ import annotations

import contextlib
import shutil
import struct
import zipfile
import zlib
from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from filelock import FileLock, Timeout

from wizard.packages.fetch.part import PartFile
from wizard.packages.model import LockedFile
from wizard.packages.unpack import BulkWriter, Early, inflater
from wizard.packages.wheel import BULK_BYTES

FOLDER = ".unpacked"
_LOCAL = struct.Struct("<4s5H3I2H")
_ENCRYPTED, _SIZES_FOLLOW = 1, 8
_IN_EXTRA = 0xFFFFFFFF
_ZIP64 = 1
_OUT = 2 << 20
_WRITERS = 3
_Bytes = Generator[None, memoryview, None]


class EarlyUnpacker:
    """Made for one run. `feed` is the fetcher's tap: in order for each file, from one thread at a time for each."""

    def __init__(self, downloads: Path, run: str) -> None:
        """Raises OSError. What runs that were killed left behind is removed."""
        root = downloads / FOLDER
        root.mkdir(parents=True, exist_ok=True)
        self._folder = root / run
        self._lock = FileLock(root / f"{run}.lock", thread_local=False, is_singleton=False)
        self._lock.acquire(timeout=0)
        remove_left_behind(downloads)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        self._streams: dict[str, _Stream] = {}
        self._whole: dict[Path, Mapping[str, Early]] = {}
        self._closed = False
        self._pool = ThreadPoolExecutor(_WRITERS, "early")

    def feed(self, file: LockedFile, start: int, data: memoryview) -> None:
        """The next bytes of it; from byte 0 it begins anew. Never raises: it may only help."""
        stream = self._streams.get(file.sha256)
        if start == 0 and not self._closed:
            if stream:
                stream.drop()
            stream = self._streams[file.sha256] = _Stream(self._folder / file.sha256.lower(), self._pool)
        if stream:
            stream.feed(start, data)

    def accept(self, file: LockedFile, wheel: Path) -> None:
        """The hash of all of it was right, and that is where it lies now."""
        stream = self._streams.pop(file.sha256, None)
        if stream:
            self._whole[wheel] = stream.found

    def take(self, wheel: Path) -> Mapping[str, Early]:
        """What of this wheel is unpacked already, by the member's name."""
        return self._whole.pop(wheel, {})

    def close(self) -> None:
        """What nobody took is removed. May come twice, and while a last block is being fed."""
        self._closed = True
        for stream in tuple(self._streams.values()):  # a last block may begin one at this moment
            stream.drop()
        self._streams.clear()
        self._whole.clear()
        self._pool.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.release()
        _remove_lock(self._lock)


def open_early(downloads: Path, prefix: Path, run: str) -> EarlyUnpacker | None:
    """None where it would not help: the environment lies on another volume, or nothing can be written there."""
    try:
        downloads.mkdir(parents=True, exist_ok=True)
        place = next(folder for folder in (prefix, *prefix.parents) if folder.exists())
        return EarlyUnpacker(downloads, run) if place.stat().st_dev == downloads.stat().st_dev else None
    except (OSError, StopIteration, Timeout):
        return None


def remove_left_behind(downloads: Path) -> None:
    """What killed runs had unpacked: the folders whose lock nobody holds."""
    root = downloads / FOLDER
    for folder in [path for path in root.glob("*") if path.is_dir()]:
        lock = FileLock(root / f"{folder.name}.lock", thread_local=False, is_singleton=False)
        with contextlib.suppress(Timeout, OSError), lock.acquire(timeout=0):
            shutil.rmtree(folder, ignore_errors=True)
        _remove_lock(lock)


def _remove_lock(lock: FileLock) -> None:
    """A run's name never comes again, so nobody can wait for it; Windows keeps the file of a lock that is held."""
    folder = Path(lock.lock_file).with_suffix("")
    if not folder.exists():
        with contextlib.suppress(OSError):
            Path(lock.lock_file).unlink()


class _Stream:
    """One wheel's bytes on their way through."""

    def __init__(self, folder: Path, pool: ThreadPoolExecutor) -> None:
        self._folder = folder
        self._pool = pool
        self._at = 0
        self._out: PartFile | None = None
        self._writer: BulkWriter | None = None
        self._view = memoryview(b"")
        self.found: dict[str, Early] = {}
        self._count = 0
        self._walk: _Bytes | None = self._members()
        next(self._walk)

    def feed(self, start: int, data: memoryview) -> None:
        if self._walk is None:
            return
        try:
            if start != self._at:
                raise ValueError(f"byte {start} after byte {self._at}")
            self._at += len(data)
            self._walk.send(data)
        except StopIteration:
            self._walk = None
        except (OSError, ValueError, RuntimeError, struct.error, zlib.error):  # RuntimeError: closed meanwhile
            self.drop()
        finally:
            self._view = memoryview(b"")  # the buffer goes back to the fetcher

    def drop(self) -> None:
        self._walk = None
        wait([*(early.written for early in self.found.values()), *(self._writer.under_way if self._writer else ())])
        self.found = {}
        if self._out:
            self._out.close()
            self._out = None
        shutil.rmtree(self._folder, ignore_errors=True)

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
            if size >= BULK_BYTES and method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                yield from self._unpack(name, method, packed, size, crc)
            else:
                yield from self._skip(packed)

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

    def _unpack(self, name: str, method: int, packed: int, size: int, crc: int) -> _Bytes:
        # A number for a name: what the wheel calls it is believed only when its hash was right.
        self._count += 1  # not what was found: an odd wheel may hold a name twice
        path = self._folder / str(self._count)
        self._folder.mkdir(exist_ok=True)
        writer = self._writer = self._writer or BulkWriter(_OUT, self._pool)
        out = self._out = PartFile(path, truncate=True)
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
        self.found[name] = Early(path, size, crc, self._pool.submit(_finish, out, size, writer.under_way))
        self._out = None


def _add(writer: BulkWriter, stream: zlib._Decompress | None, piece: memoryview) -> None:
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
