"""HTTP on loopback for one child: every path is handed to a function, whose answer goes back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_JSON = "application/vnd.pypi.simple.v1+json"
Answer = Callable[[str], tuple[int, bytes]]


class AnswerServer(ThreadingHTTPServer):
    """`answer`: path -> (status, body), called on the server's threads."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """The child was cancelled and went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: AnswerServer

    def log_message(self, format: str, *args: object) -> None:
        """Addresses may hold a password."""

    def do_GET(self) -> None:
        status, body = self.server.answer(self.path)
        self.send_response(status)
        self.send_header("Content-Type", _JSON if body[:1] == b"{" else "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")  # the next time this index has another address
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)
