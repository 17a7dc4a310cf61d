"""A JSON object read with suspicion: a field has one type, form and size, or a dotted path says what is wrong.

Machine files come from other computers, hands and shells. Unknown fields are left alone; nothing here
raises anything but UsageError `bad-machine-file`. Not a schema language: just what machine.json needs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wizard.errors import UsageError
from wizard.i18n import message

_LONGEST_TEXT = 4096
_LARGEST_NUMBER = 2**63 - 1
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Fields:
    """`value` is the object, `path` where it lies in the file ("" for the whole), `file` the file's name for people."""

    value: Mapping[str, object]
    file: str
    path: str = ""

    @classmethod
    def of(cls, value: object, file: str, path: str = "") -> Fields:
        if not isinstance(value, Mapping):
            raise _bad(file, path, "object")
        return cls(value, file, path)

    def fail(self, name: str, problem: str, example: str = "") -> UsageError:
        return _bad(self.file, self._at(name), problem, example)

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def text(self, name: str, form: re.Pattern[str] | None = None, example: str = "") -> str:
        """A field that must be there."""
        found = self.text_or_none(name, form, example)
        if found is None:
            raise self.fail(name, "missing")
        return found

    def text_or_none(self, name: str, form: re.Pattern[str] | None = None, example: str = "") -> str | None:
        found = self.value.get(name)
        if found is None:
            return None
        if not isinstance(found, str):
            raise self.fail(name, "text")
        if len(found) > _LONGEST_TEXT:
            raise self.fail(name, "too-long")
        if _UNPRINTABLE.search(found):
            raise self.fail(name, "unprintable")
        if form and not form.fullmatch(found):
            raise self.fail(name, "form", example)
        return found

    def number_or_none(self, name: str) -> int | None:
        found = self.value.get(name)
        if found is None:
            return None
        if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= _LARGEST_NUMBER:
            raise self.fail(name, "number")
        return found

    def flag_or_none(self, name: str) -> bool | None:
        found = self.value.get(name)
        if found is None or isinstance(found, bool):
            return found
        raise self.fail(name, "flag")

    def object_or_none(self, name: str) -> Fields | None:
        found = self.value.get(name)
        return None if found is None else Fields.of(found, self.file, self._at(name))

    def objects(self, name: str, most: int, required: bool = False) -> list[Fields]:
        found = self.value.get(name)
        if found is None and not required:
            return []
        if found is None:
            raise self.fail(name, "missing")
        if not isinstance(found, Sequence) or isinstance(found, str | bytes):
            raise self.fail(name, "list")
        if len(found) > most:
            raise self.fail(name, "too-many")
        return [Fields.of(item, self.file, f"{self._at(name)}[{number}]") for number, item in enumerate(found)]


def _bad(file: str, path: str, problem: str, example: str = "") -> UsageError:
    said = message(f"machine.problem.{problem}", example=example)
    return UsageError("bad-machine-file", file=file, path=path or message("machine.problem.whole"), problem=said)


def printable(value: str | None) -> str | None:
    """What a writer does so that its own reader takes it: a file name with broken bytes stays readable."""
    return None if value is None else _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value)[:_LONGEST_TEXT]
