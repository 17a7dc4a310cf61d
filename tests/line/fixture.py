"""`world`: a small package world on loopback with a home of its own; `conda_world` has a channel too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.line.world import World, build_wheels
from tests.servers.index_server import IndexServer


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "line-wheels"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            build_wheels(folder)
    return folder


@pytest.fixture
def world(wheels: Path, tmp_path: Path) -> Iterator[World]:
    (tmp_path / "user").mkdir()
    with IndexServer(wheels / "packages") as packages, IndexServer(wheels / "torch") as torch:
        yield World(tmp_path, packages, torch)


@pytest.fixture
def conda_world(world: World, conda_channel: str) -> World:
    return World(world.home, world.packages, world.torch, conda_channel)
