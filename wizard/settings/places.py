"""Where pip, uv and conda look for settings on this computer, and what outdoes a file of the user's own.

The rows are in `matrices/settings_files.toml`; here is only how they are filled in. Nothing is read but the
files that exist, to see whether one of them says the same key.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wizard import paths
from wizard.errors import WizardError
from wizard.settings.editors import value_of
from wizard.settings.model import Tool
from wizard.system.traits import of
from wizard.undo.model import Value
from wizard.undo.target import read

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_BLANK = re.compile(r"\{(?P<name>\w+)(?P<many>\*)?(?::(?P<default>[^}]*))?\}")
_TRUE = ("1", "true", "yes", "on", "t", "y")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`os_name`: "windows" or "linux". `root` is the file system of the computer, "/" but in tests."""

    environ: Mapping[str, str]
    home: Path
    os_name: str
    root: Path = Path("/")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """`scope`: machine, user, environment, named. `is_new`: where a setting of the user's own is written."""

    tool: Tool
    scope: str
    path: Path
    is_own: bool
    is_new: bool


@dataclass(frozen=True, slots=True)
class _Row:
    tool: str
    os: str
    scope: str
    path: str
    write: str = ""


@dataclass(frozen=True, slots=True)
class Variable:
    """`key` "": it decides which files are read at all."""

    tool: str
    name: str
    key: str = ""


@lru_cache(maxsize=1)
def _table() -> tuple[tuple[_Row, ...], tuple[Variable, ...]]:
    document = tomllib.loads((paths.matrices_dir() / "settings_files.toml").read_text(encoding="utf-8"))
    return tuple(_Row(**row) for row in document["file"]), tuple(Variable(**row) for row in document["variable"])


def variables(tool: Tool) -> tuple[Variable, ...]:
    return tuple(row for row in _table()[1] if row.tool == tool.value)


def settings_files(tool: Tool, around: Surroundings) -> tuple[SettingsFile, ...]:
    """All that the tool would look for, lowest precedence first, whether it is there or not."""
    if _reads_no_file(tool, around):
        return ()
    rows = [row for row in _table()[0] if (row.tool, row.os) == (tool.value, around.os_name)]
    found = [SettingsFile(tool, row.scope, path, bool(row.write), row.write == "new")
             for row in rows for path in _filled(row.path, around)]  # fmt: skip
    return tuple(_that_count(tool, found))


def _reads_no_file(tool: Tool, around: Surroundings) -> bool:
    if tool is Tool.PIP:
        return around.environ.get("PIP_CONFIG_FILE", "").lower() == of(around.os_name).no_file
    return tool is Tool.UV and around.environ.get("UV_NO_CONFIG", "").lower() in _TRUE


def _that_count(tool: Tool, found: list[SettingsFile]) -> list[SettingsFile]:
    """A file that a variable names stands in for the user's own (pip, if it is there) or for all (uv)."""
    named = next((file for file in found if file.scope == "named"), None)
    if named is None or tool is Tool.CONDA:
        return found
    if tool is Tool.UV:
        return [named]
    return [file for file in found if file.scope != "user"] if named.path.is_file() else found


def _filled(template: str, around: Surroundings) -> Iterator[Path]:
    match = _BLANK.search(template)
    if match is None:
        yield _placed(template, around)
        return
    value = around.environ.get(match["name"]) or match["default"]
    if not value:
        return
    folders = value.split(of(around.os_name).list_separator) if match["many"] else [value]
    for folder in reversed([folder for folder in folders if folder]):
        yield _placed(template[: match.start()] + folder + template[match.end() :], around)


def _placed(path: str, around: Surroundings) -> Path:
    if path.startswith("~"):
        return around.home / path[2:]
    if not of(around.os_name).dos_paths and not Path(path).is_relative_to(around.root):
        return around.root / path.lstrip("/")
    return Path(path)


def own_file(tool: Tool, around: Surroundings) -> Path:
    """The user's own file that a setting is written to: conda users keep theirs where it is, pip's old place is left.

    A variable that hides it does not change the answer (it may be gone tomorrow); see `outdone`.
    """
    plain = {
        name: value for name, value in around.environ.items() if not any(row.name == name for row in variables(tool))
    }
    own = [file for file in settings_files(tool, Surroundings(plain, around.home, around.os_name, around.root))
           if file.is_own]  # fmt: skip
    there = [file.path for file in own if file.path.is_file()] if tool is Tool.CONDA else []
    return there[-1] if there else next(file.path for file in own if file.is_new)


def says(file: SettingsFile, key: str) -> Value:
    """None also for a file that cannot be read: its own tool stumbles over it, not we."""
    try:
        content = read(file.path)
        return None if content is None else value_of(file.tool, file.path, content, key)
    except WizardError:
        return None
