"""Rows that were learnt on this computer: tables of the shipped form in a folder of the user's.

An overlay only adds. A row that the program ships counts before the overlay's, so an update that brings the same
release takes over by itself. An overlay with any mistake is left out whole, its mistakes named: the shipped data
still answer.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from wizard.compatibility.data.model import OverlayState
from wizard.compatibility.data.schema import TABLES, TableSchema
from wizard.compatibility.data.validate import Row, check_references, check_table
from wizard.system import moving

Tables = Mapping[str, Sequence[Row]]
_BY_NAME = {table.name: table for table in TABLES}


def read_overlay(folder: Path, shipped: Path) -> tuple[Tables, OverlayState]:
    """The rows to add ({} for a damaged overlay), and how it stands."""
    texts: dict[str, str] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.csv")):
        try:
            texts[path.stem] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{path.stem}: {error}")
    for name, text in texts.items():
        problems += _form(name, text)
    rows = {name: _rows(text) for name, text in texts.items()} if not problems else {}
    if rows:
        problems += _references(rows, shipped)
    dates = [row["as_of"] for table in rows.values() for row in table]
    count = sum(map(len, rows.values()))
    state = OverlayState(str(folder), count, max(dates, default=""), tuple(problems))
    return ({} if problems else rows), state


def _form(name: str, text: str) -> list[str]:
    table = _BY_NAME.get(name)
    if table is None:
        return [f"{name}: there is no such table"]
    try:
        return [str(problem) for problem in check_table(table, text)]
    except csv.Error as error:
        return [f"{name}: {error}"]


def _references(rows: Tables, shipped: Path) -> list[str]:
    """The overlay's rows stand first, so that a problem's line is the line in its own file."""
    whole = {
        table.name: [*rows.get(table.name, ()), *_rows((shipped / f"{table.name}.csv").read_text(encoding="utf-8"))]
        for table in TABLES
    }
    return [str(problem) for problem in check_references(whole)]


def _rows(text: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(text)))


def merged(name: str, shipped: Sequence[Row], added: Sequence[Row]) -> list[Row]:
    """The shipped rows, and those that are not there under the same key."""
    table = _BY_NAME[name]
    known = {_key(table, row) for row in shipped}
    return [*shipped, *(row for row in added if _key(table, row) not in known)]


def _key(table: TableSchema, row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in table.key)


def write_overlay(folder: Path, tables: Tables, shipped: Path) -> OverlayState:
    """Takes the place of what is there, if it is sound; else the old one stays and the problems are in the answer."""
    fresh = folder.with_name(folder.name + ".new")
    moving.remove_tree(fresh)
    fresh.mkdir(parents=True)
    try:
        for name, rows in tables.items():
            if rows:
                (fresh / f"{name}.csv").write_text(_text(_BY_NAME[name], rows), encoding="utf-8", newline="")
        _, state = read_overlay(fresh, shipped)
        if not state.problems:
            remove_overlay(folder)
            folder.mkdir(parents=True, exist_ok=True)
            for path in fresh.glob("*.csv"):
                moving.replace(path, folder / path.name)
    finally:
        moving.remove_tree(fresh)
    return OverlayState(str(folder), state.rows, state.as_of, state.problems)


def _text(table: TableSchema, rows: Sequence[Row]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table.columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def remove_overlay(folder: Path) -> bool:
    """Whether there was one. Only tables are removed: a file of someone else's in there stays, and so the folder."""
    if not folder.is_dir():
        return False
    for path in folder.glob("*.csv"):
        moving.unlink(path)
    if not any(folder.iterdir()):
        folder.rmdir()
    return True
