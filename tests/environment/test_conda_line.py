"""The whole line with `--conda`: setup, the worker, the report; and the worker killed while conda works."""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

import pytest

from tests.line.world import PYTHON, TORCH, World
from tests.stand_in.conda import StandInConda, recorded
from tests.thorough import times
from wizard.environment.remove.unfinished import MARKER

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python"),
]
KILLS = times(7, 3)


@pytest.fixture
def conda(conda_world: World) -> StandInConda:
    return StandInConda(conda_world.home / "user" / "miniforge3").install()


def prefix_of(world: World) -> Path:
    return world.home / "state" / "envs" / "demo"


def test_setup_with_ones_own_conda(conda_world: World, conda: StandInConda) -> None:
    done = conda_world.run("setup", "--yes", "--name", "demo", "--conda", str(conda.root), *conda_world.sources)
    assert done.returncode == 0, done.stderr + done.stdout
    assert f"Your own conda 26.7.1 ({conda.executable}), as you chose" in done.stderr + done.stdout
    assert "conda puts" in done.stderr + done.stdout
    report = json.loads(next((conda_world.home / "state" / "runs").glob("*/report.json")).read_text(encoding="utf-8"))
    assert report["plan"]["engine"] == "conda"
    assert conda_world.import_check(prefix_of(conda_world), "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert len(conda.calls("create")) == 1
    assert not conda.has_accepted_terms
    assert not (prefix_of(conda_world) / MARKER).exists()
    listed = conda_world.home / "user" / ".conda" / "environments.txt"
    assert listed.read_text(encoding="utf-8") == f"{prefix_of(conda_world)}\n"


def test_the_first_conda_that_is_found_serves_and_a_dry_run_makes_nothing(
    conda_world: World, conda: StandInConda
) -> None:
    done = conda_world.run("setup", "--dry-run", "--name", "demo", "--engine", "conda", *conda_world.sources)
    assert done.returncode == 0, done.stderr
    assert "found in its usual folder" in done.stderr + done.stdout
    assert f"{conda.executable} create -p" in done.stderr + done.stdout
    assert conda.calls("create") == []
    assert not prefix_of(conda_world).exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [("err_tos", "never accepts terms for you"), ("err_404", "There is no conda channel"), ("err_gpu", "__cuda")],
)
def test_what_conda_refuses_is_heard_of_before_anything_is_begun(
    conda_world: World, conda: StandInConda, name: str, words: str
) -> None:
    conda.install(say={"plan": {"stdout": recorded(f"{name}.json"), "code": 1}})
    done = conda_world.run("setup", "--yes", "--name", "demo", "--conda", str(conda.root), *conda_world.sources)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert conda_world.runs() == []
    assert not prefix_of(conda_world).exists()
    assert not conda.has_accepted_terms


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--conda", "/nowhere"), "no conda, mamba or micromamba"),
        (("--conda", "/usr", "--engine", "rattler"), "Leave out one"),
        (("--engine", "conda", "--prefix", "/tmp/my torch env"), "may not hold a space"),
    ],
)
def test_wishes_that_cannot_be(conda_world: World, options: tuple[str, ...], words: str) -> None:
    done = conda_world.run("setup", "--yes", *options, *conda_world.sources)
    assert done.returncode == 2
    assert words in done.stderr


def test_killed_at_any_moment_of_the_creation_and_healed(conda_world: World, conda: StandInConda) -> None:
    """The next start takes back what conda had begun, and makes it whole."""
    conda.install(fetch_pause=0.02, link_pause=4)
    planned = conda_world.run(
        "setup", "--plan-only", "--name", "demo", "--conda", str(conda.root), "--python", PYTHON, *conda_world.sources
    )
    assert planned.returncode == 0, planned.stderr
    plan = json.loads(planned.stdout)["plan"]
    rng, interrupted = random.Random(5), 0
    for number in range(KILLS):
        role = ("info", "plan", "create")[number % 3]
        program, before = conda_world.start("run", plan), len(conda.calls(role))
        while len(conda.calls(role)) == before:
            assert program.poll() is None
            time.sleep(0.02)
        time.sleep(rng.uniform(0.0, 3.0 if role == "create" else 0.3))
        program.kill()
        program.communicate()
        conda_world.wait_for_nothing()
        interrupted += (prefix_of(conda_world) / MARKER).exists()
    assert interrupted == KILLS
    conda.install()
    healed = conda_world.run("run", plan)
    assert healed.returncode == 0, healed.stderr + healed.stdout
    assert conda_world.import_check(prefix_of(conda_world), "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert not (prefix_of(conda_world) / MARKER).exists()
    assert not list(prefix_of(conda_world).parent.glob(".torch-setup*"))
