"""Where things lie inside a prefix (the interpreter, site-packages, pip), and small files read without a trace."""

from __future__ import annotations

import os
import re
from pathlib import Path

from wizard.system.disk import open_quietly
from wizard.system.links import long_path
from wizard.system.places import places
from wizard.system.traits import of

# Reads a small file without leaving a trace: the time of its last reading tells when an environment was last used.
#
# Linux lets the owner of a file (and root) read it without touching that time; for others it is an ordinary reading.

_LARGEST = 256 * 1024
_NAMED = re.compile(r"python3\.(\d+)")


def read_text(path: Path, most: int = _LARGEST) -> str | None:
    """Return at most so many bytes, as UTF-8 with replacement; None when it cannot be read."""
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
    """Return the interpreter; for a prefix that is not there yet, where a conda prefix would have it."""
    return places(os_name).python_of(prefix)


def site_packages_of(prefix: Path, version: str, os_name: str | None = None) -> Path:
    """Return where that Python would have its packages. `version` is "3.12" or "3.12.11"."""
    return prefix / of(os_name).site_packages.format(minor=".".join(version.split(".")[:2]))


def all_site_packages(prefix: Path) -> tuple[Path, ...]:
    """Return every folder of packages that is there, the newest Python's first."""
    found = [*prefix.glob("lib/python*/site-packages"), *prefix.glob("Lib/site-packages")]
    return tuple(sorted(dict.fromkeys(found), key=_minor, reverse=True))


def _minor(site: Path) -> int:
    """Return 12 for lib/python3.12/site-packages; 0 where there is one folder for all."""
    found = _NAMED.match(site.parent.name)
    return int(found[1]) if found else 0


def site_packages(prefix: Path, python: str | None = None) -> Path | None:
    """Return the folder of packages of that Python, else of the newest; None when there is no such folder."""
    places = [prefix / "lib" / f"python{'.'.join(python.split('.')[:2])}" / "site-packages"] if python else []
    places.append(prefix / "Lib" / "site-packages")
    found = next((place for place in places if place.is_dir()), None)
    return found or next(iter(all_site_packages(prefix)), None)


def is_conda_prefix(prefix: Path) -> bool:
    return (prefix / "conda-meta").is_dir()
