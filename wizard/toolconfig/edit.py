"""The one door through which the user's settings files are changed: edits in, differences out, then the journal.

Two questions to three formats: what does a key say, and how would the file look if it said this. What an editor makes
is read back before anybody sees it: our key says what it should, every other key what it said before, and only lines
in one place differ. A file where that fails is not edited at all. `propose` writes nothing; what it shows is what
`apply` writes, byte for byte, and not if the file was changed in between. `undo` takes back exactly, or key by key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.model.errors import ErrorText, WizardError
from wizard.model.messages import Message
from wizard.model.typed import from_toml
from wizard.process import redact
from wizard.toolconfig import conda_edit, pip, uv
from wizard.toolconfig.files import SettingsFile
from wizard.toolconfig.model import Diff, Edit, Tool
from wizard.toolconfig.text_file import TextFile, difference, one_place, read_text
from wizard.undo.journal import UndoJournal
from wizard.undo.model import Change, FileChange, OurKey, TakenOut, Undone, Value, Write
from wizard.undo.user_file import read

SETTINGS_SECRET = ErrorText(
    "settings-secret",
    "{key} in {path} names a private source with a password, and this program does not replace such a source.",
    "If it is not needed any more, remove that line by hand and try again.",
)


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
    Tool.UV: _Format(from_toml, uv.value_of, uv.edited, ("#",)),
    Tool.CONDA: _Format(conda_edit.parse, conda_edit.value_of, conda_edit.edited, ("#",)),
}


def _opened(tool: Tool, path: Path, content: bytes) -> TextFile:
    file = read_text(content)
    if file.mark and not _FORMATS[tool].takes_mark:
        raise WizardError(
            "settings-mark",
            "{path} begins with an invisible mark (BOM), and {tool} reads no setting from such a file.",
            "Save it anew as UTF-8 without BOM, then try again.",
            path=str(path),
            tool=tool.value,
        )
    return file


def value_of(tool: Tool, path: Path, content: bytes, key: str) -> Value:
    """Return what a key says. Raises WizardError `settings-unreadable`, `settings-mark`."""
    file = _opened(tool, path, content)
    try:
        return _FORMATS[tool].value_of(file.text, key)
    except ValueError as error:
        raise _unreadable(tool, path, error) from error


def parsed(tool: Tool, path: Path, content: bytes) -> Mapping[str, Any]:
    """Return all of the file as its tool reads it. Raises WizardError `settings-unreadable`, `settings-mark`."""
    file = _opened(tool, path, content)
    try:
        return _FORMATS[tool].parse(file.text)
    except ValueError as error:
        raise _unreadable(tool, path, error) from error


def _unreadable(tool: Tool, path: Path, error: ValueError) -> WizardError:
    return WizardError(
        "settings-unreadable",
        "{path} cannot be read as settings of {tool}, so it was left alone.",
        "{tool} cannot read it either: correct it, or move it away, and try again.",
        details=str(error),
        path=str(path),
        tool=tool.value,
    )


def edited(tool: Tool, path: Path, content: bytes, key: str, value: Value, *, is_tidy: bool = False) -> bytes:
    """Return the file's bytes with a key changed. `is_tidy`: when it is taken back, what was only there to hold the key
    goes, too.

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
        raise WizardError(
            "settings-not-editable",
            "{path} is written in a way in which {key} cannot be changed without touching something "
            "else, so it was left alone.",
            "Change {key} by hand in an editor.",
            details=details,
            path=str(path),
            key=key,
        ) from error


def key_after(key: str, value: Value) -> str:
    """Return the key by which the value is found once it is written."""
    return uv.key_after(key, value)


def _problem(form: _Format, before: str, after: str, key: str, value: Value) -> str:
    if (form.value_of(after, key_after(key, value)) or None) != (value or None) and value != ():
        return "the key would not say what it should"
    gone, come = one_place(before, after)
    comments = [line.strip() for line in gone if line.lstrip().startswith(form.comment)]
    left = [line.strip() for line in come]
    return "a comment would be lost" if any(comment not in left for comment in comments) else ""


def _others(tool: Tool, document: Mapping[str, Any], key: str) -> Any:
    """Return the document without our key, whatever form it has."""
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


def value_or_none(file: SettingsFile, key: str) -> Value:
    """Return what a key says; None also for a file that cannot be read: its own tool stumbles over it, not we."""
    try:
        content = read(file.path)
        return None if content is None else value_of(file.tool, file.path, content, key)
    except WizardError:
        return None


def _items(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def _is_secret(text: str) -> bool:
    return redact(text) != text


def _loses_secret(before: Value, after: Value) -> bool:
    """Tell whether an entry with a password would be gone; one that stays as it is, is no loss."""
    stays = _items(after)
    return any(_is_secret(item) and item not in stays for item in _items(before))


def propose(edits: Iterable[Edit]) -> tuple[Diff, ...]:
    """Return one difference for each file that would change; edits of one file are made in their order.

    Raises WizardError `settings-unreadable`, `settings-mark`, `settings-not-editable`, `settings-secret`,
    `undo-not-readable`.
    """
    files: dict[tuple[Tool, Path], list[Edit]] = {}
    for edit in edits:
        files.setdefault((edit.tool, edit.path), []).append(edit)
    found = (_proposed(tool, path, wanted) for (tool, path), wanted in files.items())
    return tuple(diff for diff in found if diff)


def _proposed(tool: Tool, path: Path, edits: Sequence[Edit]) -> Diff | None:
    before = read(path)
    content, ours = before or b"", []
    for edit in edits:
        old = value_of(tool, path, content, edit.key)
        if old == edit.value:
            continue
        if _loses_secret(old, edit.value):
            raise WizardError(SETTINGS_SECRET, path=str(path), key=edit.key)
        content = edited(tool, path, content, edit.key, edit.value)
        key = key_after(edit.key, edit.value)
        ours.append(OurKey(key, old, value_of(tool, path, content, key)))
    if content == (before or b""):
        return None
    return Diff(tool, path, difference(path, before, content), before, content, tuple(ours))


def apply(diffs: Sequence[Diff], reason: Message, journal: UndoJournal | None = None) -> Change:
    """Write all or none. Raises WizardError `undo-…`, with nothing changed."""
    writes = [Write(diff.path, diff.after, diff.before, diff.tool.value, diff.ours) for diff in diffs]
    return (journal or UndoJournal()).write_all(writes, reason)


def undo(change_id: str | None, journal: UndoJournal | None = None) -> Undone:
    """Take a change back; None: the last one. Raises UsageError `undo-nothing`, `undo-unknown`, `undo-already`."""
    return (journal or UndoJournal()).undo(change_id, take_out)


def recover(journal: UndoJournal | None = None) -> tuple[Change, ...]:
    """Finish or take back what a kill cut off."""
    return (journal or UndoJournal()).recover(take_out)


def take_out(file: FileChange, now: bytes) -> TakenOut:
    """Give our keys whose value is still ours their earlier value again, the last one first."""
    if not file.tool:  # a file of this program
        return TakenOut(None)
    tool, path, content, left = Tool(file.tool), Path(file.path), now, []
    for ours in reversed(file.ours):
        try:
            is_lost = ours.key.startswith("index[") and ours.after is None  # an entry had more than its address
            if is_lost or value_of(tool, path, content, ours.key) != ours.after:
                left.append(ours.key)
                continue
            content = edited(tool, path, content, ours.key, ours.before, is_tidy=True)
        except WizardError:  # it cannot be read any more, or not be edited safely
            left.append(ours.key)
    return TakenOut(content, tuple(left))
