"""SIGKILL at 20 points of a clone, chosen at random among all the steps that touch the disk, also in its threads.

Afterwards the original is what it was, and the copy is not there, known as unfinished, or whole; and a second clone to
the same place ends well.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.killing import steps_of
from tests.reuse.conftest import There
from tests.reuse.world import OLD, picture, versions
from tests.thorough import times
from wizard.environment.inspect.look import look
from wizard.environment.model import EnvironmentState

KILLS = times(20, 8)
SEED = 20261121

CLONE = """
import sys
from pathlib import Path
from tests.killing import Steps
from wizard.environment.inspect.look import look
from wizard.app.use.clone import carry_out_clone, plan_clone
source, target, last = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
plan = plan_clone(look(source), None, target, lambda: False)
steps = Steps(last, ("os.remove", "os.rmdir", "os.rename", "os.mkdir", "os.chmod", "os.symlink", "subprocess.Popen"))
carry_out_clone(plan, lambda done, total: None, lambda: False)
print(steps.count)
"""


def run_until(there: There, target: Path, point: int) -> int:
    """The number of steps of a whole clone, or 0 when it was killed."""
    return steps_of(CLONE, there.prefix, target, point, environment=there.world.environment)


@pytest.mark.slow
def test_twenty_kills(there: There) -> None:
    target = there.world.home / "new" / "copy"
    before = picture(there.prefix)
    run_until(there, target, 0)  # the first one makes folders of our own, too
    shutil.rmtree(target.parent)
    steps = run_until(there, target, 0)
    assert steps > 60
    whole = picture(target)
    shutil.rmtree(target.parent)
    rng = random.Random(SEED)
    points = sorted({*rng.sample(range(1, steps), KILLS - 4), 1, 2, steps - 1, steps})
    seen: Counter[str] = Counter()
    for point in points:
        assert run_until(there, target, point) == 0
        where = f"seed {SEED}, step {point} of {steps}"
        state = _state(target, where)
        seen[state] += 1
        print(where, state)  # noqa: T201
        assert picture(there.prefix) == before, where
        if state == "whole":
            assert versions(target)["torch"] == OLD, where
            shutil.rmtree(target)
        assert run_until(there, target, 0) > 0, where
        assert picture(target) == whole, where
        assert not list(target.glob(".torch-setup-*")), where
        shutil.rmtree(target.parent)
    assert seen["unfinished"] >= KILLS // 2


def _state(target: Path, where: str) -> str:
    if not target.exists() or not any(target.iterdir()):
        return "not there"
    one = look(target)
    if one is None:  # the mark was being written
        assert [path.name for path in target.iterdir()] == [".torch-setup-unfinished.json.new"], where
        return "not there"
    return "unfinished" if one.state is EnvironmentState.UNFINISHED else "whole"


def test_an_unfinished_one_is_listed_and_deleted(there: There) -> None:
    target = there.world.home / "state" / "envs" / "copy"
    assert run_until(there, target, 40) == 0
    assert "unfinished" in there.world.run("envs", "list").stdout
    done = there.world.run("envs", "delete", "copy", "--yes", "copy")
    assert done.returncode == 0, done.stderr
    assert not target.exists()
