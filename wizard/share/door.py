"""Who may come in at all: how many connections one address, and all together, may hold open.

`limits.Gate` counts replies; a connection that never asks for anything is none, and yet a few hundred of them would use
up what a program may open, so that the room could not reach its server. Everything happens in the server's one loop.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from weakref import WeakSet

from wizard.system.processes import may_open

_TOGETHER = 4096
_EACH = 256  # thirty computers behind one address have four each, and some to spare
_OWN_FILES = 128  # that this program has open besides
_TURNS = 8  # of the loop; from accepted to admitted it takes four, from aborted to closed one


class Crowd:
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


class AtTheDoor(asyncio.Protocol):
    """Of one connection, until it is let in to who answers it."""

    def __init__(self, crowd: Crowd, inner: Callable[[], asyncio.BaseProtocol]) -> None:
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
