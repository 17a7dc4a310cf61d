"""Which files pip, uv and conda look for, and in which order: the rows of `matrices/settings_files.toml`, filled in.

The one place that knows; what a file says is for the readers of each tool. Nothing is read here but whether the file
that a variable names is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from wizard.model.tables import Date, Https, Name, Row, Variable, Words, parse_table, shipped_table
from wizard.system.traits import of

_BLANK = re.compile(r"\{(?P<name>\w+)(?P<many>[*+])?(?::(?P<default>[^}]*))?\}")
_TRUE = ("1", "true", "yes", "on", "t", "y")


class FileRow(Row, frozen=True, kw_only=True):
    KEYS = (("tool", "os", "path"),)

    tool: Literal["pip", "uv", "conda"]
    os: Literal["linux", "windows"]
    scope: Literal["machine", "user", "environment", "named"]
    path: Annotated[str, msgspec.Meta(pattern=r"^(~|/|\{[A-Z]|[A-Z]:/)[^\s]*$")]
    write: Literal["", "new", "old"] = ""


class VariableRow(Row, frozen=True, kw_only=True):
    """`key` "": it decides which files are read at all."""

    KEYS = (("tool", "name"),)

    tool: Literal["pip", "uv", "conda"]
    name: Variable
    key: Name | Literal[""] = ""


class CitationRow(Row, frozen=True, kw_only=True):
    url: Https
    at: Words
    as_of: Date


class SettingsFilesTable(Row, frozen=True, kw_only=True):
    source: dict[str, CitationRow]
    file: tuple[FileRow, ...]
    variable: tuple[VariableRow, ...]


def parse_settings_files(document: str) -> SettingsFilesTable:
    """Raises TableError."""
    return parse_table("settings_files", document, SettingsFilesTable)


@lru_cache(maxsize=1)
def settings_table() -> SettingsFilesTable:
    return shipped_table("settings_files", SettingsFilesTable)


def files_of(
    tool: str, environ: Mapping[str, str], home: Path, os_name: str, root: Path
) -> tuple[tuple[FileRow, Path], ...]:
    """All that the tool would look for, lowest precedence first, whether it is there or not.

    `root` is the file system of the computer, "/" but in tests.
    """
    if _reads_no_file(tool, environ, os_name):
        return ()
    rows = [row for row in settings_table().file if (row.tool, row.os) == (tool, os_name)]
    found = [(row, _placed(path, home, os_name, root)) for row in rows for path in _filled(row.path, environ, os_name)]
    return tuple(_that_count(tool, found))


def _reads_no_file(tool: str, environ: Mapping[str, str], os_name: str) -> bool:
    if tool == "pip":
        return environ.get("PIP_CONFIG_FILE", "").lower() == of(os_name).no_file
    return tool == "uv" and environ.get("UV_NO_CONFIG", "").lower() in _TRUE


def _that_count(tool: str, found: list[tuple[FileRow, Path]]) -> list[tuple[FileRow, Path]]:
    """A file that a variable names stands in for the user's own (pip, if it is there) or for all (uv)."""
    named = next(((row, path) for row, path in found if row.scope == "named"), None)
    if named is None or tool == "conda":
        return found
    if tool == "uv":
        return [named]
    return [(row, path) for row, path in found if row.scope != "user"] if named[1].is_file() else found


def _filled(template: str, environ: Mapping[str, str], os_name: str) -> Iterator[str]:
    """Of several folders pip lets the last one win (`+`), uv the first (`*`)."""
    match = _BLANK.search(template)
    if match is None:
        yield template
        return
    value = environ.get(match["name"]) or match["default"]
    if not value:
        return
    folders = [folder for folder in (value.split(of(os_name).list_separator) if match["many"] else [value]) if folder]
    for folder in folders if match["many"] == "+" else reversed(folders):
        yield template[: match.start()] + folder + template[match.end() :]


def _placed(path: str, home: Path, os_name: str, root: Path) -> Path:
    if path.startswith("~"):
        return home / path[2:]
    if not of(os_name).dos_paths and not Path(path).is_relative_to(root):
        return root / path.lstrip("/")
    return Path(path)
