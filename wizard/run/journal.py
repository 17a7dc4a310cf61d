"""The journal: what this run has done for certain. A thing is done only when its line is on the disk.

Read back after a kill, it says where to go on. One JSON object a line; a line cut short by the kill is
not a line.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wizard.model.errors import WizardError
from wizard.model.typed import from_own_json
from wizard.run.run_folder import append_to


@dataclass(frozen=True, slots=True)
class History:
    """The state that the lines add up to."""

    begun: frozenset[str] = frozenset()
    done: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # step -> what it left behind
    installed: frozenset[str] = frozenset()  # wheel file names
    final: int | None = None  # exit status of the last finished attempt
    attempts: int = 0
    after_crash: bool = (
        False  # an attempt was killed, or the computer stopped, and no check has compared contents since
    )


@dataclass(frozen=True, slots=True)
class _JournalLine:
    """One line."""

    what: str
    name: str = ""
    wheels: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    status: int = 1


def parse_history(lines: list[str]) -> History:
    """Return what the earlier attempts of a run have begun and done; damaged lines are passed over."""
    begun: set[str] = set()
    done: dict[str, Mapping[str, Any]] = {}
    installed: set[str] = set()
    final: int | None = None
    attempts, after_crash, is_compared = 0, False, False
    for line in lines:
        try:
            entry = from_own_json(line, _JournalLine)
        except (ValueError, RecursionError):
            continue
        if entry.what == "attempt":
            after_crash = (after_crash and not is_compared) or (attempts > 0 and final is None)
            attempts, final, is_compared = attempts + 1, None, False
        elif entry.what == "begin":
            begun.add(entry.name)
            done.pop(entry.name, None)
            if entry.name == "create":  # a new environment holds nothing yet
                installed.clear()
        elif entry.what == "done":
            done[entry.name] = entry.data
            is_compared = is_compared or entry.name == "check"
        elif entry.what == "installed":
            installed.update(entry.wheels)
        elif entry.what == "final":
            final = entry.status
    return History(frozenset(begun), done, frozenset(installed), final, attempts, after_crash)


def read_history(path: Path) -> History:
    if not path.is_file():
        return History()
    return parse_history(path.read_text(encoding="utf-8", errors="replace").split("\n"))


class RunJournal:
    """Appends and flushes to the disk before it returns (but for `installed`). Safe from several threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard = threading.Lock()
        self._file = append_to(path)
        # The line that a kill cut short must not swallow the next one.
        try:
            if self._file.tell():
                self._file.write(b"\n")
        except OSError as error:
            raise WizardError("state-not-writable", details=str(error), path=str(path.parent)) from error

    def _write(self, entry: Mapping[str, Any], is_synced: bool = True) -> None:
        line = json.dumps({**entry, "time": time.time()}, ensure_ascii=False) + "\n"
        try:
            with self._guard:
                self._file.write(line.encode())
                self._file.flush()
                if is_synced:
                    os.fsync(self._file.fileno())
        except OSError as error:
            raise WizardError("state-not-writable", details=str(error), path=str(self._path.parent)) from error

    def attempt(self, pid: int) -> None:
        self._write({"what": "attempt", "pid": pid})

    def begin(self, step: str) -> None:
        self._write({"what": "begin", "name": step})

    def done(self, step: str, data: Mapping[str, Any] | None = None) -> None:
        self._write({"what": "done", "name": step, "data": dict(data or {})})

    def installed(self, wheels: tuple[str, ...]) -> None:
        """Not waited for: the disk itself is asked on resume, and a sync in the middle of an install costs seconds."""
        self._write({"what": "installed", "wheels": list(wheels)}, is_synced=False)

    def final(self, status: int) -> None:
        self._write({"what": "final", "status": status})

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
