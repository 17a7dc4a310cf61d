"""Reads what is known about single addresses and options beyond the list of mirrors: `matrices/lint.toml`.

Which places are gone or never were, which channels are under Anaconda's terms, which hold no Python. Facts
only; what follows from them is for the reading of settings and for the lint.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Literal
from urllib.parse import urlsplit

from wizard.model.tables import SOME, Date, Https, Name, Place, Row, Words, parse_table, shipped_table


class DeadAddress(Row, frozen=True, kw_only=True):
    """`begins`: host or host/path. `status`: gone | invented | frozen | not-an-index | moved. `kind`: of mirror."""

    KEYS = (("begins",),)

    begins: Place
    status: Literal["gone", "invented", "frozen", "not-an-index", "moved"]
    source: Words
    as_of: Date
    instead: Https | None = None
    kind: Literal["", "pypi", "pytorch-wheels"] = ""


class MisplacedRow(Row, frozen=True, kw_only=True):
    """Names under which a tool reads nothing. `beside`: home | settings (the folders in which it looks)."""

    KEYS = (("tool", "beside", "names"),)

    tool: Literal["pip", "uv", "conda"]
    names: Annotated[tuple[Words, ...], SOME]
    beside: Literal["home", "settings"]
    source: Words
    as_of: Date


class TermsRow(Row, frozen=True, kw_only=True):
    """Channels under Anaconda's terms: by how the address begins, or by what its path holds."""

    KEYS = (("begins", "path_holds"),)

    source: Words
    as_of: Date
    begins: Place | None = None
    path_holds: Words | None = None

    def __post_init__(self) -> None:
        if self.begins is None and self.path_holds is None:
            raise ValueError("begins: neither this nor path_holds is given")


class NoPython(Row, frozen=True, kw_only=True):
    KEYS = (("name",),)

    name: Words
    source: Words
    as_of: Date


class PlatformNames(Row, frozen=True, kw_only=True):
    KEYS = (("names",),)

    names: Annotated[tuple[Name, ...], SOME]
    source: Words
    as_of: Date


class OptionRow(Row, frozen=True, kw_only=True):
    """An option that changes what an install does. `when`: set | true | false | words apart by |. `meets`: what setup's
    own install does about it, where it follows it, too."""

    KEYS = (("tool", "key", "when"),)

    tool: Literal["pip", "uv", "conda"]
    key: Name
    when: Words
    severity: Literal["error", "warning", "note"]
    effect: Name
    source: Words
    as_of: Date
    meets: Literal["around", "stops"] | None = None


@dataclass(frozen=True, slots=True)
class AddressFacts:
    dead: tuple[DeadAddress, ...] = ()
    terms: tuple[TermsRow, ...] = ()
    no_python: frozenset[str] = frozenset()
    platforms: frozenset[str] = frozenset()
    options: tuple[OptionRow, ...] = field(default=())
    misplaced: tuple[MisplacedRow, ...] = ()


class LintTable(Row, frozen=True, kw_only=True):
    dead: tuple[DeadAddress, ...]
    terms: tuple[TermsRow, ...]
    no_python: tuple[NoPython, ...]
    platform: tuple[PlatformNames, ...]
    option: tuple[OptionRow, ...]
    misplaced: tuple[MisplacedRow, ...]

    def facts(self) -> AddressFacts:
        """Return the table's rows in the form in which they are looked up."""
        return AddressFacts(
            dead=self.dead,
            terms=self.terms,
            no_python=frozenset(row.name for row in self.no_python),
            platforms=frozenset(name for row in self.platform for name in row.names),
            options=self.option,
            misplaced=self.misplaced,
        )


def parse_address_facts(document: str) -> AddressFacts:
    """Read the text of `matrices/lint.toml`. Raises TableError."""
    return parse_table("lint", document, LintTable).facts()


@lru_cache(maxsize=1)
def address_facts() -> AddressFacts:
    """Read the shipped table, once. Raises WizardError `bad-table`."""
    return shipped_table("lint", LintTable).facts()


def begins_with(url: str, begins: str) -> bool:
    """Return whether `url` is that host, or lies below that host/path. Case of the host does not count."""
    place = _place(url)
    return place == begins or place.startswith(begins + "/")


def _place(url: str) -> str:
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or ''}{parts.path}".rstrip("/")
    except ValueError:
        return ""


def dead_address(url: str) -> DeadAddress | None:
    """Return the row of a place that is gone or never was; None for any other."""
    return next((row for row in address_facts().dead if begins_with(url, row.begins)), None)


def needs_terms(url: str) -> bool:
    """Return whether Anaconda's terms apply to this channel, by the address of the channel."""
    path = f"{_place(url)}/"
    return any(
        (row.begins is not None and begins_with(url, row.begins))
        or (row.path_holds is not None and row.path_holds in path)
        for row in address_facts().terms
    )


def channel_name(url: str) -> str:
    """Return the last part of a channel's address: `conda-forge`; a label (`x/label/y`) is part of the name."""
    place = _place(url)
    head, mark, label = place.partition("/label/")
    name = head.rpartition("/")[2]
    return f"{name}/label/{label}" if mark else name
