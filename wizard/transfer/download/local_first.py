"""A fetch that first asks only those who are near (a class's servers, a stick), and all others after that.

Ranking alone would not do: one that is asked to wait a moment falls behind every other address, and thirty machines
would be at the official source at once because their own server was restarted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.transfer.download.fetcher import Fetcher, IsAsked, OnProgress
from wizard.transfer.download.model import FetchProgress, FetchResult

# No other address helps against these.
_OUR_OWN = ("fetch-no-space", "fetch-write", "fetch-internal", "no-memory", "fetch-certificates")
OnFile = Callable[[LockedFile, Path], None]


def near_only(files: Sequence[LockedFile], bases: Sequence[str]) -> tuple[LockedFile, ...]:
    """The files with their near addresses alone; one that has none of these keeps all."""
    narrowed = []
    for file in files:
        near = tuple(url for url in file.urls if url.startswith(tuple(bases)))
        narrowed.append(replace(file, urls=near) if near else file)
    return tuple(narrowed)


def fetch_near_first(
    fetcher: Fetcher,
    files: Sequence[LockedFile],
    bases: Sequence[str],
    on_progress: OnProgress,
    on_file: OnFile,
    is_cancelled: IsAsked,
    is_paused: IsAsked,
    on_far: Callable[[WizardError], None],
) -> FetchResult:
    """Each file is handed on once. `on_far`: why the others are asked now. Raises as `Fetcher.fetch`."""
    told: set[str] = set()
    came: list[int] = []  # bytes of the files that came, not of those that were here

    def once(file: LockedFile, path: Path) -> None:
        if file.sha256 not in told:
            told.add(file.sha256)
            if has_begun:
                came.append(path.stat().st_size)
            on_file(file, path)

    has_begun = False

    def begun(progress: FetchProgress) -> None:  # what is here is handed on before
        nonlocal has_begun
        has_begun = True
        on_progress(progress)

    narrowed = near_only(files, bases) if bases else tuple(files)
    if narrowed != tuple(files):
        try:
            return fetcher.fetch(narrowed, begun, once, is_cancelled, is_paused)
        except WizardError as error:
            if error.code in _OUR_OWN:
                raise
            on_far(error)
    near = sum(came)
    result = fetcher.fetch(files, on_progress, once, is_cancelled, is_paused)
    return replace(result, bytes_fetched=result.bytes_fetched + near, bytes_reused=max(0, result.bytes_reused - near))
