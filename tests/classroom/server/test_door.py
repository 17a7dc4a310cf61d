"""Who is at the server's door when it shuts, and who is let in when it is full."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.classroom.pack.classes import make_class
from tests.classroom.server.conftest import build_one, serve
from tests.servers.fault_server import FaultServer
from tests.waiting import wait_until
from wizard.classroom.server.limits import ConnectionLimit, Limits, PendingConnection, RateLimit, network_of


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


# -- a full house ----------------------------------------------------------------------------------------------


class _Replies:
    """A server's, by address; the clock is turned by hand."""

    def __init__(self, together: int, each: int) -> None:
        self.now = 0.0
        self.limit = RateLimit(Limits(together, each), lambda: self.now)
        self.cut: list[str] = []

    def enter(self, *addresses: str) -> list[bool]:
        return [self.limit.enter(one, lambda one=one: self.cut.append(one)) is not None for one in addresses]


def _addresses(form: str, count: int) -> list[str]:
    return [form.format(number) for number in range(1, count + 1)]


@pytest.mark.parametrize(
    "readers",
    [
        _addresses("127.0.0.{}", 32) * 8,
        ["2001:db8:1:2::7"] * 256,
        _addresses("2001:db8:1:2::{:x}", 256),  # one computer with as many addresses as it likes
        _addresses("2001:db8:1:2::{:x}", 32) * 8,
    ],
    ids=["32 addresses", "one of IPv6", "256 of one network", "32 of one network"],
)
def test_a_newcomer_gets_one_of_who_has_more(readers: Sequence[str]) -> None:
    here = _Replies(256, 256)
    assert all(here.enter(*readers))
    assert here.enter("10.0.0.7", "2001:db8:9:9::1", "10.0.0.8") == [True] * 3
    assert len(here.cut) == 3
    assert set(here.cut) <= set(readers)
    assert here.limit.inside == 256


def test_in_a_room_that_is_one_network_each_computer_has_its_share() -> None:
    here = _Replies(256, 8)
    assert all(here.enter(*_addresses("fd00::{:x}", 32) * 8))
    assert here.enter("fd00::99", "fd00::99") == [True, True]
    assert not any(here.enter(*here.cut)), "who gave one away has hardly fewer than others"


def test_between_equals_the_slow_one_gives_way() -> None:
    here = _Replies(3, 8)
    assert all(here.enter("10.0.0.1", "10.0.0.2"))
    quick = here.limit.enter("10.0.0.3", lambda: here.cut.append("10.0.0.3"))
    assert quick
    assert here.enter("10.0.0.4") == [False]
    here.now += 10.0
    quick.sent(50_000_000)
    assert here.enter("10.0.0.4", "10.0.0.5", "10.0.0.6") == [True, True, False]
    assert here.cut == ["10.0.0.1", "10.0.0.2"]


def test_an_address_of_ipv6_counts_by_its_network() -> None:
    assert network_of("2001:db8:1:2:3:4:5:6") == network_of("2001:db8:1:2::1") == "2001:db8:1:2::/64"
    assert network_of("::ffff:10.0.0.7") == network_of("10.0.0.7") == "10.0.0.7"
    assert network_of("fe80::1%eth0") == "fe80::/64"
    assert network_of("") == ""


def test_connections_are_shared_as_replies_are() -> None:
    async def check() -> None:
        crowd, one = ConnectionLimit(8), _Open()
        crowd.together = crowd.each = 8
        theirs = [_Open() for _ in range(8)]
        for number, transport in enumerate(theirs):
            assert crowd.admits(f"2001:db8::{number + 1:x}", transport)
        assert crowd.admits("10.0.0.7", one)
        assert [transport.is_closing() for transport in theirs].count(True) == 1
        assert not crowd.admits("2001:db8::99", _Open())
        assert not one.is_closing()

    asyncio.run(check())


class _Open(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self._is_closing = False

    def abort(self) -> None:
        self._is_closing = True

    def is_closing(self) -> bool:
        return self._is_closing


def test_who_reads_slowly_keeps_nobody_from_the_files(tmp_path: Path) -> None:
    """As many replies as there are, held by who does not read: before, the next one was sent away for an hour."""
    with FaultServer() as origin:
        big = make_class(origin.root, builds=(("linux", "cu126"),), kilobytes=20_000)
        build_one(origin, big, tmp_path / "big")
    torch = big.file.profile.locks[0].files[0]
    path = f"/wheels/{torch.filename.replace('+', '%2B')}"
    with serve(tmp_path / "big", Limits(together=8, each=4)) as server, contextlib.ExitStack() as stack:
        for number in range(8):
            slow = socket.create_connection(("127.0.0.1", server.port), 10, (f"127.0.0.{2 + number % 2}", 0))
            stack.enter_context(slow)
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert slow.recv(15) == b"HTTP/1.1 200 OK"
        connection = http.client.HTTPConnection("127.0.0.1", server.port, 60, ("127.0.0.4", 0))
        with contextlib.closing(connection):
            connection.request("GET", path)
            response = connection.getresponse()
            assert response.status == 200
            assert response.read() == big.data[torch.sha256]
        wait_until(lambda: server.counted.replies == 1)
        assert server.counted.refused == 0
