"""A connection to a host through a proxy: HTTP CONNECT (over TLS too) or SOCKS5, as one socket.

Used by the downloader and by the relay. The way to the proxy and what the proxy says have errors of their own, so
that "the proxy wants a password" is never told as "the server cannot be reached".
"""

from __future__ import annotations

import base64
import contextlib
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import socks
from urllib3.util.ssltransport import SSLTransport

from wizard.transfer.proxy.bypass import login_of

_MOST_HEAD = 64 * 1024
_ENDED = "Connection closed unexpectedly"  # PySocks 1.7.1, `_readall`: it has no class for that
MakeContext = Callable[[], ssl.SSLContext]


class ProxyFault(OSError):
    """`kind`: offline (nothing takes connections there), closed (it takes them and ends them without an answer),
    login (a password is wanted or wrong), refused (not to this host)."""

    def __init__(self, kind: str, details: str, status: int | None = None) -> None:
        super().__init__(details)
        self.kind = kind
        self.status = status


class _InnerTls(SSLTransport):
    def pending(self) -> int:
        """Bytes that are here already, of which the socket below knows nothing (some not yet decrypted)."""
        below = self.socket.pending() if isinstance(self.socket, ssl.SSLSocket) else 0
        return self.sslobj.pending() + self.incoming.pending + below


def open_tunnel(proxy: str, host: str, port: int, timeout: float, context: MakeContext) -> socket.socket:
    """`proxy` in normal form (see `address`). Raises ProxyFault, TimeoutError, ssl.SSLError."""
    parts = urlsplit(proxy)
    if parts.scheme.startswith("socks"):
        return _through_socks(proxy, host, port, timeout)
    sock = _reach(parts.hostname or "", parts.port or 80, timeout)
    try:
        with telling_closed():
            if parts.scheme == "https":
                sock = context().wrap_socket(sock, server_hostname=parts.hostname)
            _connect(sock, proxy, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    except BaseException:
        sock.close()
        raise
    return sock


def secure(sock: socket.socket, context: ssl.SSLContext, host: str) -> socket.socket:
    """TLS to the host itself, inside the proxy's own TLS where there is one. Raises ssl.SSLError."""
    if isinstance(sock, ssl.SSLSocket):
        inner: socket.socket = _InnerTls(sock, context, host)  # type: ignore[assignment]
        return inner
    return context.wrap_socket(sock, server_hostname=host)


def _reach(host: str, port: int, timeout: float) -> socket.socket:
    try:
        return socket.create_connection((host, port), timeout)
    except OSError as error:  # a time-out too: it is the proxy that does not answer
        raise ProxyFault("offline", f"{host}:{port}: {error}") from error


@contextlib.contextmanager
def telling_closed() -> Iterator[None]:
    """Around what is asked of the proxy itself: a connection that it ends is told as its own. Raises ProxyFault."""
    try:
        yield
    except (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError) as error:
        raise ProxyFault("closed", f"closed the connection: {error}") from error


def is_reachable(proxy: str, timeout: float = 1.0) -> bool:
    """Tell whether something takes connections at this proxy's address within so many seconds. It is told nothing."""
    parts = urlsplit(proxy)
    try:
        _reach(parts.hostname or "", parts.port or 80, timeout).close()
    except ProxyFault:
        return False
    return True


def _connect(sock: socket.socket, proxy: str, target: str) -> None:
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    login = login_of(proxy)
    if login:
        lines.append("Proxy-Authorization: Basic " + base64.b64encode(":".join(login).encode()).decode())
    sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    status, reason = _answer(sock)
    if status == 407:
        raise ProxyFault("login", f"HTTP 407 {reason}", 407)
    if not 200 <= status < 300:
        raise ProxyFault("refused", f"HTTP {status} {reason}", status)


def _answer(sock: socket.socket) -> tuple[int, str]:
    """The server behind says nothing before we do, so what comes up to the blank line is the proxy's.

    All of it within the socket's time limit. Raises TimeoutError.
    """
    head, silence, began = b"", sock.gettimeout(), time.monotonic()
    while b"\r\n\r\n" not in head and len(head) < _MOST_HEAD:
        if silence is not None and time.monotonic() - began > silence:
            raise TimeoutError(f"no whole answer of the proxy in {silence:g} seconds")
        piece = sock.recv(4096)
        if not piece:
            raise ProxyFault("closed", "closed the connection")
        head += piece
    words = head.partition(b"\r\n")[0].decode("latin-1").split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/") or not words[1].isdigit():
        raise ProxyFault("refused", "no answer of an HTTP proxy")
    return int(words[1]), words[2] if len(words) > 2 else ""


def _through_socks(proxy: str, host: str, port: int, timeout: float) -> socket.socket:
    parts, login = urlsplit(proxy), login_of(proxy)
    sock = socks.socksocket()
    sock.set_proxy(
        socks.SOCKS5,
        parts.hostname,
        parts.port,
        rdns=parts.scheme == "socks5h",
        username=login[0] if login else None,
        password=login[1] if login else None,
    )
    sock.settimeout(timeout)
    try:
        sock.connect((host, port))
    except BaseException as error:
        sock.close()
        if isinstance(error, socks.ProxyError):
            raise ProxyFault(socks_kind(error), str(error)) from error
        raise
    found: socket.socket = sock
    return found


def socks_kind(error: socks.ProxyError) -> str:
    """Which ProxyFault it is."""
    causes = (error, error.socket_err)  # PySocks wraps its own errors
    if any(isinstance(cause, socks.ProxyConnectionError) for cause in causes):
        return "offline"
    if any(isinstance(cause, ConnectionError) or _ENDED in str(cause) for cause in causes):
        return "closed"
    return "login" if any(isinstance(cause, socks.SOCKS5AuthError) for cause in causes) else "refused"
