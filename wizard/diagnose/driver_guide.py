"""How to get the driver that suits the card on this system: lines to copy and a page to open. Advice only.

The caller knows the cards; here is what each distribution offers (`matrices/driver_guide.toml`). Never a branch
beyond `last_branch`, the last that knows the card.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from wizard.model.messages import Message, message
from wizard.model.tables import SOME, Count, Https, Name, Row, Sourced, Words, parse_table, shipped_table


class GuideRow(Sourced, frozen=True, kw_only=True):
    KEYS = (("ids",),)

    ids: Annotated[tuple[Name, ...], SOME]
    page: Https
    note: Name
    open: tuple[Words, ...] = ()
    closed: tuple[Words, ...] = ()
    branches: tuple[Count, ...] = ()
    hold: tuple[Words, ...] = ()
    unhold: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class DriverNeed:
    """What the cards ask for. `at_least`: the oldest branch that runs the wanted build; `last_branch`: the last
    that knows every card (None: all do); `open_module`: "no", "optional" or "required"."""

    at_least: int | None
    last_branch: int | None
    open_module: str


@dataclass(frozen=True, slots=True)
class DriverGuide:
    """`install`, `hold`, `unhold`: lines for a terminal, empty where the page has to be followed."""

    branch: int | None
    notes: tuple[Message, ...]
    install: tuple[str, ...]
    hold: tuple[str, ...]
    unhold: tuple[str, ...]
    page: str
    source: str


class GuideTable(Row, frozen=True):
    guide: tuple[GuideRow, ...]


def parse_guides(document: str) -> tuple[GuideRow, ...]:
    """Raises TableError."""
    return parse_table("driver_guide", document, GuideTable).guide


@lru_cache(maxsize=1)
def guide_rows() -> tuple[GuideRow, ...]:
    return shipped_table("driver_guide", GuideTable).guide


def driver_guide(need: DriverNeed, ids: Iterable[str]) -> DriverGuide:
    """`ids`: the system's names, the closest first ("ubuntu", "debian"); "linux" stands for any other."""
    table = guide_rows()
    row = next((row for name in (*ids, "linux") for row in table if name in row.ids), table[-1])
    is_open = need.open_module != "no"
    lines = row.open if is_open else row.closed
    branch = _branch(need, row)
    if branch is None and any("{branch}" in line for line in lines):
        lines = ()
    notes = [message(f"explain.guide.{row.note}"), *_notes(need, branch, bool(lines))]

    def filled(templates: Iterable[str]) -> tuple[str, ...]:
        return tuple(line.format(branch=branch, flavour="-open" if is_open else "") for line in templates)

    held = bool(lines) and need.last_branch is not None
    return DriverGuide(
        branch,
        tuple(notes),
        filled(lines),
        filled(row.hold) if held else (),
        filled(row.unhold) if held else (),
        row.page,
        row.source,
    )


def _branch(need: DriverNeed, row: GuideRow) -> int | None:
    """The oldest that this system offers, is new enough, and still knows the card."""
    usable = [
        branch
        for branch in row.branches
        if branch >= (need.at_least or 0) and (need.last_branch is None or branch <= need.last_branch)
    ]
    if need.last_branch is not None:
        return max(usable, default=None)
    return min(usable, default=None)


def _notes(need: DriverNeed, branch: int | None, has_lines: bool) -> Iterable[Message]:
    if need.last_branch is not None:
        yield message("explain.guide.last-branch", branch=need.last_branch)
    elif need.at_least is not None and branch is None:
        yield message("explain.guide.at-least", branch=need.at_least)
    if need.open_module == "required":
        yield message("explain.guide.open-module")
    if has_lines:
        yield message("explain.guide.reboot")
