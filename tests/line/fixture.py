"""`world`: a small package world on loopback with a home of its own; `conda_world` has a channel too."""

from __future__ import annotations

import os
import shutil
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
    """Its sources are its own, by hard links: what a test adds to them, no other test finds there."""
    (tmp_path / "user").mkdir()
    shelf = shutil.copytree(wheels, tmp_path / "sources", copy_function=os.link)
    with IndexServer(shelf / "packages") as packages, IndexServer(shelf / "torch") as torch:
        yield World(tmp_path, packages, torch)


@pytest.fixture
def conda_world(world: World, conda_channel: str) -> World:
    return World(world.home, world.packages, world.torch, conda_channel)


def live_in(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process lives in the world's home from now on, and its children with it."""
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_")):
            monkeypatch.delenv(name)
    for name in ("HOME", "TORCH_WIZARD_HOME", "TORCH_WIZARD_LANG", "PIP_CONFIG_FILE"):
        monkeypatch.setenv(name, world.environment[name])


@pytest.fixture
def home_world(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """This process lives in the world's home, and its workers with it; none of them outlives the test."""
    live_in(world, monkeypatch)
    yield world
    world.kill_all(but=os.getpid())
