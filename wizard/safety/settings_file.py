"""Our own settings.json, read without trust: somebody may have edited it, a disk may have torn it.

Two parts of the program keep keys in it (the window's wishes, the way to the network); what a key means is theirs.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from wizard.system import moving

_MOST_BYTES = 1_000_000


class Garbled(Exception):
    """There is a file, and nobody can read settings from it."""


def read_settings(path: Path) -> dict[str, Any]:
    """Nothing where nothing can be read."""
    try:
        return read_strictly(path)
    except (Garbled, OSError):
        return {}


def read_strictly(path: Path) -> dict[str, Any]:
    """{} where there is no file. Raises Garbled; OSError for one that this user may not read."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return {}
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
        raise Garbled("no file of settings")  # a pipe would keep us waiting
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Garbled(str(error)) from error
    if not isinstance(data, dict):
        raise Garbled("no object")
    return data


def write_settings(path: Path, data: dict[str, Any]) -> None:
    """Whole or not at all, and for its owner alone: it may hold a proxy's password. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    moving.write_whole(path, (json.dumps(data, indent=1) + "\n").encode(), 0o600, unfinished=fresh)
