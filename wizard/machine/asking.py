"""How a probe asks other programs, several at once, with one time limit for all.

Several calls at once, with one time limit for all: who is late is left behind.

Threads are daemons of their own and not a pool: a child that hangs in the kernel on a lost card cannot
even be killed, and a pool would wait for its thread at the interpreter's exit.
"""

from __future__ import annotations

import _thread
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from wizard.process import Outcome, Request, StopTimeouts, run

# How a probe asks another program: one seam, so that tests answer with recorded text.
#
# A probe's child has a time limit and a short stop ladder, for it may hang on a lost card; nothing it does is worth
# waiting for. Not for real work: that has no limit and a person cancels it.

Ask = Callable[[Request], Outcome]
IsCancelled = Callable[[], bool]

_STOP = StopTimeouts(interrupt=0.2, terminate=0.3, kill=2.0)


def question(argv: tuple[str, ...], seconds: float, environment: Mapping[str, str] | None = None) -> Request:
    return Request(argv, environment=environment, timeout=seconds, stop=_STOP)


def asker(is_cancelled: IsCancelled) -> Ask:
    return lambda request: run(request, is_cancelled=is_cancelled)


Value = TypeVar("Value")

_POLL = 0.05


class TimedCall(Generic[Value]):
    """One call. After `run_all`: `ended` is False for a late one; `value` is the default unless it went well."""

    def __init__(self, name: str, call: Callable[[], Value], default: Value) -> None:
        self.name = name
        self.value = default
        self.error: Exception | None = None
        self.ended = False
        self._call = call
        self._outcome: Value
        self.has_begun = False
        self._over = threading.Event()

    def start(self, done: queue.SimpleQueue[TimedCall[Any]], places: threading.Semaphore) -> None:
        """Nobody waits for the thread to begin: Thread.start() does (Python 3.11), for ever where there was too little
        memory for it to say so."""
        _thread.start_new_thread(self._work, (done, places))

    def join(self, seconds: float) -> None:
        self._over.wait(max(seconds, 0.0))

    def _work(self, done: queue.SimpleQueue[TimedCall[Any]], places: threading.Semaphore) -> None:
        self.has_begun = True
        with places:
            try:
                self._outcome = self._call()
            except Exception as error:  # a probe that fails is a fact about the machine, told by its caller
                self.error = error
        self._over.set()
        done.put(self)

    def settle(self) -> None:
        """Takes the outcome over, in the caller's thread: a late thread changes nothing any more."""
        self.ended = True
        if self.error is None:
            self.value = self._outcome


def run_all(
    tasks: Sequence[TimedCall[Any]],
    seconds: float,
    is_cancelled: Callable[[], bool] = lambda: False,
    at_once: int = 16,
) -> Iterator[TimedCall[Any]]:
    """Starts all; yields each as it ends; stops when all have ended, the time is up, or someone cancelled. One that
    had no memory to begin has that for its error."""
    done: queue.SimpleQueue[TimedCall[Any]] = queue.SimpleQueue()
    places = threading.Semaphore(at_once)
    deadline = time.monotonic() + seconds
    for task in tasks:
        task.start(done, places)
    left = len(tasks)
    while left and not is_cancelled() and time.monotonic() < deadline:
        try:
            task = done.get(timeout=_POLL)
        except queue.Empty:
            continue
        task.settle()
        left -= 1
        yield task
    for late in tasks:
        if not (late.has_begun or is_cancelled()):
            late.error = MemoryError("no memory for its thread")
