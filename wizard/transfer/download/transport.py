"""One connection to a source: asks for a range, hands bytes into the caller's buffer, can be cut from outside.

Built on http.client, whose sockets are read straight into our buffers (reply.py). Proxy and certificates
come from the variables that every child gets too (wizard.transfer.proxy); TLS is never off.
A `file://` address answers like a server that knows ranges.

One file: an address in parts is only another way to one connection.
"""

from __future__ import annotations

import base64
import http.client
import os
import socket
import ssl
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from wizard import __version__
from wizard.system.sockets import end
from wizard.transfer.address import is_loopback
from wizard.transfer.download import meter
from wizard.transfer.download.meter import ThreadMeter
from wizard.transfer.download.model import Fault, NoRanges
from wizard.transfer.download.reply import Reply, SocketBody, as_fault, file_reply, read_reply
from wizard.transfer.pace import Pace, PacedResponse, keeping
from wizard.transfer.proxy.bypass import proxy_for
from wizard.transfer.proxy.environment import present_environment
from wizard.transfer.proxy.model import Network
from wizard.transfer.proxy.tunnel import open_tunnel, secure
from wizard.transfer.tls import CertificateUnreadable, context_for
from wizard.transfer.trouble import MAY_PASS, explain

# An address of a file that lies in parts: `…/torch.whl#parts=4278190080,81264` means `torch.whl.001`, `.002`.
#
# A request for a range goes to the part that the range begins in and ends with that part; the downloader asks for the
# rest by itself, as it does when a server breaks off. So parts need no joining beforehand, and the one hash of the
# whole file is taken as always.

_MARK = "#parts="
Get = Callable[[str, int, int | None], Reply]


def split_address(url: str, sizes: Sequence[int]) -> str:
    return url + _MARK + ",".join(map(str, sizes))


def is_split(url: str) -> bool:
    return _MARK in url


def get_split(url: str, start: int, end: int | None, get: Get) -> Reply:
    """`get(url, start, end)` of one part; the reply is told in the whole file's numbers. Raises Fault."""
    whole, _, listed = url.partition(_MARK)
    try:
        sizes = [int(size) for size in listed.split(",")]
    except ValueError as error:
        raise Fault("fetch-not-found", url, hard=True) from error
    offset = 0
    for number, size in enumerate(sizes, 1):
        if start < offset + size:
            until = size if end is None else min(end - offset, size)
            reply = get(f"{whole}.{number:03}", start - offset, until)
            return _told_whole(reply, offset, size, start - offset, sum(sizes))
        offset += size
    raise Fault("fetch-changed", f"{start} is behind the last part", hard=True)


def _told_whole(reply: Reply, offset: int, size: int, asked: int, total: int) -> Reply:
    if reply.total is not None and reply.total != size:
        raise Fault("fetch-size-mismatch", f"a part of {reply.total} bytes instead of {size}", hard=True)
    if reply.status == 200 and asked:
        raise NoRanges
    return replace(reply, status=206, start=offset + reply.start, total=total, etag=None)


_MAX_REDIRECTS = 6
_CONNECT_SECONDS = 10.0
_REDIRECTS = (301, 302, 303, 307, 308)
_SMALL_BODY = 64 * 1024  # of a redirect: reading it is cheaper than a new connection


def tls_context(environment: Mapping[str, str] | None = None) -> ssl.SSLContext:
    """Raises Fault when the named bundle cannot be read."""
    try:
        return context_for(present_environment(Network()) if environment is None else environment)
    except CertificateUnreadable as error:
        raise Fault("fetch-certificates", str(error), hard=True) from error


