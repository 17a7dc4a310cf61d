"""TOML tables read with suspicion: each field has one type, form and size; what is wrong is noted under a dotted path.

Unlike `machine.fields` it does not stop at the first mistake, since a profile is mended by hand by the person who made
it. A field that is wrong reads as None, "" or (); whoever has asked for all of them looks at `problems`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wizard.environments.component import is_invisible
from wizard.i18n import Message, message

_LONGEST_TEXT = 2000
_LARGEST_NUMBER = 2**50
_MOST_PROBLEMS = 50


@dataclass(frozen=True, slots=True)
class Problem:
    path: str
    words: Message


@dataclass(slots=True)
class Problems:
    found: list[Problem] = field(default_factory=list)

    def add(self, path: str, key: str, **params: str | int) -> None:
        if len(self.found) < _MOST_PROBLEMS:
            self.found.append(Problem(path, message(f"profile.problem.{key}", **params)))


@dataclass(frozen=True, slots=True)
class Table:
    value: Mapping[str, object]
    path: str
    problems: Problems

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def fail(self, name: str, key: str, **params: str | int) -> None:
        self.problems.add(self.at(name), key, **params)

    def know(self, *names: str) -> None:
        """Every other key is a mistake: a word spelt wrongly would otherwise have no effect, and nobody would see."""
        for name in self.value:
            if name not in names:
                self.fail(shown(name), "unknown")

    def text(self, name: str, form: re.Pattern[str] | None = None, example: str = "") -> str:
        """A field that must be there."""
        if name not in self.value:
            self.fail(name, "missing")
        return self.text_or_none(name, form, example) or ""

    def text_or_none(self, name: str, form: re.Pattern[str] | None = None, example: str = "") -> str | None:
        found = self.value.get(name)
        if found is None or not self._is_text(name, found, form, example):
            return None
        return str(found)

    def _is_text(self, name: str, found: object, form: re.Pattern[str] | None, example: str) -> bool:
        if not isinstance(found, str):
            self.fail(name, "text")
        elif len(found) > _LONGEST_TEXT:
            self.fail(name, "long", most=_LONGEST_TEXT)
        elif any(map(is_invisible, found)):
            self.fail(name, "unprintable")
        elif form and not form.fullmatch(found):
            self.fail(name, "form", found=shown(found), example=example)
        else:
            return True
        return False

    def number_or_none(self, name: str) -> int | None:
        found = self.value.get(name)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int) or not 0 < found <= _LARGEST_NUMBER:
            self.fail(name, "number")
            return None
        return found

    def flag(self, name: str) -> bool:
        found = self.value.get(name, False)
        if not isinstance(found, bool):
            self.fail(name, "flag")
            return False
        return found

    def texts(self, name: str, most: int, form: re.Pattern[str] | None = None, example: str = "") -> tuple[str, ...]:
        found = self.value.get(name, [])
        if not isinstance(found, list):
            self.fail(name, "list")
            return ()
        if len(found) > most:
            self.fail(name, "many", most=most)
            return ()
        numbered = [(f"{name}[{number}]", item) for number, item in enumerate(found)]
        return tuple(str(item) for at, item in numbered if self._is_text(at, item, form, example))

    def table(self, name: str) -> Table:
        """An empty one where there is none."""
        found = self.value.get(name, {})
        if not isinstance(found, dict):
            self.fail(name, "table")
            found = {}
        return Table(found, self.at(name), self.problems)

    def tables(self, name: str, most: int) -> Iterator[Table]:
        found = self.value.get(name, [])
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            self.fail(name, "tables", table=name)
            return
        if len(found) > most:
            self.fail(name, "many", most=most)
            return
        for number, item in enumerate(found):
            yield Table(item, f"{self.at(name)}[{number}]", self.problems)


def shown(text: str, longest: int = 60) -> str:
    """On one line, whatever was written."""
    clean = "".join("\N{REPLACEMENT CHARACTER}" if is_invisible(one) else one for one in text)
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"
