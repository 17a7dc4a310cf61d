"""Limits of the server: connections, and requests at the same time; the rest is told to come again.

Who may come in at all: how many connections one address, and all together, may hold open.

`limits.RateLimit` counts replies; a connection that never asks for anything is none, and yet a few hundred of them
would use up what a program may open, so that the room could not reach its server. Everything happens in the server's
one loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import random
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from weakref import WeakSet

from wizard.system.processes import may_open

# How much one client, and all together, may ask of a server at the same time; the rest is told when to come again.
#
# A refusal costs almost nothing, and the moments to come again differ, so that a full room does not come back as one.
# Who reads slowly holds its reply for long: where all are taken, who has fewer than another gets one of the other's.
# Shares are counted by network first, since one computer has all the addresses of an IPv6 network (/64), then by
# address, since a room may be one such network; between equals the slow ones give way.
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


_SLOW = 64 * 1024  # bytes per second; below it a reply gives way to one of who has none
_SLOW_AFTER = 5.0  # seconds


def network_of(address: str) -> str:
    """All addresses that one computer may have: an IPv4 one itself, of an IPv6 one its /64."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    return str(parsed.ipv4_mapped or ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))


class OpenReply:
    """One that is being sent. `cut` is called where another needs its place."""

    def __init__(self, client: str, cut: Callable[[], None], now: float) -> None:
        self.client, self.network, self.cut = client, network_of(client), cut
        self._began, self._sent = now, 0

    def sent(self, count: int) -> None:
        self._sent += count

    def rate(self, now: float) -> float:
        """In bytes per second."""
        return self._sent / max(1.0, now - self._began)

    def is_slow(self, now: float) -> bool:
        return now - self._began >= _SLOW_AFTER and self.rate(now) < _SLOW


class RateLimit:
    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._inside: list[OpenReply] = []
        self._results: dict[str, deque[float]] = {}

    @property
    def inside(self) -> int:
        return len(self._inside)

    def enter(self, client: str, cut: Callable[[], None]) -> OpenReply | None:
        """None: it is to come again."""
        now = self._clock()
        new = OpenReply(client, cut, now)
        if sum(one.client == client for one in self._inside) >= self._limits.each:
            return None
        if self.inside >= self._limits.together:
            other = self._to_give_way(new, now)
            if other is None:
                return None
            self.leave(other)
            other.cut()
        self._inside.append(new)
        return new

    def leave(self, reply: OpenReply) -> None:
        """A second time it does nothing."""
        with contextlib.suppress(ValueError):
            self._inside.remove(reply)

    def _to_give_way(self, new: OpenReply, now: float) -> OpenReply | None:
        heavy = heaviest(((one.network, one.client) for one in self._inside), new.network, new.client)
        if heavy:
            return min((one for one in self._inside if one.client == heavy), key=lambda one: one.rate(now))
        slow = [one for one in self._inside if one.is_slow(now) and one.client != new.client]
        return min(slow, key=lambda one: one.rate(now), default=None)

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


def heaviest(holders: Iterable[tuple[str, str]], network: str, client: str) -> str:
    """Return the address that is to give one of its places to that client; "": nobody has two more than it.

    `holders`: (network, address) of each place."""
    places = list(holders)
    networks = Counter(name for name, _ in places)
    most = max(networks, key=networks.__getitem__, default=network)
    if networks[most] <= networks[network] + 1:
        most = network
    clients = Counter(address for name, address in places if name == most)
    found = max(clients, key=clients.__getitem__, default="")
    return found if most != network or clients[found] > clients[client] + 1 else ""


_TOGETHER = 4096
_EACH = 256  # thirty computers behind one address have four each, and some to spare
_OWN_FILES = 128  # that this program has open besides
_TURNS = 8  # of the loop; from accepted to admitted it takes four, from aborted to closed one


def hang_up(transport: asyncio.Transport) -> None:
    """End a connection on which something may be on its way. Not by `abort`: asyncio's sendfile goes on watching the
    number of a socket that is closed under it, and the next connection, which gets that number, is never heard."""
    sock = transport.get_extra_info("socket")
    if sock is None:
        transport.abort()
        return
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


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
        """Counts it too. Who has gone is noticed when somebody comes. Where all is taken, who has fewer than another
        gets the oldest of the other's."""
        self._all.add(transport)
        inside = [one for one in self._inside.get(address, ()) if not one.is_closing()]
        self._inside[address] = inside
        if len(inside) >= self.each:
            return False
        if not self._has_room():
            holders = ((network_of(name), name) for name, held in self._inside.items() for _ in held)
            heavy = heaviest(holders, network_of(address), address)
            if not heavy:
                return False
            hang_up(self._inside[heavy].pop(0))
        self._inside.setdefault(address, []).append(transport)
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
        """Hand the connection on to the server, or cut it where there are too many of its address."""
        assert isinstance(transport, asyncio.Transport)
        peer = transport.get_extra_info("peername")
        if not self._crowd.admits(str(peer[0]) if peer else "", transport):
            transport.abort()
            return
        inner = self._inner()
        transport.set_protocol(inner)
        inner.connection_made(transport)
