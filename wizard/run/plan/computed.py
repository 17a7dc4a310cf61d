"""What a lock needs before it is whole: files without a promised hash, and names and passwords of sources.

Files that must be here before a lock is whole: of a server that sends no parts, and for a profile without a promise.

They come by the same downloader, under the same limits, into the same store as everything else: a setup does not fetch
them a second time, and one that was killed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import SplitResult, urlsplit, urlunsplit

from wizard.compatibility.model import Choices
from wizard.install.lock import with_hashes
from wizard.install.store import PackageStore
from wizard.model.lock import Lock, LockedFile
from wizard.sources.model import Source
from wizard.system import paths
from wizard.transfer.download import Downloads, Fetcher, FetchProgress
from wizard.transfer.download.fetcher import DEFAULT_CONNECTIONS, Options


def with_credentials(lock: Lock, sources: Sequence[Source]) -> Lock:
    """Only to the same scheme, host and port as the source's own, as pip does; never to another host."""
    known = {_place(parts): parts.netloc.rpartition("@")[0] for source in sources if (parts := _with_login(source))}
    return replace(lock, files=tuple(_signed(file, known) for file in lock.files)) if known else lock


def _with_login(source: Source) -> SplitResult | None:
    parts = urlsplit(source.url or "")
    return parts if "@" in parts.netloc else None


def _place(parts: SplitResult) -> tuple[str, str]:
    return parts.scheme.lower(), parts.netloc.rpartition("@")[2].lower()


def _signed(file: LockedFile, known: dict[tuple[str, str], str]) -> LockedFile:
    return replace(file, urls=tuple(_sign(url, known) for url in file.urls))


def _sign(url: str, known: dict[tuple[str, str], str]) -> str:
    parts = urlsplit(url)
    login = known.get(_place(parts))
    if login is None or "@" in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=f"{login}@{parts.netloc}"))


IsCancelled = Callable[[], bool]
OnProgress = Callable[[FetchProgress], None]


def _unheard(progress: FetchProgress) -> None:
    """For callers that show nothing."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who waits for these files: the limits of `choices`, a way to cancel, and ears for the progress."""

    choices: Choices
    is_cancelled: IsCancelled
    on_progress: OnProgress = _unheard


def here(file: LockedFile) -> Path | None:
    """The file, or what the store keeps of it to be installed, where this computer has it already."""
    return Downloads(paths.downloads_dir()).find(file) or PackageStore().wheel_of(file)


def fetched(files: Sequence[LockedFile], environment: Mapping[str, str], asker: Asker) -> tuple[Path, ...]:
    """Where they lie now. Raises WizardError `fetch-…`, Cancelled."""
    options = Options(environment=environment, rate_limit=asker.choices.limit_rate)
    connections = asker.choices.connections or DEFAULT_CONNECTIONS
    fetcher = Fetcher(Downloads(paths.downloads_dir()), connections, options)
    return fetcher.fetch(files, asker.on_progress, is_cancelled=asker.is_cancelled).paths


def with_computed(lock: Lock, environment: Mapping[str, str], asker: Asker) -> Lock:
    """With a hash for every file, where somebody else must be able to hold his copy against it. Raises as `fetched`."""
    missing = [file for file in lock.files if not file.sha256]
    if not missing:
        return lock
    places = fetched(missing, environment, asker)
    return with_hashes(lock, {file.filename: path.parent.name for file, path in zip(missing, places, strict=True)})
