"""A real mirror on loopback that tells the truth or does not, exactly as told.

    with MirrorServer(folder, Ways(refuses="files")) as mirror:
        mirror.simple, mirror.flat, mirror.channel

`host`: 127.0.0.2 is another host than 127.0.0.1. `sent` counts the bytes of bodies by path, `agents` keeps who asked
for what. `ways` may be changed while it runs.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from packaging.utils import canonicalize_name

from tests.servers.loopback import LoopbackServer, QuietHandler

JSON = "application/vnd.pypi.simple.v1+json"
PORTAL = b"<!DOCTYPE html><html><body><form action='/login'><input name='user'></form></body></html>"
FORBIDDEN = b"<!DOCTYPE html><html><body><h1>403 Forbidden</h1><p>Request blocked.</p></body></html>"
_RANGE = re.compile(r"bytes=(\d+)-(\d*)$")
_PIECE = 16 * 1024


@dataclass(frozen=True)
class Ways:
    """`refuses`, `busy`, `portal`: "pages", "files" or "all". `lacks`: file names that are neither listed nor there;
    `lost`: listed, but not there. `sends_to`: another host for the files. `uploaded`: name -> date on the page."""

    json: bool = True
    hashes: bool = True
    lacks: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    sends_to: str | None = None
    refuses: str = ""
    refuses_agent: str = ""  # who has this in the name of the program
    busy: str = ""
    retry_after: str | None = None
    portal: str = ""
    hangs: str = ""
    bytes_per_second: float | None = None
    longer_by: int = 0  # files are longer than they should be
    lists_longer_by: int = 0
    lists_hash: str | None = None
    knows_ranges: bool = True
    uploaded: dict[str, str] = field(default_factory=dict)
    modified: str | None = None  # Last-Modified of a channel's files


class MirrorServer(LoopbackServer):
    def __init__(self, root: Path, ways: Ways | None = None, host: str = "127.0.0.1") -> None:
        super().__init__(_Handler, host=host)
        self.root = root
        self.ways = ways or Ways()
        self.sent: dict[str, int] = defaultdict(int)
        self.asked: list[tuple[str, str | None]] = []  # path, Range
        self.agents: list[tuple[str, str, str]] = []  # path, user agent, accept

    @property
    def simple(self) -> str:
        return f"{self.url}/simple"

    @property
    def flat(self) -> str:
        return f"{self.url}/flat/"

    def paths(self, part: str = "") -> list[str]:
        with self._lock:
            return [path for path, _ in self.asked if part in path]

    def files_sent(self) -> int:
        with self._lock:
            return sum(count for path, count in self.sent.items() if path.startswith("/files/"))

    def forget(self) -> None:
        with self._lock:
            self.sent.clear()
            self.asked.clear()
            self.agents.clear()

    def enter(self, path: str, asked: str | None, agent: str, accept: str) -> None:
        with self._lock:
            self.asked.append((path, asked))
            self.agents.append((path, agent, accept))

    def count(self, path: str, sent: int) -> None:
        with self._lock:
            self.sent[path] += sent

    def wheels(self) -> list[Path]:
        return [path for path in sorted(self.root.rglob("*.whl")) if path.name not in self.ways.lacks]

    def entry(self, path: Path) -> dict[str, object]:
        data = path.read_bytes()
        told: dict[str, object] = {"filename": path.name, "url": f"{self.url}/files/{quote(path.name)}", "hashes": {}}
        if self.ways.hashes:
            told["hashes"] = {"sha256": self.ways.lists_hash or hashlib.sha256(data).hexdigest()}
            told["size"] = len(data) + self.ways.lists_longer_by
        if path.name in self.ways.uploaded:
            told["upload-time"] = self.ways.uploaded[path.name]
        return told


class _Handler(QuietHandler):
    def do_HEAD(self) -> None:
        """As the official torch index does: GET would work."""
        self._send(403, b"")

    def do_GET(self) -> None:
        mirror, path = self.server.owner, unquote(urlsplit(self.path).path)
        agent = self.headers.get("User-Agent", "")
        mirror.enter(path, self.headers.get("Range"), agent, self.headers.get("Accept", ""))
        ways, part = mirror.ways, "files" if path.startswith("/files/") else "pages"
        if ways.hangs in (part, "all"):
            mirror.pause(60)
            self.close_connection = True
            return
        if ways.refuses in (part, "all") or (ways.refuses_agent and ways.refuses_agent in agent):
            self._send(403, FORBIDDEN)
        elif ways.busy in (part, "all"):
            self._send(429, b"slow down", {"Retry-After": ways.retry_after} if ways.retry_after else {})
        elif ways.portal in (part, "all"):
            self._send(200, PORTAL)
        elif path.startswith("/simple/"):
            self._project(path.strip("/").split("/")[1])
        elif path == "/flat/":
            self._html(mirror.wheels())
        elif path.startswith("/files/"):
            self._file(next((one for one in mirror.wheels() if one.name == path.rsplit("/", 1)[-1]), None))
        else:
            self._file(mirror.root / path.lstrip("/"))

    def _project(self, name: str) -> None:
        mirror = self.server.owner
        found = [path for path in mirror.wheels() if canonicalize_name(path.name.split("-")[0]) == name]
        if not found:
            self._send(404, b"no such project")
        elif mirror.ways.json and JSON in self.headers.get("Accept", ""):
            files = [mirror.entry(path) for path in found]
            document = {"meta": {"api-version": "1.1"}, "name": name, "files": files}
            self._send(200, json.dumps(document).encode(), {"Content-Type": JSON})
        else:
            self._html(found)

    def _html(self, paths: list[Path]) -> None:
        lines = []
        for path in paths:
            told = self.server.owner.entry(path)
            hashes = told["hashes"]
            digest = f"#sha256={hashes['sha256']}" if isinstance(hashes, dict) and hashes else ""
            date = f' data-upload-time="{told["upload-time"]}"' if "upload-time" in told else ""
            lines.append(f'<a href="{told["url"]}{digest}"{date}>{path.name}</a>')
        self._send(200, "\n".join(["<!DOCTYPE html><html><body>", *lines, "</body></html>"]).encode())

    def _file(self, path: Path | None) -> None:
        ways = self.server.owner.ways
        if path is None or not path.is_file() or path.name in ways.lost:
            return self._send(404, b"no such file")
        if ways.sends_to:
            return self._send(302, b"", {"Location": f"{ways.sends_to}{self.path}"})
        data = path.read_bytes() + b"\0" * ways.longer_by
        headers = {"Content-Type": "application/octet-stream", "Accept-Ranges": "bytes"}
        if ways.modified:
            headers["Last-Modified"] = ways.modified
        asked = _RANGE.match(self.headers.get("Range", "")) if ways.knows_ranges else None
        if not asked:
            return self._send(200, data, headers)
        first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
        headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
        return self._send(206, data[first : last + 1], headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        rate, began, sent = self.server.owner.ways.bytes_per_second, time.monotonic(), 0
        step = max(1, min(_PIECE, int(rate / 4))) if rate else _PIECE
        for at in range(0, len(body), step):
            piece = body[at : at + step]
            self.wfile.write(piece)
            self.server.owner.count(unquote(urlsplit(self.path).path), len(piece))
            sent += len(piece)
            if rate:
                self.server.owner.pause(max(0.0, sent / rate - (time.monotonic() - began)))
