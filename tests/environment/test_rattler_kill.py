"""The worker is killed with SIGKILL at 30 random moments of making an environment: nothing is left that looks like one.

After each kill the next start offers to go on or to remove: both are done, in turn, and what is left is looked at.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.line.test_kill import planned
from tests.line.world import TORCH, World
from tests.thorough import times
from tests.waiting import wait_until
from wizard.environment.naming import is_environment
from wizard.environment.remove.unfinished import MARKER, holds_something, is_ours_unfinished, mark_begun

pytestmark = pytest.mark.slow

KILLS = times(30, 6)
SEED = int(os.environ.get("TORCH_SETUP_SEED", "20261121"))


class Trial:
    """One plan, begun anew for each kill."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.plan = Path(planned(world))
        self.run_id = self.plan.parent.name
        self.prefix = world.home / "state" / "envs" / "demo"
        self.kept = world.home / "kept"
        shutil.copytree(self.plan.parent, self.kept)

    def begin_anew(self, with_cache: bool) -> None:
        state = self.world.home / "state"
        for folder in (state / "envs", state / "runs", state / "trash", *([] if with_cache else [state / "cache"])):
            shutil.rmtree(folder, ignore_errors=True)
        (self.world.home / "user" / ".conda" / "environments.txt").unlink(missing_ok=True)
        shutil.copytree(self.kept, self.plan.parent)

    def seconds(self, with_cache: bool) -> float:
        """From the first sign of the environment to the end of its making."""
        self.begin_anew(with_cache)
        program = self.world.start("run", str(self.plan))
        self._wait_for_beginning()
        began = time.monotonic()
        while '"create"' not in self._done_lines() and program.poll() is None:
            time.sleep(0.01)
        took = time.monotonic() - began
        program.communicate()
        assert program.returncode == 0
        return took

    def kill_after(self, seconds: float) -> None:
        program = self.world.start("run", str(self.plan))
        self._wait_for_beginning()
        time.sleep(seconds)
        os.kill(program.pid, signal.SIGKILL)
        program.communicate()
        self.world.wait_for_nothing()

    def _wait_for_beginning(self) -> None:
        """The journal says so a moment before the folder is made."""
        wait_until(lambda: '"begin"' in self._journal(), pause=0.002)

    def _journal(self) -> str:
        path = self.plan.with_name("journal.jsonl")
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def is_over(self) -> bool:
        """The run was quicker than the kill, as far as the environment goes: it is the user's already."""
        return '"check"' in self._done_lines()

    def _done_lines(self) -> str:
        return "\n".join(line for line in self._journal().splitlines() if '"done"' in line)

    def phase(self) -> str:
        if not self.prefix.exists():
            return "no folder"
        if '"create"' in self._done_lines():
            return "made"
        inside = {path.name for path in self.prefix.iterdir()}
        if (self.prefix / "bin" / "activate").exists():
            return "finishing"
        return "linking" if "lib" in inside else "fetching" if "conda-meta" in inside else "marked"

    def listed(self) -> str:
        path = self.world.home / "user" / ".conda" / "environments.txt"
        return path.read_text(encoding="utf-8") if path.exists() else ""


def test_thirty_kills_while_the_environment_is_made(conda_world: World) -> None:
    trial = Trial(conda_world)
    rng = random.Random(SEED)
    longest = {with_cache: trial.seconds(with_cache) for with_cache in (False, True)}
    phases: Counter[str] = Counter()
    for number in range(KILLS):
        with_cache = number % 2 == 0
        moment = rng.uniform(0.0, 1.0) * longest[with_cache]
        trial.begin_anew(with_cache)
        trial.kill_after(moment)
        phase, told = trial.phase(), f"seed {SEED}, kill {number} after {moment:.3f} s, cache {with_cache}"
        phases[phase] += 1
        if trial.is_over():
            continue
        _check_nothing_pretends(trial, told)
        if number % 5 == 0:
            _go_on(trial, f"{told}, {phase}")
        else:
            _remove(trial, f"{told}, {phase}")
    assert len(phases) >= times(3, 2), f"seed {SEED}: the kills fell into too few phases to prove anything: {phases}"


def _check_nothing_pretends(trial: Trial, told: str) -> None:
    prefix = trial.prefix
    if prefix.exists() and holds_something(prefix):
        assert is_ours_unfinished(prefix, trial.run_id), (told, sorted(prefix.iterdir()))
    assert not is_environment(prefix) or (prefix / MARKER).exists(), told
    said = trial.world.run("runs")
    assert "unfinished" in said.stdout, (told, said.stdout, said.stderr)


def _go_on(trial: Trial, told: str) -> None:
    done = trial.world.run("resume", trial.run_id)
    assert done.returncode == 0, (told, done.stderr)
    code = "import torch, pip; print(torch.__version__)"
    assert trial.world.import_check(trial.prefix, code) == f"{TORCH}+cpu", told
    assert not (trial.prefix / MARKER).exists(), told
    assert trial.listed() == f"{trial.prefix}\n", told


def _remove(trial: Trial, told: str) -> None:
    done = trial.world.run("runs", "--remove", trial.run_id)
    assert done.returncode == 0, (told, done.stderr)
    left = list(trial.prefix.iterdir()) if trial.prefix.exists() else []
    assert left == [], told
    assert not trial.plan.exists(), told
    assert trial.listed() == "", told


def test_a_mark_that_was_cut_off_is_written_again(tmp_path: Path) -> None:
    """Killed between the first and the last byte of it: the folder is still ours to begin in."""
    prefix = tmp_path / "env"
    prefix.mkdir()
    (prefix / f"{MARKER}.new").write_text('{"schema"')
    mark_begun(prefix, "run-1")
    assert [path.name for path in prefix.iterdir()] == [MARKER]
    assert is_ours_unfinished(prefix, "run-1")
