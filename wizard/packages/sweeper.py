"""Removes what uv has left in its cache while the next wheels come, so that it is not waited for at the end.

Each file of a wheel is made there first and then linked to its place; in the cache nobody wants it any more. What uv
has found out about the Python stays, because asking it again would cost more.
"""

from __future__ import annotations

import contextlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_KEPT = "interpreter"  # uv's folder of that, with a version behind it


class Sweeper:
    """For one install. Who makes it removes the folder of the cache in the end, so it may fail."""

    def __init__(self) -> None:
        self._count = 0
        self._pool = ThreadPoolExecutor(1, "sweeper")

    def sweep(self, cache: Path) -> None:
        """While no uv runs on it."""
        self._count += 1
        aside = cache.with_name(f"{cache.name}-{self._count}")
        with contextlib.suppress(OSError):
            for folder in [each for each in cache.iterdir() if each.is_dir() and not each.name.startswith(_KEPT)]:
                aside.mkdir(exist_ok=True)
                folder.rename(aside / folder.name)
        self._pool.submit(shutil.rmtree, aside, ignore_errors=True)

    def close(self) -> None:
        """Waits for what it is at."""
        self._pool.shutdown(cancel_futures=True)
