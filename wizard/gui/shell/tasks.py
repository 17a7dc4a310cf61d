"""Calls that may take long, made in threads of their own; the answer comes back on the window's thread.

Plain threads, not a QThreadPool: a pool waits for its last job without end when the program quits, and a
source that does not answer must not keep a closed window alive. A cancelled task never reports.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from wizard.model.errors import Cancelled, WizardError
from wizard.process import without_memory

T = TypeVar("T")
IsCancelled = Callable[[], bool]
OnNote = Callable[[Any], None]
Work = Callable[[IsCancelled, OnNote], T]
_LOG = logging.getLogger(__name__)
_STOP_SECONDS = 3.0
_NOTE_SECONDS = 0.05
_UNDER_WAY: set[Task[Any]] = set()  # also of a window that has gone: else the thread's end deletes what Qt is calling


class _Post(QObject):
    """Carries values from the task's thread to the window's."""

    arrived = Signal(str, object)


class Task(QObject, Generic[T]):
    over = Signal(object)  # itself

    def __init__(
        self,
        work: Work[T],
        on_done: Callable[[T], None],
        on_failed: Callable[[WizardError], None],
        on_note: OnNote | None,
    ) -> None:
        super().__init__()
        self._work, self._on_done, self._on_failed, self._on_note = work, on_done, on_failed, on_note
        self._cancelled = threading.Event()
        self._post = _Post()
        self._post.arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._run, name="task", daemon=True)
        _UNDER_WAY.add(self)
        self._thread.start()

    def cancel(self) -> None:
        self._cancelled.set()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _run(self) -> None:
        post = self._post.arrived.emit
        try:
            answer: tuple[str, object] = ("done", self._work(self._cancelled.is_set, lambda note: post("note", note)))
        except Cancelled:
            answer = ("cancelled", None)
        except WizardError as error:
            answer = ("failed", error)
        except Exception as error:
            answer = ("failed", _bug(error))
        post(*answer)

    def _deliver(self, kind: str, value: Any) -> None:
        if kind != "note":
            self._thread.join()  # it has nothing left to do but to end
            self.over.emit(self)
            _UNDER_WAY.discard(self)
            QTimer.singleShot(0, partial(_let_go, self))
        if self._cancelled.is_set():
            return
        if kind == "note" and self._on_note:
            self._on_note(value)
        elif kind == "done":
            self._on_done(value)
        elif kind == "failed":
            self._on_failed(value)


def _bug(error: Exception) -> WizardError:
    if lack := without_memory(error):
        return lack
    details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    _LOG.error("unexpected: %s", details)
    return WizardError(
        "window-unexpected",
        "Something went wrong that the program did not expect ({what}).",
        "Try again. If it happens again, copy the error and report it; the log folder holds more.",
        details=details,
        what=type(error).__name__,
    )


def seldom(note: OnNote) -> Callable[[int, int], None]:
    """For progress: thousands of steps a second are told twenty times a second."""
    told = 0.0

    def tell(done: int, total: int) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= _NOTE_SECONDS:
            told = now
            note((done, total))

    return tell


def _let_go(task: Task[Any]) -> None:
    """The last hold on it: an object must not vanish while it is being called."""


class TaskRunner:
    """Every task that is under way. Owned by the window."""

    def __init__(self) -> None:
        self._going: set[Task[Any]] = set()
        self._is_over = False

    def start(
        self,
        work: Work[T],
        on_done: Callable[[T], None],
        on_failed: Callable[[WizardError], None],
        on_note: OnNote | None = None,
    ) -> Task[T]:
        """Do `work` in a thread; its answer, error and notes come back in the window's own. After `stop` nobody hears
        of them: whoever asked is going, and may be gone by then."""
        task = Task(work, on_done, on_failed, on_note)
        if self._is_over:
            task.cancel()
        self._going.add(task)
        task.over.connect(self._forget)  # a function that held the task would keep it alive for ever
        return task

    def _forget(self, task: Task[Any]) -> None:
        self._going.discard(task)

    @property
    def busy(self) -> bool:
        return bool(self._going)

    def stop(self) -> None:
        """Asks all to stop and waits a little; who does not hear is left to end with the program. For good."""
        self._is_over = True
        for task in self._going:
            task.cancel()
        until = time.monotonic() + _STOP_SECONDS
        for task in self._going:
            task.join(max(0.0, until - time.monotonic()))


# A long call beside the page's own one: for what is shown when it is known and holds nobody up.
#
# One at a time; the page gives it up when it is left. Its failure is the caller's to show or to pass over.


class SideTask:
    def __init__(self, tasks: TaskRunner) -> None:
        self._tasks = tasks
        self._task: Task[Any] | None = None

    @property
    def is_busy(self) -> bool:
        return self._task is not None

    def start(self, work: Work[T], on_done: Callable[[T], None], on_failed: Callable[[WizardError], None]) -> None:
        """Do `work` in a thread in place of the one before, whose answer nobody wants any more."""
        self.cancel()

        def done(answer: T) -> None:
            self._task = None
            on_done(answer)

        def failed(error: WizardError) -> None:
            self._task = None
            on_failed(error)

        self._task = self._tasks.start(work, done, failed)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
