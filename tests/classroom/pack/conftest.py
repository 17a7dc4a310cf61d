"""`origin`: the official source on loopback; `course`: a class whose files lie there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.classroom.pack.classes import Class, make_class, publish
from tests.servers.fault_server import FaultServer


@pytest.fixture
def origin() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def course(origin: FaultServer) -> Class:
    made = make_class(origin.root)
    publish(origin, made)
    return made
