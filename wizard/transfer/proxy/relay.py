"""A bridge for programs that know HTTP proxies only: CONNECT on 127.0.0.1, handed on to a SOCKS5 proxy.

py-rattler 0.28 answers "unsupported scheme socks5h"; its child process runs this beside it. The bridge lives in
that process and ends with it; it serves only who knows its random password, so no other user of the computer can
go through it.
"""

from __future__ import annotations

import base64
import contextlib
import secrets
import select
import socket
import ssl
import threading
from collections.abc import Mapping

from wizard.transfer.proxy.tunnel import ProxyFault, open_tunnel

_TIMEOUT = 30.0
_PIECE = 256 * 1024
_MOST_HEAD = 64 * 1024
_STATUS = {"offline": 502, "closed": 502, "login": 407, "refused": 403}
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


class Relay:
    """`address` is what the program is told as its HTTP proxy."""

    def __init__(self, proxy: str) -> None:
        self._proxy = proxy
        word = secrets.token_urlsafe(24)
        self._login = b"Basic " + base64.b64encode(f"relay:{word}".encode())
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"http://relay:{word}@127.0.0.1:{self._listener.getsockname()[1]}"

    def start(self) -> None:
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError, ValueError):
            client.settimeout(_TIMEOUT)
            method, target, login = _request(client)
            if not secrets.compare_digest(login, self._login):
                _refuse(client, 407)
            elif method != "CONNECT":
                _refuse(client, 405)
            else:
                self._hand_on(client, target)

    def _hand_on(self, client: socket.socket, target: str) -> None:
        host, _, port = target.rpartition(":")
        try:
            server = open_tunnel(self._proxy, host.strip("[]"), int(port), _TIMEOUT, ssl.create_default_context)
        except ProxyFault as fault:
            _refuse(client, _STATUS[fault.kind])
            return
        with server:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            _pass(client, server)


def _request(client: socket.socket) -> tuple[str, str, bytes]:
    """(method, target, Proxy-Authorization). Raises ValueError, OSError."""
    head = b""
    while b"\r\n\r\n" not in head:
        piece = client.recv(4096)
        if not piece or len(head) > _MOST_HEAD:
            raise ValueError("no request")
        head += piece
    first, *lines = head.split(b"\r\n")
    method, target, _ = first.decode("latin-1").split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    return method, target, headers.get(b"proxy-authorization", b"")


def _refuse(client: socket.socket, status: int) -> None:
    client.sendall(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())


def _pass(client: socket.socket, server: socket.socket) -> None:
    other = {client: server, server: client}
    while True:
        for side in select.select(list(other), [], [])[0]:
            piece = side.recv(_PIECE)
            if not piece:
                return
            other[side].sendall(piece)


def without_socks(environment: Mapping[str, str]) -> dict[str, str]:
    """The changes to these variables that put a bridge, started here, in the place of each SOCKS proxy."""
    relays: dict[str, Relay] = {}
    changes: dict[str, str] = {}
    for name, value in environment.items():
        if name.lower() in _PROXIES and value.lower().startswith("socks"):
            if value not in relays:
                relays[value] = Relay(value)
                relays[value].start()
            changes[name] = relays[value].address
    return changes
