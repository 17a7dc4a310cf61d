"""A run from the outside: started, gone on with, removed. What is done in it is the worker's (`worker.py`)."""

from __future__ import annotations

from pathlib import Path

from wizard import paths
from wizard.environments.remove import is_ours_unfinished, remove_unfinished
from wizard.errors import UsageError, WizardError
from wizard.plan.serialize import read_plan
from wizard.process import child_environment
from wizard.process.detached import start_detached
from wizard.session.doctor import restore_run
from wizard.session.runs import remove_run, run_info
from wizard.steps import control
from wizard.steps.draft import keep
from wizard.steps.run_folder import RunFolder, find_run_folder, own_run_folder


def start(run_id: str) -> int:
    """Starts the worker, which outlives us; returns its process id. Raises WizardError `worker-not-started`."""
    folder = find_run_folder(run_id)
    if folder.is_running():
        raise WizardError("run-busy", path=read_plan(folder.plan).prefix)
    control.clear(folder)
    output = worker_output(run_id)
    output.unlink(missing_ok=True)
    _begin(folder)
    argv = (*paths.own_command(), "run", "--started", str(folder.plan))
    try:
        return start_detached(argv, child_environment(paths.own_environment()), output)
    except OSError as error:
        raise WizardError("worker-not-started", details=str(error)) from error


def _begin(folder: RunFolder) -> None:
    """From here on it is unfinished, and offered again, however soon a kill comes. Raises `state-not-writable`."""
    try:
        folder.events.touch()
        keep(folder.path)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(folder.path)) from error


def worker_output(run_id: str) -> Path:
    """What the worker itself printed: nothing, unless it could not even begin."""
    return find_run_folder(run_id).path / "worker.txt"


def resume(run_id: str) -> int:
    """Raises UsageError `nothing-to-resume` for a run that is done."""
    info = run_info(find_run_folder(run_id))
    if info.state == "finished":
        raise UsageError("nothing-to-resume", run=run_id)
    return start(run_id)


def discard(run_id: str) -> None:
    """Removes an unfinished run: the environment that it began, then the run. Downloads stay: they are verified."""
    folder = own_run_folder(run_id)
    if folder.is_running():
        raise WizardError("run-busy", path=str(folder.path))
    try:
        prefix = Path(read_plan(folder.plan).prefix)
    except UsageError:  # a plan that nobody can read does not say what it began
        remove_run(folder)
        return
    if run_info(folder).state != "finished":
        restore_run(folder)  # a repair that did not get to its end
    if is_ours_unfinished(prefix, folder.id):
        remove_unfinished(prefix, folder.id)
    remove_run(folder)
