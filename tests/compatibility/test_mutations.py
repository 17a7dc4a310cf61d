"""Each field of each table is changed for the worse: the check names it, or anything may stand there.

The fields that may hold anything are listed here, so that a new one is a decision.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wizard.app.use.tables import PARSERS, check
from wizard.compatibility.data.schema import TABLES, TableSchema
from wizard.compatibility.data.validate import check_table
from wizard.system.paths import matrices_dir

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Document = dict[str, Any]
# Texts for people, and names whose only meaning is what another program calls something.
FREE = {
    "companions": {
        *("system_program.name", "system_program.on_windows", "system_program.on_linux", "after_install.command"),
        *("build_backend.needs", "torch_bound.module"),
        *("native_gone.name", "native_gone.pattern", "native_gone.instead"),
    },
    "conda_errors": {"error.exception", "error.says"},
    "lint": {"terms.path_holds", "no_python.name", "option.key", "option.when", "option.effect"},
    "miniforge": {"licence.name", "licence.note", "installer.conda"},
    "mirrors": {"mirror.operator_en", "mirror.operator_zh", "mirror.completeness", "mirror.evidence", "mirror.note"},
    "race": {"probe.packages"},
    "other_makers": {"offer.line", "chip.name"},
    "settings_files": {"source.at", "variable.key"},
    "errors": {"error.id", "error.status", "error.rank"},  # that there are words for an id: below; -1 is a rank
    "driver_guide": {"guide.note"},
}
MAY_BE_EMPTY = {"chip.target", "companion.least", "companion.makes_from", "dead.kind", "file.write", "native_gone.own"}
FREE_EVERYWHERE = {"source", "reason"}
WORDS = {"errors": "error.id", "driver_guide": "guide.note", "lint": "option.effect", "conda_errors": "error.code"}


SHIPPED = matrices_dir()  # each test has tables of its own in the surroundings, without pins


def written(document: Document) -> str:
    return "\n".join(f"{json.dumps(key)} = {_inline(value)}" for key, value in document.items())


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_inline(one)}" for key, one in value.items()) + "}"
    return "[" + ", ".join(map(_inline, value)) + "]" if isinstance(value, list) else json.dumps(value)


def shipped(name: str) -> Document:
    """Of each list the rows that show a field for the first time, and the official ones."""
    document = tomllib.loads((SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))
    for table, rows in document.items():
        if isinstance(rows, list):
            seen: set[str] = set()
            kept = [row for row in rows if row.get("id") == "official" or not (row.keys() <= seen or seen.update(row))]
            document[table] = kept
    return document


def fields(document: Document) -> Iterator[tuple[str, list[Document]]]:
    """Each field as table.field, and where its values stand."""
    found: dict[str, list[Document]] = {}
    for table, rows in document.items():
        below = rows if isinstance(rows, list) else [each for each in rows.values() if isinstance(each, dict)] or [rows]
        for row in below:
            for field in row:
                found.setdefault(f"{table}.{field}", []).append(row)
    return iter(found.items())


def worse(value: object) -> list[object]:
    if isinstance(value, bool):
        return ["no", 1]
    if isinstance(value, int | float):
        return [-1, str(value)]
    if isinstance(value, list):
        return [[*value, ""], [*value, 7.5], "x"]
    return ["", "two words", "http://a.b/c d", "a\nb", 7]


def is_refused(name: str, document: Document) -> bool:
    try:
        PARSERS[name](written(document))
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_a_worse_value_is_refused_unless_the_field_is_free(name: str) -> None:
    document = shipped(name)
    assert not is_refused(name, document)
    free = set()
    for field, rows in fields(document):
        key, row = field.partition(".")[2], rows[0]
        before = row[key]
        for value in worse(before):
            row[key] = value
            if not is_refused(name, document) and not (value == "" and field in MAY_BE_EMPTY):
                free.add(field)
        row[key] = before
    assert {field for field in free if field.rpartition(".")[2] not in FREE_EVERYWHERE} <= FREE.get(name, set())


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_no_row_stands_twice(name: str) -> None:
    document = shipped(name)
    for table, rows in document.items():
        for row in copy.deepcopy(rows) if isinstance(rows, list) else ():
            for again in (row, {**row, "as_of": "2026-10", "source": "a second opinion"}):
                kept = {key: value for key, value in again.items() if key in row}
                assert is_refused(name, {**document, table: [*rows, kept]}), (table, kept)


@pytest.mark.parametrize("name", sorted(WORDS))
def test_what_stands_for_a_sentence_needs_one(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SHIPPED, tmp_path / "matrices"))
    path, field = folder / f"{name}.toml", WORDS[name].partition(".")[2]
    text = path.read_text(encoding="utf-8")
    at = text.index(f"\n{field} = ") + 1
    path.write_text(text[:at] + f'{field} = "no-such-words"' + text[text.index("\n", at) :], encoding="utf-8")
    assert "no-such-words" in "".join(check(folder))


FREE_CELLS = {
    "arch_list": {"evidence"},
    "architectures": {"architecture"},  # a name of its own; the cards refer to it
    "gpus": {"name", "chip", "architecture", "segment"},
    "integrated_gpus": {"board", "chip"},
    "matrix_speed": {"name", "fp32_tflops"},
}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_worse_cell_is_refused_unless_its_column_is_free(table: TableSchema) -> None:
    with (SHIPPED / f"{table.name}.csv").open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    free = {
        column
        for column in table.columns
        for cell in ("nonsense", " 1", "-1", "1;1", row[column] + ";", "2026-13", "a\nb")
        if not check_table(table, _csv(table, [{**row, column: cell}]))
    }
    assert free - {"source", "note"} <= FREE_CELLS.get(table.name, set())
    other = {**row, "source": "a second opinion"}
    assert check_table(table, _csv(table, [row, other]))


def _csv(table: TableSchema, rows: list[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table.columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
