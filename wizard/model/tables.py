"""Reads the tables in `matrices/` and those that users write in the same form (TOML): typed, every mistake named.

A mistake is told by its place, `mirrors.57.url` (57 is the line), as `compatibility.data.validate` does for the CSV
tables. What a row looks like is its type, a `msgspec.Struct` that forbids unknown fields; a type with a `parse` checks
a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_type_hints

import msgspec

from wizard.model.errors import WizardError
from wizard.model.table_update import tables_dir
from wizard.model.typed import described, from_toml

T = TypeVar("T")
Words = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f]+$")]  # one line
Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Variable = Annotated[str, msgspec.Meta(pattern=r"^[A-Z][A-Z0-9_]*$")]  # of the surroundings
Place = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9.-]+\.[a-z]+(/\S+)?$")]  # host or host/path
Positive = Annotated[float, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(gt=0)]
SOME = msgspec.Meta(min_length=1)  # of a list
DATE = r"20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?"
Date = Annotated[str, msgspec.Meta(pattern=f"^{DATE}$")]
Https = Annotated[str, msgspec.Meta(pattern=r"^https://[^\s/]+\.[^\s/]+")]
_FORMS: dict[Any, str] = {  # how what is wanted is said to whoever wrote the table
    Words: "one line of text",
    Name: "a name of letters, digits, dots and dashes",
    Variable: "the name of an environment variable",
    Place: "a host such as example.org",
    Date: "a day such as 2026-11-25",
    Https: "an https address",
}
_PLACE = re.compile(r"(?P<words>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?", re.DOTALL)
_FIELD = re.compile(r"(?P<field>[a-z_]+): (?P<words>.*)", re.DOTALL)
_LINE = re.compile(r"at line (\d+)")


class TableError(ValueError):
    """`problems`: one for each mistake, each with its place."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a table. `__post_init__` may raise ValueError `field: what is wrong`.

    `KEYS`: groups of fields whose values, taken together, no other row of the list has. Of a field that holds a list
    each of its values counts.
    """

    KEYS: ClassVar[tuple[tuple[str, ...], ...]] = ()


class Sourced(Row, frozen=True):
    """A row that says where its facts were read, on which day or in which month, and how sure that makes them."""

    source: Words
    as_of: Date
    confidence: Literal["high", "medium", "low"]


def parse_table(name: str, document: str, shape: type[T]) -> T:
    """`shape`: a Row whose fields are the document's tables. Raises TableError."""
    try:
        data = from_toml(document)
    except ValueError as error:
        line = _LINE.search(str(error))
        raise TableError([f"{name}.{line[1] if line else 1}: {error}"]) from error
    problems = list(_bad_rows(name, document, data, shape))
    if problems:
        raise TableError(problems)
    try:
        return convert(data, shape)
    except msgspec.ValidationError as error:
        raise TableError([_placed(name, document, error)]) from error


def shipped_table(name: str, shape: type[T]) -> T:
    """Raises WizardError `bad-table`: somebody changed the program's own files."""
    path = tables_dir() / f"{name}.toml"
    try:
        return parse_table(name, path.read_text(encoding="utf-8"), shape)
    except (OSError, UnicodeDecodeError, TableError) as error:
        raise bad_table(path.name, str(error)) from error


def bad_table(file: str, problem: str) -> WizardError:
    """Return the error for a table of ours that is damaged or was edited wrongly."""
    return WizardError(
        "bad-table",
        "A table of this program cannot be read: {problem}.",
        "Install the program again; whoever changed {file} finds every mistake [on the page {page.versions}|with "
        "“torch-wizard matrices check”].",
        details=problem,
        file=file,
        problem=problem.partition(";")[0],
    )


def convert(value: object, shape: type[T]) -> T:
    """Raises msgspec.ValidationError."""
    return msgspec.convert(value, described(shape), dec_hook=_cell)


def _cell(kind: Any, value: object) -> Any:
    return kind.parse(value)


def _bad_rows(name: str, document: str, data: dict[str, Any], shape: type[Any]) -> Iterator[str]:
    """Every `[[table]]` row by row, because a mistake in the middle of a list has no number otherwise."""
    kinds = get_type_hints(shape)
    for table, rows in data.items():
        kind = next(iter(get_args(kinds.get(table))), None)
        if not (isinstance(kind, type) and issubclass(kind, Row) and isinstance(rows, list)):
            continue
        lines, seen = _headers(document, table), dict[tuple[object, ...], int]()
        for number, row in enumerate(rows):
            line = lines[number] if number < len(lines) else None
            try:
                value = convert(row, kind)
            except msgspec.ValidationError as error:
                yield _placed(name, document, error, line)
                continue
            for key in _keys(value):
                if key in seen:
                    yield f"{name}.{line or 1}: the same {key[0]} as line {seen[key]}: {', '.join(map(str, key[1:]))}"
                seen.setdefault(key, line or 1)


def _keys(row: Row) -> Iterator[tuple[object, ...]]:
    """Yield the names of the fields of each key, and their values."""
    for fields in row.KEYS:
        values = (getattr(row, field) for field in fields)
        for one in product(*(value if isinstance(value, tuple) else (value,) for value in values)):
            yield ", ".join(fields), *one


def _headers(document: str, table: str) -> list[int]:
    head = re.compile(rf"\s*\[\[\s*{re.escape(table)}\s*\]\]")
    return [number for number, line in enumerate(document.splitlines(), 1) if head.match(line)]


def _placed(name: str, document: str, error: Exception, row: int | None = None) -> str:
    """`mirrors.57.url: what is wrong`. `row`: the line of the row's head; None where the error is of the whole."""
    found = _PLACE.fullmatch(str(error))
    words, path = (found["words"], found["path"] or "") if found else (str(error), "")
    for kind, wanted in _FORMS.items():
        words = words.replace(f"Expected `str` matching regex {get_args(kind)[1].pattern!r}", f"expected {wanted}")
    named = _FIELD.fullmatch(words) if not path else None
    if named:
        path, words = named["field"], named["words"]
    keys = [key for key in re.split(r"[.\[\]]+", path) if key and not key.isdigit()]
    line = _line_of(document, keys[0 if row else -1] if keys else "", row)
    return f"{name}.{line}.{path}: {words}" if path else f"{name}.{line}: {words}"


def _line_of(document: str, field: str, row: int | None) -> int:
    """Where the field stands; the row's own line without it."""
    assigned = re.compile(rf"\s*{re.escape(field)}\s*=")
    for number, text in enumerate(document.splitlines()[row or 0 :], (row or 0) + 1):
        if row and text.startswith("[["):
            break
        if field and assigned.match(text):
            return number
    return row or 1
