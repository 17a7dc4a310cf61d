"""How much one client, and all together, may ask of a server at the same time; the rest is told when to come again.

A refusal costs almost nothing, and the moments to come again differ, so that a full room does not come back as one.
Not thread-safe: everything happens in the server's one loop.
"""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Replies at once: over all, and for one address. Results: bytes of one, and how many of one address an hour."""

    together: int = 256
    each: int = 8
    result_bytes: int = 512 * 1024
    results_each: int = 30
    results_kept: int = 5000
    retry_from: float = 2.0
    retry_to: float = 6.0


class Gate:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._inside: Counter[str] = Counter()
        self._results: dict[str, deque[float]] = {}
        self.refused = 0

    @property
    def inside(self) -> int:
        return self._inside.total()

    def enter(self, client: str) -> bool:
        if self.inside >= self._limits.together or self._inside[client] >= self._limits.each:
            self.refused += 1
            return False
        self._inside[client] += 1
        return True

    def leave(self, client: str) -> None:
        self._inside[client] -= 1
        if not self._inside[client]:
            del self._inside[client]

    def may_hand_in(self, client: str) -> bool:
        """Counts it too. The oldest clients are forgotten when there are very many."""
        now = time.monotonic()
        times = self._results.setdefault(client, deque())
        while times and now - times[0] > 3600:
            times.popleft()
        if len(self._results) > self._limits.results_kept:
            del self._results[next(iter(self._results))]
        if len(times) >= self._limits.results_each:
            return False
        times.append(now)
        return True

    def retry_after(self) -> str:
        return str(round(random.uniform(self._limits.retry_from, self._limits.retry_to)))
