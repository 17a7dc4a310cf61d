"""The doctor's use cases: examine an environment, plan its repair, take one back.

Gathers what the doctor needs from this computer and what earlier runs say the environment was meant to be; decides
nothing itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard import paths
from wizard.doctor.aside import Aside, kept_runs
from wizard.doctor.examine import examine
from wizard.doctor.good_state import Drift, drift_of, read_good_state
from wizard.doctor.installation import Installation, Meant, user_variables
from wizard.doctor.model import Answer
from wizard.doctor.repair import read_repair
from wizard.doctor.surroundings import look_around
from wizard.environments.layout import python_of
from wizard.environments.naming import absolute_prefix
from wizard.errors import UsageError, WizardError
from wizard.matrix.model import Matrix
from wizard.packages.lock import parse_lock
from wizard.packages.store import PackageStore
from wizard.plan.model import Choices, Plan
from wizard.plan.serialize import read_plan
from wizard.session.model import Facts
from wizard.session.repair_plan import RepairPreview, plan_repair
from wizard.session.runs import run_info
from wizard.steps.run_folder import RunFolder, run_folders

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Examination:
    """`facts`: of this computer at that moment; the repair is planned on them."""

    facts: Facts
    installation: Installation
    answer: Answer
    drift: Drift | None


def examine_prefix(
    facts: Facts,
    matrix: Matrix,
    prefix: Path,
    *,
    imports: bool = True,
    deep: bool = False,
    variables: Mapping[str, str] | None = None,
    on_stage: Callable[[str], None] = lambda stage: None,
    is_cancelled: IsCancelled = lambda: False,
) -> Examination:
    """Raises UsageError `no-environment`, `environment-unreadable`, Cancelled."""
    prefix = absolute_prefix(str(prefix))
    check_environment(prefix)
    env, answer = examine(
        prefix, facts.machine, matrix, look_around(), user_variables() if variables is None else variables,
        meant=meant_by_plan(prefix), imports=imports, deep=deep, on_stage=on_stage, is_cancelled=is_cancelled,
    )  # fmt: skip
    return Examination(facts, env, answer, drift_of(prefix))


def check_environment(prefix: Path) -> None:
    """A broken Python is something for the doctor; a folder that never was an environment is not."""
    if prefix.is_dir() and not os.access(prefix, os.R_OK | os.X_OK):
        raise UsageError("environment-unreadable", path=str(prefix))
    marks = (python_of(prefix), prefix / "pyvenv.cfg", prefix / "conda-meta")
    if not any(os.path.lexists(mark) for mark in marks):
        raise UsageError("no-environment", path=str(prefix))


def plans_for(prefix: Path) -> tuple[Plan, ...]:
    """Of the runs that ended well there, the newest first."""
    found = []
    for folder in run_folders():
        try:
            plan = read_plan(folder.plan)
            if Path(plan.prefix) == prefix and run_info(folder).state == "finished":
                found.append(plan)
        except WizardError:
            continue
    return tuple(found)


def meant_by_plan(prefix: Path) -> Meant | None:
    plan = next(iter(plans_for(prefix)), None)
    return Meant(plan.candidate.torch, plan.candidate.variant, "plan") if plan else None


def plan_examined(
    found: Examination, matrix: Matrix, choices: Choices, is_cancelled: IsCancelled = lambda: False
) -> RepairPreview:
    """Without sources by hand, those of the setup of this environment are asked again.

    Raises WizardError `repair-under-way` where an earlier one still moves files, or was killed at it.
    """
    if under_way := repair_under_way(found.installation.prefix):
        raise under_way
    by_hand = (choices.index, choices.torch_index, choices.find_links)
    earlier = next(iter(plans_for(found.installation.prefix)), None)
    if earlier and not any(by_hand):
        known = earlier.choices
        choices = Choices(index=known.index, torch_index=known.torch_index, find_links=known.find_links)
    return plan_repair(found.facts, matrix, found.installation, found.answer, choices, is_cancelled)


def repair_under_way(prefix: Path) -> WizardError | None:
    """`repair-under-way`, with what is to be done first; None: nothing stands in a repair's way."""
    for run in kept_runs(prefix):
        folder = RunFolder(paths.runs_dir() / run)
        if not folder.path.is_dir():
            continue  # of another computer, or of a home that was moved
        info = run_info(folder)
        if info.state == "running" or (info.state == "unfinished" and info.exit_status is None):
            return WizardError("repair-under-way", run=run, path=str(prefix))
    return None


def undo_repair(prefix: Path) -> str:
    """Takes back the newest repair; its run's id. Raises UsageError `nothing-to-undo`, WizardError `restore-failed`."""
    prefix = absolute_prefix(str(prefix))
    run = next(iter(kept_runs(prefix)), None)
    if run is None:
        raise UsageError("nothing-to-undo", path=str(prefix))
    folder = RunFolder(paths.runs_dir() / run)
    if not restore_run(folder):
        site = _site_of(prefix)
        Aside(prefix, site, run).restore()
    return run


def restore_run(folder: RunFolder) -> bool:
    """Everything that this repair put aside goes back. False: it is no repair, or nothing was moved yet."""
    try:
        repair, plan = read_repair(folder.path), read_plan(folder.plan)
        lock = parse_lock(folder.pylock.read_text(encoding="utf-8"))
    except (OSError, WizardError):
        return False
    if repair is None:
        return False
    store = PackageStore()
    files = [file for file in lock.files if file.name in repair.names]
    wheels = [wheel for file in files if (wheel := store.wheel_of(file))]
    return Aside(Path(plan.prefix), Path(repair.site), plan.id).restore(wheels)


def _site_of(prefix: Path) -> Path:
    """For a repair whose run was removed from the notes."""
    state = read_good_state(prefix)
    if state:
        return prefix / state.site
    return next(iter(sorted(prefix.glob("lib/python3.*/site-packages"))), prefix / "Lib" / "site-packages")
