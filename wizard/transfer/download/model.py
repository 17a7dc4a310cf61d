"""What fetching reports, and the faults that a source can show.

A *fault* is one failed attempt at one address; it becomes a WizardError only when every address of
that file has been tried often enough. *hard*: trying again makes little sense (403, a wrong file).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wizard.model.lock import LockedFile
from wizard.model.messages import Param

BLOCK = 1024 * 1024  # one buffer = one write = one step of the hash
CHUNK = 4 * BLOCK  # one range request, where a server answers at once
CHUNK_MAX = 4 * CHUNK  # one whose answers take long: waiting for them must not cost much


@dataclass(frozen=True, slots=True)
class LargeFile:
    """One that takes a while: its name, and bytes."""

    name: str
    done: int
    size: int


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """Bytes and bytes per second. `total` is None while a size is unknown. `state`: fetching | waiting | paused.

    `limited_by`: network | server | disk | processor | limit | none, measured over the last seconds (meter.py).
    """

    done: int
    total: int | None
    rate: float
    file: str
    files_done: int
    files_total: int
    state: str = "fetching"
    limited_by: str = "none"
    whole: tuple[str, ...] = ()  # names of the files that came, the latest last
    large: tuple[LargeFile, ...] = ()  # under way or here, the largest first


@dataclass(frozen=True, slots=True)
class FetchResult:
    """`bytes_fetched` came over the wire in this call, `bytes_reused` were already in the folder."""

    paths: tuple[Path, ...]
    bytes_fetched: int
    bytes_reused: int
    seconds: float


class Tap(Protocol):
    """Sees every byte of a file once, in its order, before its hash is known; from byte 0 a file begins anew."""

    def feed(self, file: LockedFile, start: int, data: memoryview) -> None: ...


class Fault(Exception):
    """`code` is the WizardError code it ends in, `params` its further blanks; `retry_after` in seconds is what the
    server asked for."""

    def __init__(
        self,
        code: str,
        details: str = "",
        hard: bool = False,
        retry_after: float | None = None,
        params: Mapping[str, Param] | None = None,
    ) -> None:
        super().__init__(f"{code}: {details}")
        self.code = code
        self.details = details
        self.hard = hard
        self.params = dict(params or {})
        self.retry_after = retry_after


class Changed(Fault):
    """The file behind the address is another one than when we began: what we have of it is worthless."""

    def __init__(self, details: str) -> None:
        super().__init__("fetch-changed", details, hard=True)


class NoRanges(Fault):
    """This address cannot send a part of a file; from there it must come in one stream."""

    def __init__(self) -> None:
        super().__init__("fetch-server", "no ranges")


class OtherTag(Fault):
    """If-Range was answered with the whole file: the address has another ETag now. No failure yet."""

    def __init__(self) -> None:
        super().__init__("fetch-changed", "another ETag")


class Stopped(Exception):
    """Cancelled or paused in the middle of a range; what had arrived is kept."""
