"""`there`: an environment that is there already, with an older torch, and a world on loopback with the newer one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from tests.line.world import World
from tests.reuse.world import make_venv, new_wheels, old_wheels
from tests.servers.index_server import IndexServer


@dataclass(frozen=True)
class There:
    world: World
    old: Path  # the wheels that it was made from
    prefix: Path


@pytest.fixture(scope="session")
def both_wheels(wheels: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "reuse-wheels"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            shutil.copytree(wheels, folder / "new")
            next((folder / "new" / "packages").glob("padding_a-*")).unlink()
            new_wheels(folder / "new" / "packages")
            old_wheels(folder / "old")
    return folder


@pytest.fixture
def reuse_world(both_wheels: Path, tmp_path: Path) -> Iterator[World]:
    (tmp_path / "user").mkdir()
    new = shutil.copytree(both_wheels / "new", tmp_path / "sources", copy_function=os.link)
    with IndexServer(new / "packages") as packages, IndexServer(new / "torch") as torch:
        yield World(tmp_path, packages, torch)


@pytest.fixture
def there(reuse_world: World, both_wheels: Path) -> There:
    """A venv, under a path with a space and Chinese letters."""
    old = both_wheels / "old"
    return There(reuse_world, old, make_venv(reuse_world.home / "我的 env", old))
