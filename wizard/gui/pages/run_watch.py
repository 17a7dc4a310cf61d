"""Follows a run that another process carries out: reads its event file in small bites and asks who is at it.

Every 50 ms for a few milliseconds and at most 2000 lines, so that a talkative step never blocks the window. A run is
over when nobody carries it out any more, which the session is asked in a thread, and when all that was written is read:
neither silence nor an ending in the file is enough, for a busy worker says nothing for long, and a resumed one has the
endings of before in its file. Who went on with it elsewhere is noticed, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from wizard.app.pages.event_tail import SILENT_AFTER, EventTail
from wizard.app.pages.run import RunView, as_message
from wizard.app.tools import WindowSession
from wizard.gui.shell.tasks import TaskRunner
from wizard.gui.widgets.figures import variant_text
from wizard.model.errors import WizardError
from wizard.model.events import Event, EventKind
from wizard.model.messages import LANGUAGES, Words, catalogue, message, text
from wizard.run.model import RunInfo

FLUSH_MS = 50
_MOST_ADDED = 3  # names of packages
LINES_PER_FLUSH = 2000
_BUDGET = 0.008  # seconds of the window's thread for one flush
_BITE = 50  # the clock is looked at between two bites
ASK_MS = 3000
_SOON = 0.2  # seconds between two questions while the worker that has said its last word is going


class RunWatch(QObject):
    changed = Signal()
    logged = Signal(list)  # list[str], oldest first
    asked = Signal(object)  # RunInfo: what the session says of it now
    over = Signal(object)  # RunInfo: nobody carries it out any more, and all that was written is read
    revived = Signal()  # somebody went on with it after that
    vanished = Signal()  # somebody removed it

    def __init__(
        self,
        session: WindowSession,
        tasks: TaskRunner,
        say: Callable[[Words], str] = text,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._tasks, self._say = session, tasks, say
        self._tail: EventTail | None = None
        self._run_id = ""
        self._generation = 0
        self._forget()
        self.view = RunView()
        self._flush = QTimer(self)
        self._flush.setInterval(FLUSH_MS)
        self._flush.timeout.connect(self.read)
        self._ask_timer = QTimer(self)
        self._ask_timer.setInterval(ASK_MS)
        self._ask_timer.timeout.connect(self.ask)

    def _forget(self) -> None:
        self._is_asking = False
        self._asked_at = 0.0
        self._known: RunInfo | None = None  # the session's last answer
        self._over_as: RunInfo | None = None  # as it was told to be over
        self._silence = 0

    @property
    def run_id(self) -> str:
        return self._run_id

    @property
    def is_following(self) -> bool:
        return self._flush.isActive()

    @property
    def silence(self) -> int:
        """Seconds for which a worker that is there has said nothing; 0 while that is no news. As of the last reading:
        `changed` tells of every other number, so that nobody goes on showing one that holds no more."""
        return self._silence

    def _count_silence(self) -> int:
        if self._tail is None or not self._is_alive:
            return 0
        return int(self._tail.silence) if self._tail.silence >= SILENT_AFTER else 0

    @property
    def _is_alive(self) -> bool:
        return self._known is not None and self._known.state == "running"

    def follow(self, run_id: str) -> None:
        """From the first line on; asking for the run that is being followed goes on with it (it was resumed). One that
        is gone has `vanished`, which is told later: whoever calls this may not listen yet."""
        if run_id != self._run_id or self._tail is None:
            self._run_id = run_id
            self._tail = self._tail_of(run_id)
            self.view = RunView()
        elif self._over_as is not None:
            self._tail.restart_silence()
        self.drop_answer()
        self._forget()
        self._flush.start()
        self._ask_timer.start()
        self.ask()

    def _tail_of(self, run_id: str) -> EventTail | None:
        try:
            return EventTail(self._session.events_path(run_id))
        except WizardError:  # removed since it was listed: `ask` learns of it
            return None

    def every(self, milliseconds: int) -> None:
        """Reads more or less often than usual."""
        self._flush.setInterval(milliseconds)

    def stop(self) -> None:
        self.drop_answer()
        self._silence = 0
        self._flush.stop()
        self._ask_timer.stop()

    def drop_answer(self) -> None:
        """What is being asked just now was asked too early."""
        self._generation += 1
        self._is_asking = False

    def read(self) -> None:
        """Take in the run's new events, at most for a moment, so that the window answers meanwhile."""
        if self._tail is None:
            return
        began, count, lines, before = time.monotonic(), 0, [], self.view
        while True:  # at least once, however long this thread had to wait
            events = self._tail.read(_BITE)
            count += len(events)
            for event in events:
                self.view = self.view.after(event)
                lines += log_lines(event, self._say)
            if self._tail.at_end or count >= LINES_PER_FLUSH or time.monotonic() - began >= _BUDGET:
                break
        if lines:
            self.logged.emit(lines)
        told, self._silence = self._silence, self._count_silence()
        if self.view is not before or self._silence != told:
            self.changed.emit()
        if not count and self._tail.at_end:
            self._all_is_read()

    def _all_is_read(self) -> None:
        if self._known is not None and not self._is_alive:
            self._flush.stop()
            self._over_as = self._known
            self.over.emit(self._known)
        elif self.view.ending is not None and time.monotonic() - self._asked_at >= _SOON:
            self.ask()

    # -- is somebody still at it

    def ask(self) -> None:
        """Ask in the background whether the run still goes; one question at a time."""
        if self._is_asking:
            return
        self._is_asking, self._asked_at = True, time.monotonic()
        generation, run_id = self._generation, self._run_id
        self._tasks.start(
            lambda is_cancelled, note: self._session.run(run_id),
            lambda run: self._answered(run, generation),
            lambda error: self._not_answered(error, generation),
        )

    def _answered(self, run: RunInfo, generation: int) -> None:
        if generation != self._generation:
            return
        self._is_asking = False
        self._known, over_as = run, self._over_as
        self.asked.emit(run)
        if over_as is not None and (run.state, run.exit_status) != (over_as.state, over_as.exit_status):
            self.revived.emit()

    def _not_answered(self, error: WizardError, generation: int) -> None:
        """That nothing could be learnt says nothing about the run."""
        if generation != self._generation:
            return
        self._is_asking = False
        if error.code == "no-such-run":
            self.stop()
            self.vanished.emit()


