"""How a run is asked to pause or to stop: a word in the run's `control` file, or a signal to the worker."""

from __future__ import annotations

import threading
import time

from wizard.model.errors import Cancelled
from wizard.run.run_folder import RunFolder
from wizard.system import disk, moving

CANCEL = "cancel"
PAUSE = "pause"
_LOOK_EVERY = 0.1


def ask(folder: RunFolder, word: str) -> None:
    """`cancel`, `pause`, or `` to go on. Written whole or not at all."""
    moving.write_whole(folder.control, word.encode("ascii"))


def asked(folder: RunFolder) -> str:
    """Return the word that stands there: `cancel`, `pause` or ``."""
    try:
        return disk.insist(lambda: folder.control.read_text(encoding="ascii")).strip()
    except (OSError, UnicodeDecodeError):
        return ""


def clear(folder: RunFolder) -> None:
    """What was asked of an earlier attempt is over. For who starts a worker, before it starts."""
    moving.unlink(folder.control, missing_ok=True)


class Control:
    """The worker's side. Cheap enough to be asked in every loop, from any thread."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._cancelled = threading.Event()
        self._word = ""
        self._looked = 0.0

    def cancel(self) -> None:
        self._cancelled.set()

    def _look(self) -> str:
        now = time.monotonic()
        if now - self._looked >= _LOOK_EVERY:
            self._looked = now
            self._word = asked(self._folder)
            if self._word == CANCEL:
                self._cancelled.set()
        return self._word

    def is_cancelled(self) -> bool:
        if not self._cancelled.is_set():
            self._look()
        return self._cancelled.is_set()

    def is_paused(self) -> bool:
        return not self._cancelled.is_set() and self._look() == PAUSE

    def check(self) -> None:
        """Raises Cancelled."""
        if self.is_cancelled():
            raise Cancelled
