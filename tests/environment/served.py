"""A channel over HTTP on loopback that fails as told: from a certain file on, in the middle of one, or by falling
silent. Real requests, real bytes; what was asked for is written down.
"""

from __future__ import annotations

import functools
import http.server
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Trouble = str  # "404" | "503" | "html" | "cut" | "silent"


class Channel(http.server.ThreadingHTTPServer):
    """`troubles`: what happens to a file; None: it is sent. Set it at any time."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder)))
        self.troubles: Callable[[str], Trouble | None] = lambda name: None
        self.asked: list[str] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def packages(self) -> list[str]:
        return [name for name in self.asked if name.endswith((".tar.bz2", ".conda"))]


class _Handler(http.server.SimpleHTTPRequestHandler):
    server: Channel

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        self.server.asked.append(name)
        trouble = self.server.troubles(name)
        if trouble is None:
            super().do_GET()
        elif trouble in ("404", "503"):
            self.send_error(int(trouble))
        elif trouble == "html":
            self._begin(content := b"<html>Please log in</html>", len(content))
        else:
            content = Path(self.translate_path(self.path)).read_bytes()
            self._begin(content[: len(content) // 2], len(content))
            if trouble == "silent":
                self.server.over.wait(60)
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def _begin(self, content: bytes, length: int) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(content)

    def copyfile(self, source: object, outputfile: object) -> None:
        try:
            super().copyfile(source, outputfile)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: object) -> None: ...


@contextmanager
def channel_at(folder: Path) -> Iterator[Channel]:
    with Channel(folder) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
