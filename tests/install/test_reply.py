"""The body of an answer, read from a real socket that is silent once everything was sent."""

from __future__ import annotations

import contextlib
import http.client
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable

import pytest

from wizard.transfer.download.meter import ThreadMeter
from wizard.transfer.download.reply import SocketBody

BLOCK = 1 << 20
TAIL = 4321  # less than what a buffered reader reads ahead
DATA = bytes(range(256)) * 4096 + b"t" * TAIL


def said(pieces: list[bytes], read: Callable[[SocketBody], bytes]) -> bytes:
    """What `read` gets when the pieces come one after the other and the connection stays open."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(5)

        def send() -> None:
            for piece in pieces:
                theirs.sendall(piece)
                time.sleep(0.1)

        sender = threading.Thread(target=send)
        sender.start()
        response = http.client.HTTPResponse(ours)
        response.begin()
        found = read(SocketBody(response, ours, 5, ThreadMeter()))
        sender.join()
        return found


def in_blocks(body: SocketBody) -> bytes:
    """As a connection reads: a block is filled to its end, however little is missing."""
    found = bytearray()
    while True:
        buffer, filled = memoryview(bytearray(BLOCK)), 0
        while filled < BLOCK:
            count = body.readinto(buffer[filled:])
            if not count:
                return bytes(found + buffer[:filled])
            filled += count
        found += buffer


def little_by_little(body: SocketBody) -> bytes:
    found = bytearray()
    part = memoryview(bytearray(1000))
    while count := body.readinto(part):
        found += part[:count]
    return bytes(found)


def length(data: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data)


@pytest.mark.parametrize("missing", [1, 3000, 8191, 8192, 8193])
@pytest.mark.parametrize("with_head", [0, 10, 5000])
def test_the_end_is_not_waited_for_when_it_has_come(missing: int, with_head: int) -> None:
    """The last bytes come together with the few that a block was missing; after them the server is silent."""
    cut = BLOCK - missing
    pieces = [length(DATA) + DATA[:with_head], DATA[with_head:cut], DATA[cut:]]
    assert said(pieces, in_blocks) == DATA


def test_small_reads_of_what_came_with_the_headers() -> None:
    data = DATA[-20_000:]
    assert said([length(data) + data], little_by_little) == data


@pytest.mark.parametrize("read", [in_blocks, little_by_little])
def test_chunks(read: Callable[[SocketBody], bytes]) -> None:
    data = DATA[-20_000:]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (data[:9000], data[9000:])) + b"0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert said([head, chunks], read) == data


def test_silence_before_the_end_is_a_time_out() -> None:
    def read(body: SocketBody) -> bytes:
        body._stall = 0.2
        with pytest.raises(TimeoutError):
            in_blocks(body)
        return b""

    said([length(DATA), DATA[:-1]], read)


def begun(ours: socket.socket, theirs: socket.socket) -> tuple[_Small, SocketBody, memoryview]:
    """The first ten bytes came with the headers and are read."""
    theirs.sendall(length(DATA) + DATA[:10])
    response = http.client.HTTPResponse(ours)
    response.begin()
    small = _Small(ours)
    body = SocketBody(response, small, 5, ThreadMeter())  # type: ignore[arg-type]
    block = memoryview(bytearray(BLOCK))
    assert body.readinto(block) == 10
    return small, body, block


def test_one_read_takes_all_that_is_there() -> None:
    """Over TLS a system's read gives 16 kB at most; what a call costs must not come for each of them."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(5)
        small, body, block = begun(ours, theirs)
        theirs.sendall(DATA[10:50_010])
        assert body.readinto(block) == 50_000
        assert small.reads > 50_000 // _Small.most
        assert ours.gettimeout() == 5  # who reads the next headers waits again
        theirs.close()
        assert body.readinto(block) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows itself drops what came before a reset")
def test_what_came_before_a_reset_counts() -> None:
    """Both lie in the socket when it is read; without the bytes a line that resets early would never get on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
        with ours:
            _, body, block = begun(ours, theirs)
            theirs.sendall(DATA[10:50_010])
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            theirs.close()
            assert body.readinto(block) == 50_000
            assert block[:50_000] == DATA[10:50_010]
            with contextlib.suppress(ConnectionResetError):  # told once only, by some systems
                assert body.readinto(block) == 0


class _Small:
    """A socket that gives little at a time, as TLS does."""

    most = 1000

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.reads = 0

    def recv_into(self, block: memoryview) -> int:
        self.reads += 1
        return self._sock.recv_into(block[: self.most])

    def __getattr__(self, name: str) -> object:
        return getattr(self._sock, name)
