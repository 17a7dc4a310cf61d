"""A repair that is killed, cancelled or fails: it goes on, or the environment is as it was, byte for byte."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.diagnose.world import HEALTHY, Patient, tree
from tests.waiting import wait_until
from wizard.cli.diagnose.doctor import _tell_end
from wizard.cli.terminal import Terminal
from wizard.diagnose.repair.plan import RepairPreview
from wizard.diagnose.repair.snapshot import FOLDER, kept_runs
from wizard.model.errors import ExitStatus

pytestmark = pytest.mark.slow


@pytest.fixture
def damaged(bare: Patient) -> tuple[Patient, RepairPreview]:
    """torch with a cut library and one file too many, and the plan to mend it."""
    bare.make(*HEALTHY)
    path = bare.site / "torch" / "lib" / "libtorch_cpu.so"
    path.write_bytes(path.read_bytes()[:3000])
    (bare.site / "torch" / "notes of mine.txt").write_text("a file that the user put here")
    return bare, bare.plan()


def kill_at(patient: Patient, preview: RepairPreview, step: str, delay: float = 0.0) -> None:
    """SIGKILL as soon as the step has begun."""
    program = patient.world.start("run", str(patient.session.plan_path(preview.plan.id)))
    wait_for(patient, preview, step)
    time.sleep(delay)
    os.kill(program.pid, signal.SIGKILL)
    program.communicate()
    patient.world.wait_for_nothing()


def wait_for(patient: Patient, preview: RepairPreview, step: str) -> None:
    events = patient.session.events_path(preview.plan.id)
    wait_until(lambda: events.exists() and f'"step": "{step}"' in events.read_text(encoding="utf-8"), pause=0.002)


def whole(prefix: Path) -> dict[str, str]:
    return {path: digest for path, digest in tree(prefix).items() if not path.startswith(".torch-setup")}


@pytest.mark.parametrize(
    ("step", "delay"), [("fetch", 0.0), ("aside", 0.0), ("install", 0.0), ("install", 0.02), ("check", 0.0)]
)
def test_killed_and_resumed(damaged: tuple[Patient, RepairPreview], step: str, delay: float) -> None:
    patient, preview = damaged
    kill_at(patient, preview, step, delay)
    done = patient.carry_out(preview)
    assert done.returncode == 0, done.stderr
    assert patient.answer(deep=True).verdict == "nothing-wrong"


@pytest.mark.parametrize(
    ("step", "delay"), [("fetch", 0.0), ("aside", 0.0), ("install", 0.0), ("install", 0.02), ("verify", 0.0)]
)
def test_killed_and_taken_back(damaged: tuple[Patient, RepairPreview], step: str, delay: float) -> None:
    patient, preview = damaged
    before = whole(patient.prefix)
    kill_at(patient, preview, step, delay)
    done = patient.world.run("runs", "--remove", preview.plan.id)
    assert done.returncode == 0, done.stderr
    assert whole(patient.prefix) == before
    assert not (patient.prefix / FOLDER).exists()


def test_taken_back_after_it_ended_well(damaged: tuple[Patient, RepairPreview]) -> None:
    patient, preview = damaged
    before = whole(patient.prefix)
    assert patient.carry_out(preview).returncode == 0
    assert whole(patient.prefix) != before
    assert not (patient.site / "torch" / "notes of mine.txt").exists()
    assert kept_runs(patient.prefix) == (preview.plan.id,)
    assert patient.session.undo_repair(patient.prefix) == preview.plan.id
    assert whole(patient.prefix) == before
    assert kept_runs(patient.prefix) == ()


def test_taken_back_when_the_downloads_and_the_notes_are_gone(damaged: tuple[Patient, RepairPreview]) -> None:
    import shutil

    patient, preview = damaged
    before = whole(patient.prefix)
    assert patient.carry_out(preview).returncode == 0
    for name in ("downloads", "store", "runs"):
        shutil.rmtree(patient.world.home / "state" / name)
    assert patient.session.undo_repair(patient.prefix) == preview.plan.id
    assert whole(patient.prefix) == before


def test_a_failed_repair_leaves_everything_as_it_was(damaged: tuple[Patient, RepairPreview]) -> None:
    """Killed when half of it was aside; then the environment's Python is gone, and going on fails."""
    patient, preview = damaged
    before = whole(patient.prefix)
    pythons = {path: path.readlink() for path in (patient.prefix / "bin").glob("python*") if path.is_symlink()}
    kill_at(patient, preview, "aside")
    for python in pythons:
        python.unlink()
    done = patient.carry_out(preview)
    assert done.returncode == 1, done.stderr
    for python, target in pythons.items():
        python.symlink_to(target)
    assert whole(patient.prefix) == before
    assert patient.carry_out(preview).returncode == 0


def test_a_cancelled_repair_leaves_everything_as_it_was(damaged: tuple[Patient, RepairPreview]) -> None:
    patient, preview = damaged
    before = whole(patient.prefix)
    program = patient.world.start("run", str(patient.session.plan_path(preview.plan.id)))
    wait_for(patient, preview, "aside")
    os.kill(program.pid, signal.SIGINT)
    _, said = program.communicate(timeout=60)
    assert program.returncode == 130, said
    assert whole(patient.prefix) == before


def test_removing_the_notes_of_a_repair_that_ended_well_takes_nothing_back(
    damaged: tuple[Patient, RepairPreview],
) -> None:
    patient, preview = damaged
    assert patient.carry_out(preview).returncode == 0
    after = whole(patient.prefix)
    assert patient.world.run("runs", "--remove", preview.plan.id).returncode == 0
    assert whole(patient.prefix) == after


def test_of_a_repair_that_was_killed_nobody_says_that_it_was_carried_out(
    damaged: tuple[Patient, RepairPreview], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor that what it put aside may be deleted: it is the way back."""
    patient, preview = damaged
    kill_at(patient, preview, "install")
    _tell_end(preview, ExitStatus.FAILED, Terminal("en"))
    assert capsys.readouterr() == ("", "")
