"""Reads a small file without leaving a trace: the time of its last reading tells when an environment was last used.

Linux lets the owner of a file (and root) read it without touching that time; for others it is an ordinary reading.
"""

from __future__ import annotations

import os
from pathlib import Path

from wizard.system.disk import open_quietly

_LARGEST = 256 * 1024


def read_text(path: Path, most: int = _LARGEST) -> str | None:
    """At most so many bytes, as UTF-8 with replacement; None when it cannot be read."""
    try:
        descriptor = open_quietly(path)
    except OSError:
        return None
    try:
        with os.fdopen(descriptor, "rb") as stream:
            return stream.read(most).decode("utf-8", "replace")
    except OSError:
        return None
