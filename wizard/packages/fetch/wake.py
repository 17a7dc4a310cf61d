"""Notices that the computer slept: then every connection is dead without knowing it, and waiting is no use.

The wall clock runs on in sleep and the monotonic one stands still (Linux), or both run on and nobody looked at
them for long (Windows; elsewhere that is only a busy computer). A clock that was merely set looks alike; new
connections cost little.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from wizard.system.traits import this

Clocks = Callable[[], tuple[float, float]]  # wall, monotonic

_GAP_SECONDS = 10.0


def clocks() -> tuple[float, float]:
    return time.time(), time.monotonic()


class SleepWatch:
    """`counts_sleep`: the monotonic clock runs on in sleep."""

    def __init__(self, clocks: Clocks = clocks, gap: float = _GAP_SECONDS, counts_sleep: bool | None = None) -> None:
        self._clocks = clocks
        self._counts_sleep = this().clock_counts_sleep if counts_sleep is None else counts_sleep
        self._gap = gap
        self._wall, self._monotonic = clocks()

    def has_slept(self) -> bool:
        """Since it was last asked; it wants to be asked several times a second."""
        wall, monotonic = self._clocks()
        passed, counted = wall - self._wall, monotonic - self._monotonic
        self._wall, self._monotonic = wall, monotonic
        return passed - counted > self._gap or (self._counts_sleep and counted > self._gap)
