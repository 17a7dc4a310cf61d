"""Follows a run by its events and tells a person about them, or passes the lines on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus
from wizard.events import Event, Kind
from wizard.flow.run_view import limit_words
from wizard.flow.tail import SILENT_AFTER, EventTail, newest_attempt
from wizard.i18n import Message, message

_POLL = 0.05
_LOOK = 1.0  # seconds between two questions whether anybody is at it
_BITE = 200  # events between two waits


def follow(path: Path, is_alive: Callable[[], bool], on_wait: Callable[[float], None]) -> Iterator[Event]:
    """Yield the newest attempt's events, until nobody carries the run out any more.

    `on_wait` hears many times a second for how many seconds nothing was said.
    """
    tail, looked, alive = EventTail(path, newest_attempt(path)), 0.0, True
    last: Event | None = None
    while True:
        is_over = last is not None and last.kind is Kind.RUN_FINISHED
        if is_over or time.monotonic() - looked >= _LOOK:
            looked, alive = time.monotonic(), is_alive()  # before it is read: the last line comes before the end
        while True:
            events = tail.read(_BITE)
            yield from events
            last = events[-1] if events else last
            if tail.at_end:
                break
            on_wait(tail.silence)
        if not alive:
            return
        on_wait(tail.silence)
        time.sleep(_POLL)


class Screen:
    """Lines for a person; on a terminal also one that is drawn again and again, until the next."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.is_tty = sys.stderr is not None and sys.stderr.isatty()
        self._drawn = ""

    def draw(self, words: str) -> None:
        self._drawn = "    " + words
        sys.stderr.write("\r\x1b[K" + self._drawn)
        sys.stderr.flush()

    def clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            self._drawn = ""

    def line(self, line: str) -> None:
        self.clear()
        self._terminal.write(line)


class Narrator:
    """Turns events into lines of text: a step's beginning and end, and a progress line on a terminal."""

    def __init__(self, terminal: Terminal, told: Iterable[str] = ()) -> None:
        """`told`: notices that were on the screen already."""
        self._terminal = terminal
        self._told = set(told)
        self._screen = Screen(terminal)
        self._silence = 0  # seconds of it that were told last

    def tell(self, event: Event) -> None:
        self._silence = 0
        if event.kind is Kind.STEP_STARTED:
            self._screen.line("  … " + self._words(event.data["message"]))
        elif event.kind is Kind.STEP_FINISHED and event.data.get("message"):
            # The test was carried out; what it found is no tick, and the report that follows says it.
            done = "·" if event.data["step"] == "verify" else "✓"
            mark = done if event.data["outcome"] == "done" else "✗"
            self._screen.line(f"  {mark} {self._words(event.data['message'])} ({event.data['seconds']} s)")
        elif event.kind is Kind.NOTICE:
            self._notice(self._words(event.data["message"]))
        elif event.kind is Kind.PROGRESS and event.data.get("unit") == "bytes" and event.data["step"] == "fetch":
            self._progress(event.data)

    def tell_silence(self, seconds: float) -> None:
        """On a terminal as it grows; else once, and again each time it has doubled."""
        step = 1 if self._screen.is_tty else max(self._silence, SILENT_AFTER)
        if seconds < SILENT_AFTER or seconds < self._silence + step:
            return
        self._silence = int(seconds)
        words = self._terminal.words(message("flow.silent", seconds=self._silence))
        if self._screen.is_tty:
            self._screen.draw(words)
        else:
            self._screen.line(f"  · {words}")

    def _notice(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._screen.line(f"  ! {words}")

    def _words(self, data: dict[str, Any]) -> str:
        return self._terminal.words(Message.from_json(data))

    def _progress(self, data: Any) -> None:
        if not self._screen.is_tty:
            return
        total = data.get("total") or 0
        rate = data.get("rate") or 0
        words = message(
            "cli.progress",
            done=round(data["done"] / 1e6), total=round(total / 1e6), rate=round(rate / 1e6, 1),
        )  # fmt: skip
        limit = limit_words(data.get("limited_by"))
        self._screen.draw(self._terminal.words(words) + (f" · {self._terminal.words(limit)}" if limit else ""))


def final_status(event: Event | None) -> ExitStatus:
    if event is None or event.kind is not Kind.RUN_FINISHED:
        return ExitStatus.FAILED
    return ExitStatus(int(event.data["status"]))
