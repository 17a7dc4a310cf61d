"""The rows of the tables that a profile carries: what a program needs that does not know its builds yet.

Written for builds that not every program has that reads such rows: learnt ones, and those of later tables. They are
used for this profile alone, only where the own tables have no such row, and say nothing of a file's SHA-256: whoever
makes a profile must not vouch for its torch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from wizard.classroom.profile.fields import ProfileTable
from wizard.classroom.profile.model import Profile, ProfileLock, Rows
from wizard.compatibility.data.load import extended, read_rows
from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.data.ordering import cuda_of
from wizard.compatibility.data.overlay import merged, read_overlay
from wizard.compatibility.data.schema import TABLES, TableSchema
from wizard.compatibility.data.validate import check_references
from wizard.install.lock import quoted
from wizard.model.table_update import tables_dir
from wizard.system import paths

FIRST_READER = "0.1.0"  # the first version of the program that reads them
_ITS_TABLES = "2026-11-30"  # rows of a later day are not in its tables
_NAMES = ("releases", "builds", "arch_list", "cuda_driver_floors", "cuda_capabilities")
_CARRIED = {table.name: table for table in TABLES if table.name in _NAMES}
_MOST = 200
Build = tuple[str, str, str]  # torch, variant, platform


def with_profile_rows(matrix: Matrix, profile: Profile) -> Matrix:
    """Return the matrix with the profile's rows behind its own."""
    return extended(matrix, profile.rows) if profile.rows else matrix


def rows_for(locks: Collection[ProfileLock]) -> Rows:
    """Return the rows by which another program judges the builds of these entries; {} where each has them."""
    learned = read_overlay(paths.matrices_overlay_dir(), tables_dir())[0]
    tables = {name: merged(name, read_rows(tables_dir() / f"{name}.csv"), learned.get(name, ())) for name in _NAMES}
    builds = {build for lock in locks if (build := _build_of(lock))}
    new = {
        _build(row)
        for row in tables["builds"]
        if _build(row) in builds and (row in learned.get("builds", ()) or row["as_of"] > _ITS_TABLES)
    }
    found = {name: [row for row in rows if _is_of(name, row, new)] for name, rows in tables.items()}
    return {name: tuple(dict(row) for row in rows) for name, rows in found.items() if rows}


def _build_of(lock: ProfileLock) -> Build | None:
    platform = PLATFORMS.get((lock.os, lock.arch))
    return (lock.torch, lock.variant, platform) if platform else None


def _build(row: Mapping[str, str]) -> Build:
    return row["torch"], row["variant"], row["platform"]


def _is_of(name: str, row: Mapping[str, str], builds: Collection[Build]) -> bool:
    """Is this row of that table needed for one of these builds?"""
    if name in ("builds", "arch_list"):
        return _build(row) in builds
    if name == "releases":
        return row["torch"] in {torch for torch, _, _ in builds}
    return row["cuda"] in {cuda_of(variant) for _, variant, _ in builds}


def read_profile_rows(table: ProfileTable) -> Rows:
    """What is wrong in a cell is noted under its place."""
    table.know(*_NAMES)
    read = {name: tuple(_row(each, _CARRIED[name]) for each in table.tables(name, _MOST)) for name in _NAMES}
    return {name: rows for name, rows in read.items() if rows}


def _row(table: ProfileTable, schema: TableSchema) -> Mapping[str, str]:
    """A cell that is empty is left out of the file."""
    table.know(*schema.columns)
    row = {name: table.text_or_none(name) or "" for name in schema.columns}
    for name, form in schema.columns.items():
        if not form.check(row[name]):
            table.fail(name, "cell", form=form.words)
    return row


def check_profile_rows(profile: Profile, table: ProfileTable) -> None:
    """All rows belong to builds of the profile, stand once, and need nothing but one another."""
    builds = {build for lock in profile.locks if (build := _build_of(lock))}
    for name, rows in profile.rows.items():
        keys = [tuple(row[column] for column in _CARRIED[name].key) for row in rows]
        for number, row in enumerate(rows):
            if not _is_of(name, row, builds):
                table.fail(f"{name}[{number}]", "row-stray")
            if keys.index(keys[number]) < number:
                table.fail(f"{name}[{number}]", "twice", other=table.at(f"{name}[{keys.index(keys[number])}]"))
    whole = {each.name: [*profile.rows.get(each.name, ())] for each in TABLES}
    for problem in check_references(whole):
        table.fail(_place(problem.path), "row", why=problem.message)


def _place(path: str) -> str:
    """`builds.2.variant`, where 2 is the line of the first row of a file, as `builds[0].variant`."""
    name, _, rest = path.partition(".")
    line, _, column = rest.partition(".")
    at = f"{name}[{int(line) - 2}]" if line.isdigit() else name
    return f"{at}.{column}" if column else at


def row_lines(rows: Rows) -> Iterator[str]:
    """Yield the lines of TOML for the rows of our tables that a profile carries along."""
    for name, table in _CARRIED.items():
        for row in rows.get(name, ()):
            yield from ("", f"[[rows.{name}]]")
            yield from (f"{column} = {quoted(row[column])}" for column in table.columns if row[column])
