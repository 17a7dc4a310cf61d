"""A real package index on 127.0.0.1, for every test that reads or installs packages.

`root` is a folder of wheels (sub-folders count). It is served as
  /simple/<project>/   PEP 503 html or PEP 691 json, as the client asks (`json=False`: html only)
  /flat/               one page that lists every file
  /files/<name>        the bytes, with ranges; <name>.metadata where the wheel holds METADATA (PEP 658)
  /<path>              any other file below `root`, with ranges (a conda channel, say)
and `server.answers[path] = Answer(…)` puts an oddity in place of any of them. Requests are recorded.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from packaging.utils import canonicalize_name

from tests.servers.loopback import LoopbackServer, QuietHandler

JSON = "application/vnd.pypi.simple.v1+json"
_RANGE = re.compile(r"^bytes=(\d+)-(\d*)$")


@dataclass(frozen=True)
class Answer:
    """`cut_after`: bytes of the body after which the connection breaks. `delay`: seconds before the answer."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html"})
    cut_after: int | None = None
    delay: float = 0.0


@dataclass(frozen=True)
class Seen:
    method: str
    path: str  # with the query
    headers: Mapping[str, str]

    @property
    def range(self) -> str | None:
        return self.headers.get("Range")


@lru_cache(maxsize=4096)
def _sha256(path: Path, _: float) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


class IndexServer(LoopbackServer):
    """`with IndexServer(root) as server: server.url`. Everything may be changed while it runs.

    `file_prefix`: where links lead (default: this server's /files); give another server's to split hosts.
    `password`: "user:word" that every request must bring.
    """

    def __init__(
        self,
        root: Path,
        *,
        json: bool = True,
        sizes: bool = True,
        hashes: bool = True,
        metadata: bool = True,
        relative: bool = True,
        file_prefix: str | None = None,
        password: str | None = None,
        certificate: Path | None = None,
    ) -> None:
        super().__init__(_Handler, certificate)
        self.root = root
        self.json, self.sizes, self.hashes, self.metadata = json, sizes, hashes, metadata
        self.relative, self.file_prefix, self.password = relative, file_prefix, password
        self.answers: dict[str, Answer] = {}
        self.uploaded: dict[str, str] = {}  # by the file's name: when it came, where the pages tell
        self.requests: list[Seen] = []
        self.bytes_sent = 0

    @property
    def simple(self) -> str:
        return f"{self.url}/simple"

    @property
    def flat(self) -> str:
        return f"{self.url}/flat/"

    def paths(self) -> list[str]:
        """What was asked for, in order."""
        with self._lock:
            return [seen.path for seen in self.requests]

    def record(self, seen: Seen) -> None:
        with self._lock:
            self.requests.append(seen)

    def count(self, sent: int) -> None:
        with self._lock:
            self.bytes_sent += sent

    def files(self, project: str | None = None) -> list[Path]:
        found = (path for path in sorted(self.root.rglob("*")) if path.suffix in (".whl", ".gz", ".zip"))
        return [path for path in found if project is None or canonicalize_name(path.name.split("-")[0]) == project]

    def find(self, name: str) -> Path | None:
        return next((path for path in self.files() if path.name == name), None)

    def link(self, path: Path) -> str:
        prefix = self.file_prefix or ("../../files" if self.relative else f"{self.url}/files")
        return f"{prefix}/{quote(path.name)}"

    def html_page(self, paths: list[Path], prefix: str | None = None) -> bytes:
        lines = ["<!DOCTYPE html><html><head><title>Links</title></head><body>"]
        for path in paths:
            target = f"{prefix}/{quote(path.name)}" if prefix and not self.file_prefix else self.link(path)
            digest = f"#sha256={_sha256(path, path.stat().st_mtime)}" if self.hashes else ""
            extra = ' data-core-metadata="true"' if self.metadata and metadata_of(path) else ""
            extra += f' data-upload-time="{self.uploaded[path.name]}"' if path.name in self.uploaded else ""
            lines.append(f'<a href="{html.escape(target + digest)}"{extra}>{html.escape(path.name)}</a><br/>')
        return "\n".join([*lines, "</body></html>"]).encode()

    def json_page(self, project: str) -> bytes:
        files = []
        for path in self.files(project):
            entry: dict[str, object] = {"filename": path.name, "url": self.link(path), "hashes": {}}
            if self.hashes:
                entry["hashes"] = {"sha256": _sha256(path, path.stat().st_mtime)}
            if self.sizes:
                entry["size"] = path.stat().st_size
            if self.metadata and metadata_of(path):
                entry["core-metadata"] = True
            if path.name in self.uploaded:
                entry["upload-time"] = self.uploaded[path.name]
            files.append(entry)
        document = {"meta": {"api-version": "1.1" if self.sizes else "1.0"}, "name": project, "files": files}
        return json.dumps(document).encode()


