"""A loopback release page of Miniforge, and the place that it shall come to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environment.miniforge import Releases, installer, publish
from tests.servers.fault_server import FaultServer


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def releases(server: FaultServer) -> Releases:
    return publish(server, installer())


@pytest.fixture
def root(home: Path) -> Path:
    return home / "new" / "miniforge3"
