"""A real git server on 127.0.0.1: git's own `http-backend` behind a small HTTP server."""

from __future__ import annotations

import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType


class GitServer:
    """Serves every bare repository in `root`; `address` is that of the server."""

    def __init__(self, root: Path) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(root))
        self.address = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> GitServer:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()


def _handler(root: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            environment = {
                **os.environ,
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type") or "",
                "CONTENT_LENGTH": str(len(body)),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
            }
            for name in ("HTTP_CONTENT_ENCODING",):
                if told := self.headers.get("Content-Encoding"):
                    environment[name] = told
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE, check=False
            )
            head, _, data = done.stdout.partition(b"\r\n\r\n")
            lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
            self.send_response(int(lines.pop("Status", "200").split()[0]))
            for name, value in lines.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler


def publish(root: Path, name: str, files: dict[str, str], branch: str = "main") -> None:
    """Make the bare repository `name` with one commit of `files`."""
    work = root / f"{name}-work"
    work.mkdir(parents=True)
    for path, words in files.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(words, encoding="utf-8")
    who = ("-c", "user.name=a", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
    for words in (("init", "-q", "-b", branch), ("add", "-A"), ("commit", "-q", "-m", "one")):
        subprocess.run(["git", *who, *words], cwd=work, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(root / f"{name}.git")], check=True)
