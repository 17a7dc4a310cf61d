"""Who is at the server's door when it shuts."""

from __future__ import annotations

import asyncio
import socket

from wizard.classroom.server.limits import ConnectionLimit, PendingConnection


class _Generous(asyncio.Protocol):
    """Sends more than any buffer holds, and takes leave at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(bytes(32 << 20))
        transport.close()


async def _shut_on_one_that_does_not_read() -> int:
    crowd = ConnectionLimit(8)
    loop, met = asyncio.get_running_loop(), asyncio.Event()
    sockets: list[socket.socket] = []

    class Met(_Generous):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            sockets.append(transport.get_extra_info("socket"))
            met.set()

    server = await loop.create_server(lambda: PendingConnection(crowd, Met), "127.0.0.1", 0)
    with socket.create_connection(server.sockets[0].getsockname()):
        await asyncio.wait_for(met.wait(), 20)
        await crowd.shut(server)
        assert sockets[0].fileno() >= 0  # still sending, and would for as long as the other does not read
        await crowd.send_away()
        return sockets[0].fileno()


def test_no_connection_outlives_the_server() -> None:
    assert asyncio.run(_shut_on_one_that_does_not_read()) == -1


async def _shut_on_one_that_has_just_come() -> list[int]:
    """Its connection is made here, but the loop has not looked yet."""
    crowd, accepted = ConnectionLimit(8), []

    class Met(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            accepted.append(transport.get_extra_info("socket"))

    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: PendingConnection(crowd, Met), "127.0.0.1", 0)
    with socket.create_connection(server.sockets[0].getsockname()):
        while not asyncio.all_tasks() - {asyncio.current_task()}:  # until the loop takes it in
            await asyncio.sleep(0)
        await crowd.shut(server)
        await crowd.send_away()
    return [one.fileno() for one in accepted]


def test_nor_one_that_comes_at_that_moment() -> None:
    assert asyncio.run(_shut_on_one_that_has_just_come()) == [-1]
