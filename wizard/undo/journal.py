"""Every write into a file of the user's: the old bytes and our keys go to the disk first, then the file is replaced.

A kill at any point leaves each file whole, old or new, and a record that says which; `recover` settles it at
the next start. Undoing gives back the exact bytes; where a file was edited since, somebody who knows its
format (`TakeOut`, from above) takes out what is still ours. This layer knows no format.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from wizard.model.errors import UsageError, WizardError
from wizard.system import moving, paths
from wizard.undo import user_file as targets
from wizard.undo.model import Change, ChangeState, FileChange, How, OurKey, TakenOut, Undone, UndoneFile, Write
from wizard.undo.storage import UNDO_UNREADABLE, Storage
from wizard.undo.user_file import temporary_name

if TYPE_CHECKING:
    from wizard.model.messages import Message


TakeOut = Callable[[FileChange, bytes], TakenOut]  # (what we did, the bytes now) -> the bytes without our keys
_LOCK_SECONDS = 10


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest_now(file: FileChange) -> str | None:
    now = targets.read_target(file)
    return None if now is None else digest(now)


class UndoJournal:
    """Raises WizardError `undo-…` wherever a file or our own folder cannot be written; then nothing has changed."""

    def __init__(self, folder: Path | None = None) -> None:
        self._storage = Storage(folder or paths.home() / "undo")

    def write(
        self, path: Path, content: bytes, *, reason: Message, tool: str = "", ours: tuple[OurKey, ...] = ()
    ) -> Change:
        """Write one file, whatever is in it now."""
        return self.write_all([Write(path, content, targets.read(path), tool, ours)], reason)

    def write_all(self, writes: Sequence[Write], reason: Message) -> Change:
        """Write all of them or none: when one cannot be written, those before it are taken back."""
        with self._working():
            for write in writes:
                targets.check(write)
            self._storage.begin()
            change = self._prepared(writes, reason)
            try:
                for number, write in enumerate(writes):
                    if write.content is None:
                        targets.remove(change.files[number])
                    else:
                        targets.put(change.files[number], write.content)
                return self._finished(change, ChangeState.WRITTEN)
            except BaseException:
                self._take_back(change)
                self._storage.end()
                raise

    def _prepared(self, writes: Sequence[Write], reason: Message) -> Change:
        change_id = self._storage.new_id()
        for number, write in enumerate(writes):
            if write.base is not None:
                self._storage.keep(change_id, number, write.base)
        files = tuple(targets.file_change(write, digest) for write in writes)
        change = Change(change_id, time.time(), reason, files, ChangeState.PREPARED)
        self._storage.save(change)
        return change

    def _finished(self, change: Change, state: ChangeState) -> Change:
        change = replace(change, state=state)
        self._storage.save(change)
        self._storage.end()
        return change

    def _take_back(self, change: Change) -> None:
        """Files that are as we made them get their old bytes again; others were not reached, or are not ours."""
        for number, file in enumerate(change.files):
            if _digest_now(file) == file.after_sha256 != file.before_sha256:
                self._restore(change, number, file)
            targets.remove_folders(file)
        self._storage.save(replace(change, state=ChangeState.DROPPED))

    def _restore(self, change: Change, number: int, file: FileChange) -> How:
        if file.before_sha256 is None:
            targets.remove(file)
            return How.REMOVED
        content = self._storage.kept(change.id, number)
        if digest(content) != file.before_sha256:
            raise WizardError(UNDO_UNREADABLE, id=change.id, folder=str(self._storage.folder / change.id))
        targets.put(file, content)
        return How.RESTORED

    def changes(self) -> tuple[Change, ...]:
        """Return all changes, newest first; those that were never carried out, and those that cannot be read, are left
        out."""
        found = []
        for change_id in reversed(self._storage.ids()):
            try:
                change = self._storage.load(change_id)
            except WizardError:
                continue
            if change and change.state is not ChangeState.DROPPED:
                found.append(change)
        return tuple(found)

    def find(self, change_id: str | None = None) -> Change:
        """Return a change; None: the last one that is not undone.

        Raises UsageError `undo-nothing`, `undo-unknown`, `undo-already`, `undo-later-first`.
        """
        if change_id is None:
            last = next((change for change in self.changes() if change.state is not ChangeState.UNDONE), None)
            if last is None:
                raise UsageError(
                    "undo-nothing",
                    "There is no change of ours that could be taken back.",
                    "[{page.undo}|torch-wizard undo list] shows all changes.",
                )
            return last
        change = self._storage.load(change_id) if change_id in self._storage.ids() else None
        if change is None or change.state is ChangeState.DROPPED:
            raise UsageError(
                "undo-unknown",
                "There is no change with the number {id}.",
                "[{page.undo}|torch-wizard undo list] shows all changes.",
                id=change_id,
            )
        if change.state is ChangeState.UNDONE:
            raise UsageError(
                "undo-already",
                "Change {id} has been taken back already.",
                "[{page.undo}|torch-wizard undo list] shows the others.",
                id=change_id,
            )
        self._check_on_top(change)
        return change

    def _check_on_top(self, change: Change) -> None:
        """A later change of the same key holds ours as what was before, and would give it back when it is undone."""
        ours = {(file.target, key.key): file for file in change.files for key in file.ours}
        for later in self.changes():
            if later.id == change.id:
                return
            for file in later.files if later.state is ChangeState.WRITTEN else ():
                for key in file.ours:
                    own = ours.get((file.target, key.key))
                    if own and digest(targets.read_target(own) or b"") != own.after_sha256:
                        raise UsageError(
                            "undo-later-first",
                            "Change {later} was made on top of change {id}: it sets {name} in {path} again.",
                            "Take that one back first: [{page.undo}|torch-wizard undo {later}].",
                            id=change.id,
                            later=later.id,
                            path=file.path,
                            name=key.key,
                        )

    def undo(self, change_id: str | None, take_out: TakeOut) -> Undone:
        """Take a change back, the last one for None; of a file that was changed since only our part goes."""
        with self._working():
            change = self.find(change_id)
            self._storage.begin()
            return self._undo(change, take_out)

    def _undo(self, change: Change, take_out: TakeOut) -> Undone:
        """May be cut off and begun again: what has its old bytes is done."""
        change = replace(change, state=ChangeState.UNDOING)
        self._storage.save(change)
        try:
            files = tuple(self._undo_file(change, number, take_out) for number in range(len(change.files)))
        except BaseException:
            self._finished(change, ChangeState.WRITTEN)
            raise
        return Undone(self._finished(change, ChangeState.UNDONE), files)

    def _undo_file(self, change: Change, number: int, take_out: TakeOut) -> UndoneFile:
        file = change.files[number]
        now = targets.read_target(file)
        if now is None and file.after_sha256 is None:
            return UndoneFile(file.path, self._restore(change, number, file))
        if now is None:
            return self._of_a_missing_file(file)
        if digest(now) == file.after_sha256:
            how = self._restore(change, number, file)
            targets.remove_folders(file)
            return UndoneFile(file.path, how)
        if digest(now) == file.before_sha256:
            return UndoneFile(file.path, How.RESTORED)
        taken = take_out(file, now)
        if taken.content is None or taken.content == now:
            return UndoneFile(file.path, How.LEFT, taken.left)
        if file.before_sha256 is None and not taken.content.strip():
            targets.remove(file)
            targets.remove_folders(file)
            return UndoneFile(file.path, How.REMOVED, taken.left)
        targets.put(file, taken.content)
        return UndoneFile(file.path, How.TAKEN_OUT, taken.left)

    def _of_a_missing_file(self, file: FileChange) -> UndoneFile:
        targets.remove_folders(file)
        return UndoneFile(file.path, How.REMOVED if file.before_sha256 is None else How.LEFT)

    def is_unfinished(self) -> bool:
        """Tell whether a kill left something. Cheap: for every start of the program."""
        return self._storage.is_unfinished()

    def recover(self, take_out: TakeOut) -> tuple[Change, ...]:
        """Finish what a kill cut off: a change that is whole stays, half of one is taken back, an undo is finished.

        Nothing is done while another process of ours is at work.
        """
        try:
            with self._working(seconds=0):
                return self._recovered(take_out) if self._storage.is_unfinished() else ()
        except Timeout:
            return ()

    def _recovered(self, take_out: TakeOut) -> tuple[Change, ...]:
        recovered = []
        for change in self.changes():
            if change.state in (ChangeState.PREPARED, ChangeState.UNDOING):
                recovered.append(self._recover_one(change, take_out))
        self._storage.end()
        return tuple(recovered)

    def _recover_one(self, change: Change, take_out: TakeOut) -> Change:
        for file in change.files:
            moving.unlink(temporary_name(Path(file.target)), missing_ok=True)
        if change.state is ChangeState.UNDOING:
            return self._undo(change, take_out).change
        if all(_digest_now(file) == file.after_sha256 for file in change.files):
            return self._finished(change, ChangeState.WRITTEN)
        self._take_back(change)
        return replace(change, state=ChangeState.DROPPED)

    @contextmanager
    def _working(self, seconds: float = _LOCK_SECONDS) -> Iterator[None]:
        """One process at a time. Raises Timeout at once for `seconds` 0, else `undo-busy`."""
        self._storage.prepare()
        try:
            with FileLock(self._storage.folder / "lock", timeout=seconds):
                yield
        except Timeout as error:
            if seconds == 0:
                raise
            raise WizardError(
                "undo-busy",
                "Another window or terminal of this program is changing settings files right now.",
                "Wait until it is done, then try again.",
                details=str(error),
            ) from error
