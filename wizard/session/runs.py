"""The runs on this computer: which one is going on, which was left unfinished."""

from __future__ import annotations

from wizard import paths
from wizard.errors import ExitStatus, WizardError
from wizard.packages.early import remove_left_behind
from wizard.plan.serialize import read_plan
from wizard.session.model import RunInfo
from wizard.steps.journal import History, read_history
from wizard.steps.run_folder import RunFolder, run_folders
from wizard.system import moving

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


def run_info(folder: RunFolder) -> RunInfo:
    """Raises UsageError `bad-plan`."""
    plan = read_plan(folder.plan)
    history = read_history(folder.journal)
    return RunInfo(
        id=folder.id,
        prefix=plan.prefix,
        torch=plan.candidate.torch,
        variant=plan.candidate.variant,
        created=plan.created,
        state="running" if folder.is_running() else _state(folder, history),
        exit_status=history.final,
    )


def _state(folder: RunFolder, history: History) -> str:
    if history.attempts == 0:  # a journal that was lost or cut is no sign that nothing was done
        return "unfinished" if folder.journal.exists() or folder.events.exists() else "planned"
    return "finished" if history.final in _ENDED_WELL else "unfinished"


def remove_run(folder: RunFolder) -> None:
    """With what it, or another that was killed, had unpacked early; what was fetched stays for the next."""
    moving.remove_tree(folder.path)
    remove_left_behind(paths.downloads_dir())
