"""One connection to a source: asks for a range, hands bytes into the caller's buffer, can be cut from outside.

Built on http.client, whose `readinto` copies once; `requests` is used for its knowledge of proxies only.
TLS is never off: the system's certificates (truststore), or the bundle that the environment names.
A `file://` address answers like a server that knows ranges.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import ipaddress
import os
import socket
import ssl
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import requests.utils
import truststore

from wizard import __version__
from wizard.packages.fetch.model import Fault

_MAX_REDIRECTS = 6
_CONNECT_SECONDS = 10.0
_CERTIFICATE_VARIABLES = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE")
_RETRY_AFTER_MAX = 300.0


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


def tls_context(environment: Mapping[str, str] | None = None) -> ssl.SSLContext:
    """Raises Fault when the named bundle cannot be read."""
    source = os.environ if environment is None else environment
    named = next((source[name] for name in _CERTIFICATE_VARIABLES if source.get(name)), None)
    if named is None:
        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if Path(named).is_dir():
            return ssl.create_default_context(capath=named)
        return ssl.create_default_context(cafile=named)
    except (OSError, ssl.SSLError) as error:
        raise Fault("fetch-certificates", f"{named}: {error}", hard=True) from error


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def is_allowed(url: str) -> bool:
    """https, http to this very computer, or a local file."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme in ("https", "file") or (parts.scheme == "http" and is_loopback(parts.hostname or ""))


def file_path(url: str) -> Path:
    """The path that a file:// address names."""
    parts = urllib.parse.urlsplit(url)
    location = f"//{parts.netloc}{parts.path}" if parts.netloc not in ("", "localhost") else parts.path
    return Path(urllib.request.url2pathname(location))


