"""Writes the worker's events and its log; one object, used from every thread of a run."""

from __future__ import annotations

import contextlib
import io
import threading
import time
from collections.abc import Callable
from typing import Any

from wizard.model.events import Event, EventKind, parse_line
from wizard.model.messages import Message, Words, text
from wizard.model.redact import redact, redact_all
from wizard.run.run_folder import RunFolder, append_to

_PROGRESS_INTERVAL = 0.1
_SAME_INTERVAL = 10.0  # of one that tells nothing new: a pause over night would fill the file


class Emitter:
    """`echo` receives each line as well (stdout of `--events`); a reader that went away does not stop the run.

    Raises WizardError `state-not-writable`."""

    def __init__(self, folder: RunFolder, echo: Callable[[str], None] | None = None) -> None:
        self._run = folder.id
        self._echo = echo
        self._guard = threading.Lock()
        self._seq = _last_seq(folder)
        with contextlib.ExitStack() as opened:
            self._events, self._log = (
                opened.enter_context(io.TextIOWrapper(append_to(path), encoding="utf-8", newline="\n"))
                for path in (folder.events, folder.log)
            )
            opened.pop_all()
        if self._events.tell():
            self._events.write("\n")
        self._last_progress: dict[str, tuple[float, object]] = {}

    def emit(self, kind: EventKind, **data: Any) -> None:
        """Write one event into the run's file and to whoever listens; a listener that is gone stops nothing."""
        with self._guard:
            self._seq += 1
            line = Event(kind, self._seq, round(time.time(), 3), self._run, data).to_line()
            with contextlib.suppress(OSError):  # a full disk stops the steps; telling about it must not stop more
                self._events.write(line + "\n")
                self._events.flush()
            if self._echo:
                try:
                    self._echo(line)
                except OSError:
                    self._echo = None

    def log(self, step: str, line: Words) -> None:
        """A sentence is written in English into the log file; who reads the events says it in another language."""
        clean = redact(text(line, "en"))
        self._write_log(step, clean)
        told = {"message": redact_all(line.to_json())} if isinstance(line, Message) else {}
        self.emit(EventKind.LOG, step=step, text=clean, **told)

    def detail(self, step: str, words: str) -> None:
        """For the log file only: tracebacks, commands, whatever is no news for a person."""
        self._write_log(step, redact(words))

    def _write_log(self, step: str, words: str) -> None:
        stamp = time.strftime("%H:%M:%S")
        with self._guard, contextlib.suppress(OSError):
            self._log.write("".join(f"{stamp} {step} {line}\n" for line in words.splitlines() or [""]))
            self._log.flush()

    def notice(self, message: Message) -> None:
        self._write_log("notice", redact(text(message, "en")))
        self.emit(EventKind.NOTICE, message=redact_all(message.to_json()))

    def progress(self, step: str, done: int, total: int | None, detail: Words | None = None, **data: Any) -> None:
        """At most ten a second and step, one in ten seconds while nothing changes, but always the last one. `detail`:
        what it is at just now."""
        now, what = time.monotonic(), (done, total, detail, data)
        before, said = self._last_progress.get(step, (0.0, None))
        is_last = total is not None and done >= total
        if not is_last and now - before < (_SAME_INTERVAL if what == said else _PROGRESS_INTERVAL):
            return
        self._last_progress[step] = (now, what)
        told = detail.to_json() if isinstance(detail, Message) else detail
        self.emit(EventKind.PROGRESS, step=step, done=done, total=total, detail=told, **data)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._events.close()
            self._log.close()


def _last_seq(folder: RunFolder) -> int:
    if not folder.events.is_file():
        return 0
    with folder.events.open("rb") as file:
        file.seek(max(0, folder.events.stat().st_size - 65536))
        tail = file.read().decode("utf-8", "replace").split("\n")
    return max((event.seq for line in tail if (event := parse_line(line))), default=0)
