"""A package index that a project's own lines name: asked once somebody trusts its host, for what the main one lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.line.test_project import folder, installed, setup, write
from tests.line.wheel import build_wheel
from tests.line.world import World
from tests.servers.index_server import IndexServer

__all__ = ["folder"]
TRUSTED = ("--trust", "127.0.0.1")


@pytest.fixture
def theirs(tmp_path: Path) -> Iterator[IndexServer]:
    build_wheel(tmp_path / "theirs", "theirs", "3.0", {"theirs.py": b""})
    build_wheel(tmp_path / "theirs", "numpy", "9.0", {"numpy.py": b""})
    with IndexServer(tmp_path / "theirs") as server:
        yield server


def test_it_is_asked_beside_an_index_that_was_typed(world: World, folder: Path, theirs: IndexServer) -> None:
    write(folder, "requirements.txt", f"--extra-index-url {theirs.simple}", "torch", "numpy", "theirs")
    done = world.run(*setup(world, folder, "--yes", *TRUSTED))
    assert done.returncode == 0, done.stderr
    found = installed(world)
    assert (found["theirs"], found["numpy"]) == ("3.0", "2.3.0")


def test_its_page_of_files_is_asked_beside_an_index_that_was_typed(
    world: World, folder: Path, theirs: IndexServer
) -> None:
    write(folder, "requirements.txt", f"--find-links {theirs.flat}", "torch", "numpy", "theirs")
    done = world.run(*setup(world, folder, "--dry-run", *TRUSTED))
    assert done.returncode == 0, done.stderr
    assert "theirs 3.0" in done.stderr
    assert "numpy 9.0" not in done.stderr


def test_the_login_of_its_line_opens_what_it_links_to(world: World, folder: Path, theirs: IndexServer) -> None:
    theirs.password, theirs.relative = "me:s3cret", False
    address = theirs.simple.replace("//", "//me:s3cret@")
    write(folder, "requirements.txt", f"--extra-index-url {address}", "torch", "theirs")
    done = world.run(*setup(world, folder, "--yes", *TRUSTED))
    assert done.returncode == 0, done.stderr
    assert installed(world)["theirs"] == "3.0"
    assert "s3cret" not in done.stdout + done.stderr


@pytest.mark.parametrize("login", ["", "me:old@"])
def test_one_that_wants_another_login_is_not_called_empty(
    world: World, folder: Path, theirs: IndexServer, login: str
) -> None:
    theirs.password = "me:s3cret"
    address = theirs.simple.replace("//", f"//{login}")
    write(folder, "requirements.txt", f"--extra-index-url {address}", "torch", "theirs", "nobodys")
    done = world.run(*setup(world, folder, "--dry-run", *TRUSTED))
    assert done.returncode == 0, done.stderr
    host = theirs.url.partition("//")[2]
    for name in ("theirs", "nobodys"):
        line = next(line for line in done.stderr.splitlines() if f"{name}: asked *" in line)
        assert f"{host} wants a login for it; write yours into the address of that index" in line
    assert "no index here has a package" not in done.stderr
