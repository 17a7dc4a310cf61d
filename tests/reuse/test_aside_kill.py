"""SIGKILL at exact points of putting aside and of bringing back: each step that touches the disk is one.

A clock seldom hits the short moment in which folders are moved. What is installed between is unpacked here without uv;
the whole line with it is killed in `test_reuse_kill`.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.killing import steps_of
from tests.reuse.conftest import There
from tests.reuse.world import copy_of, picture, site_of
from tests.thorough import times

SEED = 20261121
KILLS = times(30, 8)

WORK = """
import sys, zipfile
from pathlib import Path
from tests.killing import Steps
from wizard.diagnose.repair.snapshot import RepairSnapshot
how, prefix, site, last, *wheels = sys.argv[1:]
prefix, site, last, wheels = Path(prefix), Path(site), int(last), [Path(wheel) for wheel in wheels]
aside = RepairSnapshot(prefix, site, "run-1")
names = ["torch", "numpy", "padding-a", "torchvision"]
steps = Steps(last)
if how == "put":
    aside.put(names, wheels, (), (prefix / ".torch-setup.json",), spare=True)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    (prefix / "bin" / "pad").write_text("a program of the new one")
    (prefix / "share" / "pad").mkdir(parents=True, exist_ok=True)
    (prefix / "share" / "pad" / "manual.txt").write_text("new")
    (prefix / ".torch-setup.json").write_text("{}")
else:
    aside.restore(wheels)
print(steps.count)
"""


def steps(how: str, prefix: Path, wheels: list[Path], point: int) -> int:
    """The number of steps of the whole, or 0 when it was killed."""
    return steps_of(WORK, how, prefix, site_of(prefix), point, *wheels)


@pytest.mark.slow
def test_thirty_kills_of_moving_and_thirty_of_bringing_back(there: There, both_wheels: Path) -> None:
    new = both_wheels / "new"
    wheels = [
        next(new.rglob(f"{name}*.whl")) for name in ("torch-2.13.0+cpu", "numpy-2.3", "padding_a-1", "torchvision")
    ]
    prefix = there.prefix
    before = picture(prefix)
    model = copy_of(prefix, there.world.home / "model")
    forth = steps("put", prefix, wheels, 0)
    back = steps("restore", prefix, wheels, 0)
    assert picture(prefix) == before
    assert min(forth, back) > 30
    rng = random.Random(SEED)
    for number in range(KILLS):
        shutil.rmtree(prefix)
        copy_of(model, prefix)
        first, second, third = rng.randint(1, forth), rng.randint(1, back), rng.randint(1, forth)
        where = f"seed {SEED}, kill {number}: forth {first}, back {second}, forth again {third}"
        assert steps("put", prefix, wheels, first) == 0, where
        if number % 2:
            steps("restore", prefix, wheels, second)
        if number % 3 == 0:  # gone on with after a way back that was cut off
            steps("put", prefix, wheels, third)
            steps("restore", prefix, wheels, second)
        steps("restore", prefix, wheels, 0)
        assert picture(prefix) == before, where
