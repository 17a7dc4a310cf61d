"""One file of a pack as an HTTP reply: the whole of it or one range, straight from the disk to the socket.

The ETag is the file's SHA-256 from the pack's list, so it is the same at every server of this pack. A file that was
split for a stick is handed out whole as well: its parts follow each other.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from wizard.classroom.pack.files import is_inside
from wizard.classroom.pack.listing import PackEntry

_TYPES = {".html": "text/html; charset=utf-8", ".json": "application/json"}
_SLOWEST = 16 * 1024  # bytes per second; who takes less for one slice is let go
_LEAST_SECONDS = 30.0
_SLICE, _LARGE_SLICE = 512 * 1024, 4 * 1024 * 1024  # bytes sent in one go; large ones to who is quick
_QUICK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes `start..start+count` of a file on the disk."""

    path: Path
    start: int
    count: int


@dataclass(frozen=True, slots=True)
class Served:
    """What one path of the address space holds."""

    files: Sequence[tuple[Path, int]]  # and their sizes
    size: int
    etag: str
    content_type: str
    root: Path | None = None  # no link may lead out of it, now or later


def served_of(folder: Path, entry: PackEntry) -> Iterator[tuple[str, Served]]:
    """The entry under its own name, and each part under its."""
    kind = _TYPES.get(Path(entry.path).suffix, "application/octet-stream")
    files = [(folder / part.path, part.size) for part in entry.files]
    yield entry.path, Served(files, entry.size, entry.sha256, kind, folder)
    for part in entry.parts:
        one = [(folder / part.path, part.size)]
        yield part.path, Served(one, part.size, part.sha256, "application/octet-stream", folder)


def pieces(served: Served, start: int, end: int) -> Iterator[Piece]:
    """Yield which bytes of which files make up `start` to `end` of something that lies in several parts."""
    offset = 0
    for path, size in served.files:
        first, last = max(start, offset), min(end, offset + size)
        if first < last:
            yield Piece(path, first - offset, last - first)
        offset += size


async def reply(request: web.Request, served: Served, on_sent: Callable[[int], None]) -> web.StreamResponse:
    """`on_sent` is told the bytes of each slice."""
    start, end, status = _span(request, served)
    headers = {
        "Accept-Ranges": "bytes",
        "ETag": f'"{served.etag}"',
        "Content-Type": served.content_type,
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    }
    if status == 416:
        return web.Response(status=416, headers={"Content-Range": f"bytes */{served.size}"})
    if status == 206:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{served.size}"
    response = web.StreamResponse(status=status, headers=headers)
    response.content_length = end - start
    if not await _is_whole(served):
        return web.Response(status=410, text="this file is damaged or gone\n")
    await response.prepare(request)
    if request.method != "HEAD":
        await _send(request, pieces(served, start, end), on_sent)
    await response.write_eof()
    return response


def _span(request: web.Request, served: Served) -> tuple[int, int, int]:
    """(start, end, status). A condition on another ETag asks for the whole; several ranges too."""
    condition = request.headers.get("If-Range")
    if "Range" not in request.headers or (condition and condition != f'"{served.etag}"'):
        return 0, served.size, 200
    try:
        asked = request.http_range
    except ValueError:
        return 0, served.size, 200 if "," in request.headers["Range"] else 416
    start, stop = asked.start, asked.stop
    if start is None:
        return 0, served.size, 200
    if start < 0:  # the last so many
        start = max(0, served.size + start)
    end = served.size if stop is None else min(stop, served.size)
    return (start, end, 206) if start < end else (0, 0, 416)


async def _is_whole(served: Served) -> bool:
    """A file of another size than the list says is not begun: half a reply helps nobody. Nor one that has become a
    link to somewhere else: whoever may write in the folder is not to choose what this user hands out."""

    def look() -> bool:
        root = served.root
        try:
            return all(
                path.is_file() and path.stat().st_size == size and (root is None or is_inside(root, str(path)))
                for path, size in served.files
            )
        except OSError:
            return False

    return await asyncio.get_running_loop().run_in_executor(None, look)


async def _send(request: web.Request, some: Iterator[Piece], on_sent: Callable[[int], None]) -> None:
    """Raises asyncio.TimeoutError for who reads a slice too slowly, ConnectionError."""
    for piece in some:
        with piece.path.open("rb") as stream:  # here and not in a thread: a client that leaves now would leave it open
            start, end, size = piece.start, piece.start + piece.count, _SLICE
            while start < end:
                if request.transport is None:
                    raise ConnectionResetError
                count, began = min(size, end - start), time.monotonic()
                sending = asyncio.get_running_loop().sendfile(request.transport, stream, start, count)
                await asyncio.wait_for(sending, _LEAST_SECONDS + count / _SLOWEST)
                on_sent(count)
                start += count
                size = _LARGE_SLICE if time.monotonic() - began < _QUICK_SECONDS else _SLICE
