"""A second volume to try things across volumes on: memory where the tests lie on a disk, the disk where in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

_LIKELY = ("/dev/shm", "/var/tmp", "/tmp")


def another_volume(than: Path) -> Path:
    """A folder that everybody may write into, on another volume. Skips the test where there is none."""
    for path in map(Path, _LIKELY):
        if path.is_dir() and path.stat().st_dev != than.stat().st_dev:
            return path
    pytest.skip("no second volume to write on")
