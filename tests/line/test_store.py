"""The package store by the command line: two environments, an edit in place, a repair, deleting, pruning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.line.world import SITE, World

MODULE = f"{SITE}/torchvision/__init__.py"


def made(world: World, name: str, *more: str) -> Path:
    done = world.run("setup", "--yes", "--name", name, *more, *world.sources)
    assert done.returncode == 0, done.stderr
    return world.home / "state" / "envs" / name


def store(world: World, *arguments: str, status: int = 0) -> Any:
    done = world.run("store", *arguments, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def fetched_by_run(world: World) -> list[bool]:
    """Oldest first."""
    journals = sorted((world.home / "state" / "runs").glob("*/journal.jsonl"), key=lambda path: path.stat().st_mtime)
    lines = [json.loads(line) for path in journals for line in path.read_text().splitlines()]
    return [bool(line["data"]["fetched"]) for line in lines if "fetched" in line.get("data", {})]


def test_what_two_environments_share_and_an_edit_in_place(world: World) -> None:
    one = made(world, "one")
    told = world.run("setup", "--dry-run", "--name", "other", *world.sources)
    wheels = [line for line in told.stderr.splitlines() if ".whl " in line and line.startswith("    ")]
    assert wheels, told.stderr
    assert all(line.endswith("here already") for line in wheels), wheels
    other = made(world, "other")
    assert fetched_by_run(world) == [True, False], "nothing came anew"
    assert (one / MODULE).samefile(other / MODULE)
    assert {path.stat().st_nlink for path in (other / SITE).rglob("*.bin")} == {3}
    assert {each["used"] for each in store(world, "show")["packages"]} == {True}
    assert store(world, "prune", "--yes")["pruned"] == []

    text = (one / MODULE).read_text()
    (one / MODULE).write_text(text + "raise ImportError('edited in place')\n")
    answer = world.run("doctor", "--prefix", str(other))
    assert answer.returncode == 1, answer.stdout
    assert "torchvision" in answer.stdout
    found = store(world, "verify", status=1)
    assert [(each["wheel"].split("-")[0], each["files"]) for each in found["damaged"]] == [
        ("torchvision", ["torchvision/__init__.py"])
    ]
    assert set(found["others"]) == {str(one / MODULE), str(other / MODULE)}
    mended = world.run("doctor", "--prefix", str(other), "--repair", "--yes", *world.sources[:4])
    assert mended.returncode == 0, mended.stderr
    assert (other / MODULE).read_text() == text
    assert (one / MODULE).read_text() != text, "the person's own edit stays"
    assert store(world, "verify")["damaged"] == []


def test_what_no_environment_uses_is_pruned_and_the_copy_needs_no_original(world: World) -> None:
    one = made(world, "one", "--keep-wheels")
    assert list((world.home / "state" / "downloads").rglob("torch-*.whl"))
    cloned = world.run("envs", "clone", "one", "--name", "copy")
    assert cloned.returncode == 0, cloned.stderr
    copy = world.home / "state" / "envs" / "copy"
    assert (one / MODULE).samefile(copy / MODULE)
    shown = json.loads(world.run("envs", "show", "one", "--json").stdout)["environment"]
    shared = sum(path.stat().st_size for path in (one / SITE).rglob("*.bin"))
    kept = shown["size"]["bytes"] - shown["size"]["freed"]  # less: what is freed is counted by blocks
    assert kept > shared * 3 // 4, "deleting it frees what only it has"
    for name in ("one", "copy"):
        assert world.run("envs", "delete", name, "--yes", name).returncode == 0
        pruned = store(world, "prune", "--yes")
        assert bool(pruned["pruned"]) == (name == "copy")
    assert store(world, "show")["packages"] == []


def test_an_environment_with_files_of_its_own(world: World) -> None:
    one = made(world, "one", "--copies")
    assert (one / MODULE).stat().st_nlink == 1
    moved = world.run("store", "move", str(world.home / "elsewhere"))
    assert moved.returncode == 0, moved.stderr
    assert store(world, "show")["path"] == str(world.home / "elsewhere")
    other = made(world, "other")
    assert (other / MODULE).stat().st_nlink == 2
