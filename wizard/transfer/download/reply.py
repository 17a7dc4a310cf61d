"""A source's answer: what its status and headers say, and its body, which is read straight into the caller's buffer.

A read gives what is there and waits only where that is nothing, so that waiting for bytes can be told from copying
them. TLS hands out 16 kB at a time: what a call costs beside its bytes decides how fast the whole is.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import socket
import ssl
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import BinaryIO, Protocol

from wizard.system.sockets import receive, wait_readable
from wizard.transfer.download import meter
from wizard.transfer.download.meter import ThreadMeter
from wizard.transfer.download.model import Fault

_MOST_DIGITS = 19


class Body(Protocol):
    def readinto(self, block: memoryview) -> int: ...


@dataclass(frozen=True, slots=True)
class Reply:
    """`status` 206 or 200. `total` is the whole file's size if the server says it; `etag` only a strong one."""

    status: int
    total: int | None
    start: int
    length: int | None
    etag: str | None
    content_type: str
    body: Body


class SocketBody:
    """`readinto` gives 0 at the end. Raises OSError or HTTPException; TimeoutError after `stall` seconds of silence."""

    def __init__(
        self, response: http.client.HTTPResponse, sock: socket.socket, stall: float, watch: ThreadMeter
    ) -> None:
        self._response = response
        self._sock = sock
        self._stall = stall
        self._watch = watch
        self._left = response.length
        self._head: memoryview | None = None  # what the reader of the headers holds of the body; None: not looked yet

    @property
    def is_over(self) -> bool:
        """Nothing of it is left on the connection."""
        return self._response.isclosed()

    def close(self) -> None:
        """The rest is not wanted. A response that ends with its connection has the socket for itself."""
        self._response.close()

    def readinto(self, block: memoryview) -> int:
        """Read at most a block of the body straight from the socket; 0 at its end."""
        if self._response.isclosed() or not block:
            return 0
        if self._response.chunked:
            return self._read_chunked(block)
        count = self._take(block if self._left is None else block[: self._left])
        if self._left is not None:
            self._left -= count
        if not count or self._left == 0:
            self._response.close()
        return count

    def _take(self, block: memoryview) -> int:
        """The socket itself is read, not the buffered reader: that one reads ahead when little is asked for, and
        the socket is silent then although bytes are there."""
        if self._head is None:
            self._head = memoryview(self._response.fp.peek())
        if self._head:
            count = min(len(block), len(self._head))
            block[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        self._sock.settimeout(0)
        try:
            return self._receive(block)
        finally:
            self._sock.settimeout(self._stall)

    def _receive(self, block: memoryview) -> int:
        """All that is there: at least one byte, or 0 at the end."""
        sock, count = self._sock, 0
        while count < len(block):
            try:
                got = sock.recv_into(block[count:])
            except (ssl.SSLWantReadError, BlockingIOError):
                if count:
                    return count
                self._wait()
                continue
            except ssl.SSLWantWriteError:  # TLS has to say something first: rare, and done while waiting
                if count:
                    return count
                return receive(sock, block, self._stall)
            except OSError:  # what came before the break counts; the next read tells of it, or of the end
                if count:
                    return count
                raise
            if not got:
                return count
            count += got
        return count

    def _read_chunked(self, block: memoryview) -> int:
        """Through the buffered reader, whose wait for bytes cannot be told from its copying."""
        data = self._response.read1(len(block))
        block[: len(data)] = data
        return len(data)

    def _wait(self) -> None:
        """Until there is something to read."""
        before = self._watch.to(meter.BYTES)
        try:
            if not wait_readable(self._sock, self._stall):
                raise TimeoutError(f"no bytes for {self._stall:g} seconds")
        finally:
            self._watch.to(before)


class FileBody:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readinto(self, block: memoryview) -> int:
        data = self._stream.read(len(block))
        block[: len(data)] = data
        return len(data)


def read_reply(response: http.client.HTTPResponse, body: SocketBody) -> Reply:
    """Raises Fault for everything but a file or a part of it."""
    status, headers = response.status, response.headers
    if status not in (200, 206):
        raise refusal(status, response.reason, headers.get("Retry-After"), headers.get("Date"))
    length = int(headers["Content-Length"]) if _is_number(headers.get("Content-Length") or "") else None
    start, total = 0, length
    if status == 206:
        start, total = content_range(headers.get("Content-Range") or "")
    etag = headers.get("ETag")
    strong = etag if etag and etag.startswith('"') else None
    return Reply(status, total, start, length, strong, headers.get("Content-Type") or "", body)


def file_reply(stream: BinaryIO, size: int, start: int, end: int | None) -> Reply:
    length = (size if end is None else min(end, size)) - start
    return Reply(206, size, start, length, None, "", FileBody(stream))


def content_range(text: str) -> tuple[int, int | None]:
    """From `bytes 0-99/1234`."""
    try:
        unit, _, rest = text.partition(" ")
        span, _, size = rest.partition("/")
        start, total = int(span.split("-")[0]), None if size == "*" else int(size)
        if unit != "bytes" or start < 0 or (total or 0) < 0:
            raise ValueError(text)
        return start, total
    except ValueError:
        raise Fault("fetch-server", f"Content-Range: {text!r}") from None


def refusal(status: int, reason: str, retry_after: str | None, date: str | None) -> Fault:
    """Return the fault for a status: which are final, which are worth another try, and after how many seconds."""
    details = f"HTTP {status} {reason}"
    seconds = retry_seconds(retry_after or "", date)
    if status in (401, 403, 407):
        return Fault("fetch-refused", details, hard=True)
    if status == 416:
        return Fault("fetch-changed", details, hard=True)  # it ends before where we are
    if status in (404, 410, 451):
        return Fault("fetch-not-found", details, hard=True)
    if status == 429 or (status == 503 and seconds is not None):
        return Fault("fetch-busy", details, retry_after=seconds)
    return Fault("fetch-server", details, hard=status < 500 and status != 408)


def retry_seconds(text: str, date: str | None = None) -> float | None:
    """Retry-After: seconds, or a date, which is held against the server's own clock where it tells it."""
    if _is_number(text.strip()):
        return float(text)
    until = _moment(text)
    if until is None:
        return None
    return max(0.0, until - (_moment(date or "") or time.time()))


def _is_number(text: str) -> bool:
    """`isdigit` alone takes a raised two for one."""
    return text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS


def _moment(text: str) -> float | None:
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):
        moment = email.utils.parsedate_to_datetime(text)
        return _in_utc(moment).timestamp()
    return None


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def as_fault(error: Exception) -> Fault:
    """What went wrong between us and the server, as a fault of that address."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Fault("fetch-tls", str(error), hard=True)
    if isinstance(error, TimeoutError):
        return Fault("fetch-stalled", str(error))
    return Fault("fetch-unreachable", f"{type(error).__name__}: {error}")