@lru_cache(maxsize=8)
def _stamp(second: int) -> str:
    """Of thousands of lines in a second the first asks for the time of day."""
    return time.strftime("%H:%M:%S", time.localtime(second))


def log_lines(event: Event, say: Callable[[Words], str]) -> list[str]:
    """What an event adds to the log view."""
    stamp = _stamp(int(event.time))
    step = _named("step-name", str(event.data.get("step", "")), say)
    said = as_message(event.data.get("message"))
    words = say(said) if said else ""
    if event.kind is EventKind.LOG:
        words = words or str(event.data.get("text", ""))
        return [f"{stamp} {step} {line}" for line in words.splitlines() or [""]]
    if event.kind in (EventKind.STEP_STARTED, EventKind.STEP_FINISHED, EventKind.NOTICE):
        outcome = _named("step-state", str(event.data.get("outcome", "")), say)
        return [" ".join(part for part in (stamp, step, outcome, words) if part)]
    return []


def _named(table: str, code: str, say: Callable[[Words], str]) -> str:
    """In words; the code itself where a later version made it."""
    return say(message(f"{table}.{code}")) if f"{table}.{code}" in catalogue(LANGUAGES[0]) else code


def run_name(run: RunInfo) -> str:
    """Return the environment with its torch; of an addition, with the packages that it puts in."""
    name = PurePath(run.prefix).name
    if run.adds:
        return " + ".join((name, *run.adds[:_MOST_ADDED], *("…" for _ in run.adds[_MOST_ADDED : _MOST_ADDED + 1])))
    return f"{name} (torch {run.torch}, {variant_text(run.variant)})"


def unfinished_words(run: RunInfo) -> tuple[str, str]:
    """Return what can be gone on with, and where it is and when it was begun."""
    translate = QCoreApplication.translate
    setup, change = (
        translate("WelcomePage", "Resume the unfinished setup of %1"),
        translate("WelcomePage", "Continue changing packages: %1"),
    )
    begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.created))
    about = translate("WelcomePage", "%1, begun %2").replace("%1", run.prefix).replace("%2", begun)
    return (change if run.adds else setup).replace("%1", run_name(run)), about
