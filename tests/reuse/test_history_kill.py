"""SIGKILL at exact points of a way back through two states, and of letting go: each step that touches the disk is one.

Wherever it falls, the same line goes on to the oldest state, byte for byte; and a chain has never a hole.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from tests.killing import steps_of
from tests.reuse.conftest import There
from tests.reuse.world import copy_of, picture, site_of
from tests.thorough import times
from wizard.diagnose.repair.snapshot import FOLDER, kept_runs
from wizard.diagnose.repair.states import under_way
from wizard.system.paths import MATRICES_VARIABLE, matrices_dir

SEED = 20261123
KILLS = times(40, 12)
FIRST, SECOND, THIRD = "20261123-120000-aaaa", "20261123-110000-bbbb", "20261123-130000-cccc"  # a clock went back

WORK = """
import sys, zipfile
from pathlib import Path
from tests.killing import Steps
from wizard.diagnose.repair import states
from wizard.diagnose.repair.snapshot import ADD, RepairSnapshot
from wizard.run.steps import preflight
states.bound(), states.kept_in, preflight
how, prefix, site, last, run, *wheels = sys.argv[1:]
prefix, site, last, wheels = Path(prefix), Path(site), int(last), [Path(wheel) for wheel in wheels]
names = [wheel.name.split("-")[0].replace("_", "-") for wheel in wheels]
steps = Steps(last)
if how == "change":
    RepairSnapshot(prefix, site, run).put(names, wheels, (), (prefix / ".torch-setup.json",), spare=True, how=ADD)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    (prefix / ".torch-setup.json").write_text(run)
elif how == "release":
    states.release_over(prefix)
else:
    states.restore(prefix, run)
print(steps.count)
"""


def steps(how: str, there: There, point: int, run: str, *wheels: Path, tables: Path | None = None) -> int:
    """The number of steps of the whole, or 0 when it was killed."""
    home = {"TORCH_WIZARD_HOME": str(there.world.home / "state"), MATRICES_VARIABLE: str(tables or matrices_dir())}
    arguments = (how, there.prefix, site_of(there.prefix), point, run, *wheels)
    return steps_of(WORK, *arguments, environment={**os.environ, **home})


def wheels_of(both_wheels: Path, *names: str) -> list[Path]:
    return [next((both_wheels / "new").rglob(f"{name}*.whl")) for name in names]


@pytest.mark.slow
def test_kills_on_the_way_back_through_two_states(there: There, both_wheels: Path) -> None:
    prefix = there.prefix
    first, second = wheels_of(both_wheels, "numpy-2.3", "padding_a-1"), wheels_of(both_wheels, "torch-2.13.0+cpu")
    before = picture(prefix)
    steps("change", there, 0, FIRST, *first)
    between = copy_of(prefix, there.world.home / "between")
    forth = steps("change", there, 0, SECOND, *second)
    assert kept_runs(prefix) == (SECOND, FIRST)
    both = copy_of(prefix, there.world.home / "both")
    back = steps("back", there, 0, FIRST)
    assert picture(prefix) == before
    assert min(forth, back) > 30
    rng = random.Random(SEED)
    for number in range(KILLS):
        shutil.rmtree(prefix)
        point = rng.randint(1, back)
        where = f"seed {SEED}, kill {number} at {point}"
        if number % 3 == 0:  # the second change itself is killed
            copy_of(between, prefix)
            assert steps("change", there, rng.randint(1, forth), SECOND, *second) == 0, where
        else:
            copy_of(both, prefix)
            assert steps("back", there, point, FIRST) == 0, where
            is_begun = any((prefix / FOLDER / run / "going-back").exists() for run in kept_runs(prefix))
            half = under_way(prefix)
            assert (half is not None and half.code == "restore-under-way") == is_begun, where
        if kept_runs(prefix):
            assert kept_runs(prefix)[-1] == FIRST, where
            steps("back", there, rng.randint(1, back), FIRST)  # killed once more, or through
        if kept_runs(prefix):
            steps("back", there, 0, FIRST)
        shown = picture(prefix)
        rest = {name for name in shown if name.startswith(FOLDER)}  # of a deletion that was cut off: rubbish
        assert {name: what for name, what in shown.items() if name not in rest} == before, where


@pytest.mark.slow
def test_kills_while_the_oldest_is_let_go(there: There, both_wheels: Path, tmp_path: Path) -> None:
    prefix = there.prefix
    tables = shutil.copytree(matrices_dir(), tmp_path / "tables")
    policy = tables / "policy.toml"
    policy.write_text(policy.read_text().replace("most = 10", "most = 1"))
    steps("change", there, 0, FIRST, *wheels_of(both_wheels, "numpy-2.3", "padding_a-1"))
    steps("change", there, 0, SECOND, *wheels_of(both_wheels, "torch-2.13.0+cpu"))
    target = {name: what for name, what in picture(prefix).items() if not name.startswith(FOLDER)}
    steps("change", there, 0, THIRD, *wheels_of(both_wheels, "torchvision"))
    model = copy_of(prefix, there.world.home / "model")
    whole = steps("release", there, 0, "-", tables=tables)
    assert kept_runs(prefix) == (THIRD,)
    rng = random.Random(SEED)
    seen = set()
    for number in range(KILLS):
        shutil.rmtree(prefix)
        copy_of(model, prefix)
        point = rng.randint(1, whole)
        where = f"seed {SEED}, kill {number} at {point} of {whole}"
        assert steps("release", there, point, "-", tables=tables) == 0, where
        left = kept_runs(prefix)
        assert left == (THIRD, SECOND, FIRST)[: len(left)], where
        assert left, where
        seen.add(len(left))
        steps("release", there, 0, "-", tables=tables)
        assert [path.name for path in (prefix / FOLDER).iterdir()] == [THIRD], where
        steps("back", there, 0, THIRD)
        assert picture(prefix) == target, where
    assert len(seen) > 1, "the kills fell into too few places to prove anything"
