"""The bandwidth limit: one for all connections together, in bytes per second, without bursts.

A connection reserves the next bytes before it reads them and waits for their turn; TCP then slows the server
down. Waiting here is no stall.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_SLICE_SECONDS = 0.05  # of the whole rate in one read: small enough to be smooth
_LEAST = 1024


class Limit:
    """`rate` None: no limit."""

    def __init__(self, rate: int | None) -> None:
        if rate is not None and rate <= 0:
            raise ValueError("a rate is more than nothing")
        self.rate = rate
        self._lock = threading.Lock()
        self._free_at = 0.0

    def reserve(self, wanted: int, now: Callable[[], float] = time.monotonic) -> tuple[int, float]:
        """(bytes that may be read, seconds to wait before)."""
        if self.rate is None:
            return wanted, 0.0
        count = min(wanted, max(_LEAST, int(self.rate * _SLICE_SECONDS)))
        with self._lock:
            at = now()
            begins = max(at, self._free_at)
            self._free_at = begins + count / self.rate
        return count, begins - at

    def give_back(self, count: int) -> None:
        """Reserved, but fewer came."""
        if self.rate is not None and count > 0:
            with self._lock:
                self._free_at -= count / self.rate
