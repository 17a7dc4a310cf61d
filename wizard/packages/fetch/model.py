"""What fetching reports, and the faults that a source can show.

A *fault* is one failed attempt at one address; it becomes a WizardError only when every address of
that file has been tried often enough. *hard*: trying again at once makes no sense (403, a wrong file).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

BLOCK = 4 * 1024 * 1024  # one buffer = one write = one step of the hash
CHUNK = 2 * BLOCK  # one range request


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """Bytes and bytes per second. `total` is None while a size is unknown. `state`: fetching | waiting | paused."""

    done: int
    total: int | None
    rate: float
    file: str
    files_done: int
    files_total: int
    state: str = "fetching"


@dataclass(frozen=True, slots=True)
class FetchResult:
    """`bytes_fetched` came over the wire in this call, `bytes_reused` were already in the folder."""

    paths: tuple[Path, ...]
    bytes_fetched: int
    bytes_reused: int
    seconds: float


class Fault(Exception):
    """`code` is the WizardError code it ends in; `retry_after` in seconds is what the server asked for."""

    def __init__(self, code: str, details: str = "", hard: bool = False, retry_after: float | None = None) -> None:
        super().__init__(f"{code}: {details}")
        self.code = code
        self.details = details
        self.hard = hard
        self.retry_after = retry_after


class Changed(Fault):
    """The file behind the address is another one than when we began: what we have of it is worthless."""

    def __init__(self, details: str) -> None:
        super().__init__("fetch-changed", details, hard=True)


class NoRanges(Fault):
    """The server cannot send a part of a file; it must come in one stream."""

    def __init__(self) -> None:
        super().__init__("fetch-server", "no ranges")


class Stopped(Exception):
    """Cancelled or paused in the middle of a range; what had arrived is kept."""
