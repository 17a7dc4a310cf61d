"""How far conda has come: on a pipe it says nothing, so the files that it fetches are looked at.

A package counts by its `<name>.partial` (mamba: `.part`), then by its whole file, then by the folder that it was
unpacked into. Looking costs one `stat` per package and cache folder, a few times a second.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from wizard.environments.conda_answer import CondaFetch, CondaPlan
from wizard.environments.model import IsCancelled, OnProgress
from wizard.i18n import Message, message

_SECONDS_BETWEEN = 0.2
_PARTIAL = (".partial", ".part")
_ARCHIVES = (".tar.bz2", ".conda")


class Watch:
    """Tells of progress from within the question whether to stop, which is asked about twenty times a second."""

    def __init__(self, plan: CondaPlan, caches: Sequence[Path], on_progress: OnProgress) -> None:
        self._plan = plan
        self._caches = tuple(caches)
        self._on_progress = on_progress
        self._most: dict[str, int] = {}
        self._last = 0.0
        self._said: tuple[int, Message] | None = None
        self._began_with = sum(self.done_bytes(fetch) for fetch in plan.fetches)

    @property
    def fetched(self) -> int:
        """Bytes that came since this began, as far as it was seen."""
        return max(0, sum(self._most.values()) - self._began_with)

    def looking(self, is_cancelled: IsCancelled) -> IsCancelled:
        def ask() -> bool:
            if time.monotonic() - self._last >= _SECONDS_BETWEEN:
                self._last = time.monotonic()
                self.look()
            return is_cancelled()

        return ask

    def look(self) -> None:
        total = self._plan.bytes_to_fetch
        missing = [fetch for fetch in self._plan.fetches if self.done_bytes(fetch) < fetch.size]
        done = sum(self._most.values())
        if missing:
            current = max(missing, key=lambda fetch: self._most[fetch.filename])
            words = message("environments.progress.conda-fetch", package=current.filename)
        else:
            words = message("environments.progress.conda-link", count=self._plan.packages)
        if (done, words) != self._said:
            self._said = (done, words)
            self._on_progress(done, total or None, words)

    def done_bytes(self, fetch: CondaFetch) -> int:
        """Never goes back: a partial file is renamed between two looks, an archive may be deleted when unpacked."""
        seen = max((_bytes_in(cache, fetch) for cache in self._caches), default=0)
        most = max(self._most.get(fetch.filename, 0), min(seen, fetch.size))
        self._most[fetch.filename] = most
        return most


def _bytes_in(cache: Path, fetch: CondaFetch) -> int:
    whole = cache / fetch.filename
    for path in (whole, *(whole.with_name(whole.name + ending) for ending in _PARTIAL)):
        try:
            return path.stat().st_size
        except OSError:
            continue
    folder = next((fetch.filename.removesuffix(end) for end in _ARCHIVES if fetch.filename.endswith(end)), "")
    unpacked = bool(folder) and (cache / folder / "info" / "index.json").is_file()
    return fetch.size if unpacked else 0
