"""`envs update`: the newest that fits, with torch held; what stays keeps what it asks for; the way back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.line.wheel import build_wheel
from tests.line.world import TORCH, World
from tests.reuse.conftest import There
from tests.reuse.test_add import TORCH_NOW, add, of_torch
from tests.reuse.test_reuse import run_well
from tests.reuse.world import OLD, into, picture, versions
from tests.servers.index_server import IndexServer


def update(there: There, *more: str) -> tuple[str, ...]:
    return ("envs", "update", str(there.prefix), *more, *into(there.world, there.prefix)[3:])


@pytest.fixture
def aged(there: There, both_wheels: Path, tmp_path: Path) -> Iterator[There]:
    """The new torch, beside it packages of which newer versions have come since, one of them for another torch."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for wheel in (both_wheels / "new" / "packages").glob("*.whl"):
        shutil.copy(wheel, shelf)
    for name in ("loner", "strict"):
        shutil.copy(next(there.old.glob(f"{name}-*")), shelf)
    build_wheel(shelf, "small", "1.0", {"small.py": b"answer = 1\n"}, ["torch>=2", "tiny"])
    build_wheel(shelf, "tiny", "2.0", {"tiny.py": b""})
    with IndexServer(shelf) as packages:
        world = World(there.world.home, packages, there.world.torch)
        run_well(world, *into(world, there.prefix, "--yes"))
        found = There(world, there.old, there.prefix)
        run_well(world, *add(found, "small", "--yes"))
        build_wheel(shelf, "small", "1.5", {"small.py": b"answer = 2\n"}, ["torch>=2", "tiny"])
        build_wheel(shelf, "small", "2.0", {"small.py": b"answer = 3\n"}, ["torch==2.99", "tiny"])
        build_wheel(shelf, "tiny", "3.0", {"tiny.py": b"new = 1\n"})
        build_wheel(shelf, "loner", "4.0", {"loner/__init__.py": b"answer = 43\n"})
        build_wheel(shelf, "loner", "5.0rc1", {"loner/__init__.py": b"answer = 44\n"})
        yield found


def test_the_newest_that_fits_then_nothing_then_the_way_back(aged: There) -> None:
    before, torch = picture(aged.prefix), of_torch(aged.prefix)
    said = run_well(aged.world, *update(aged, "--dry-run"))
    assert "small 1.0 → 1.5" in said, "2.0 wants another torch"
    assert "loner 3.1 → 4.0" in said, "a version before a release is none that was asked for"
    assert "tiny" not in said, "what others need moves only where it must"
    assert "torch 2" not in said.replace(f"torch {TORCH}", "")
    assert picture(aged.prefix) == before
    assert aged.world.run(*update(aged)).returncode == 2, "nobody can be asked"
    run_well(aged.world, *update(aged, "--yes"))
    now = versions(aged.prefix)
    assert (now["small"], now["loner"], now["tiny"], now["torch"]) == ("1.5", "4.0", "2.0", TORCH_NOW)
    assert of_torch(aged.prefix) == torch
    runs = aged.world.runs()
    assert "Nothing to update" in run_well(aged.world, *update(aged, "--yes"))
    events = aged.world.run(*update(aged, "--yes", "--events")).stdout
    (told,) = map(json.loads, events.splitlines())
    assert (told["event"], told["prefix"]) == ("unchanged", str(aged.prefix))
    assert aged.world.runs() == runs
    newest = json.loads(aged.world.run("envs", "history", str(aged.prefix), "--json").stdout)["states"][0]
    assert newest["how"] == "update"
    run_well(aged.world, "envs", "restore", str(aged.prefix), newest["state"], "--yes")
    assert picture(aged.prefix) == before


