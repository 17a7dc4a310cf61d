"""The whole job with mirrors: they race, one is taken, it turns away, and the files come from the next."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.line.wheel import build_wheel
from tests.line.world import PYTHON, TORCH, World
from tests.run.mirrors import write_mirrors
from tests.servers.mirror_server import MirrorServer, Ways

SLOW = 1_500_000.0  # bytes a second
OPTIONS = ("--engine", "venv", "--python", PYTHON)


@dataclass
class Mirrors:
    world: World
    official: MirrorServer
    first: MirrorServer
    second: MirrorServer

    def write(self) -> None:
        named = {"official": self.official, "first": self.first, "second": self.second}
        rows = {(kind, name): server.simple for kind in ("pypi", "pytorch-wheels") for name, server in named.items()}
        write_mirrors(self.world.home / "state", rows)


@pytest.fixture
def mirrors(world: World, wheels: Path, tmp_path: Path) -> Iterator[Mirrors]:
    folder = tmp_path / "mirrored"
    folder.mkdir()
    for path in wheels.rglob("*.whl"):
        shutil.copy2(path, folder)
    build_wheel(folder, "sympy", "1.14.0", {"sympy/__init__.py": b"", "sympy/data.bin": bytes(range(256)) * 4000})
    with ExitStack() as stack:
        official = stack.enter_context(MirrorServer(folder, Ways(bytes_per_second=SLOW / 3)))
        first = stack.enter_context(MirrorServer(folder))
        second = stack.enter_context(MirrorServer(folder, Ways(bytes_per_second=SLOW)))
        made = Mirrors(world, official, first, second)
        made.write()
        yield made


def plan(mirrors: Mirrors, *more: str) -> tuple[Path, str]:
    done = mirrors.world.run("setup", "--plan-only", "--name", "demo", *OPTIONS, *more)
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["plan"]), done.stderr


def addresses(path: Path) -> dict[str, list[str]]:
    files = json.loads((path.parent / "files.json").read_text(encoding="utf-8"))
    return {file["name"]: file["urls"] for file in files}


def test_the_winner_turns_away_after_the_race(mirrors: Mirrors) -> None:
    """403 from then on: every file comes from the next one, and the environment is good."""
    path, _ = plan(mirrors, "--mirror", "race")
    for urls in addresses(path).values():
        assert [url.split("/files/")[0] for url in urls][:2] == [mirrors.first.url, mirrors.second.url]
    mirrors.first.ways = Ways(refuses="all")
    for server in (mirrors.first, mirrors.second):
        server.forget()
    done = mirrors.world.run("run", str(path))
    assert done.returncode == 0, done.stderr
    assert mirrors.first.paths("/files/"), "the winner was asked first"
    assert mirrors.second.files_sent() > 5_000_000
    prefix = mirrors.world.home / "state" / "envs" / "demo"
    assert mirrors.world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"


def test_the_notices_say_who_won(mirrors: Mirrors) -> None:
    done = mirrors.world.run("setup", "--dry-run", "--name", "demo", *OPTIONS, "--region", "cn")
    assert done.returncode == 0, done.stderr
    assert "PyTorch comes from first" in done.stderr
    assert "Packages come from first" in done.stderr


def test_outside_china_no_mirror_hears_of_it(mirrors: Mirrors) -> None:
    path, said = plan(mirrors)
    assert {len(urls) for urls in addresses(path).values()} == {1}
    assert all(urls[0].startswith(mirrors.official.url) for urls in addresses(path).values())
    assert mirrors.first.asked == mirrors.second.asked == []
    assert "comes from" not in said


def test_a_mirror_that_lacks_a_package_is_passed_over(mirrors: Mirrors) -> None:
    """It has what was looked at, and not what torch needs besides."""
    lacks = tuple(path.name for path in mirrors.first.wheels() if path.name.startswith("padding_a"))
    assert lacks
    mirrors.first.ways = Ways(lacks=lacks)
    done = mirrors.world.run("setup", "--dry-run", "--name", "demo", *OPTIONS, "--mirror", "race")
    assert done.returncode == 0, done.stderr
    assert "first did not have all packages, so they come from second" in done.stderr


def test_the_official_packages_are_silent_and_mirrors_help(mirrors: Mirrors) -> None:
    """torch's place answers, so nobody raced; the resolver then finds the package index gone."""
    mirrors.official.ways = Ways()
    rows = {("pypi", "first"): mirrors.first.simple, ("pytorch-wheels", "official"): mirrors.official.simple}
    write_mirrors(mirrors.world.home / "state", rows)
    done = mirrors.world.run("setup", "--dry-run", "--name", "demo", *OPTIONS, "--region", "world")
    assert done.returncode == 0, done.stderr
    assert "does not answer, so the public mirrors were asked instead" in done.stderr


def test_mirrors_test_as_a_document(mirrors: Mirrors) -> None:
    asked = ("mirrors", "test", "--torch", TORCH, "--variant", "cpu", "--python", PYTHON)
    done = mirrors.world.run(*asked, "--kind", "torch", "--kind", "packages", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    torch = document["kinds"][0]
    assert (torch["kind"], torch["wanted"], torch["complete"]) == ("torch", f"torch {TORCH}+cpu", 3)
    best = torch["sources"][0]
    assert (best["id"], best["verdict"], best["final_host"]) == ("first", "complete", "127.0.0.1")
    assert best["bytes_per_second"] > 0
    assert best["message"]["text"] == "has this build"
    for server in (mirrors.official, mirrors.first, mirrors.second):
        server.ways = Ways(portal="all")
    kept = mirrors.world.run(*asked, "--kind", "torch")
    assert kept.returncode == 0, "asked an hour ago: still known"
    fresh = mirrors.world.run(*asked, "--kind", "torch", "--fresh")
    assert fresh.returncode == 1
    assert "sign-in page" in fresh.stdout
    assert "No source is complete for PyTorch." in fresh.stderr
