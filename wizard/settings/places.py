"""Where pip, uv and conda look for settings on this computer, and what outdoes a file of the user's own.

`mirrors.settings_files` fills the rows in. Nothing is read but the files that exist, to see whether one of them says
the same key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.errors import WizardError
from wizard.mirrors.settings_files import VariableRow, files_of, settings_table
from wizard.settings.editors import value_of
from wizard.settings.model import Tool
from wizard.undo.model import Value
from wizard.undo.target import read


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


def variables(tool: Tool) -> tuple[VariableRow, ...]:
    return tuple(row for row in settings_table().variable if row.tool == tool.value)


def settings_files(tool: Tool, around: Surroundings) -> tuple[SettingsFile, ...]:
    """All that the tool would look for, lowest precedence first, whether it is there or not."""
    found = files_of(tool.value, around.environ, around.home, around.os_name, around.root)
    return tuple(SettingsFile(tool, row.scope, path, bool(row.write), row.write == "new") for row, path in found)


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