def test_only_what_is_named_and_what_stays_keeps_what_it_asks_for(aged: There) -> None:
    said = run_well(aged.world, *update(aged, "tiny", "--dry-run"))
    assert "tiny 2.0 → 3.0" in said
    assert "small" not in said
    run_well(aged.world, *update(aged, "tiny>=2,<3", "--yes"))
    assert versions(aged.prefix)["tiny"] == "2.0"
    shelf = aged.world.home / "shelf"
    build_wheel(shelf, "keeper", "1.0", {"keeper.py": b""}, ["tiny<3"])
    run_well(aged.world, *add(aged, "keeper", "--yes"))
    assert "Nothing to update" in run_well(aged.world, *update(aged, "tiny", "--yes"))
    assert "asks for" not in run_well(aged.world, *update(aged, "tiny", "small", "--dry-run"))


def test_what_was_taken_back_bounds_no_update(aged: There) -> None:
    run_well(aged.world, *add(aged, "tiny>=3", "--yes"))
    newest = json.loads(aged.world.run("envs", "history", str(aged.prefix), "--json").stdout)["states"][0]
    run_well(aged.world, "envs", "restore", str(aged.prefix), newest["state"], "--yes")
    said = run_well(aged.world, *update(aged, "--dry-run"))
    assert "small 1.0 → 1.5" in said
    assert "tiny" not in said, "nobody asks for it any more"


def test_refused(aged: There) -> None:
    before, runs = picture(aged.prefix), aged.world.runs()
    for asked, status, words in (
        (("no-such",), 2, "envs add"),
        (("torch",), 2, "--torch"),
        (("small>=2",), 1, "torch==2.99"),
    ):
        done = aged.world.run(*update(aged, *asked, "--yes"))
        assert (done.returncode, words in done.stderr) == (status, True), done.stderr
    site = next(aged.prefix.glob("lib/python3*/site-packages"))
    direct = site / "loner-3.1.dist-info" / "direct_url.json"
    direct.write_text('{"url": "file:///x", "dir_info": {"editable": true}}')
    done = aged.world.run(*update(aged, "loner", "--yes"))
    assert (done.returncode, "did not come from an index" in done.stderr) == (2, True), done.stderr
    assert "loner" not in run_well(aged.world, *update(aged, "--dry-run"))
    direct.unlink()
    assert picture(aged.prefix) == before
    assert aged.world.runs() == runs


def test_torch_moves_when_it_is_asked(there: There) -> None:
    said = run_well(there.world, *update(there, "numpy", "--dry-run", "--torch"))
    assert f"torch {OLD} → {TORCH}+cpu" in said
    assert "numpy 1.26.4 → 2.3.0" in said
    done = there.world.run(*update(there, "numpy", "--dry-run"))
    assert f"→ {TORCH}" not in done.stderr, "without it, torch stays"


def test_what_no_source_has_stays_and_does_not_stand_in_the_way(aged: There) -> None:
    for wheel in (aged.world.home / "shelf").glob("loner-*"):
        wheel.unlink()
    said = run_well(aged.world, *update(aged, "--dry-run"))
    assert "No source here has these; they stay as they are: loner" in said
    assert "small 1.0 → 1.5" in said


def test_a_project_s_numpy_stays_within_its_line(reuse_world: World, both_wheels: Path, tmp_path: Path) -> None:
    """A setup asks for a plain numpy of its own, too; that one bounds nothing."""
    shelf = shutil.copytree(both_wheels / "new" / "packages", tmp_path / "shelf")
    project = tmp_path / "project"
    project.mkdir()
    (project / "requirements.txt").write_text(f"torch=={TORCH}\nnumpy<2.5\n", encoding="utf-8")
    with IndexServer(shelf) as packages:
        world = World(reuse_world.home, packages, reuse_world.torch)
        run_well(world, "setup", "--project", str(project), "--name", "demo", *world.sources, "--yes")
        prefix = world.home / "state" / "envs" / "demo"
        for version in ("2.4.9", "2.5.0"):
            build_wheel(shelf, "numpy", version, {"numpy/__init__.py": b""})
        said = run_well(world, "envs", "update", str(prefix), *into(world, prefix)[3:], "--dry-run")
    assert "numpy 2.3.0 → 2.4.9" in said
