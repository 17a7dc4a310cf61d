"""The three formats behind two questions: what does a key say, and how would the file look if it said this.

Whatever an editor makes is read back before anybody sees it: our key says what it should, every other key what
it said before, and only lines in one place differ. A file where that fails is not edited at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.model.errors import WizardError
from wizard.toolconfig import conda_edit, pip, uv
from wizard.toolconfig.files import VariableRow, files_of, settings_table
from wizard.toolconfig.model import Tool
from wizard.toolconfig.text_file import TextFile, one_place, read_text
from wizard.undo.model import Value
from wizard.undo.user_file import read


@dataclass(frozen=True, slots=True)
class _Format:
    parse: Callable[[str], Mapping[str, Any]]
    value_of: Callable[[str, str], Value]
    edited: Callable[[str, str, Value, str, bool], str]
    comment: tuple[str, ...]
    takes_mark: bool = True


_FORMATS = {
    # pip reads a byte order mark as part of the first line, and then reads nothing at all.
    Tool.PIP: _Format(pip.parse, pip.value_of, pip.edited, ("#", ";"), takes_mark=False),
    Tool.UV: _Format(uv.parse, uv.value_of, uv.edited, ("#",)),
    Tool.CONDA: _Format(conda_edit.parse, conda_edit.value_of, conda_edit.edited, ("#",)),
}


def _opened(tool: Tool, path: Path, content: bytes) -> TextFile:
    file = read_text(content)
    if file.mark and not _FORMATS[tool].takes_mark:
        raise WizardError("settings-mark", path=str(path), tool=tool.value)
    return file


def value_of(tool: Tool, path: Path, content: bytes, key: str) -> Value:
    """Raises WizardError `settings-unreadable`, `settings-mark`."""
    file = _opened(tool, path, content)
    try:
        return _FORMATS[tool].value_of(file.text, key)
    except ValueError as error:
        raise _unreadable(tool, path, error) from error


def parsed(tool: Tool, path: Path, content: bytes) -> Mapping[str, Any]:
    """All of the file as its tool reads it. Raises WizardError `settings-unreadable`, `settings-mark`."""
    file = _opened(tool, path, content)
    try:
        return _FORMATS[tool].parse(file.text)
    except ValueError as error:
        raise _unreadable(tool, path, error) from error


def _unreadable(tool: Tool, path: Path, error: ValueError) -> WizardError:
    return WizardError("settings-unreadable", details=str(error), path=str(path), tool=tool.value)


def edited(tool: Tool, path: Path, content: bytes, key: str, value: Value, *, is_tidy: bool = False) -> bytes:
    """`is_tidy`: when it is taken back, what was only there to hold the key goes, too.

    Raises WizardError `settings-unreadable`, `settings-mark`, `settings-not-editable`.
    """
    before = parsed(tool, path, content)
    file, form = _opened(tool, path, content), _FORMATS[tool]
    try:
        text = form.edited(file.text, key, value, file.newline, is_tidy)
        after = form.parse(text)
        problem = _problem(form, file.text, text, key, value)
        if not problem and _others(tool, before, key) != _others(tool, after, key_after(key, value)):
            problem = "other keys would change"
        if problem:
            raise ValueError(problem)
        return file.encoded(text)
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:  # the libraries' ways to say no
        details = f"{type(error).__name__}: {error}"
        raise WizardError("settings-not-editable", details=details, path=str(path), key=key) from error


def key_after(key: str, value: Value) -> str:
    """The key by which the value is found once it is written."""
    return uv.key_after(key, value)


def _problem(form: _Format, before: str, after: str, key: str, value: Value) -> str:
    if (form.value_of(after, key_after(key, value)) or None) != (value or None) and value != ():
        return "the key would not say what it should"
    gone, come = one_place(before, after)
    comments = [line.strip() for line in gone if line.lstrip().startswith(form.comment)]
    left = [line.strip() for line in come]
    return "a comment would be lost" if any(comment not in left for comment in comments) else ""


def _others(tool: Tool, document: Mapping[str, Any], key: str) -> Any:
    """The document without our key, whatever form it has."""
    if tool is Tool.PIP:
        return {name: value for name, value in document.items() if name != key}
    if key == "index" or key.startswith("index["):
        return {name: value for name, value in document.items() if name != "index"}, _rows(document, key)
    head, _, name = key.partition(".")
    rest = {one: value for one, value in document.items() if one != head}
    inner = document.get(head) if name else None
    kept = {one: value for one, value in inner.items() if one != name} if isinstance(inner, dict) else inner
    return rest, kept or None


def _rows(document: Mapping[str, Any], key: str) -> list[Any]:
    """Entries of `[[index]]` that the key does not speak of, and what else its own says."""
    entries, address = document.get("index", []), key[len("index[") : -1]
    is_ours = (lambda row: row.get("default") is True) if key == "index" else (lambda row: row.get("url") == address)
    return [row for row in entries if not is_ours(row)]


# Where pip, uv and conda look for settings on this computer, and what outdoes a file of the user's own.
#
# `toolconfig.files` fills the rows in. Nothing is read but the files that exist, to see whether one of them says
# the same key.


@dataclass(frozen=True, slots=True)
class UserContext:
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


def settings_files(tool: Tool, around: UserContext) -> tuple[SettingsFile, ...]:
    """All that the tool would look for, lowest precedence first, whether it is there or not."""
    found = files_of(tool.value, around.environ, around.home, around.os_name, around.root)
    return tuple(SettingsFile(tool, row.scope, path, bool(row.write), row.write == "new") for row, path in found)


def own_file(tool: Tool, around: UserContext) -> Path:
    """The user's own file that a setting is written to: conda users keep theirs where it is, pip's old place is left.

    A variable that hides it does not change the answer (it may be gone tomorrow); see `outdone`.
    """
    plain = {
        name: value for name, value in around.environ.items() if not any(row.name == name for row in variables(tool))
    }
    own = [
        file
        for file in settings_files(tool, UserContext(plain, around.home, around.os_name, around.root))
        if file.is_own
    ]
    there = [file.path for file in own if file.path.is_file()] if tool is Tool.CONDA else []
    return there[-1] if there else next(file.path for file in own if file.is_new)


def says(file: SettingsFile, key: str) -> Value:
    """None also for a file that cannot be read: its own tool stumbles over it, not we."""
    try:
        content = read(file.path)
        return None if content is None else value_of(file.tool, file.path, content, key)
    except WizardError:
        return None
