"""`envs add`: packages beside the torch that is there, which stays byte for byte; refused where it would have to go."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.line.wheel import build_wheel
from tests.line.world import TORCH, World
from tests.reuse.conftest import There
from tests.reuse.test_reuse import run_well
from tests.reuse.world import into, picture, site_of, versions
from tests.servers.index_server import IndexServer
from wizard.compatibility.model import Choices
from wizard.diagnose.repair.update import cannot_live, no_newer
from wizard.model.errors import WizardError
from wizard.model.messages import text

TORCH_NOW = f"{TORCH}+cpu"


@pytest.fixture
def held(there: There, both_wheels: Path, tmp_path: Path) -> Iterator[There]:
    """The new torch is in the environment, and a shelf has what goes with it and what does not."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for wheel in (both_wheels / "new" / "packages").glob("*.whl"):
        shutil.copy(wheel, shelf)
    build_wheel(shelf, "small", "1.0", {"small.py": b"answer = 1\n"}, ["torch>=2", "tiny"])
    build_wheel(shelf, "tiny", "2.0", {"tiny.py": b""})
    build_wheel(shelf, "loner", "4.0", {"loner/__init__.py": b"answer = 43\n"})
    build_wheel(shelf, "follower", "1.0", {"follower.py": b""}, [f"torch=={TORCH}"])
    build_wheel(shelf, "lagging", "1.0", {"lagging.py": b""})
    build_wheel(shelf, "lagging", "2.0", {"lagging.py": b""}, ["torch==1.13.1"])
    build_wheel(shelf, "stubborn", "1.0", {"stubborn.py": b""}, ["torch==1.13.1"])
    shutil.copy(next(there.old.glob("loner-3.1-*")), shelf)
    with IndexServer(shelf) as packages:
        world = World(there.world.home, packages, there.world.torch)
        run_well(world, *into(world, there.prefix, "--yes"))
        yield There(world, there.old, there.prefix)


def add(there: There, *more: str) -> tuple[str, ...]:
    return ("envs", "add", str(there.prefix), *more, *into(there.world, there.prefix)[3:])


def of_torch(prefix: Path) -> dict[str, str]:
    inside = site_of(prefix).relative_to(prefix).as_posix()
    return {name: what for name, what in picture(prefix).items() if name.startswith(f"{inside}/torch")}


def test_the_plan_then_the_packages_then_the_way_back(held: There) -> None:
    before, torch = picture(held.prefix), of_torch(held.prefix)
    said = run_well(held.world, *add(held, "small", "loner>=4", "--dry-run"))
    for line in ("small 1.0 is added", "tiny 2.0 is added", "loner 3.1 → 4.0", "(packages: 3)", "envs restore"):
        assert line in said, line
    assert picture(held.prefix) == before
    assert held.world.run(*add(held, "small")).returncode == 2, "nobody can be asked"
    run_well(held.world, *add(held, "small", "loner>=4", "--yes"))
    now = versions(held.prefix)
    assert (now["small"], now["tiny"], now["loner"], now["torch"]) == ("1.0", "2.0", "4.0", TORCH_NOW)
    assert of_torch(held.prefix) == torch
    events = held.world.run(*add(held, "small", "--yes", "--events")).stdout
    (told,) = map(json.loads, events.splitlines())
    assert (told["event"], told["prefix"]) == ("unchanged", str(held.prefix))
    run_well(held.world, "envs", "restore", str(held.prefix), "--yes")
    assert versions(held.prefix)["loner"] == "3.1"
    assert "small" not in versions(held.prefix)
    assert of_torch(held.prefix) == torch


def test_what_has_no_use_in_the_environment_is_left_out_and_told(held: There) -> None:
    """In a new environment it is, too; here its missing wheel was an error that named no way."""
    build_wheel(held.world.packages.root, "flash_attn", "2.8.3", {"flash_attn.py": b""})
    told = "flash-attn (named by you) needs a CUDA card, and the build for the processor is taken here; it is left out."
    setup = into(held.world, held.prefix, "--with", "flash-attn,small", "--dry-run")
    for line in (add(held, "flash-attn", "small", "--yes"), setup):
        said = run_well(held.world, *line)
        assert told in said, said
        assert (f"Left out: {told}" in said) is (line is not setup), "at the end, too"
    assert {"small", "flash-attn"} & {*versions(held.prefix)} == {"small"}
    alone = run_well(held.world, *add(held, "flash-attn", "--yes"))
    assert alone.index(told) < alone.index("Nothing was changed."), alone
    assert "all of it is in" not in alone


@pytest.mark.slow
def test_what_breaks_by_a_yes_beforehand_is_said_again_at_the_end(held: There) -> None:
    build_wheel(held.world.packages.root, "relies", "1.0", {"relies.py": b""}, ["loner<4"])
    run_well(held.world, *add(held, "relies", "--yes"))
    done = held.world.run(*add(held, "loner>=4", "--yes"))
    assert (done.returncode, done.stderr.count("relies 1.0 asks for loner<4")) == (0, 2), done.stderr


