"""Reads the worker's event file as it grows: whole lines only, never more than asked for at once.

The file may not be there yet, may end in half a line (a killed worker) and goes on after a resume.
"""

from __future__ import annotations

from pathlib import Path

from wizard.events import Event, parse_line

_CHUNK = 1 << 18


class EventTail:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._lines: list[bytes] = []
        self._rest = b""
        self.consumed = 0  # bytes of the lines that were handed out

    def read(self, limit: int) -> list[Event]:
        """At most `limit` new events, oldest first; () when nothing is new."""
        while len(self._lines) < limit and self._fill():
            pass
        now, self._lines = self._lines[:limit], self._lines[limit:]
        self.consumed += sum(len(line) + 1 for line in now)
        events = (parse_line(line.decode("utf-8", "replace")) for line in now)
        return [event for event in events if event is not None]

    def _fill(self) -> bool:
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                chunk = file.read(_CHUNK)
        except OSError:  # not yet made, or for a moment locked by a virus scanner: the next tick asks again
            return False
        self._offset += len(chunk)
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(whole)
        return bool(chunk)
