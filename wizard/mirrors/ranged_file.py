"""A file behind an address as a Python file object that fetches only the pieces that are read.

For looking into a wheel of gigabytes without downloading it: `zipfile` reads the end, the directory and one
member. A server that ignores ranges is not made to send the whole file, and there is a limit on what is fetched.
"""

from __future__ import annotations

import io
import re
from typing import Any

from wizard.i18n import Words
from wizard.mirrors.client import Client, Page
from wizard.mirrors.unreachable import SourceUnreachable, explain_status
from wizard.process import redact

MOST_BYTES = 32 * 1024 * 1024
_SMALLEST, _LARGEST = 32 * 1024, 1024 * 1024  # bytes for one request; more when reading on
_CONTENT_RANGE = re.compile(r"^bytes (\d+)-(\d+)/(\d+)$")


class RangedFile(io.RawIOBase):
    """Raises SourceUnreachable from any read: `source-no-ranges`, `wheel-too-costly`, or as `Client.get`."""

    def __init__(self, client: Client, url: str, source: Words, most_bytes: int = MOST_BYTES) -> None:
        self.fetched = 0
        self._client, self._url, self._source, self._most = client, url, source, most_bytes
        self._at = 0
        self._pieces: list[tuple[int, bytes]] = []
        self._size: int | None = None
        self._fetch(0, 1)

    @property
    def size(self) -> int:
        return self._size or 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        if base + offset < 0:
            raise OSError("before the start of the file")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self.size - self._at)
        if wanted <= 0:
            return 0
        piece = self._piece(self._at) or self._fetch(self._at, self._ahead(wanted))
        start, data = piece
        part = data[self._at - start : self._at - start + wanted]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def _piece(self, at: int) -> tuple[int, bytes] | None:
        return next((piece for piece in self._pieces if piece[0] <= at < piece[0] + len(piece[1])), None)

    def _ahead(self, wanted: int) -> int:
        """Reading on from where the last piece ended: then more will be wanted."""
        start, data = self._pieces[-1]
        reads_on = start + len(data) == self._at
        return max(wanted, _LARGEST if reads_on and len(data) >= _SMALLEST else _SMALLEST)

    def _fetch(self, start: int, length: int) -> tuple[int, bytes]:
        if self._size is not None:
            length = min(length, self._size - start)
        if self.fetched + length > self._most:
            raise SourceUnreachable("wheel-too-costly", redact(self._url), source=self._source)
        headers = {"Range": f"bytes={start}-{start + length - 1}", "Accept-Encoding": "identity"}
        page = self._client.get(self._url, self._source, headers, length)
        self._check(page, start)
        self.fetched += len(page.body)
        self._pieces.append((start, page.body))
        return self._pieces[-1]

    def _check(self, page: Page, start: int) -> None:
        if page.status == 200:
            raise SourceUnreachable("source-no-ranges", redact(self._url), source=self._source)
        if page.status != 206:
            raise explain_status(page.status, self._source, self._url)
        found = _CONTENT_RANGE.match(page.content_range)
        size = int(found[3]) if found else -1
        if not found or int(found[1]) != start or not page.body or self._size not in (None, size):
            details = redact(f"{self._url}: asked from {start}, got {page.content_range!r}")
            raise SourceUnreachable("source-no-ranges", details, source=self._source)
        self._size = size
