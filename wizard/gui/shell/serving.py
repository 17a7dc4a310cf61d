"""The one class server that this window may run: of a pack, or of what this computer has fetched for its class.

It belongs to the window and to no page, for it goes on while pages are turned; it ends with the window.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from wizard.gui.shell.tasks import IsCancelled, OnNote, TaskRunner, seldom
from wizard.model.errors import Cancelled, WizardError

if TYPE_CHECKING:
    from wizard.app.classroom import RunningServer

OnBytes = Callable[[int], None]
Make = Callable[[OnBytes, IsCancelled], "RunningServer"]
PACK, DOWNLOADS = "pack", "downloads"


class ServingNow(QObject):
    changed = Signal()

    def __init__(self, tasks: TaskRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._unwanted: threading.Event | None = None  # of a start that is under way
        self.server: RunningServer | None = None
        self.what = ""  # pack | downloads
        self.read = 0  # bytes that were looked over on the way to the start

    @property
    def is_starting(self) -> bool:
        return self._unwanted is not None

    @property
    def is_on(self) -> bool:
        return self.server is not None

    def start(self, what: str, make: Make, on_failed: Callable[[WizardError], None]) -> None:
        """Start a server in the background, unless one runs; what comes too late is closed again."""
        if self.is_starting or self.is_on:
            return
        self._unwanted = unwanted = threading.Event()
        self.what, self.read = what, 0

        def work(is_cancelled: IsCancelled, note: OnNote) -> RunningServer | None:
            return _made(make, lambda: unwanted.is_set() or is_cancelled(), note)

        def done(server: RunningServer | None) -> None:
            self._unwanted, self.server = None, server
            if server is not None and unwanted.is_set():
                self.stop()
            self.changed.emit()

        def failed(error: WizardError) -> None:
            self._unwanted = None
            on_failed(error)
            self.changed.emit()

        self._tasks.start(work, done, failed, self._looked_over)
        self.changed.emit()

    def stop(self) -> None:
        """Returns at once; who is being served is given some seconds."""
        server, self.server = self.server, None
        if self._unwanted is not None:
            self._unwanted.set()
        if server is not None:
            self._tasks.start(lambda is_cancelled, note: server.stop(), lambda answer: None, lambda error: None)
        self.changed.emit()

    def end(self) -> None:
        """The window is closed."""
        server, self.server = self.server, None
        if self._unwanted is not None:
            self._unwanted.set()
        if server is not None:
            server.stop()

    def _looked_over(self, told: tuple[int, int]) -> None:
        self.read = told[0]
        self.changed.emit()


def _made(make: Make, is_unwanted: IsCancelled, note: OnNote) -> RunningServer | None:
    """None: nobody wants it any more."""
    tell, read = seldom(note), 0

    def on_bytes(count: int) -> None:
        nonlocal read
        read += count
        tell(read, 0)

    with contextlib.suppress(Cancelled):
        server = make(on_bytes, is_unwanted)
        if not is_unwanted():
            return server
        server.stop()
    return None
