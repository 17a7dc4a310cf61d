"""Many questions at once, with one time limit that holds for all of them, and that ends when the person says so.

A name that is never resolved or a server that drips cannot hold anybody up: what is not there in time is left behind
(its thread ends by itself at its own time limits and keeps no program alive).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from wizard.model.errors import Cancelled

_POLL = 0.05  # seconds
Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")
GoesOn = Callable[[], bool]


def ask_together(
    questions: Mapping[Key, Callable[[GoesOn], Answer]],
    seconds: float,
    is_cancelled: Callable[[], bool],
    at_once: int = 64,
    on_answer: Callable[[Key, Answer], None] = lambda key, answer: None,
) -> dict[Key, Answer]:
    """The answers that came in time. Each question is handed a `goes_on` that turns False at the end. `on_answer` hears
    each as it comes, in this thread.

    Raises Cancelled, and whatever a question raises.
    """
    answers: dict[Key, Answer] = {}
    told: queue.Queue[tuple[Key, Answer | None, Exception | None]] = queue.Queue()
    waiting: queue.SimpleQueue[Key] = queue.SimpleQueue()
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            try:
                key = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                told.put((key, questions[key](lambda: not over.is_set()), None))
            except Exception as error:
                told.put((key, None, error))

    for key in questions:
        waiting.put(key)
    for _ in range(min(at_once, len(questions))):
        threading.Thread(target=work, daemon=True, name="ask").start()
    deadline = time.monotonic() + seconds
    try:
        for _ in range(len(questions)):
            got = _next(told, deadline, is_cancelled)
            if got is None:
                break
            key, answer, error = got
            if error:
                raise error
            answers[key] = answer  # type: ignore[assignment]
            on_answer(key, answers[key])
    finally:
        over.set()
    return answers


def _next(
    told: queue.Queue[tuple[Key, Answer | None, Exception | None]],
    deadline: float,
    is_cancelled: Callable[[], bool],
) -> tuple[Key, Answer | None, Exception | None] | None:
    """None at the time limit."""
    while True:
        if is_cancelled():
            raise Cancelled
        left = deadline - time.monotonic()
        try:
            return told.get(timeout=max(0.0, min(_POLL, left)))
        except queue.Empty:
            if left <= 0:
                return None
