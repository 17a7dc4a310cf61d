"""The catalogue of known errors, read from `matrices/errors.toml`. Only what is written there is ever advised."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from wizard.explain.model import KnownError
from wizard.patterns import Pattern
from wizard.tables import Date, Name, Row, TableError, Words, parse_table, shipped_table

_CONTEXT = "@"


class ErrorRow(Row, frozen=True, kw_only=True):
    """`needs`: expressions, and names of contexts with an @. `hides`: ids of rows that are not shown beside it."""

    KEYS = (("id",),)

    id: Name
    area: Literal["torch", "import", "driver", "container", "pip", "uv", "conda", "network", "disk", "windows"]
    os: Literal["any", "linux", "windows"]
    patterns: tuple[Pattern, ...]
    source: Words
    status: Words
    as_of: Date
    needs: tuple[str, ...] = ()
    rank: Literal[0, 1, 2] = 1
    facts: tuple[Literal["card", "driver", "driver-guide", "best", "network", "disk"], ...] = ()

    hides: tuple[Name, ...] = ()

    def __post_init__(self) -> None:
        if not self.patterns:
            raise ValueError("patterns: there is none")


class ErrorTable(Row, frozen=True):
    error: tuple[ErrorRow, ...]
    contexts: dict[str, tuple[str, ...]] = {}


def parse_errors(document: str) -> tuple[KnownError, ...]:
    """Raises TableError."""
    return _errors(parse_table("errors", document, ErrorTable))


def _errors(table: ErrorTable) -> tuple[KnownError, ...]:
    problems: list[str] = []
    contexts: dict[str, Pattern] = {}
    for name, expressions in table.contexts.items():
        try:
            contexts[name] = Pattern(["|".join(expressions)])
        except ValueError as error:
            problems.append(f"errors.contexts.{name}: {error}")
    rows = []
    for row in table.error:
        try:
            rows.append(_known(row, contexts))
        except (ValueError, KeyError) as error:
            problems.append(f"errors.{row.id}.needs: {error}")
    if problems:
        raise TableError(problems)
    return tuple(rows)


def _known(row: ErrorRow, contexts: Mapping[str, Pattern]) -> KnownError:
    return KnownError(
        row.id, row.area, row.os, row.patterns, row.source, row.status, row.as_of,
        needs=tuple(Pattern([need]) for need in row.needs if not need.startswith(_CONTEXT)),
        near=tuple(contexts[need.removeprefix(_CONTEXT)] for need in row.needs if need.startswith(_CONTEXT)),
        rank=row.rank, facts=row.facts, hides=frozenset(row.hides),
    )  # fmt: skip


@lru_cache(maxsize=1)
def known_errors() -> tuple[KnownError, ...]:
    return _errors(shipped_table("errors", ErrorTable))
