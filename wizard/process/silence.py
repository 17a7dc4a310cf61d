"""Does a child that says nothing still do anything? One that was denied memory may wait for itself for ever."""

from __future__ import annotations

import time

import psutil

from wizard.process.memory import says_no_memory

_LOOK = 0.5  # seconds between two looks at its processor time
_AFTER_DENIAL = 5.0  # seconds for one that said that it got no memory: what follows is its end


class Silence:
    """`longest` seconds without a line and without processor time; None: no limit."""

    def __init__(self, pid: int, longest: float | None) -> None:
        self._pid, self._longest = pid, longest
        self._since = self._looked = time.monotonic()
        self._spent = 0.0

    def heard(self, line: str) -> None:
        self._since = time.monotonic()
        if self._longest is not None and says_no_memory(line):
            self._longest = min(self._longest, _AFTER_DENIAL)

    def is_over(self) -> bool:
        if self._longest is None:
            return False
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            self._looked, spent = now, self._processor_seconds()
            if spent != self._spent:
                self._spent, self._since = spent, now
        return now - self._since > self._longest

    def _processor_seconds(self) -> float:
        try:
            times = psutil.Process(self._pid).cpu_times()
        except psutil.Error:
            return self._spent
        return float(times.user + times.system)
