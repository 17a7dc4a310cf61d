"""The runs on this computer: which one is going on, which was left unfinished."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from wizard.compatibility.model import Plan
from wizard.model.errors import ExitStatus, WizardError
from wizard.run import control
from wizard.run.journal import read_history
from wizard.run.model import RunInfo
from wizard.run.plan.plan_file import read_plan
from wizard.run.report.text import parts_left
from wizard.run.run_folder import RunFolder, run_folders
from wizard.system import moving

PLANNED, RUNNING, UNFINISHED, FINISHED = "planned", "running", "unfinished", "finished"
_ENDED_WELL = (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED)


def known_runs() -> tuple[RunInfo, ...]:
    """Newest first; a folder that cannot be read is left out."""
    found = []
    for folder in run_folders():
        try:
            found.append(run_info(folder))
        except WizardError:
            continue
    return tuple(found)


def finished_runs(prefix: Path) -> Iterator[tuple[RunFolder, Plan, int]]:
    """Yield those that ended well there, the newest first, with their plan and exit status."""
    for folder in run_folders():
        with contextlib.suppress(WizardError):
            plan = read_plan(folder.plan)
            if Path(plan.prefix) == prefix and (info := run_info(folder)).state == FINISHED:
                yield folder, plan, info.exit_status or 0


def run_info(folder: RunFolder) -> RunInfo:
    """Raises UsageError `bad-plan`."""
    plan = read_plan(folder.plan)
    state, final = _state_and_final(folder)
    return RunInfo(
        id=folder.id,
        prefix=plan.prefix,
        torch=plan.candidate.torch,
        variant=plan.candidate.variant,
        created=plan.created,
        state=state,
        exit_status=final,
        asked=control.asked(folder) if state == RUNNING else "",
        adds=plan.choices.extras if plan.choices.reuse else (),
        left=_left_parts(folder, plan) if state in (FINISHED, UNFINISHED) else (),
    )


def _left_parts(folder: RunFolder, plan: Plan) -> tuple[str, ...]:
    """Return the names of the project's parts that its report tells of; none where there is no report to be read."""
    if not (plan.project and plan.project.parts):
        return ()
    with contextlib.suppress(OSError, ValueError):
        return parts_left(json.loads(folder.report.read_bytes()))
    return ()


def _state_and_final(folder: RunFolder) -> tuple[str, int | None]:
    """Asked twice whether it is running: between the two a worker may have been started by somebody else.

    Who holds a draft is removing it: a worker writes its first event before it is anything to be followed.
    """
    if folder.is_draft:
        return PLANNED, None
    if folder.is_running():
        return RUNNING, None
    ended = how_it_ended(folder)
    return (RUNNING, None) if folder.is_running() else ended


def how_it_ended(folder: RunFolder) -> tuple[str, int | None]:
    """State and exit status of the newest attempt, for a run that nobody carries out."""
    if folder.is_draft:
        return PLANNED, None
    history = read_history(folder.journal)
    if folder.starting.exists():  # its worker ended before its first word: no ending of before is its own
        return UNFINISHED, None
    if history.attempts == 0:
        return UNFINISHED, history.final
    return FINISHED if history.final in _ENDED_WELL else UNFINISHED, history.final


def remove_run(folder: RunFolder) -> None:
    """With what it, or another that was killed, had half unpacked; what was fetched stays for the next."""
    from wizard.install.store import PackageStore
    from wizard.install.store.build import remove_left_behind

    moving.remove_tree(folder.path)
    remove_left_behind(PackageStore())
