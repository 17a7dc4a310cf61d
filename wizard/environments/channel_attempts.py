"""Which channels are tried, one after the other, until one brings the whole environment.

First the elected ones. When the network fails in the middle, another place with the same channel sends the same files:
what they must be (size, SHA-256) stays as it was seen first. Only where a place no longer has a file is anything chosen
anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from wizard.environments.model import Target
from wizard.environments.rattler_failure import Failed

_GONE = re.compile(r"\((?:403|404|410)\b")  # rattler writes "client error (404 Not Found)", in the server's own words


@dataclass(frozen=True, slots=True)
class Attempt:
    """`chosen`: the packages' descriptions, or "" to choose; `moves`: (from, to) addresses for their files."""

    channels: tuple[str, ...]
    chosen: str = ""
    moves: tuple[tuple[str, str], ...] = ()


def attempts_for(target: Target) -> tuple[Attempt, ...]:
    rows = [Attempt(target.channels, target.chosen)]
    for other in () if target.local else target.further_channels:
        place = _place_of(other, target.channels)
        if place is not None:
            replaced = (*target.channels[:place], other, *target.channels[place + 1 :])
            rows.append(Attempt(replaced, target.chosen, ((target.channels[place], other),)))
    return tuple(rows)


def _place_of(other: str, channels: tuple[str, ...]) -> int | None:
    """Where the same channel stands among those of the plan: `…/conda-forge` for `…/conda-forge`."""
    names = [_name(channel) for channel in channels]
    return names.index(_name(other)) if _name(other) in names else None


def _name(channel: str) -> str:
    return urlsplit(channel).path.rstrip("/").rpartition("/")[2]


def is_worth_another(failed: Failed) -> bool:
    """Too little on one mirror may be all there on another."""
    return failed.kind in ("unreachable", "lost", "unsolvable") and failed.error.code != "env-disk-full"


def without_choice(attempts: tuple[Attempt, ...], said: str) -> tuple[Attempt, ...]:
    """What to do when all have failed and said that: what was chosen is no longer handed out, so choose again."""
    if not any(attempt.chosen for attempt in attempts) or not _GONE.search(said):
        return ()
    return tuple(Attempt(attempt.channels) for attempt in attempts)
