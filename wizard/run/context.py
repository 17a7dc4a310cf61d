"""What the steps of one run share: the plan, the journal, the voice, and two hand-overs.

`place` holds the environment as soon as it is there; `ready` brings verified, unpacked packages from fetch to install
(None at the end). Steps of one stage run at the same time and meet only here.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from wizard.compatibility.model import Plan
from wizard.environment.model import Created
from wizard.install.store import StoreEntry
from wizard.model.errors import Cancelled
from wizard.model.lock import Lock
from wizard.model.messages import Message
from wizard.run.control import Control
from wizard.run.emitter import Emitter
from wizard.run.journal import History, RunJournal
from wizard.run.run_folder import RunFolder
from wizard.run.verify.model import SmokeCheck, StepResult, Verification

_POLL = 0.05


@dataclass(frozen=True, slots=True)
class TargetEnvironment:
    """The environment to install into. `is_new`: made in this attempt, so it holds nothing yet."""

    created: Created
    is_new: bool


@dataclass(frozen=True, slots=True)
class Context:
    folder: RunFolder
    plan: Plan
    lock: Lock
    history: History
    journal: RunJournal
    emitter: Emitter
    control: Control
    place: Future[TargetEnvironment] = field(default_factory=Future)
    ready: queue.SimpleQueue[StoreEntry | None] = field(default_factory=queue.SimpleQueue)
    verification: Future[Verification] = field(default_factory=Future)
    parts: Future[tuple[SmokeCheck, ...]] = field(default_factory=Future)  # what there is to know of a project's
    results: queue.SimpleQueue[StepResult] = field(default_factory=queue.SimpleQueue)
    abort: threading.Event = field(default_factory=threading.Event)

    def is_stopped(self) -> bool:
        """Cancelled by a person, or a step of the same stage has failed."""
        return self.abort.is_set() or self.control.is_cancelled()

    def check(self) -> None:
        """Raises Cancelled."""
        if self.is_stopped():
            raise Cancelled

    def wait_while_paused(self) -> None:
        while self.control.is_paused() and not self.is_stopped():
            time.sleep(_POLL)
        self.check()

    def wait_for_place(self) -> TargetEnvironment:
        while not self.place.done():
            self.check()
            time.sleep(_POLL)
        return self.place.result()


class Step(Protocol):
    """`weight` is its share of the one bar; `announce` says what it will do, `run` does it and says what it did."""

    name: str
    weight: int

    def announce(self, context: Context) -> Message:
        """Return what the step is about to do, before it begins."""

    def run(self, context: Context) -> Message:
        """Do it and return what was done. Raises Cancelled, WizardError."""
