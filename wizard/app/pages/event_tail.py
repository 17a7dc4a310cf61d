"""Reads the worker's event file as it grows: whole lines only, never more than asked for at once.

The file may not be there yet, may end in half a line (a killed worker) and goes on after a resume.
"""

from __future__ import annotations

import time
from pathlib import Path

from wizard.model.events import Event, EventKind, parse_line

SILENT_AFTER = 30.0  # seconds: on a busy computer or a slow disk a healthy step says nothing for as long as this
_CHUNK = 1 << 18
_ALL = 1 << 30  # events
_LAST_LINES = 400
_BEGINNINGS = (EventKind.ATTEMPT_STARTING, EventKind.RUN_STARTED)


class EventTail:
    def __init__(self, path: Path, offset: int = 0) -> None:
        """`offset`: of the first line that is wanted."""
        self._path = path
        self._offset = offset
        self._lines: list[bytes] = []
        self._rest = b""
        self._caught_up = False
        self._last_sign = time.monotonic() - _age(path)

    @property
    def silence(self) -> float:
        """Seconds since something was written, also before anybody was here to read it."""
        return time.monotonic() - self._last_sign

    @property
    def at_end(self) -> bool:
        """All that was written was handed out, as far as the last reading saw."""
        return self._caught_up and not self._lines

    def restart_silence(self) -> None:
        """Somebody goes on with it now: it is not silent since its last end."""
        self._last_sign = time.monotonic()

    def read(self, limit: int) -> list[Event]:
        """At most `limit` new events, oldest first; () when nothing is new."""
        while len(self._lines) < limit and self._fill():
            pass
        now, self._lines = self._lines[:limit], self._lines[limit:]
        events = (parse_line(line.decode("utf-8", "replace")) for line in now)
        return [event for event in events if event is not None]

    def _fill(self) -> bool:
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                chunk = file.read(_CHUNK)
        except OSError:  # not yet made, or for a moment locked by a virus scanner: the next tick asks again
            self._caught_up = True
            return False
        if chunk:  # what lay there before anybody read is as old as the file
            age = 0.0 if self._caught_up else _age(self._path)
            self._last_sign = max(self._last_sign, time.monotonic() - age)
        self._caught_up = not chunk
        self._offset += len(chunk)
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(whole)
        return bool(chunk)


def logged_words(path: Path, step: str) -> str:
    """Return the last lines that a step wrote into the log; '' for none."""
    events = (one for one in EventTail(path, newest_attempt(path)).read(_ALL) if one.kind is EventKind.LOG)
    return "\n".join([str(one.data.get("text", "")) for one in events if one.data.get("step") == step][-_LAST_LINES:])


def newest_attempt(path: Path) -> int:
    """Return the offset at which the newest attempt begins; 0 where none is told."""
    start = offset = 0
    try:
        with path.open("rb") as file:
            for line in file:
                event = parse_line(line.decode("utf-8", "replace"))
                if event is not None and event.kind in _BEGINNINGS:
                    start = offset
                offset += len(line)
    except OSError:
        return start
    return start


def _age(path: Path) -> float:
    """Seconds since it was written; 0 for a file that is not there, or whose disk has another clock."""
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except OSError:
        return 0.0