def test_what_was_built_for_numpy_1_is_told_beside_numpy_2(held: There, tmp_path: Path) -> None:
    """Its own metadata has no such end; a release that says so is told by that alone, and a newer one not at all."""
    shelf = tmp_path / "older"
    shelf.mkdir()
    build_wheel(shelf, "numpy", "1.26.4", {"numpy/__init__.py": b""})
    build_wheel(shelf, "pandas", "1.5.3", {"pandas.py": b""}, ["numpy>=1.21"])
    build_wheel(shelf, "scipy", "1.12.0", {"scipy.py": b""}, ["numpy<1.29"])
    build_wheel(shelf, "scikit_learn", "1.5.2", {"sklearn.py": b""}, ["numpy>=1.19"])
    uv = [Path(sys.executable).with_name("uv"), "pip", "install", "-q", "--offline", "--no-index", "--no-cache"]
    uv += ["--find-links", shelf, "--python", held.prefix / "bin" / "python"]
    older = ("pandas", "scipy", "scikit-learn", "numpy==1.26.4")
    subprocess.run([*map(str, uv), *older], check=True, timeout=120)
    said = run_well(held.world, *add(held, "numpy>=2", "--dry-run"))
    assert "pandas 1.5.3 was built for NumPy 1 and would get 2.3.0" in said, said
    assert "scipy 1.12.0 asks for numpy<1.29 and would get 2.3.0" in said, said
    assert (said.count("✗"), "scikit-learn 1.5.2" in said) == (2, False), said


def test_where_no_source_has_the_torch_that_is_there_nothing_else_is_named(held: There, tmp_path: Path) -> None:
    """It named the best build for this computer, which nobody had asked for."""
    (tmp_path / "empty").mkdir()
    with IndexServer(tmp_path / "empty") as torch:
        gone = There(World(held.world.home, held.world.packages, torch), held.old, held.prefix)
        done = gone.world.run(*add(gone, "small", "--dry-run"))
    assert done.returncode != 0
    assert f"No reachable source has torch {TORCH_NOW}, which stays in this environment" in done.stderr
    assert "the best would be" not in done.stderr


def test_what_cannot_live_with_the_torch_that_is_there_is_refused(held: There) -> None:
    before, runs = picture(held.prefix), held.world.runs()
    said = run_well(held.world, *add(held, "follower", "lagging", "--dry-run"))
    assert "follower 1.0 is added" in said
    assert f"lagging 1.0 is not the newest: 2.0 does not go together with torch {TORCH}" in said
    assert "follower 1.0 is not" not in said
    done = held.world.run(*add(held, "stubborn", "--yes"))
    assert done.returncode == 1, done.stderr
    assert f"cannot be added beside torch {TORCH_NOW}" in done.stderr
    assert "stubborn" in done.stderr
    assert "torch==1.13.1" in done.stderr, done.stderr
    assert "setup --into" in done.stderr, "what would lift it"
    asked = held.world.run(*add(held, "torch==1.13.1", "--yes"))
    assert (asked.returncode, "stays as it is" in asked.stderr) == (2, True), asked.stderr
    assert held.world.run(*add(held)).returncode == 2
    assert picture(held.prefix) == before
    assert held.world.runs() == runs


@pytest.mark.parametrize(
    ("said", "code", "chinese"),
    [
        ("pandsa was not found in the package registry and you require pandsa", "add-nowhere", "没有名为 pandsa 的"),
        ("pandsa depends on torch<2 and you require torch==2.14.1", "add-no-solution", "与保持不变的 torch 2.14.1"),
        ("pandsa has no wheels with a matching Python ABI tag", "add-no-solution", "适合这个 Python"),
    ],
)
def test_the_resolvers_english_is_in_the_details_and_not_in_the_sentence(said: str, code: str, chinese: str) -> None:
    error = WizardError("lock-no-solution", details=f"  × No solution found:\n  ╰─▶ Because {said}.")
    told = cannot_live(error, Choices(prefix="/e", extras=("pandsa",)), {"torch": "2.14.1"})
    assert (told.code, told.details.splitlines()[0]) == (code, f"Because {said}.")
    assert chinese in text(told.summary, "zh_CN")
    assert all("Because" not in text(words, "zh_CN") for words in (told.summary, told.hint))
    assert "Because" not in text(no_newer(error, Path("/e")).summary, "zh_CN")


def test_from_a_file(held: There, tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("torch>=2\nsmall==1.0\nloner>=3 ; python_version >= '3.8'\n")
    said = run_well(held.world, *add(held, "-r", str(file), "--dry-run"))
    assert "small 1.0 is added" in said
    assert "loner 3.1 →" not in said
    file.write_text("small==1.0\n-e .\n./lib\ngit+https://git.example/x/other.git\n")
    said = run_well(held.world, *add(held, "-r", str(file), "--dry-run"))
    assert "small 1.0 is added" in said
    for line, words in ((2, "-e ."), (3, "./lib"), (4, "git+https://git.example/x/other.git")):
        assert f"requirements.txt, line {line}: “{words}” is on no package index and is left out." in said
    assert f"{held.prefix}/bin/python -m pip install --no-deps" in said
    file.write_text("-e .\n")
    done = held.world.run(*add(held, "-r", str(file), "--yes"))
    assert (done.returncode, "No package is named." in done.stderr) == (2, True), done.stderr
    file.write_text("small\ntorch==1.13.1\n")
    done = held.world.run(*add(held, "-r", str(file), "--yes"))
    assert (done.returncode, "line 2, asks for torch==1.13.1" in done.stderr) == (2, True), done.stderr
    file.write_text("--index-url https://packages.stranger.example/simple\nsmall\n")
    done = held.world.run(*add(held, "-r", str(file), "--yes"))
    assert (done.returncode, "packages.stranger.example" in done.stderr) == (2, True), done.stderr
