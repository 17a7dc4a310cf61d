"""What limits a fetch, and the limit that a person sets.

What limits a fetch: measured from where its threads spend their time, not guessed.

Every thread of a fetch has a *watch* and says what it does or waits for; the meter compares the shares over the
last seconds. A connection that waits for a free buffer is held up by what comes after it: the disk or the hash.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

# The bandwidth limit: one for all connections together, in bytes per second, without bursts.
#
# A connection reserves the next bytes before it reads them and waits for their turn; TCP then slows the server down.
# Waiting here is no stall.

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


IDLE = "idle"  # nothing to do
ANSWER = "answer"  # connecting, and until the first byte of a reply
BYTES = "bytes"  # for bytes of a reply
BUFFER = "buffer"  # for a free buffer
LIMIT = "limit"  # for its turn under the bandwidth limit
RECEIVE = "receive"  # copying what has come
DISK = "disk"
HASH = "hash"

_WINDOW_SECONDS = 3.0
_IS_BUSY = 0.05  # of one thread's time

Shares = Mapping[str, float]


class ThreadMeter:
    """One thread's. Only that thread calls `to`; anybody may read."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}
        self._now = (IDLE, time.monotonic())  # replaced as one, so that a reader sees a whole one

    def to(self, what: str) -> str:
        """From now on it does that. Returns what it did before, to go back to."""
        before, since = self._now
        now = time.monotonic()
        self._spent[before] = self._spent.get(before, 0.0) + now - since
        self._now = (what, now)
        return before

    def read(self) -> dict[str, float]:
        """Return the seconds that the thread has spent on each thing, the present one up to now."""
        spent, (what, since) = dict(self._spent), self._now
        spent[what] = spent.get(what, 0.0) + time.monotonic() - since
        return spent


class Meter:
    def __init__(self, connections: Sequence[ThreadMeter], settlers: Sequence[ThreadMeter]) -> None:
        self._watches = (connections, settlers)
        self._seen: deque[tuple[float, dict[str, float], dict[str, float]]] = deque()

    def limited_by(self, held_up_by: str) -> str:
        """Return what held up the download in the last seconds, as `judge` names it."""
        now = time.monotonic()
        sums = [_sum(watches) for watches in self._watches]
        self._seen.append((now, sums[0], sums[1]))
        while len(self._seen) > 2 and now - self._seen[0][0] > _WINDOW_SECONDS:
            self._seen.popleft()
        began, *first = self._seen[0]
        return judge(_less(sums[0], first[0]), _less(sums[1], first[1]), now - began, held_up_by)


def judge(connections: Shares, settlers: Shares, seconds: float, held_up_by: str) -> str:
    """From the seconds that all connections and all settlers spent on each thing, in `seconds` of time.

    `held_up_by`: why no connection has anything to do, if they have not.
    """
    active = {what: spent for what, spent in connections.items() if what != IDLE}
    behind = "processor" if settlers.get(HASH, 0.0) > settlers.get(DISK, 0.0) else "disk"
    if sum(active.values()) <= _IS_BUSY * seconds:
        is_settling = settlers.get(HASH, 0.0) + settlers.get(DISK, 0.0) > _IS_BUSY * seconds
        return behind if is_settling else held_up_by
    causes = {ANSWER: "server", BYTES: "network", BUFFER: behind, LIMIT: "limit", RECEIVE: "processor"}
    most = max(active, key=lambda what: active[what])
    return causes.get(most, behind)


def _sum(watches: Sequence[ThreadMeter]) -> dict[str, float]:
    total: dict[str, float] = {}
    for watch in watches:
        for what, spent in watch.read().items():
            total[what] = total.get(what, 0.0) + spent
    return total


def _less(later: Mapping[str, float], earlier: Mapping[str, float]) -> dict[str, float]:
    return {what: spent - earlier.get(what, 0.0) for what, spent in later.items()}
