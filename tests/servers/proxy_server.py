"""A real HTTP CONNECT proxy and a real SOCKS5 server on 127.0.0.1, which write down what is asked of them.

    with ProxyServer({"files.example:443": index_port}) as proxy:
        ... proxy.http or proxy.socks is the address to configure ...
        assert proxy.asked == ["files.example:443"]

Loopback is never proxied, so tests ask for host names of their own, which only the proxy can resolve: `routes`
says which loopback port stands behind `host:port`. Everything else gets 502. `password` ("user:word") is then
demanded; `refuses` answers every CONNECT with that status; so many times as `closes` says it hangs up without a word.
"""

from __future__ import annotations

import base64
import contextlib
import select
import socket
import ssl
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

_PIECE = 64 * 1024
_SECONDS = 20.0
_STEP = 0.05


class ProxyServer:
    def __init__(
        self,
        routes: Mapping[str, int],
        *,
        password: str | None = None,
        refuses: int | None = None,
        certificate: Path | None = None,
    ) -> None:
        self.routes = dict(routes)
        self.password, self.refuses, self.closes = password, refuses, 0
        self.asked: list[str] = []  # "host:port", in order; by SOCKS too
        self.resolved_here: list[str] = []  # SOCKS requests that brought an address instead of a name
        self.agents: list[str] = []
        self.bytes_passed = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._context: ssl.SSLContext | None = None
        if certificate:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate)
        self._listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        for listener in self._listeners:
            listener.settimeout(_STEP)
        works = (self._serve_http, self._serve_socks)
        self._threads = [
            threading.Thread(target=self._accept, args=(listener, work), daemon=True)
            for listener, work in zip(self._listeners, works, strict=True)
        ]

    def __enter__(self) -> ProxyServer:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: TracebackType | None) -> None:
        self._closing.set()
        for listener in self._listeners:
            listener.close()
        for thread in self._threads:
            thread.join()

    def _address(self, scheme: str, listener: socket.socket) -> str:
        login = quote(self.password, safe=":") + "@" if self.password else ""
        return f"{scheme}://{login}127.0.0.1:{listener.getsockname()[1]}"

    @property
    def http(self) -> str:
        return self._address("https" if self._context else "http", self._listeners[0])

    @property
    def socks(self) -> str:
        return self._address("socks5h", self._listeners[1])

    # -- serving ---------------------------------------------------------------------------------------------

    def _accept(self, listener: socket.socket, work: object) -> None:
        while not self._closing.is_set():
            try:
                client, _ = listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            threading.Thread(target=self._one, args=(client, work), daemon=True).start()

    def _one(self, client: socket.socket, work: object) -> None:
        client.settimeout(_SECONDS)
        with contextlib.suppress(OSError), client:
            if self.closes > 0:
                self.closes -= 1
                client.recv(_PIECE)
                return
            if self._context and work == self._serve_http:
                with self._context.wrap_socket(client, server_side=True) as secure:
                    self._serve_http(secure)
            else:
                work(client)  # type: ignore[operator]

    def _note(self, target: str) -> None:
        with self._lock:
            self.asked.append(target)

    def _serve_http(self, client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(_PIECE)
            if not piece:
                return
            head += piece
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        method, target, _ = first.split(" ", 2)
        self._note(target)
        self.agents.append(headers.get("user-agent", ""))
        if self.password and headers.get("proxy-authorization") != f"Basic {_base64(self.password)}":
            self._answer(client, 407, "Proxy-Authenticate: Basic realm=lab")
        elif self.refuses:
            self._answer(client, self.refuses)
        elif method != "CONNECT" or target not in self.routes:
            self._answer(client, 502)
        else:
            with socket.create_connection(("127.0.0.1", self.routes[target])) as server:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                self._pass(client, server)

    @staticmethod
    def _answer(client: socket.socket, status: int, *headers: str) -> None:
        lines = [f"HTTP/1.1 {status} No", "Content-Length: 0", "Connection: close", *headers]
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

    def _serve_socks(self, client: socket.socket) -> None:
        methods = _exactly(client, _exactly(client, 2)[1])
        if self.password:
            if 2 not in methods:
                client.sendall(b"\x05\xff")
                return
            client.sendall(b"\x05\x02")
            user = _exactly(client, _exactly(client, 2)[1]).decode()
            word = _exactly(client, _exactly(client, 1)[0]).decode()
            client.sendall(b"\x01" + (b"\x00" if f"{user}:{word}" == self.password else b"\x01"))
            if f"{user}:{word}" != self.password:
                return
        else:
            client.sendall(b"\x05\x00")
        kind = _exactly(client, 4)[3]
        if kind == 3:
            host = _exactly(client, _exactly(client, 1)[0]).decode()
        else:
            host = socket.inet_ntop(
                socket.AF_INET if kind == 1 else socket.AF_INET6, _exactly(client, 4 if kind == 1 else 16)
            )
            self.resolved_here.append(host)
        target = f"{host}:{int.from_bytes(_exactly(client, 2), 'big')}"
        self._note(target)
        refused = self.refuses or target not in self.routes
        client.sendall(bytes((5, 2 if refused else 0, 0, 1)) + bytes(6))
        if not refused:
            with socket.create_connection(("127.0.0.1", self.routes[target])) as server:
                self._pass(client, server)

    def _pass(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        while not self._closing.is_set():
            waiting = isinstance(client, ssl.SSLSocket) and client.pending()
            ready = [client] if waiting else select.select(list(other), [], [], _STEP)[0]
            for side in ready:
                piece = side.recv(_PIECE)
                if not piece:
                    return
                with self._lock:
                    self.bytes_passed += len(piece)
                other[side].sendall(piece)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = sock.recv(count - len(data))
        if not piece:
            raise OSError("closed")
        data += piece
    return data
