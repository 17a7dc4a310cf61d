"""Which files pip, uv and conda look for, and in which order: the rows of `matrices/settings_files.toml`, filled in.

The one place that knows, and that opens them; what a file says is for `pip`, `uv` and `conda`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from wizard.model.messages import Message, message
from wizard.model.tables import Date, Https, Name, Row, Variable, Words, parse_table, shipped_table
from wizard.system.traits import of
from wizard.toolconfig.model import TRUE_WORDS, BrokenFile, Option, Tool, UserContext
from wizard.undo.user_file import read_file

_BLANK = re.compile(r"\{(?P<name>\w+)(?P<many>[*+])?(?::(?P<default>[^}]*))?\}")


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
    """Return the table. Raises TableError."""
    return parse_table("settings_files", document, SettingsFilesTable)


@lru_cache(maxsize=1)
def settings_table() -> SettingsFilesTable:
    return shipped_table("settings_files", SettingsFilesTable)


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """`scope`: machine, user, environment, named. `is_new`: where a setting of the user's own is written."""

    tool: Tool
    scope: str
    path: Path
    is_own: bool
    is_new: bool


def settings_files(tool: Tool, around: UserContext) -> tuple[SettingsFile, ...]:
    """Return all that the tool would look for, lowest precedence first, whether it is there or not."""
    if _reads_no_file(tool, around):
        return ()
    found = [
        SettingsFile(tool, row.scope, _placed(path, around), bool(row.write), row.write == "new")
        for row in settings_table().file
        if (row.tool, row.os) == (tool.value, around.os_name)
        for path in _filled(row.path, around)
    ]
    return tuple(_that_count(tool, found))


def variables(tool: Tool) -> tuple[VariableRow, ...]:
    return tuple(row for row in settings_table().variable if row.tool == tool.value)


def own_file(tool: Tool, around: UserContext) -> Path:
    """Return the user's own file that a setting is written to: conda users keep theirs where it is, pip's old place is
    left. A variable that hides it does not change the answer (it may be gone tomorrow); see `use.overridden`."""
    named = {row.name for row in variables(tool)}
    plain = {name: value for name, value in around.environ.items() if name not in named}
    own = [file for file in settings_files(tool, replace(around, environ=plain)) if file.is_own]
    there = [file.path for file in own if file.path.is_file()] if tool is Tool.CONDA else []
    return there[-1] if there else next(file.path for file in own if file.is_new)


def _reads_no_file(tool: Tool, around: UserContext) -> bool:
    if tool is Tool.PIP:
        return around.environ.get("PIP_CONFIG_FILE", "").lower() == of(around.os_name).no_file
    return tool is Tool.UV and around.environ.get("UV_NO_CONFIG", "").lower() in TRUE_WORDS


def _that_count(tool: Tool, found: list[SettingsFile]) -> list[SettingsFile]:
    """Let a file that a variable names stand in for the user's own (pip, if it is there) or for all (uv)."""
    named = next((file for file in found if file.scope == "named"), None)
    if named is None or tool is Tool.CONDA:
        return found
    if tool is Tool.UV:
        return [named]
    return [file for file in found if file.scope != "user"] if named.path.is_file() else found


def _filled(template: str, around: UserContext) -> Iterator[str]:
    """Yield the paths of a row. Of several folders pip lets the last one win (`+`), uv the first (`*`)."""
    match = _BLANK.search(template)
    if match is None:
        yield template
        return
    value = around.environ.get(match["name"]) or match["default"]
    if not value:
        return
    folders = [
        folder for folder in (value.split(of(around.os_name).list_separator) if match["many"] else [value]) if folder
    ]
    for folder in folders if match["many"] == "+" else reversed(folders):
        yield template[: match.start()] + folder + template[match.end() :]


def _placed(path: str, around: UserContext) -> Path:
    if path.startswith("~"):
        return around.home / path[2:]
    if not of(around.os_name).dos_paths and not Path(path).is_relative_to(around.root):
        return around.root / path.lstrip("/")
    return Path(path)


@dataclass(slots=True)
class ToolReading:
    """What the files of one tool say, lowest precedence first, then its variables. `read`: files that could be read;
    `notices`: one for each that could not."""

    options: list[Option] = field(default_factory=list)
    read: list[Path] = field(default_factory=list)
    broken: list[BrokenFile] = field(default_factory=list)
    notices: list[Message] = field(default_factory=list)


def read_files(
    tool: Tool,
    paths: Iterable[Path],
    parse: Callable[[bytes, Path], Iterable[Option]],
    trouble: Callable[[bytes], tuple[str, str] | None] = lambda content: None,
) -> ToolReading:
    """Read files that are there. `parse` raises ValueError or RecursionError for one that cannot be understood.

    `trouble`: kind and problem of a file that we can read and its tool cannot.
    """
    reading = ToolReading()
    for path in paths:
        found = None
        try:
            content = read_file(path)
            if found := trouble(content):
                reading.broken.append(BrokenFile(tool, path, *found))
            reading.options += parse(content, path)
            reading.read.append(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, RecursionError) as error:
            kind = "unreadable" if isinstance(error, OSError) else "syntax"
            text = error.strerror if isinstance(error, OSError) else str(error)
            problem = next(iter((text or "").splitlines()), type(error).__name__)
            if not found:
                reading.broken.append(BrokenFile(tool, path, kind, problem))
            reading.notices.append(message("settings.unreadable", file=str(path), problem=problem))
    return reading
