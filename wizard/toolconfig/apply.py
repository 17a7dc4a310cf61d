"""The one door through which the user's settings files are changed: edits in, differences out, then the journal.

`propose` writes nothing; what it shows is what `apply` writes, byte for byte, and not if the file was changed
in between. `undo` takes back exactly, or key by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from wizard.model.errors import WizardError
from wizard.model.messages import Message
from wizard.process import redact
from wizard.toolconfig.editors import edited, key_after, value_of
from wizard.toolconfig.model import Diff, Edit, Tool
from wizard.toolconfig.text_file import difference
from wizard.undo.journal import UndoJournal
from wizard.undo.model import Change, FileChange, OurKey, TakenOut, Undone, Value, Write
from wizard.undo.user_file import read


def items(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def is_secret(text: str) -> bool:
    return redact(text) != text


def loses_secret(before: Value, after: Value) -> bool:
    """An entry with a password would be gone; one that stays as it is, is no loss."""
    kept = items(after)
    return any(is_secret(item) and item not in kept for item in items(before))


def propose(edits: Iterable[Edit]) -> tuple[Diff, ...]:
    """One difference for each file that would change; edits of one file are made in their order.

    Raises WizardError `settings-unreadable`, `settings-mark`, `settings-not-editable`, `settings-secret`,
    `undo-not-readable`.
    """
    files: dict[tuple[Tool, Path], list[Edit]] = {}
    for edit in edits:
        files.setdefault((edit.tool, edit.path), []).append(edit)
    found = (_proposed(tool, path, wishes) for (tool, path), wishes in files.items())
    return tuple(diff for diff in found if diff)


def _proposed(tool: Tool, path: Path, edits: Sequence[Edit]) -> Diff | None:
    before = read(path)
    content, ours = before or b"", []
    for edit in edits:
        old = value_of(tool, path, content, edit.key)
        if old == edit.value:
            continue
        if loses_secret(old, edit.value):
            raise WizardError("settings-secret", path=str(path), key=edit.key)
        content = edited(tool, path, content, edit.key, edit.value)
        key = key_after(edit.key, edit.value)
        ours.append(OurKey(key, old, value_of(tool, path, content, key)))
    if content == (before or b""):
        return None
    return Diff(tool, path, difference(path, before, content), before, content, tuple(ours))


def apply(diffs: Sequence[Diff], reason: Message, journal: UndoJournal | None = None) -> Change:
    """All or none. Raises WizardError `undo-…`, with nothing changed."""
    writes = [Write(diff.path, diff.after, diff.before, diff.tool.value, diff.ours) for diff in diffs]
    return (journal or UndoJournal()).write_all(writes, reason)


def undo(change_id: str | None, journal: UndoJournal | None = None) -> Undone:
    """None: the last change. Raises UsageError `undo-nothing`, `undo-unknown`, `undo-already`."""
    return (journal or UndoJournal()).undo(change_id, take_out)


def recover(journal: UndoJournal | None = None) -> tuple[Change, ...]:
    """What a kill cut off is settled."""
    return (journal or UndoJournal()).recover(take_out)


def take_out(file: FileChange, now: bytes) -> TakenOut:
    """Our keys whose value is still ours get their earlier value again, the last one first."""
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
