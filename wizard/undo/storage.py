"""The journal's folder: `undo/<id>/record.json` and beside it the bytes of each file from before (`0.before`).

All of it is for the owner alone: settings files hold passwords. Ids are counted up from 1, because people type
them. What is written here is on the disk before the caller goes on.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from wizard.model.errors import ErrorText, WizardError
from wizard.model.messages import Message
from wizard.model.typed import from_own_json
from wizard.system import moving
from wizard.system.disk import sync_folder
from wizard.system.moving import NO_ROOM
from wizard.undo.model import Change, ChangeState, FileChange
from wizard.undo.user_file import replace_file

UNDO_UNREADABLE = ErrorText(
    "undo-unreadable",
    "The record of change {id} is damaged, so it cannot be taken back by itself.",
    "The old files are in {folder}; copy back by hand what you need.",
)


SCHEMA = 1
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class _ChangeFile:
    schema: Literal[1]
    time: float
    reason: dict[str, Any]
    state: ChangeState
    files: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class Storage:
    folder: Path

    def is_unfinished(self) -> bool:
        with contextlib.suppress(OSError):  # a folder that is not ours to look into
            return (self.folder / _UNFINISHED).exists()
        return False

    def prepare(self) -> None:
        with self._noting():
            self.folder.mkdir(parents=True, exist_ok=True)
            self.folder.chmod(_PRIVATE_FOLDER)

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        """Raises WizardError `state-not-writable`, `undo-no-space`."""
        try:
            yield
        except OSError as error:
            code = "undo-no-space" if error.errno in NO_ROOM else "state-not-writable"
            raise WizardError(code, details=str(error), path=str(self.folder)) from error

    def begin(self) -> None:
        """Mark that work has begun: from here on a kill leaves something to be looked at."""
        with self._noting():
            replace_file(self.folder / _UNFINISHED, b"", _PRIVATE_FILE)

    def end(self) -> None:
        with self._noting():
            moving.unlink(self.folder / _UNFINISHED, missing_ok=True)
            sync_folder(self.folder)

    def new_id(self) -> str:
        """Make the folder of a new change and return its number. Raises WizardError where there is no room."""
        number = max((int(name) for name in self.ids()), default=0) + 1
        with self._noting():
            (self.folder / str(number)).mkdir(mode=_PRIVATE_FOLDER)
        return str(number)

    def ids(self) -> tuple[str, ...]:
        """Return all ids, oldest first; also those whose record was never finished."""
        with self._noting():
            if not self.folder.is_dir():
                return ()
            names = [entry.name for entry in self.folder.iterdir() if entry.name.isdecimal() and entry.name.isascii()]
        return tuple(sorted(names, key=int))

    def keep(self, change_id: str, number: int, content: bytes) -> None:
        with self._noting():
            replace_file(self._before(change_id, number), content, _PRIVATE_FILE)

    def kept(self, change_id: str, number: int) -> bytes:
        """Return a file's bytes from before. Raises OSError."""
        return self._before(change_id, number).read_bytes()

    def _before(self, change_id: str, number: int) -> Path:
        return self.folder / change_id / f"{number}.before"

    def save(self, change: Change) -> None:
        document = json.dumps(_to_json(change), ensure_ascii=True, indent=1).encode()
        with self._noting():
            replace_file(self.folder / change.id / "record.json", document, _PRIVATE_FILE)

    def load(self, change_id: str) -> Change | None:
        """Return a change; None for what is not there or was never finished: then no file was touched. Raises
        `undo-unreadable`."""
        path = self.folder / change_id / "record.json"
        try:
            found = from_own_json(path.read_bytes(), _ChangeFile)
            return Change(change_id, found.time, Message.from_json(found.reason), found.files, found.state)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise WizardError(UNDO_UNREADABLE, details=repr(error), id=change_id, folder=str(path.parent)) from error


def _to_json(change: Change) -> dict[str, Any]:
    files = [asdict(file) for file in change.files]
    return {
        "schema": SCHEMA,
        "time": change.time,
        "reason": change.reason.to_json(),
        "state": change.state.value,
        "files": files,
    }
