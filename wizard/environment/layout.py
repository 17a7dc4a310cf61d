"""Where things lie inside a prefix, and how a small file is read without leaving a trace.

Where things lie inside a prefix: the interpreter, site-packages, whether pip is there.
"""

from __future__ import annotations

import os
from pathlib import Path

from wizard.system.disk import open_quietly
from wizard.system.links import long_path
from wizard.system.places import places
from wizard.system.traits import of

# Reads a small file without leaving a trace: the time of its last reading tells when an environment was last used.
#
# Linux lets the owner of a file (and root) read it without touching that time; for others it is an ordinary reading.

_LARGEST = 256 * 1024


def read_text(path: Path, most: int = _LARGEST) -> str | None:
    """At most so many bytes, as UTF-8 with replacement; None when it cannot be read."""
    try:
        descriptor = open_quietly(long_path(path))
    except OSError:
        return None
    try:
        with os.fdopen(descriptor, "rb") as stream:
            return stream.read(most).decode("utf-8", "replace")
    except OSError:
        return None


def python_of(prefix: Path, os_name: str | None = None) -> Path:
    """The interpreter; for a prefix that is not there yet, where a conda prefix would have it."""
    return places(os_name).python_of(prefix)


def site_packages_of(prefix: Path, version: str, os_name: str | None = None) -> Path:
    """`version` is "3.12" or "3.12.11"."""
    return prefix / of(os_name).site_packages.format(minor=".".join(version.split(".")[:2]))


def has_pip(prefix: Path, version: str, os_name: str | None = None) -> bool:
    """A whole pip: its RECORD is written last."""
    return any(site_packages_of(long_path(prefix), version, os_name).glob("pip-*.dist-info/RECORD"))


def is_conda_prefix(prefix: Path) -> bool:
    return (prefix / "conda-meta").is_dir()
