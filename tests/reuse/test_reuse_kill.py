"""SIGKILL at 20 random moments of a setup into an environment; then either way: on to the new state or back to the old.

The old state is compared byte for byte. Between the two ways a third: killed again on the way, then back.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.line.test_kill import _phase
from tests.line.world import TORCH, World
from tests.reuse.conftest import There
from tests.reuse.world import OLD, copy_of, into, picture, versions
from tests.thorough import times

KILLS = times(20, 6)
SEED = 20261121


@pytest.mark.slow
def test_old_state_or_new_state_never_between(there: There) -> None:
    world, prefix = there.world, there.prefix
    before = picture(prefix)
    model = copy_of(prefix, world.home / "model")
    done = world.run(*into(world, prefix, "--plan-only"))
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)["plan"]
    assert world.run("run", plan).returncode == 0
    lines = len(_events(plan))
    new = versions(prefix)
    assert new["torch"] == f"{TORCH}+cpu"
    rng = random.Random(SEED)
    phases: Counter[str] = Counter()
    for number in range(KILLS):
        _begin_anew(world, plan, model, prefix)
        line = int(lines * (number + rng.random()) / KILLS)
        _kill_at(world, plan, line, rng.uniform(0.0, 0.1))
        phase = _phase(plan)
        phases[phase] += 1
        where = f"seed {SEED}, kill {number} after line {line} of {lines} in {phase}"
        print(where)  # noqa: T201
        if number % 3 == 0:
            assert world.run("run", plan).returncode == 0, where
            assert versions(prefix) == new, where
            back = world.run("envs", "restore", str(prefix), "--yes")
            assert back.returncode == 0, (where, back.stderr)
        elif number % 3 == 1:
            _give_up(world, plan, where)
        else:
            _kill_at(world, plan, rng.randrange(lines), rng.uniform(0.0, 0.1))
            _kill_after(world, rng.uniform(0.3, 1.0), "envs", "restore", str(prefix), "--yes")
            again = world.run("envs", "restore", str(prefix), "--yes")
            assert again.returncode in (0, 2), (where, again.stderr)  # 2: nothing had been moved, or all was back
            _give_up(world, plan, where)
        assert picture(prefix) == before, where
        assert versions(prefix)["torch"] == OLD, where
        world.wait_for_nothing()
    assert len(phases) >= times(3, 2), f"the kills fell into too few phases to prove anything: {phases}"


def _give_up(world: World, plan: str, where: str) -> None:
    """An unfinished run is removed, which brings the old state back; one that was over goes back by `envs restore`."""
    if '"state": "finished"' in world.run("runs", "--json").stdout:
        prefix = json.loads(Path(plan).read_text(encoding="utf-8"))["prefix"]
        assert world.run("envs", "restore", prefix, "--yes").returncode in (0, 2), where
    kept = Path(plan).parent.with_name("kept")
    shutil.copytree(Path(plan).parent, kept)
    done = world.run("runs", "--remove", Path(plan).parent.name)
    assert done.returncode == 0, (where, done.stderr)
    assert not Path(plan).exists()
    kept.rename(Path(plan).parent)


def _begin_anew(world: World, plan: str, model: Path, prefix: Path) -> None:
    """The same plan in the same old environment; the downloads stay, so that the kills fall into what changes it."""
    shutil.rmtree(prefix)
    copy_of(model, prefix)
    for name in ("journal.jsonl", "events.jsonl", "log.txt", "report.json"):
        Path(plan).with_name(name).unlink(missing_ok=True)


def _events(plan: str) -> list[str]:
    path = Path(plan).with_name("events.jsonl")
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []


def _kill_at(world: World, plan: str, line: int, seconds: float) -> None:
    """So long after the run has told that much: where it is then does not depend on how fast this computer is."""
    before = len(_events(plan))
    program = world.start("run", plan)
    while program.poll() is None and len(_events(plan)) - before < line:
        time.sleep(0.002)
    time.sleep(seconds)
    program.kill()
    program.communicate()
    world.wait_for_nothing()


def _kill_after(world: World, seconds: float, *arguments: str) -> None:
    started = time.monotonic()
    program = world.start(*arguments)
    time.sleep(max(0.0, seconds - (time.monotonic() - started)))
    os.kill(program.pid, signal.SIGKILL)
    program.communicate()
    world.wait_for_nothing()