def is_allowed(url: str) -> bool:
    """https, http to this very computer, or a local file."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme in ("https", "file") or (parts.scheme == "http" and is_loopback(parts.hostname or ""))


def may_lead(start: str, url: str) -> bool:
    """Whether `start` may send us on to `url`. Never to a file, and never from a secure address to one that is not:
    what came over https is believed for that alone. Who speaks http may name itself or a secure address: a server in
    the room is not to make thirty machines ask whatever stands beside it."""
    here, there = urllib.parse.urlsplit(start), urllib.parse.urlsplit(url)
    if there.scheme != "http":
        return there.scheme == "https"
    if is_loopback(here.hostname or "") and is_loopback(there.hostname or ""):
        return True
    return here.scheme == "http" and here.hostname == there.hostname


def file_path(url: str) -> Path:
    """The path that a file:// address names."""
    parts = urllib.parse.urlsplit(url)
    location = f"//{parts.netloc}{parts.path}" if parts.netloc not in ("", "localhost") else parts.path
    return Path(urllib.request.url2pathname(location))


class Transport:
    """Not shared between threads, except `cut`. `allow_http` is for a lab server whose hashes are all known."""

    def __init__(
        self,
        stall: float = 30.0,
        environment: Mapping[str, str] | None = None,
        allow_http: bool = False,
        context: ssl.SSLContext | None = None,
        watch: ThreadMeter | None = None,
    ) -> None:
        self._stall = stall
        self._watch = watch or ThreadMeter()  # connecting is waiting for the network; the rest is said by who calls
        self._body: SocketBody | None = None
        self._landed: dict[str, str] = {}  # where an address led to; asked again when that no longer works
        self._environment = environment
        self._allow_http = allow_http
        self._context = context
        self._open: dict[tuple[str, str, int | None], http.client.HTTPConnection] = {}
        self._sockets: dict[tuple[str, str, int | None], socket.socket] = {}
        self._file: BinaryIO | None = None

    def get(self, url: str, start: int, end: int | None, etag: str | None = None) -> Reply:
        """Bytes `start..end` (end None: to the end). Raises Fault."""
        if is_split(url):
            return get_split(url, start, end, self.get)
        if urllib.parse.urlsplit(url).scheme == "file":
            return self._get_file(url, start, end)
        headers = {"Accept-Encoding": "identity", "User-Agent": f"torch-setup/{__version__}"}
        if start or end is not None:
            headers["Range"] = f"bytes={start}-{'' if end is None else end - 1}"
            if etag:
                headers["If-Range"] = etag
        landed = self._landed.pop(url, None)
        try:
            if landed:
                try:
                    return self._follow(url, landed, headers)
                except Fault as fault:
                    if fault.retry_after is not None:
                        raise
            return self._follow(url, url, headers)
        except ValueError as error:  # an address or a header that is none, from whoever answered
            raise Fault("fetch-server", str(error), hard=True) from error

    def _follow(self, asked: str, url: str, headers: Mapping[str, str]) -> Reply:
        for _ in range(_MAX_REDIRECTS):
            if not (is_allowed(url) or self._allow_http):
                raise Fault("fetch-redirect", url, hard=True)
            response = self._ask(url, headers)
            location = response.headers.get("Location")
            if response.status in _REDIRECTS and location:
                self._skip(response)
                target = urllib.parse.urljoin(url, location)
                if not may_lead(url, target):
                    raise Fault("fetch-redirect", target, hard=True)
                url = target
                continue
            assert self._body
            reply = read_reply(response, self._body)
            if url != asked:
                self._landed[asked] = url
            return reply
        raise Fault("fetch-redirect-loop", f"{asked} … {url}", hard=True)

    def _skip(self, response: http.client.HTTPResponse) -> None:
        if response.length is None or response.length > _SMALL_BODY:
            self.close()
            return
        try:
            with keeping(Pace(self._stall)):
                response.read()
        except (http.client.HTTPException, OSError):
            self.close()

    def _get_file(self, url: str, start: int, end: int | None) -> Reply:
        self.close()
        try:
            path = file_path(url)
            if not path.is_file():  # a pipe would be waited for
                raise FileNotFoundError(f"no file: {path}")
            self._file = stream = path.open("rb")
            size = os.fstat(stream.fileno()).st_size
            stream.seek(start)
        except (OSError, ValueError) as error:
            raise Fault("fetch-not-found", str(error), hard=True) from error
        return file_reply(stream, size, start, end)

    def _ask(self, url: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """A kept connection may have been closed by the other side meanwhile: one more try on a fresh one."""
        if self._body and not self._body.is_over:
            self.close()
        parts = urllib.parse.urlsplit(url)
        key = (parts.scheme, parts.hostname or "", parts.port)
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        own = dict(headers)
        if parts.username:
            pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            own["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        for fresh in (key not in self._open, True):
            connection = self._open.get(key) or self._connect_watched(url, key)
            sock = self._sockets[key]
            try:
                connection.request("GET", target, headers=own)
                with keeping(Pace(self._stall)):  # of the head; how the body comes is watched by who wants it
                    response = connection.getresponse()
                self._body = SocketBody(response, sock, self._stall, self._watch)
                return response
            except (http.client.HTTPException, OSError) as error:
                self._drop(key)
                if fresh:
                    raise as_fault(error) from error
        raise Fault("fetch-unreachable", "not reached")

    def _connect_watched(self, url: str, key: tuple[str, str, int | None]) -> http.client.HTTPConnection:
        before = self._watch.to(meter.BYTES)
        try:
            return self._connect(url, key)
        finally:
            self._watch.to(before)

    def _connect(self, url: str, key: tuple[str, str, int | None]) -> http.client.HTTPConnection:
        scheme, host, port = key
        proxy = self._proxy(url, host)
        connection: http.client.HTTPConnection | None = None
        try:
            if proxy:
                connection = _Tunnelled(proxy, scheme, host, port, self._tls)
            elif scheme == "https":
                connection = http.client.HTTPSConnection(host, port, timeout=_CONNECT_SECONDS, context=self._tls())
            else:
                connection = http.client.HTTPConnection(host, port, timeout=_CONNECT_SECONDS)
            connection.response_class = PacedResponse
            connection.connect()
        except (http.client.HTTPException, OSError) as error:
            if connection:  # TLS to the proxy may stand where TLS behind it does not
                connection.close()
            trouble = explain(error, url, self._variables())
            if trouble:
                is_lasting = trouble.code not in MAY_PASS
                raise Fault(trouble.code, str(error), hard=is_lasting, params=trouble.params) from error
            raise as_fault(error) from error
        connection.sock.settimeout(self._stall)
        self._sockets[key] = connection.sock
        self._open[key] = connection
        return connection

    def _proxy(self, url: str, host: str) -> str | None:
        return None if is_loopback(host) else proxy_for(url, self._variables())

    def _variables(self) -> Mapping[str, str]:
        if self._environment is None:
            self._environment = present_environment(Network())
        return self._environment

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = tls_context(self._variables())
        return self._context

    def _drop(self, key: tuple[str, str, int | None]) -> None:
        self._sockets.pop(key, None)
        connection = self._open.pop(key, None)
        if connection:
            connection.close()

    def close(self) -> None:
        """A connection on which a body was left unread cannot be used again."""
        if self._body:
            self._body.close()
            self._body = None
        for key in list(self._open):
            self._drop(key)
        if self._file:
            self._file.close()
            self._file = None

    def cut(self) -> None:
        """From another thread: a read that waits for the network ends at once."""
        for sock in list(self._sockets.values()):
            end(sock)


class _Tunnelled(http.client.HTTPConnection):
    """Through a proxy, with TLS to the host itself where the scheme says so."""

    def __init__(
        self, proxy: str, scheme: str, host: str, port: int | None, context: Callable[[], ssl.SSLContext]
    ) -> None:
        self.default_port = 443 if scheme == "https" else 80  # what the Host header leaves out
        super().__init__(host, port, timeout=_CONNECT_SECONDS)
        self._way = proxy
        self._is_secure = scheme == "https"
        self._tls = context

    def connect(self) -> None:
        context = self._tls() if self._is_secure else None  # before anything is asked: it may be unreadable
        self.sock = open_tunnel(self._way, self.host, self.port, _CONNECT_SECONDS, self._tls)
        if context:
            self.sock = secure(self.sock, context, self.host)
