"""A real HTTP server on 127.0.0.1 that serves bytes and misbehaves exactly as told.

    with FaultServer() as server:
        url = server.add("/a.whl", data, Faults(drop_after=1000, times=2))
        ...
        assert server.sent["/a.whl"] == len(data)

`sent` counts body bytes per path, `ranges` keeps each request's Range header.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from tests.servers.loopback import LoopbackServer, QuietHandler

_RANGE = re.compile(r"bytes=(\d+)-(\d*)$")
_PIECE = 64 * 1024
_GATE_SECONDS = 25.0
PORTAL = b"<!DOCTYPE html><html><body>Please sign in</body></html>"


@dataclass(frozen=True)
class Faults:
    """`times`: only the first so many requests are served badly (None: all). Bytes count per reply."""

    times: int | None = None
    status: int | None = None
    retry_after: str | None = None
    redirect: str | None = None
    html: bool = False
    knows_ranges: bool = True
    says_length: bool = True
    drop_after: int | None = None  # the connection is reset
    end_after: int | None = None  # the body just ends (with Content-Length: short; without: looks whole)
    stall_after: int | None = None
    wrong_byte: int | None = None
    longer_by: int = 0  # a lie about the whole size
    length_lie: int = 0  # of Content-Length alone: more makes the body short, less cuts it off
    etag: str | None = None
    etag_per_request: bool = False
    other_from: int | None = None  # from this request on it is another file (of the same size), with another ETag
    wrong_type: str | None = None
    answer_after: float = 0.0  # seconds until the status line
    gate: threading.Event | None = None  # no status line before this
    bytes_per_second: float | None = None


_GOOD = Faults()


class FaultServer(LoopbackServer):
    """`certificate`: https with it."""

    root = LoopbackServer.url

    def __init__(self, certificate: Path | None = None) -> None:
        super().__init__(_Handler, certificate)
        self.sent: dict[str, int] = defaultdict(int)
        self.ranges: dict[str, list[str | None]] = defaultdict(list)
        self.conditions: list[str] = []  # If-Range headers
        self.logins: list[str | None] = []  # Authorization headers
        self.most_at_once = 0
        self.at_once = 0  # requests that are being answered
        self.times: list[float] = []  # when requests came
        self._files: dict[str, tuple[bytes, Faults]] = {}

    def add(self, path: str, data: bytes, faults: Faults = _GOOD) -> str:
        """Also replaces what was there. Returns the address."""
        self._files[path] = (data, faults)
        return self.root + path

    def requests(self, path: str) -> int:
        return len(self.ranges[path])

    # -- called by the handler -------------------------------------------------------------------------------

    def enter(self, path: str, asked: str | None, condition: str | None) -> tuple[bytes, Faults, int] | None:
        with self._lock:
            self.ranges[path].append(asked)
            self.times.append(time.monotonic())
            if condition:
                self.conditions.append(condition)
            number = len(self.ranges[path])
            if path not in self._files:
                return None
            data, faults = self._files[path]
            if faults.times is not None and number > faults.times:
                faults = Faults(etag=faults.etag)
            if faults.other_from is not None and number >= faults.other_from:
                data, faults = data[::-1], replace(faults, etag='"other"')
            return data, faults, number

    def count(self, path: str, sent: int) -> None:
        with self._lock:
            self.sent[path] += sent

    def begin(self) -> None:
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)

    def end(self) -> None:
        with self._lock:
            self.at_once -= 1


class _Handler(QuietHandler):
    def do_GET(self) -> None:
        self.server.owner.begin()
        try:
            self._get()
        finally:
            self.server.owner.end()

    def _get(self) -> None:
        asked = self.headers.get("Range")
        condition = self.headers.get("If-Range")
        found = self.server.owner.enter(self.path, asked, condition)
        if found is None:
            self._short(404, b"no such file")
            return
        data, faults, number = found
        self.server.owner.logins.append(self.headers.get("Authorization"))
        if faults.gate:
            faults.gate.wait(_GATE_SECONDS)
        if faults.answer_after:
            self.server.owner.pause(faults.answer_after)
        if faults.redirect:
            self._short(302, b"", ("Location", faults.redirect))
        elif faults.status:
            extra = ("Retry-After", faults.retry_after) if faults.retry_after else None
            self._short(faults.status, b"refused", extra)
        elif faults.html:
            self._short(200, PORTAL, ("Content-Type", faults.wrong_type or "text/html; charset=utf-8"))
        else:
            self._file(data, faults, number, asked, condition)

    def _short(self, status: int, body: bytes, extra: tuple[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if extra:
            self.send_header(*extra)
        self.end_headers()
        self.wfile.write(body)

    def _file(self, data: bytes, faults: Faults, number: int, asked: str | None, condition: str | None) -> None:
        size = len(data) + faults.longer_by
        start, end = 0, size
        etag = f'"{number}"' if faults.etag_per_request else faults.etag
        match = _RANGE.match(asked or "")
        is_part = bool(match) and faults.knows_ranges and (condition is None or condition == etag)
        if match and is_part:
            start = int(match[1])
            end = min(size, int(match[2]) + 1) if match[2] else size
            if start >= size > 0:
                self._short(416, b"", ("Content-Range", f"bytes */{size}"))
                return
        self.send_response(206 if is_part else 200)
        if is_part:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        if etag:
            self.send_header("ETag", etag)
        if faults.says_length:
            self.send_header("Content-Length", str(end - start + faults.length_lie))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self._body(data, faults, start, end)

    def _body(self, data: bytes, faults: Faults, start: int, end: int) -> None:
        at, sent = start, 0
        began = time.monotonic()
        limits = [limit for limit in (faults.drop_after, faults.end_after, faults.stall_after) if limit is not None]
        limit = min(limits, default=end - start)
        while at < end and sent < limit:
            piece = bytearray(data[at : min(at + _PIECE, end, at + limit - sent)])
            if not piece:
                break  # a lie about the size: there is no more
            if faults.wrong_byte is not None and at <= faults.wrong_byte < at + len(piece):
                piece[faults.wrong_byte - at] ^= 0xFF
            self.wfile.write(piece)
            self.server.owner.count(self.path, len(piece))
            at += len(piece)
            sent += len(piece)
            if faults.bytes_per_second:
                self.server.owner.pause(max(0.0, sent / faults.bytes_per_second - (time.monotonic() - began)))
        if at < end or sent < end - start:
            self._misbehave(faults)

    def _misbehave(self, faults: Faults) -> None:
        self.wfile.flush()
        self.close_connection = True
        if faults.stall_after is not None:
            self.server.owner.pause(60)
        if faults.drop_after is not None:
            # A reset instead of an orderly end.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
