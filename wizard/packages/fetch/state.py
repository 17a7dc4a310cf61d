"""The sidecar of a half-fetched file: which bytes are surely there.

Replaced atomically, and only after the bytes that it names were handed to the disk, so that a kill or
a power cut costs about a second of work. It names no address: those may hold credentials.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from wizard.packages.fetch.ranges import Ranges, add
from wizard.system import moving

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class PartState:
    """`etag` belongs to the address whose fingerprint is `source`."""

    sha256: str
    size: int
    done: Ranges = ()
    etag: str | None = None
    source: str = ""


def fingerprint(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()[:16]


def parse_state(text: str) -> PartState | None:
    """None for anything that is not a whole state of this schema: then the file starts anew."""
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            return None
        done: Ranges = ()
        for start, end in data["done"]:
            if not 0 <= int(start) < int(end) <= int(data["size"]):
                return None
            done = add(done, int(start), int(end))
        return PartState(str(data["sha256"]), int(data["size"]), done, data.get("etag"), str(data.get("source", "")))
    except (ValueError, KeyError, TypeError):
        return None


def read_state(path: Path) -> PartState | None:
    try:
        return parse_state(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def write_state(path: Path, state: PartState) -> None:
    data = {
        "schema": SCHEMA,
        "sha256": state.sha256,
        "size": state.size,
        "done": [list(pair) for pair in state.done],
        "etag": state.etag,
        "source": state.source,
    }
    moving.write_whole(path, json.dumps(data).encode())


def remove_state(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        moving.unlink(path)
