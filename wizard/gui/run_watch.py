"""Follows a run that another process carries out: reads its event file in small bites and sees when it has died.

Every 50 ms for a few milliseconds and at most 2000 lines, so that a talkative step never blocks the window. A worker
that was killed writes no last line; then the session's list of runs, asked now and then in a thread, no longer says
"running".
"""

from __future__ import annotations

import time
from functools import lru_cache

from PySide6.QtCore import QObject, QTimer, Signal

from wizard.events import Event, Kind
from wizard.flow.run_view import RunView
from wizard.flow.session_api import SessionApi
from wizard.flow.tail import EventTail
from wizard.gui.errands import Errands
from wizard.session.model import RunInfo

FLUSH_MS = 50
LINES_PER_FLUSH = 2000
_BUDGET = 0.008  # seconds of the window's thread for one flush
_BITE = 50  # the clock is looked at between two bites
ALIVE_MS = 3000
_MISSES = 3  # a worker that has just been started needs a moment before it counts as running


class RunWatch(QObject):
    changed = Signal()
    logged = Signal(list)  # list[str], oldest first
    ended = Signal()
    died = Signal()

    def __init__(self, session: SessionApi, errands: Errands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._errands = session, errands
        self._tail: EventTail | None = None
        self._run_id = ""
        self._misses = 0
        self._generation = 0
        self._old_bytes = 0
        self.view = RunView()
        self._flush = QTimer(self)
        self._flush.setInterval(FLUSH_MS)
        self._flush.timeout.connect(self.read)
        self._alive = QTimer(self)
        self._alive.setInterval(ALIVE_MS)
        self._alive.timeout.connect(self._ask)

    @property
    def run_id(self) -> str:
        return self._run_id

    @property
    def is_following(self) -> bool:
        return self._flush.isActive()

    @property
    def is_over(self) -> bool:
        """The endings of earlier attempts, which a resumed run still has in its file, do not count."""
        return self._tail is not None and self.view.ending is not None and self._tail.consumed > self._old_bytes

    def follow(self, run_id: str, old_bytes: int) -> None:
        """From the first line on; asking for the run that is being followed goes on with it (it was resumed)."""
        self._generation += 1
        if run_id != self._run_id or self._tail is None:
            self._run_id = run_id
            self._tail = EventTail(self._session.events_path(run_id))
            self.view = RunView()
        self._misses = 0
        self._old_bytes = old_bytes
        self._flush.start()
        self._alive.start()

    def every(self, milliseconds: int) -> None:
        """Looks more or less often than usual."""
        self._flush.setInterval(milliseconds)

    def stop(self) -> None:
        self._generation += 1
        self._flush.stop()
        self._alive.stop()

    def read(self) -> None:
        if self._tail is None:
            return
        began, count, lines, before = time.monotonic(), 0, [], self.view
        while count < LINES_PER_FLUSH and time.monotonic() - began < _BUDGET:
            events = self._tail.read(_BITE)
            if not events:
                break
            count += len(events)
            for event in events:
                self.view = self.view.after(event)
                lines += log_lines(event)
        if lines:
            self.logged.emit(lines)
        if self.view is not before:
            self._misses = 0
            self.changed.emit()
        if self.is_over and not count:  # all that was written is read
            self.stop()
            self.ended.emit()

    # -- is somebody still at it

    def _ask(self) -> None:
        generation = self._generation
        self._errands.start(
            lambda is_cancelled, note: self._session.runs(),
            lambda runs: self._told(runs, generation),
            lambda error: None,
        )

    def _told(self, runs: tuple[RunInfo, ...], generation: int) -> None:
        if generation != self._generation:
            return
        run = next((one for one in runs if one.id == self._run_id), None)
        if run is not None and run.state == "running":
            self._misses = 0
            return
        self._misses += 1
        if self._misses >= _MISSES:
            self.read()
            if not self.is_over:
                self.stop()
                self.died.emit()


@lru_cache(maxsize=8)
def _stamp(second: int) -> str:
    """Of thousands of lines in a second the first asks for the time of day."""
    return time.strftime("%H:%M:%S", time.localtime(second))


def log_lines(event: Event) -> list[str]:
    """What an event adds to the log view."""
    stamp = _stamp(int(event.time))
    step = event.data.get("step", "")
    if event.kind is Kind.LOG:
        return [f"{stamp} {step} {line}" for line in str(event.data.get("text", "")).splitlines() or [""]]
    if event.kind in (Kind.STEP_STARTED, Kind.STEP_FINISHED, Kind.NOTICE):
        said = event.data.get("message")
        words = said.get("text", "") if isinstance(said, dict) else ""
        outcome = str(event.data.get("outcome", ""))
        return [" ".join(part for part in (stamp, str(step), outcome, words) if part)]
    return []
