"""Rows of the tables in a profile: of a release that only who made it has learnt, for this profile and no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.profile.examples import entry, profile
from tests.classroom.profile.test_read import refused
from tests.compatibility.machines import machine
from tests.compatibility.test_overlay import BUILD, KERNELS, ORIGIN, TABLES_OF_IT
from wizard.classroom.profile.choose import choose
from wizard.classroom.profile.model import Profile
from wizard.classroom.profile.read import parse_profile
from wizard.classroom.profile.rows import rows_for
from wizard.classroom.profile.write import profile_file, profile_text
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.overlay import remove_overlay, write_overlay
from wizard.system.paths import HOME_VARIABLE, matrices_dir, matrices_overlay_dir

NEW, OLD = entry("linux", "cu132", "2.16.0"), entry("linux", "cpu")
TAG = "cu133"  # of a CUDA that no shipped table has
FLOOR = {"cuda": "13.3", "os": "linux", "driver_floor": "580", "toolkit_driver": "", **ORIGIN}
CODES = {"cuda": "13.3", "capabilities": "7.5;12.0", **ORIGIN}


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))


def made_by_who_learnt(tables: Mapping[str, list[dict[str, str]]], *locks: object) -> Profile:
    """And then the tables are as before: the rest is a student's computer."""
    assert write_overlay(matrices_overlay_dir(), tables, matrices_dir()).problems == ()
    made = profile(*locks)  # type: ignore[arg-type]
    made = replace(made, rows=rows_for(made.locks))
    remove_overlay(matrices_overlay_dir())
    return made


def test_a_release_that_only_the_admin_has_learnt_is_chosen() -> None:
    made = made_by_who_learnt(TABLES_OF_IT, NEW, OLD)
    file = profile_file(made)
    assert file.data.startswith(b"schema = 3\n")
    assert parse_profile(file.data) == made
    matrix = load_matrix()
    here = machine("rtx-5070-ti-linux-550")
    here = replace(here, driver=replace(here.driver, version="600.10", cuda="13.2"))
    assert choose(replace(made, rows={}), here, matrix).lock == OLD
    chosen = choose(parse_profile(file.data), here, matrix)
    assert chosen.lock == NEW
    assert chosen.candidate
    assert chosen.candidate.torch == "2.16.0"
    assert "2.16.0" not in matrix.releases
    assert "2.16.0" not in load_matrix().releases


def test_a_driver_that_the_new_build_wants_counts_too() -> None:
    made = made_by_who_learnt(
        {
            **TABLES_OF_IT,
            "builds": [{**BUILD, "variant": TAG, "local_version": TAG}],
            "arch_list": [{**KERNELS, "variant": TAG}],
            "cuda_driver_floors": [FLOOR],
            "cuda_capabilities": [CODES],
        },
        entry("linux", TAG, "2.16.0"),
    )
    assert set(made.rows) == {"releases", "builds", "arch_list", "cuda_driver_floors", "cuda_capabilities"}
    parse_profile(profile_file(made).data)
    selection = choose(made, machine("rtx-5070-ti-linux-550"), load_matrix())
    assert [one.reasons[0].key for one in selection.refused] == ["reason.driver-too-old"]
    assert selection.after_driver_update
    assert selection.after_driver_update.driver == "580"


def test_what_every_program_knows_is_not_carried() -> None:
    made = made_by_who_learnt(TABLES_OF_IT, OLD, entry("windows", "cu126"))
    assert made.rows == {}
    assert profile_text(made).startswith("schema = 1\n")


def test_the_own_tables_count_before_the_profiles_rows() -> None:
    """A profile cannot say of a build that everybody knows that it fits a card."""
    known = entry("linux", "cu126")
    lie = {**KERNELS, "torch": "2.14.1", "variant": "cu126", "architectures": "sm_120"}
    made = replace(profile(known), rows={"arch_list": (lie,)})
    selection = choose(made, machine("rtx-5070-ti-linux-550"), load_matrix())
    assert selection.lock is None


MISTAKES = [
    ('[[rows.releases]]\ntorch = "2.16.0"', '[[rows.releases]]\ntorch = "../x"', "rows.releases[0].torch"),
    ("[[rows.releases]]", "[[rows.gpus]]", "rows.gpus"),
    ("[[rows.releases]]", '[[rows.wheel_hashes]]\nfile = "x"\n[[rows.releases]]', "rows.wheel_hashes"),
    ('evidence = "', 'more = "x"\nevidence = "', "rows.arch_list[0].more"),
    ('pythons = "3.12;3.13"', 'pythons = "all"', "rows.builds[0].pythons"),
    ('pythons = "3.12;3.13"', "pythons = 3", "rows.builds[0].pythons"),
    ('min_glibc = "2.28"\n', "", "rows.builds[0].min_glibc"),
    ('variant = "cu132"\nplatform', 'variant = "cu130"\nplatform', "rows.builds[0]"),
    ("sm_75;sm_120", "sm_75;sm_999", "rows.arch_list[0].architectures"),
    ("schema = 3", "schema = 2", "schema"),
]


@pytest.mark.parametrize(("old", "new", "path"), MISTAKES)
def test_each_mistake_is_named_by_its_place(old: str, new: str, path: str) -> None:
    text = profile_text(made_by_who_learnt(TABLES_OF_IT, NEW))
    assert old in text
    error = refused(text.replace(old, new, 1))
    assert error.code == "profile-bad"
    assert path in [line.partition(": ")[0] for line in error.details.splitlines()]


def test_a_row_that_no_build_of_the_profile_needs_is_refused() -> None:
    made = made_by_who_learnt(TABLES_OF_IT, NEW)
    error = refused(profile_text(replace(made, locks=(OLD,))))
    assert "rows.releases[0]" in error.details
