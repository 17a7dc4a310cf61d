"""Who may go on when a conda channel fails in the middle; what of the machine reaches the engine."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.run.mirrors import write_mirrors
from wizard.compatibility.model import Choices
from wizard.run.model import Facts
from wizard.run.select.alternates import further_channels
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.run.steps.create import cuda_of, read_chosen, target_of
from wizard.sources.model import UserSettings

OFFICIAL, NEAR, FAR = (f"http://127.0.0.1:9/{name}/conda-forge" for name in ("official", "near", "far"))


@pytest.fixture(autouse=True)
def lab(tmp_path: Path) -> None:
    rows = {("conda-forge", "official"): OFFICIAL, ("conda-forge", "near"): NEAR, ("conda-forge", "far"): FAR}
    write_mirrors(Path(os.environ["TORCH_WIZARD_HOME"]), rows)


def others(channels: tuple[str, ...], settings: UserSettings | None = None, **wishes: object) -> tuple[str, ...]:
    choices = replace(Choices(), **wishes)  # type: ignore[arg-type]
    settings = settings or UserSettings()
    facts = Facts(values.MACHINE, settings, (), 0.0)
    return further_channels(MirrorPolicy(choices, facts, lambda: False), choices, settings, channels)


def test_mirrors_stand_behind_the_official_place() -> None:
    assert others((OFFICIAL,)) == (NEAR, FAR)


def test_the_official_place_stands_behind_the_users_own_mirror_and_no_other() -> None:
    own = "http://127.0.0.1:9/own/conda-forge"
    assert others((own, "http://127.0.0.1:9/lab"), UserSettings(conda_channels=(own,))) == (OFFICIAL,)


@pytest.mark.parametrize("wishes", [{"channel": OFFICIAL}, {"offline": True}])
def test_nobody_stands_behind_what_was_typed_by_hand(wishes: dict[str, object]) -> None:
    assert others((OFFICIAL,), **wishes) == ()


def test_nobody_where_the_settings_allow_no_other_or_it_is_another_channel() -> None:
    assert others((NEAR,), UserSettings(conda_only=True)) == ()
    assert others(("http://127.0.0.1:9/bioconda",)) == ()
    assert others((NEAR,), mirrors="official") == (OFFICIAL,)


def test_the_drivers_cuda_of_the_plan_reaches_the_engine() -> None:
    machine = {"schema": 1, "driver": {"version": "580.65.06", "cuda": "13.0"}}
    plan = replace(values.plan("20261121-120000-0000"), machine=machine, further_channels=(FAR,))
    target = target_of(plan, "[]")
    assert (target.cuda, target.chosen, target.further_channels) == ("13.0", "[]", (FAR,))
    for without in ({}, {"driver": None}, {"driver": {"version": "1", "cuda": None}}):
        assert cuda_of(replace(plan, machine=without)) is None


def test_what_was_chosen_is_read_whole_or_not(tmp_path: Path) -> None:
    file = tmp_path / "python-part.json"
    assert read_chosen(file) == ""
    for written, expected in (('[{"a"', ""), ('{"a": 1}', ""), ('[{"a": 1}]', '[{"a": 1}]')):
        file.write_text(written)
        assert read_chosen(file) == expected
