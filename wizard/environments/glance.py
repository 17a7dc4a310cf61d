"""Reads a small file without leaving a trace: the time of its last reading tells when an environment was last used.

Linux lets the owner of a file (and root) read it without touching that time; for others it is an ordinary reading.
"""

from __future__ import annotations

import os
from pathlib import Path

_LARGEST = 256 * 1024


def read_text(path: Path, most: int = _LARGEST) -> str | None:
    """At most so many bytes, as UTF-8 with replacement; None when it cannot be read."""
    quietly = getattr(os, "O_NOATIME", 0)
    try:
        descriptor = _open(path, quietly)
    except OSError:
        return None
    try:
        with os.fdopen(descriptor, "rb") as stream:
            return stream.read(most).decode("utf-8", "replace")
    except OSError:
        return None


def _open(path: Path, quietly: int) -> int:
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | quietly)
    except PermissionError:
        if not quietly:
            raise
        return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
