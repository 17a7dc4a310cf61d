"""Follows a run by its events and tells a person about them, or passes the lines on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus
from wizard.events import Event, Kind, parse_line
from wizard.flow.run_view import limit_words
from wizard.i18n import Message, message

_POLL = 0.05
_GONE_AFTER = 5.0


def follow(path: Path, start: int, is_alive: Callable[[], bool]) -> Iterator[tuple[str, Event]]:
    """(line, event) from byte `start` on, until the run says that it has finished or its worker is gone."""
    rest = b""
    position = start
    last_sign = time.monotonic()
    while True:
        data = _read_from(path, position)
        position += len(data)
        *lines, rest = (rest + data).split(b"\n")
        for raw in lines:
            line = raw.decode("utf-8", "replace")
            event = parse_line(line)
            if event is None:
                continue
            yield line, event
            if event.kind is Kind.RUN_FINISHED:
                return
        alive = is_alive()  # always asked: it also passes on a wish to cancel
        if data or alive:
            last_sign = time.monotonic()
        elif time.monotonic() - last_sign > _GONE_AFTER:
            return
        time.sleep(_POLL)


def _read_from(path: Path, position: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(position)
            return file.read()
    except FileNotFoundError:
        return b""


class Narrator:
    """Turns events into lines of text: a step's beginning and end, and a progress line on a terminal."""

    def __init__(self, terminal: Terminal, told: Iterable[str] = ()) -> None:
        """`told`: notices that were on the screen already."""
        self._terminal = terminal
        self._told = set(told)
        self._is_tty = sys.stderr is not None and sys.stderr.isatty()
        self._drawn = ""

    def tell(self, event: Event) -> None:
        if event.kind is Kind.STEP_STARTED:
            self._line("  … " + self._words(event.data["message"]))
        elif event.kind is Kind.STEP_FINISHED and event.data.get("message"):
            # The test was carried out; what it found is no tick, and the report that follows says it.
            done = "·" if event.data["step"] == "verify" else "✓"
            mark = done if event.data["outcome"] == "done" else "✗"
            self._line(f"  {mark} {self._words(event.data['message'])} ({event.data['seconds']} s)")
        elif event.kind is Kind.NOTICE:
            self._notice(self._words(event.data["message"]))
        elif event.kind is Kind.PROGRESS and event.data.get("unit") == "bytes" and event.data["step"] == "fetch":
            self._progress(event.data)

    def _notice(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._line(f"  ! {words}")

    def _words(self, data: dict[str, Any]) -> str:
        return self._terminal.words(Message.from_json(data))

    def _progress(self, data: Any) -> None:
        if not self._is_tty:
            return
        total = data.get("total") or 0
        rate = data.get("rate") or 0
        words = message(
            "cli.progress",
            done=round(data["done"] / 1e6), total=round(total / 1e6), rate=round(rate / 1e6, 1),
        )  # fmt: skip
        limit = limit_words(data.get("limited_by"))
        self._drawn = "    " + self._terminal.words(words) + (f" · {self._terminal.words(limit)}" if limit else "")
        sys.stderr.write("\r\x1b[K" + self._drawn)
        sys.stderr.flush()

    def _line(self, line: str) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            self._drawn = ""
        self._terminal.write(line)


def final_status(event: Event | None) -> ExitStatus:
    if event is None or event.kind is not Kind.RUN_FINISHED:
        return ExitStatus.FAILED
    return ExitStatus(int(event.data["status"]))
