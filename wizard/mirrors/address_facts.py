"""What is known about single addresses and options beyond the list of mirrors: `matrices/lint.toml`.

Which places are gone or never were, which channels are under Anaconda's terms, which hold no Python. Facts
only; what follows from them is for the reading of settings and for the lint.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from wizard import paths

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class DeadAddress:
    """`begins`: host or host/path. `status`: gone | invented | frozen | not-an-index | moved."""

    begins: str
    status: str
    source: str
    as_of: str
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class TermsRow:
    """Channels under Anaconda's terms: by how the address begins, or by what its path holds."""

    source: str
    as_of: str
    begins: str | None = None
    path_holds: str | None = None


@dataclass(frozen=True, slots=True)
class NoPython:
    name: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class PlatformNames:
    names: list[str]
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option that changes what an install does. `when`: set | true | false | words apart by |."""

    tool: str
    key: str
    when: str
    severity: str
    effect: str
    source: str
    as_of: str
    touches: bool = False


@dataclass(frozen=True, slots=True)
class AddressFacts:
    dead: tuple[DeadAddress, ...] = ()
    terms: tuple[TermsRow, ...] = ()
    no_python: frozenset[str] = frozenset()
    platforms: frozenset[str] = frozenset()
    options: tuple[OptionRow, ...] = field(default=())


def parse_address_facts(document: str) -> AddressFacts:
    """Raises ValueError for what is not TOML, TypeError for a row with a wrong column."""
    tables = tomllib.loads(document)
    platforms = [PlatformNames(**row) for row in tables["platform"]]
    return AddressFacts(
        dead=tuple(DeadAddress(**row) for row in tables["dead"]),
        terms=tuple(TermsRow(**row) for row in tables["terms"]),
        no_python=frozenset(NoPython(**row).name for row in tables["no_python"]),
        platforms=frozenset(name for row in platforms for name in row.names),
        options=tuple(OptionRow(**row) for row in tables["option"]),
    )


@lru_cache(maxsize=1)
def address_facts() -> AddressFacts:
    return parse_address_facts((paths.matrices_dir() / "lint.toml").read_text(encoding="utf-8"))


def begins_with(url: str, begins: str) -> bool:
    """Whether `url` is that host, or lies below that host/path. Case of the host does not count."""
    place = _place(url)
    return place == begins or place.startswith(begins + "/")


def _place(url: str) -> str:
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or ''}{parts.path}".rstrip("/")
    except ValueError:
        return ""


def dead_address(url: str) -> DeadAddress | None:
    return next((row for row in address_facts().dead if begins_with(url, row.begins)), None)


def needs_terms(url: str) -> bool:
    """Whether Anaconda's terms apply to this channel, by the address of the channel."""
    path = f"{_place(url)}/"
    return any(
        (row.begins is not None and begins_with(url, row.begins))
        or (row.path_holds is not None and row.path_holds in path)
        for row in address_facts().terms
    )


def channel_name(url: str) -> str:
    """The last part of a channel's address: `conda-forge`; a label (`x/label/y`) is part of the name."""
    place = _place(url)
    head, mark, label = place.partition("/label/")
    name = head.rpartition("/")[2]
    return f"{name}/label/{label}" if mark else name
