"""The doctor's use cases: examine an environment, plan its repair, take one back.

Gathers what the doctor needs from this computer and what earlier runs say the environment was meant to be; decides
nothing itself.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import Timeout

from wizard.compatibility.model import Choices, Plan
from wizard.diagnose.repair.snapshot import FOLDER, RepairSnapshot, kept_in, kept_runs
from wizard.environment.inspect.baseline import EnvironmentChanges, changes_since_baseline, read_baseline
from wizard.environment.inspect.installation import Installation, Meant, user_variables
from wizard.environment.layout import python_of, site_packages
from wizard.environment.naming import absolute_prefix
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.run.plan.plan_file import read_plan
from wizard.run.run_folder import RUN_BUSY, RunFolder, run_folders
from wizard.run.runs import run_info
from wizard.system import paths
from wizard.system.links import long_path

if TYPE_CHECKING:  # who only lists what repairs have kept waits for none of these
    from wizard.compatibility.data.model import Matrix
    from wizard.diagnose.model import DoctorResult
    from wizard.diagnose.repair.plan import RepairPreview
    from wizard.run.model import Facts


NO_ENVIRONMENT = ErrorText(
    "no-environment",
    "There is no Python environment in {path}.",
    "Give the folder that holds bin/python (on Windows: python.exe or Scripts).",
)
NOTHING_TO_UNDO = ErrorText(
    "nothing-to-undo",
    "No repair of {path} is left that could be taken back.",
    "Nothing was changed.",
)

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Examination:
    """`facts`: of this computer at that moment; the repair is planned on them."""

    facts: Facts
    installation: Installation
    answer: DoctorResult
    drift: EnvironmentChanges | None


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
    from wizard.diagnose.checks.host_facts import look_around
    from wizard.diagnose.examine import examine

    prefix = absolute_prefix(str(prefix))
    check_environment(prefix)
    env, answer = examine(
        prefix,
        facts.machine,
        matrix,
        look_around(),
        user_variables() if variables is None else variables,
        meant=meant_by_plan(prefix),
        imports=imports,
        deep=deep,
        on_stage=on_stage,
        is_cancelled=is_cancelled,
    )
    return Examination(facts, env, answer, changes_since_baseline(prefix))


def check_environment(prefix: Path) -> None:
    """A broken Python is something for the doctor; a folder that never was an environment is not."""
    if prefix.is_dir() and not os.access(prefix, os.R_OK | os.X_OK):
        raise UsageError(
            "environment-unreadable",
            "You may not read {path}.",
            "Ask its owner for access, or set up an environment of your own with: torch-wizard setup",
            path=str(prefix),
        )
    marks = (python_of(prefix), prefix / "pyvenv.cfg", prefix / "conda-meta")
    if not any(os.path.lexists(mark) for mark in marks):
        raise UsageError(NO_ENVIRONMENT, path=str(prefix))


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
    from wizard.diagnose.repair.plan import plan_repair

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
            return WizardError(
                "repair-under-way",
                "An earlier repair of {path} is not finished.",
                "Go on with: torch-wizard resume {run}   or take it back with: torch-wizard doctor "
                "--prefix {path} --undo",
                run=run,
                path=str(prefix),
            )
    return None


def undo_repair(prefix: Path) -> str:
    """Takes back the newest repair; its run's id. Raises UsageError `nothing-to-undo`, WizardError `restore-failed`."""
    prefix = absolute_prefix(str(prefix))
    run = next(iter(kept_runs(prefix)), None)
    if run is None:
        raise UsageError(NOTHING_TO_UNDO, path=str(prefix))
    folder = RunFolder(paths.runs_dir() / run)
    if not restore_run(folder):
        site = _site_of(prefix)
        RepairSnapshot(prefix, site, run).restore()
    return run


def restore_run(folder: RunFolder) -> bool:
    """Everything that this repair put aside goes back. False: it is no repair, or nothing was moved yet."""
    from wizard.diagnose.repair.steps import read_repair
    from wizard.install.lock import parse_lock
    from wizard.install.store import PackageStore

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
    return RepairSnapshot(Path(plan.prefix), Path(repair.site), plan.id).restore(wheels)


def _site_of(prefix: Path) -> Path:
    """For a repair whose run was removed from the notes."""
    state = read_baseline(prefix)
    if state:
        return prefix / state.site
    return site_packages(prefix) or prefix / "Lib" / "site-packages"


# What runs have put aside in environments that are there: is it still kept, how large is it, bring it back, let go.
#
# A snapshot stays until the next setup or repair in the same environment ends well, or for thirty days. The way back is
# under the same locks as a run, and never while a program uses the environment.

KEPT_DAYS = 30


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`names`: the packages that the run put in; `moved`: when, in seconds since 1970."""

    run: str
    prefix: Path
    names: tuple[str, ...]
    size: int
    moved: float


def snapshots_in(prefix: Path) -> tuple[Snapshot, ...]:
    """The newest first. Counts the files."""
    return tuple(_read(prefix, run) for run in kept_runs(prefix))


def _read(prefix: Path, run: str) -> Snapshot:
    folder = long_path(prefix) / FOLDER / run
    with contextlib.suppress(WizardError, OSError):
        aside = kept_in(prefix, run)
        return Snapshot(run, prefix, aside.names, aside.bytes(), folder.stat().st_mtime)
    return Snapshot(run, prefix, (), 0, time.time())


def restore(prefix: Path) -> Snapshot:
    """Brings the newest back. Raises UsageError `nothing-to-undo`, WizardError `run-busy`, `restore-in-use`,
    `restore-failed`: then it goes on with the same command."""
    from wizard.environment.inspect.reusable import check_not_in_use
    from wizard.run.steps.preflight import prefix_lock

    found = snapshots_in(prefix)
    if not found:
        raise UsageError(NOTHING_TO_UNDO, path=str(prefix))
    check_not_in_use(prefix, "restore-in-use")
    folder = RunFolder(paths.runs_dir() / found[0].run)
    try:
        with prefix_lock(str(prefix)), contextlib.ExitStack() as held:
            if folder.path.is_dir():
                held.enter_context(folder.lock())
            if not restore_run(folder):
                kept_in(prefix, found[0].run).restore()
    except Timeout as error:
        raise WizardError(RUN_BUSY, path=str(prefix)) from error
    return found[0]


def release_older(prefix: Path, run: str) -> None:
    """The run ended well: what lies below its own snapshot cannot be brought back any more without it."""
    for older in kept_runs(prefix):
        if older < run:
            with contextlib.suppress(WizardError, OSError):
                kept_in(prefix, older).forget()


def release_stale(prefixes: Iterable[Path], now: float | None = None) -> tuple[Path, ...]:
    """What nobody has asked back for thirty days. An unfinished run's stays: it is needed to go on or back."""
    moment = time.time() if now is None else now
    gone = []
    for prefix in prefixes:
        for run in kept_runs(prefix):
            from wizard.run.steps.preflight import prefix_lock  # most environments keep nothing

            with contextlib.suppress(WizardError, OSError, Timeout):
                folder = prefix / FOLDER / run
                if moment - long_path(folder).stat().st_mtime > KEPT_DAYS * 86_400 and not _is_unfinished(run):
                    with prefix_lock(str(prefix)):
                        kept_in(prefix, run).forget()
                        gone.append(folder)
    return tuple(gone)


def _is_unfinished(run: str) -> bool:
    folder = RunFolder(paths.runs_dir() / run)
    return folder.plan.is_file() and run_info(folder).state != "finished"
