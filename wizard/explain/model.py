"""A known error, and an answer to a text: what it is, what to do, and which facts of the computer belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wizard.i18n import Message
from wizard.patterns import Pattern


@dataclass(frozen=True, slots=True)
class KnownError:
    """A row of `matrices/errors.toml`. `patterns`: any of them; `needs`: all of them too, anywhere; `near`: all of
    them, close to the match. `hides`: the rows that say less of the same text."""

    id: str
    area: str
    os: str
    patterns: tuple[Pattern, ...]
    source: str
    status: str
    as_of: str
    needs: tuple[Pattern, ...] = ()
    near: tuple[Pattern, ...] = ()
    rank: int = 1
    facts: tuple[str, ...] = ()
    hides: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Explanation:
    """`line`: the line of the text that told it."""

    error: KnownError
    line: str
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.error.id

    @property
    def cause(self) -> Message:
        return Message(f"explain.error.{self.id}.cause", self.params)

    @property
    def fix(self) -> Message:
        return Message(f"explain.error.{self.id}.fix", self.params)
