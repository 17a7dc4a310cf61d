"""The worker is killed with SIGKILL in every step of a real small install; resume must always heal it.

Counted on the server: no byte of a file that was verified (it lies in the store) is ever sent again.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.abilities import patience
from tests.line.world import TORCH, World
from tests.thorough import times
from wizard.model.events import Event, EventKind, parse_line

KILLS = times(20, 10)


def verified_files(world: World) -> set[str]:
    state = world.home / "state"
    unpacked = {path.name for path in state.glob("store/[0-9a-f]*/*.whl")}
    return unpacked | {path.name for path in (state / "downloads").rglob("*.whl")}


def data_requests(world: World, since: tuple[int, int]) -> list[str]:
    """File names whose bytes were asked for (not their size, not their metadata)."""
    asked = []
    for server, start in ((world.packages, since[0]), (world.torch, since[1])):
        for seen in server.requests[start:]:
            if seen.path.endswith(".whl") and seen.range != "bytes=0-0":
                asked.append(unquote(seen.path).rsplit("/", 1)[-1])
    return asked


def marks(world: World) -> tuple[int, int]:
    return len(world.packages.requests), len(world.torch.requests)


def planned(world: World) -> str:
    """A plan that has not started: what `setup` does before it starts the worker."""
    done = world.run("setup", "--plan-only", "--name", "demo", *world.sources)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["plan"]


@pytest.mark.slow
def test_every_resume_after_a_kill_ends_well(conda_world: World) -> None:
    world = conda_world
    plan = planned(world)
    lasting = _seconds_of_steps(world, plan)
    rng = random.Random(20261121)
    phases: Counter[str] = Counter()
    for step, part in [(step, rng.random()) for step in sorted(lasting) for _ in range(KILLS // len(lasting))]:
        _begin_anew(world, plan)
        _kill_in(world, plan, step, part * lasting[step])
        phases[_phase(plan)] += 1
        before, since = verified_files(world), marks(world)
        healed = world.run("run", plan)
        assert healed.returncode == 0, (step, part, healed.stderr, healed.stdout)
        again = before & set(data_requests(world, since))
        assert not again, (step, part, again)
        _check_environment(world)
        world.wait_for_nothing()
    assert len(phases) >= 3, f"the kills fell into too few phases to prove anything: {phases}"


@pytest.mark.slow
def test_twelve_kills_of_one_run(world: World) -> None:
    """The same run is killed again and again, also while it heals."""
    plan = planned(world)
    rng = random.Random(7)
    longest = patience(1.4)  # where a start takes its time, a kill has to come later to meet something
    for _ in range(12):
        _kill_after(world, plan, rng.uniform(0.1, longest))
    assert world.run("run", plan).returncode == 0
    _check_environment(world)


def _seconds_of_steps(world: World, plan: str) -> dict[str, float]:
    done = world.run("run", plan)
    assert done.returncode == 0, done.stderr
    began: dict[str, float] = {}
    lasting: dict[str, float] = {}
    for event in _events(plan):
        if event.kind is EventKind.STEP_STARTED:
            began[event.data["step"]] = event.time
        elif event.kind is EventKind.STEP_FINISHED:
            lasting[event.data["step"]] = event.time - began[event.data["step"]]
    return lasting


def _kill_in(world: World, plan: str, step: str, seconds: float) -> None:
    """That long after the step has begun: how long a program takes to start is no matter."""
    program = world.start("run", plan)
    while not any(event.kind is EventKind.STEP_STARTED and event.data["step"] == step for event in _events(plan)):
        assert program.poll() is None, program.communicate()
        time.sleep(0.005)
    time.sleep(seconds)
    program.kill()
    program.communicate()
    world.wait_for_nothing()


def _kill_after(world: World, plan: str, seconds: float) -> None:
    started = time.monotonic()
    program = world.start("run", plan)
    time.sleep(max(0.0, seconds - (time.monotonic() - started)))
    program.kill()
    program.communicate()
    world.wait_for_nothing()


def _events(plan: str) -> list[Event]:
    path = Path(plan).with_name("events.jsonl")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    return [event for line in lines if (event := parse_line(line))]


def _phase(plan: str) -> str:
    """The steps that were going on when the worker died."""
    going: list[str] = []
    for event in _events(plan):
        if event.kind is EventKind.STEP_STARTED:
            going.append(event.data["step"])
        elif event.kind is EventKind.STEP_FINISHED and event.data["step"] in going:
            going.remove(event.data["step"])
    return "+".join(sorted(going)) or "between"


def _begin_anew(world: World, plan: str) -> None:
    """As if this plan had never been carried out; only the engine's package cache stays, to keep this short."""
    for name in ("envs", "downloads", "store"):
        shutil.rmtree(world.home / "state" / name, ignore_errors=True)
    for name in ("journal.jsonl", "events.jsonl", "log.txt", "report.json"):
        Path(plan).with_name(name).unlink(missing_ok=True)


def _check_environment(world: World) -> None:
    prefix = world.home / "state" / "envs" / "demo"
    code = "import torch, torchvision, numpy, padding_a, padding_d; print(torch.__version__, numpy.__version__)"
    assert world.import_check(prefix, code) == f"{TORCH}+cpu 2.3.0"
    assert [path.name for path in prefix.glob(".torch-setup*")] == [".torch-setup.json"]  # the record of the good state
    assert not list(Path(prefix.parent).glob(".torch-setup*"))
    listed = world.import_check(prefix, "import importlib.metadata as m; print(len(list(m.distributions())))")
    names = world.import_check(
        prefix, "import importlib.metadata as m; print(len({d.metadata['Name'] for d in m.distributions()}))"
    )
    assert listed == names, "a package is there twice"
