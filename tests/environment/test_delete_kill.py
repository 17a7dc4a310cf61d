"""SIGKILL at 30 points of a deletion, chosen at random among all the steps that touch the disk; then the next start.

The steps are counted by the interpreter's own audit events, so each point is hit exactly, also those between the note,
the rename and the last folder that a clock would never find.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.environment.cheap import add_wheel, make_conda
from tests.killing import steps_of
from tests.thorough import times
from wizard.environment.conda.records import environments_list, register
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.inspect.listing import SearchPlaces, list_environments
from wizard.environment.inspect.look import look
from wizard.environment.model import Target
from wizard.environment.remove.delete import finish_deletions
from wizard.environment.remove.trash import deletions_dir, pending
from wizard.environment.remove.unfinished import mark_begun

KILLS = times(30, 10)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")]

DELETE = """
import sys
from pathlib import Path
from tests.killing import Steps
from wizard.environment.remove.delete import delete, finish_deletions, plan_deletion
from wizard.environment.inspect.look import look
from wizard.environment.remove.delete import ProtectedPlaces
from wizard.environment.remove.unfinished import remove_unfinished
prefix, last, how = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
plan = plan_deletion(look(prefix), ProtectedPlaces(), {}) if how == "delete" else None
steps = Steps(last)
if how == "delete":
    delete(plan, prefix.name, ProtectedPlaces())
elif how == "finish":
    finish_deletions()
else:
    remove_unfinished(prefix)
print(steps.count)
"""


def run_until(prefix: Path, point: int, how: str = "delete") -> int:
    """The number of steps of a whole deletion, or 0 when it was killed."""
    return steps_of(DELETE, prefix, point, how)


def state_of(prefix: Path) -> str:
    if pending() and pending()[0].trash.exists():
        return "put away"
    return "whole" if prefix.exists() else "gone"


def leftovers(pattern: str = "*") -> list[Path]:
    return list(deletions_dir().glob(pattern))


def points(steps: int, kills: int, seed: int) -> list[int]:
    """A third in the first steps and in the last ones, where the order matters, the others anywhere."""
    rng = random.Random(seed)
    edges = [*range(1, 16), *range(steps - 7, steps + 1)]
    chosen = rng.sample(edges, kills // 3)
    return sorted(
        chosen + rng.sample([point for point in range(1, steps + 1) if point not in chosen], kills - len(chosen))
    )


def test_thirty_kills_of_a_real_environment(
    home: Path, prefix: Path, minor: str, conda_channel: str, tmp_path: Path
) -> None:
    RattlerEngine().create(Target(prefix, minor, "rattler", channels=(conda_channel,)), lambda *_: None, lambda: False)
    model = tmp_path / "model"
    shutil.copytree(prefix, model, symlinks=True, copy_function=os.link)
    files = sorted(str(path.relative_to(model)) for path in model.rglob("*"))
    steps = run_until(prefix, 0)
    assert steps > 500
    assert environments_list().read_bytes() == b""
    seen: Counter[str] = Counter()
    for point in points(steps, KILLS, 20261121):
        shutil.copytree(model, prefix, symlinks=True, copy_function=os.link)
        register(prefix)
        assert run_until(prefix, point) == 0
        before = state_of(prefix)
        seen[before] += 1
        if before != "whole":
            assert not prefix.exists(), point
            rows = list_environments(SearchPlaces(folders=(prefix.parent,)))
            assert [row.state.value for row in rows] in ([], ["deleting"]), point
        assert finish_deletions().failed == ()
        assert pending() == ()
        assert leftovers() == [], point
        if before == "whole":  # not begun: nothing is missing, and nothing of ours is left in it
            assert sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*")) == files, point
            assert look(prefix) is not None
            assert run_until(prefix, 0) > 0
        assert list(prefix.parent.iterdir()) == [], point
        assert environments_list().read_bytes() == b"", point
    assert seen["whole"] >= 2
    assert seen["put away"] >= KILLS // 2
    assert sorted(str(path.relative_to(model)) for path in model.rglob("*")) == files, "hard links reached the others"


def small(prefix: Path) -> Path:
    make_conda(prefix)
    for number in range(3):
        add_wheel(prefix, f"p{number}", "1", {f"p{number}/a.py": "x"})
    return prefix


def test_every_single_step_and_a_second_kill_while_it_is_finished(tmp_path: Path) -> None:
    prefix = tmp_path / "envs" / "small"
    rng = random.Random(3)
    steps = 40
    for point in itertools.count(1):
        steps = run_until(small(prefix), point) or steps
        if not prefix.exists() and not pending():
            break  # it came to its end
        was_whole = state_of(prefix) == "whole"
        run_until(prefix, rng.randrange(1, steps), "finish")
        finish_deletions()
        assert prefix.exists() == was_whole
        assert leftovers() == [], point
        shutil.rmtree(prefix, ignore_errors=True)
        assert list(prefix.parent.iterdir()) == [], point
    assert point > 20


def test_an_unfinished_one_is_taken_back_after_a_kill_at_any_step(home: Path) -> None:
    prefix = home / "new" / "folders" / "env"

    def begin() -> None:
        mark_begun(prefix, "run-1")
        small(prefix / "x")

    begin()
    steps = run_until(prefix, 0, "remove")
    for point in random.Random(5).sample(range(1, steps + 1), 20):
        begin()
        assert run_until(prefix, point, "remove") == 0
        run_until(prefix, 0, "remove")
        assert [path for path in home.iterdir() if path.name != ".conda"] == [], point
        assert leftovers("*.json") == [], point
