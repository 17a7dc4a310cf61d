"""What taking a change back would do to each file, before it is done: for the person who is asked.

Follows the journal's own rule (`undo/journal.py`): the exact bytes from before where the file is as we left it, else
only our keys. A test holds both against each other. Writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wizard import paths
from wizard.errors import WizardError
from wizard.settings.apply import take_out
from wizard.settings.difference import difference
from wizard.undo.journal import digest
from wizard.undo.model import Change, FileChange, How, TakenOut
from wizard.undo.storage import Storage
from wizard.undo.target import read_target


@dataclass(frozen=True, slots=True)
class UndoDiff:
    """`text` is a unified difference without secrets, "" where nothing would change. `left`: keys that stay."""

    path: str
    how: How
    text: str
    left: tuple[str, ...] = ()


def undo_diffs(change: Change) -> tuple[UndoDiff, ...]:
    """Raises WizardError `undo-not-readable`, `undo-unreadable`."""
    storage = Storage(paths.home() / "undo")
    return tuple(_diff(change, number, storage) for number in range(len(change.files)))


def _diff(change: Change, number: int, storage: Storage) -> UndoDiff:
    file = change.files[number]
    now = read_target(file)
    if now is None:
        return UndoDiff(file.path, How.REMOVED if file.before_sha256 is None else How.LEFT, "")
    if digest(now) == file.after_sha256:
        return _exact(change, number, file, now, storage)
    if digest(now) == file.before_sha256:
        return UndoDiff(file.path, How.RESTORED, "")
    return _keys_only(file, now, take_out(file, now))


def _exact(change: Change, number: int, file: FileChange, now: bytes, storage: Storage) -> UndoDiff:
    if file.before_sha256 is None:
        return UndoDiff(file.path, How.REMOVED, difference(Path(file.path), now, b""))
    try:
        before = storage.kept(change.id, number)
    except OSError as error:
        folder = str(storage.folder / change.id)
        raise WizardError("undo-unreadable", details=str(error), id=change.id, folder=folder) from error
    return UndoDiff(file.path, How.RESTORED, difference(Path(file.path), now, before))


def _keys_only(file: FileChange, now: bytes, taken: TakenOut) -> UndoDiff:
    if taken.content is None or taken.content == now:
        return UndoDiff(file.path, How.LEFT, "", taken.left)
    is_empty = file.before_sha256 is None and not taken.content.strip()
    how = How.REMOVED if is_empty else How.TAKEN_OUT
    return UndoDiff(file.path, how, difference(Path(file.path), now, taken.content), taken.left)
