"""Limits set after the plan was made: the saved plan has them, nothing else of it changes, nobody else can read it."""

from __future__ import annotations

import stat
import sys
from dataclasses import replace

import pytest

from tests.app import values
from wizard.app.session import Session
from wizard.model.errors import WizardError
from wizard.run.plan.plan_file import plan_to_json, read_plan
from wizard.run.run_folder import RunFolder, create_run_folder


@pytest.fixture
def folder() -> RunFolder:
    made = create_run_folder("20261120-101200-abcd")
    made.plan.write_bytes(plan_to_json(values.plan(made.id)))
    return made


def test_the_saved_plan_has_the_limits_and_is_otherwise_the_same(folder: RunFolder) -> None:
    before = read_plan(folder.plan)
    told = Session().set_limits(folder.id, 5_000_000, 2)
    after = read_plan(folder.plan)
    assert told == after
    assert (after.choices.limit_rate, after.choices.connections) == (5_000_000, 2)
    assert replace(after, choices=before.choices) == before
    if sys.platform != "win32":
        assert stat.S_IMODE(folder.plan.stat().st_mode) == 0o600
    assert Session().set_limits(folder.id, None, None).choices == before.choices


def test_a_run_that_goes_on_keeps_its_limits(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunFolder, "is_running", lambda self: True)
    before = folder.plan.read_bytes()
    with pytest.raises(WizardError) as caught:
        Session().set_limits(folder.id, 1, 1)
    assert caught.value.code == "run-busy"
    assert folder.plan.read_bytes() == before
