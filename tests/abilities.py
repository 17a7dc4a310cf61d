"""What not every computer can do, tried once and not asked of a list of names; tests that need it are skipped without.

Windows lets only some users make links; Wine, which `.ci/windows` runs the tests in, has none, says of no file how many
names it has, tells of every process our own processor time, and lets a file be renamed that somebody holds open.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def _works(attempt: Callable[[Path], bool]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return attempt(Path(folder))
        except (OSError, NotImplementedError):
            return False


def _links(folder: Path) -> bool:
    (folder / "link").symlink_to(folder / "target")
    return (folder / "link").is_symlink()


def _names(folder: Path) -> bool:
    (folder / "one").write_bytes(b"x")
    (folder / "other").hardlink_to(folder / "one")
    return (folder / "other").stat().st_nlink == 2


def is_wine() -> bool:
    """As Wine's own pages say that it is found out."""
    return sys.platform == "win32" and hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


def patience(seconds: float) -> float:
    """That much longer than a start of Python takes here and now, several times over."""
    since = time.monotonic()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return seconds + 5 * (time.monotonic() - since)


needs_links = pytest.mark.skipif(
    not _works(_links), reason="no links can be made here: a right on Windows, none in Wine"
)
needs_counted_names = pytest.mark.skipif(
    not _works(_names), reason="nothing tells how many names a file has, as in Wine"
)
needs_break = pytest.mark.skipif(is_wine(), reason="Wine hands Ctrl+Break on to no program without a console")
needs_pip_programs = pytest.mark.skipif(
    is_wine(), reason="the pip beside Wine's Python is Debian's, without the programs that start it on Windows"
)
needs_times_of_others = pytest.mark.skipif(is_wine(), reason="Wine tells of every process our own processor time")