def metadata_of(path: Path) -> bytes | None:
    if path.suffix != ".whl" or not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as wheel:
        name = next((name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")), None)
        return wheel.read(name) if name else None


class _Handler(QuietHandler):
    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def _serve(self) -> None:
        index = self.server.owner
        index.record(Seen(self.command, self.path, dict(self.headers.items())))
        path = unquote(urlsplit(self.path).path)
        if index.password and not self._is_known(index.password):
            return self._send(Answer(b"who?", 401, {"WWW-Authenticate": "Basic"}))
        if path in index.answers:
            answer = index.answers[path]
            time.sleep(answer.delay)
            return self._send(answer)
        parts = path.strip("/").split("/")
        if parts[0] == "simple":
            return self._send_simple(parts[1:])
        if parts == ["flat"]:
            return self._send(Answer(index.html_page(index.files(), "../files")))
        if parts[0] == "files" and len(parts) == 2:
            return self._send_wheel(parts[1])
        return self._send_file(index.root / path.lstrip("/"))

    def _is_known(self, password: str) -> bool:
        import base64

        return self.headers.get("Authorization") == "Basic " + base64.b64encode(password.encode()).decode()

    def _send_simple(self, parts: list[str]) -> None:
        index = self.server.owner
        if not parts:
            names = sorted({canonicalize_name(path.name.split("-")[0]) for path in index.files()})
            links = "".join(f'<a href="{name}/">{name}</a>' for name in names)
            return self._send(Answer(f"<!DOCTYPE html><html><body>{links}</body></html>".encode()))
        if len(parts) > 1 or not index.files(parts[0]):
            return self._send(Answer(b"no such project", 404))
        if index.json and JSON in self.headers.get("Accept", ""):
            return self._send(Answer(index.json_page(parts[0]), headers={"Content-Type": JSON}))
        return self._send(Answer(index.html_page(index.files(parts[0]))))

    def _send_wheel(self, name: str) -> None:
        index = self.server.owner
        described = index.find(name.removesuffix(".metadata")) if name.endswith(".metadata") else None
        metadata = metadata_of(described) if described else None
        if metadata is not None:
            return self._send(Answer(metadata, headers={"Content-Type": "application/octet-stream"}))
        path = index.find(name)
        return self._send_file(path) if path else self._send(Answer(b"no such file", 404))

    def _send_file(self, path: Path) -> None:
        if not path.resolve().is_relative_to(self.server.owner.root.resolve()) or not path.is_file():
            return self._send(Answer(b"no such file", 404))
        size = path.stat().st_size
        wanted = _RANGE.match(self.headers.get("Range", ""))
        start = int(wanted[1]) if wanted else 0
        end = min(int(wanted[2]), size - 1) if wanted and wanted[2] else size - 1
        if wanted and start >= size:
            return self._send(Answer(b"", 416, {"Content-Range": f"bytes */{size}"}))
        headers = {
            "Accept-Ranges": "bytes",
            "Content-Type": "application/octet-stream",
            "ETag": f'"{size}-{path.stat().st_mtime_ns}"',
        }
        if wanted:
            headers["Content-Range"] = f"bytes {start}-{end}/{size}"
        with path.open("rb") as file:
            file.seek(start)
            return self._send(Answer(file.read(end - start + 1), 206 if wanted else 200, headers))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        body = answer.body if answer.cut_after is None else answer.body[: answer.cut_after]
        self.wfile.write(body)
        self.server.owner.count(len(body))
        if answer.cut_after is not None:
            self.wfile.flush()
            self.close_connection = True
