"""What makes a written setting count for nothing: a variable, a stronger file, a variable that hides the file.

Said before anything is written, so that nobody believes in a file that is not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wizard.i18n import Message, message
from wizard.settings.model import Tool
from wizard.settings.places import Surroundings, says, settings_files, variables


def outdone(tool: Tool, path: Path, key: str, around: Surroundings) -> tuple[Message, ...]:
    """Reasons why `key` in `path` would not be used as things are; none: it would."""
    return tuple(_reasons(tool, path, key, around))


def _reasons(tool: Tool, path: Path, key: str, around: Surroundings) -> Iterator[Message]:
    option = key.partition(".")[2] if tool is Tool.PIP else key
    files = settings_files(tool, around)
    at = next((number for number, file in enumerate(files) if file.path == path), None)
    named = {row.name for row in variables(tool) if around.environ.get(row.name)}
    for row in variables(tool):
        if row.name in named and (row.key == option or (at is None and not row.key)):
            kind = "variable" if row.key else "not-read"
            yield message(f"settings-file.outdone.{kind}", variable=row.name, path=str(path), tool=tool.value)
    for other in files[at + 1 :] if at is not None else ():
        if says(other, key) is not None:
            yield message("settings-file.outdone.file", other=str(other.path), path=str(path), name=key)
    if tool is Tool.PIP and key.startswith("global."):  # [install] of any file is stronger
        inner = f"install.{option}"
        for other in files:
            if other.path != path and says(other, inner) is not None:
                yield message("settings-file.outdone.file", other=str(other.path), path=str(path), name=inner)
