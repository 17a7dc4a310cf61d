"""Limits of the server: connections, and requests at the same time; the rest is told to come again.

Who may come in at all: how many connections one address, and all together, may hold open.

`limits.RateLimit` counts replies; a connection that never asks for anything is none, and yet a few hundred of them
would use up what a program may open, so that the room could not reach its server. Everything happens in the server's
one loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakSet

from wizard.system.processes import may_open

# How much one client, and all together, may ask of a server at the same time; the rest is told when to come again.
#
# A refusal costs almost nothing, and the moments to come again differ, so that a full room does not come back as one.
# Not thread-safe: everything happens in the server's one loop.


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


class RateLimit:
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


_TOGETHER = 4096
_EACH = 256  # thirty computers behind one address have four each, and some to spare
_OWN_FILES = 128  # that this program has open besides
_TURNS = 8  # of the loop; from accepted to admitted it takes four, from aborted to closed one


class ConnectionLimit:
    """`replies`: how many files may be open at once for those who are served."""

    def __init__(self, replies: int) -> None:
        self.together = min(
            _TOGETHER, max(_OWN_FILES, may_open(_TOGETHER + replies + _OWN_FILES) - replies - _OWN_FILES)
        )
        self.each = min(_EACH, self.together // 4)
        self._inside: dict[str, list[asyncio.Transport]] = {}
        self._all: WeakSet[asyncio.Transport] = WeakSet()

    def admits(self, address: str, transport: asyncio.Transport) -> bool:
        """Counts it too. Who has gone is noticed when somebody comes."""
        self._all.add(transport)
        inside = [one for one in self._inside.get(address, ()) if not one.is_closing()]
        self._inside[address] = inside
        if len(inside) >= self.each or not self._has_room():
            return False
        inside.append(transport)
        return True

    async def shut(self, listening: asyncio.Server) -> None:
        """Nobody else is taken in. Who is on the way from the system's hand to `admits` must arrive first:
        asyncio drops the socket of one whose server has closed meanwhile (python/cpython#109564, open in 2026)."""
        loop = asyncio.get_running_loop()
        for each in listening.sockets:
            with contextlib.suppress(NotImplementedError):  # Windows' loop waits in another way
                loop.remove_reader(each.fileno())
        await _some_turns()
        listening.close()

    async def send_away(self) -> None:
        """The server is over. Also those that it was still sending to, who may never take the rest."""
        for transport in list(self._all):
            transport.abort()
        await _some_turns()  # closed in the loop's next ones, which would not come any more

    def _has_room(self) -> bool:
        if sum(map(len, self._inside.values())) < self.together:
            return True
        left = {name: [one for one in inside if not one.is_closing()] for name, inside in self._inside.items()}
        self._inside = {name: inside for name, inside in left.items() if inside}
        return sum(map(len, self._inside.values())) < self.together


async def _some_turns() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)


class PendingConnection(asyncio.Protocol):
    """Of one connection, until it is let in to who answers it."""

    def __init__(self, crowd: ConnectionLimit, inner: Callable[[], asyncio.BaseProtocol]) -> None:
        self._crowd, self._inner = crowd, inner

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        peer = transport.get_extra_info("peername")
        if not self._crowd.admits(str(peer[0]) if peer else "", transport):
            transport.abort()
            return
        inner = self._inner()
        transport.set_protocol(inner)
        inner.connection_made(transport)
