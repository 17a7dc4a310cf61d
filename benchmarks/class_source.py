"""The one source of `classroom.py`: a server behind one link, whose bytes per second all who fetch from it share."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Source:
    """One server behind one link: all who fetch from it share its bytes per second."""

    def __init__(self, folder: Path, rate: float) -> None:
        self.folder, self.rate, self.sent = folder, rate, 0
        folder.mkdir(parents=True)
        self._lock, self._free_at = threading.Lock(), time.monotonic()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            server_version = "source"

            def do_GET(self) -> None:
                path = outer.folder / Path(self.path).name.replace("%2B", "+")
                size = path.stat().st_size
                first, last = 0, size
                asked = self.headers.get("Range")
                if asked:
                    start, _, end = asked.removeprefix("bytes=").partition("-")
                    first, last = int(start), min(int(end) + 1 if end else size, size)
                self.send_response(206 if asked else 200)
                if asked:
                    self.send_header("Content-Range", f"bytes {first}-{last - 1}/{size}")
                self.send_header("Content-Length", str(last - first))
                self.end_headers()
                with path.open("rb") as stream, contextlib.suppress(OSError):
                    stream.seek(first)
                    while first < last and (block := stream.read(min(65536, last - first))):
                        outer.wait_turn(len(block))
                        self.wfile.write(block)
                        first += len(block)

            def log_message(self, format: str, *arguments: object) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    def wait_turn(self, count: int) -> None:
        with self._lock:
            self.sent += count
            now = time.monotonic()
            self._free_at = max(self._free_at, now - 0.05) + count / self.rate
            wait = self._free_at - now
        if wait > 0:
            time.sleep(wait)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Source:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.1)
    raise SystemExit("a server did not start")