class Transport:
    """Not shared between threads, except `cut`. `allow_http` is for a lab server whose hashes are all known."""

    def __init__(
        self, stall: float = 30.0, environment: Mapping[str, str] | None = None, allow_http: bool = False,
        context: ssl.SSLContext | None = None,
    ) -> None:  # fmt: skip
        self._stall = stall
        self._environment = environment
        self._allow_http = allow_http
        self._context = context
        self._open: dict[tuple[str, str, int | None], http.client.HTTPConnection] = {}
        self._sockets: dict[tuple[str, str, int | None], socket.socket] = {}
        self._file: BinaryIO | None = None

    def get(self, url: str, start: int, end: int | None, etag: str | None = None) -> Reply:
        """Bytes `start..end` (end None: to the end). Raises Fault."""
        if urllib.parse.urlsplit(url).scheme == "file":
            return self._get_file(url, start, end)
        headers = {"Accept-Encoding": "identity", "User-Agent": f"torch-setup/{__version__}"}
        if start or end is not None:
            headers["Range"] = f"bytes={start}-{'' if end is None else end - 1}"
            if etag:
                headers["If-Range"] = etag
        for _ in range(_MAX_REDIRECTS):
            if not (is_allowed(url) or self._allow_http):
                raise Fault("fetch-redirect", url, hard=True)
            response = self._ask(url, headers)
            location = response.headers.get("Location")
            if response.status in (301, 302, 303, 307, 308) and location:
                response.close()
                self.close()
                url = urllib.parse.urljoin(url, location)
                continue
            return _reply(response)
        raise Fault("fetch-redirect", "too many redirects", hard=True)

    def _get_file(self, url: str, start: int, end: int | None) -> Reply:
        self.close()
        try:
            stream = file_path(url).open("rb")
            size = os.fstat(stream.fileno()).st_size
            stream.seek(start)
        except OSError as error:
            raise Fault("fetch-not-found", str(error), hard=True) from error
        self._file = stream
        length = (size if end is None else min(end, size)) - start
        return Reply(206, size, start, length, None, "", _FileBody(stream))

    def _ask(self, url: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """A kept connection may have been closed by the other side meanwhile: one more try on a fresh one."""
        parts = urllib.parse.urlsplit(url)
        key = (parts.scheme, parts.hostname or "", parts.port)
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        own = dict(headers)
        if parts.username:
            pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            own["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        for fresh in (key not in self._open, True):
            connection = self._open.get(key) or self._connect(url, key)
            try:
                connection.request("GET", target, headers=own)
                return connection.getresponse()
            except (http.client.HTTPException, OSError) as error:
                self._drop(key)
                if fresh:
                    raise as_fault(error) from error
        raise Fault("fetch-unreachable", "not reached")

    def _connect(self, url: str, key: tuple[str, str, int | None]) -> http.client.HTTPConnection:
        scheme, host, port = key
        proxy = self._proxy(url, host)
        try:
            if proxy:
                connection = self._through(proxy, scheme, host, port)
            elif scheme == "https":
                connection = http.client.HTTPSConnection(host, port, timeout=_CONNECT_SECONDS, context=self._tls())
            else:
                connection = http.client.HTTPConnection(host, port, timeout=_CONNECT_SECONDS)
            connection.connect()
        except (http.client.HTTPException, OSError) as error:
            raise as_fault(error) from error
        connection.sock.settimeout(self._stall)
        self._sockets[key] = connection.sock
        self._open[key] = connection
        return connection

    def _proxy(self, url: str, host: str) -> str | None:
        if is_loopback(host):
            return None
        if self._environment is None:
            proxies = requests.utils.get_environ_proxies(url)
        else:
            lower = {name.lower(): value for name, value in self._environment.items()}
            if requests.utils.should_bypass_proxies(url, lower.get("no_proxy")):
                return None
            proxies = {name: lower[f"{name}_proxy"] for name in ("http", "https", "all") if lower.get(f"{name}_proxy")}
        return requests.utils.select_proxy(url, proxies)

    def _through(self, proxy: str, scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
        parts = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if parts.scheme not in ("http", "https") or scheme != "https":
            raise Fault("fetch-proxy", parts.scheme, hard=True)
        headers = {}
        if parts.username:
            pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            headers["Proxy-Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        connection = http.client.HTTPSConnection(
            parts.hostname or "", parts.port or 8080, timeout=_CONNECT_SECONDS, context=self._tls()
        )
        connection.set_tunnel(host, port or 443, headers)
        return connection

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = tls_context(self._environment)
        return self._context

    def _drop(self, key: tuple[str, str, int | None]) -> None:
        self._sockets.pop(key, None)
        connection = self._open.pop(key, None)
        if connection:
            connection.close()

    def close(self) -> None:
        """A connection on which a body was left unread cannot be used again."""
        for key in list(self._open):
            self._drop(key)
        if self._file:
            self._file.close()
            self._file = None

    def cut(self) -> None:
        """From another thread: a read that waits for the network ends at once."""
        for sock in list(self._sockets.values()):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


class _FileBody:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readinto(self, block: memoryview) -> int:
        return os.readv(self._stream.fileno(), [block]) if hasattr(os, "readv") else _read(self._stream, block)


def _read(stream: BinaryIO, block: memoryview) -> int:
    data = stream.read(len(block))
    block[: len(data)] = data
    return len(data)


def as_fault(error: Exception) -> Fault:
    """What went wrong between us and the server, as a fault of that address."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Fault("fetch-tls", str(error), hard=True)
    if isinstance(error, TimeoutError):
        return Fault("fetch-stalled", str(error))
    if isinstance(error, OSError) and "Tunnel connection failed" in str(error):
        return Fault("fetch-proxy", str(error))
    return Fault("fetch-unreachable", f"{type(error).__name__}: {error}")


def _reply(response: http.client.HTTPResponse) -> Reply:
    status, headers = response.status, response.headers
    if status not in (200, 206):
        raise _refusal(response)
    length = int(headers["Content-Length"]) if (headers.get("Content-Length") or "").isdigit() else None
    start, total = 0, length
    if status == 206:
        start, total = _content_range(headers.get("Content-Range") or "")
    etag = headers.get("ETag")
    strong = etag if etag and etag.startswith('"') else None
    return Reply(status, total, start, length, strong, headers.get("Content-Type") or "", response)


def _content_range(text: str) -> tuple[int, int | None]:
    """From `bytes 0-99/1234`."""
    try:
        unit, _, rest = text.partition(" ")
        span, _, size = rest.partition("/")
        if unit != "bytes":
            raise ValueError(text)
        return int(span.split("-")[0]), None if size == "*" else int(size)
    except ValueError:
        raise Fault("fetch-server", f"Content-Range: {text!r}") from None


def _refusal(response: http.client.HTTPResponse) -> Fault:
    status = response.status
    details = f"HTTP {status} {response.reason}"
    retry_after = (response.headers.get("Retry-After") or "").strip()
    seconds = min(float(retry_after), _RETRY_AFTER_MAX) if retry_after.isdigit() else None
    if status in (401, 403, 407):
        return Fault("fetch-refused", details, hard=True)
    if status in (404, 410, 451):
        return Fault("fetch-not-found", details, hard=True)
    if status == 429 or (status == 503 and seconds is not None):
        return Fault("fetch-busy", details, retry_after=seconds)
    return Fault("fetch-server", details, hard=status < 500 and status != 408)
