"""A connection that says nothing is given up at once, also where a socket that is shut down wakes nobody (Windows).

The system's silence is stood in: shutting down does nothing. Servers, sockets and TLS are real.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import pytest

from tests.install.files import some_bytes
from tests.servers.fault_server import Faults, FaultServer
from wizard.system import sockets
from wizard.transfer.download.model import Fault
from wizard.transfer.download.transport import Transport
from wizard.transfer.tls import context_for

LONG = 300.0  # seconds that a server may be silent: far more than this test has
ENOUGH = 60.0


@pytest.fixture(autouse=True)
def as_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "shutdown", lambda sock, how: None)
    monkeypatch.setattr(sockets, "is_readable", sockets.by_select)


def in_thread(name: str, work: Any) -> threading.Thread:
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("where", ["before the head", "in the body", "in chunks"])
def test_a_silent_server_is_cut_off(far: FaultServer, far_environment: dict[str, str], where: str) -> None:
    data, gate = some_bytes(1 << 20), threading.Event()
    faults = {
        "before the head": Faults(gate=gate),
        "in the body": Faults(stall_after=1000),
        "in chunks": Faults(stall_after=1000, says_length=False, knows_ranges=False),
    }[where]
    url = far.add("/file", data, faults)
    transport = Transport(LONG, far_environment, context=context_for(far_environment))
    raised: list[BaseException] = []

    def read() -> None:
        block = memoryview(bytearray(1 << 20))
        try:
            reply = transport.get(url, 0, None)
            while reply.body.readinto(block):
                waits.set()
        except (Fault, OSError) as error:
            raised.append(error)
        finally:
            transport.close()

    waits = threading.Event()
    reader = in_thread("reader", read)
    while not far.requests("/file") or (where != "before the head" and not waits.is_set()):
        assert reader.is_alive()
        time.sleep(0.02)
    in_thread("cut", transport.cut).join()
    reader.join(ENOUGH)
    gate.set()
    assert not reader.is_alive()
    assert raised
