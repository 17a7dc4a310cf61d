"""Serve HTTP on loopback, in threads and without a word on the screen: what the servers of the tests share."""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

Served = TypeVar("Served", bound="LoopbackServer")


class QuietServer(ThreadingHTTPServer):
    """`owner`: what the handlers ask for what they answer."""

    daemon_threads = True
    owner: Any

    def handle_error(self, request: object, client_address: object) -> None:
        """Pass over clients that break off: they are part of the tests."""


class QuietHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: QuietServer

    def log_message(self, format: str, *args: object) -> None:
        pass


class LoopbackServer:
    """Answers between `with` and its end. `certificate`: https with it; `host`: 127.0.0.2 is another than 127.0.0.1."""

    def __init__(self, handler: type[QuietHandler], certificate: Path | None = None, host: str = "127.0.0.1") -> None:
        self.host = host
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = QuietServer((host, 0), handler)
        self._http.owner = self
        self._scheme = "https" if certificate else "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake in the connection's own thread: one that is slow at it must not hold up the others.
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self: Served) -> Served:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: TracebackType | None) -> None:
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"{self._scheme}://{self.host}:{self.port}"

    @property
    def port(self) -> int:
        return self._http.server_port

    def pause(self, seconds: float) -> None:
        """Sleep, but not beyond the end of the test."""
        self._closing.wait(seconds)
