"""Whether an address is somebody's private source, though it holds no password itself.

pip and uv take passwords from ~/.netrc; uv also from variables named after the entry. Such a source is left
alone like one with its password in the address.
"""

from __future__ import annotations

import contextlib
import netrc
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wizard.settings.places import Surroundings

_NOT_IN_NAMES = re.compile(r"[^A-Z0-9]")


def has_login(url: str, around: Surroundings) -> bool:
    """The host is in the netrc file by name; its `default` entry speaks of no host and does not count."""
    named = around.environ.get("NETRC")
    places = [named] if named else [str(around.home / name) for name in (".netrc", "_netrc")]
    for place in places:
        with contextlib.suppress(OSError, ValueError):
            if _names(Path(place), urlsplit(url).hostname or ""):
                return True
    return False


def _names(file: Path, host: str) -> bool:
    """Of a file that Python's reader does not understand, another tool's may: the bare name is enough there. Raises
    OSError, ValueError."""
    try:
        return host in netrc.netrc(str(file)).hosts
    except (netrc.NetrcParseError, UnicodeDecodeError):
        return bool(host) and host.encode() in file.read_bytes().split()


def is_guarded(entry: Mapping[str, Any], around: Surroundings) -> bool:
    """An `[[index]]` entry of uv's that is told to log in, or has its user or password in a variable."""
    if entry.get("authenticate") == "always":
        return True
    name = _NOT_IN_NAMES.sub("_", str(entry.get("name") or "").upper())
    return bool(name) and any(around.environ.get(f"UV_INDEX_{name}_{part}") for part in ("USERNAME", "PASSWORD"))
