"""A run from the outside: started, gone on with, removed. What is done in it is the worker's (`worker.py`).

And what runs left: deletions to finish, environments whose PyTorch was replaced. Asked at every start: it loads little.

One file: short functions over the folder of a run.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
from filelock import Timeout

from wizard.compatibility.model import Plan
from wizard.environment.inspect.baseline import (
    EnvironmentChanges,
    changes_since_baseline,
    losses_since_baseline,
    read_baseline,
)
from wizard.environment.inspect.start_files import names_torch, strays
from wizard.environment.layout import site_packages
from wizard.environment.remove.trash import Deletion, held, pending
from wizard.environment.remove.unfinished import drop_cut_mark, is_ours_unfinished, remove_unfinished
from wizard.model.errors import UsageError, WizardError
from wizard.model.events import EventKind
from wizard.process import child_environment
from wizard.process.detached import start_detached
from wizard.run import control
from wizard.run.emitter import Emitter
from wizard.run.model import RunInfo
from wizard.run.plan.plan_file import plan_to_json, read_plan
from wizard.run.run_folder import (
    RUN_BUSY,
    RunFolder,
    append_to,
    clear_left_behind,
    find_run_folder,
    keep,
    own_run_folder,
    owner_lives,
    run_folders,
    write_owner,
)
from wizard.run.runs import FINISHED, how_it_ended, known_runs, remove_run, run_info
from wizard.system import moving, paths

# How much of the network a run may take, set after its plan was made: the plan is saved again with the new choices.
#
# Only for a run that has not started; nothing else of the plan depends on it.


def set_limits(folder: RunFolder, limit_rate: int | None, connections: int | None) -> Plan:
    """Bytes a second over all connections, and how many of those; None: no limit of ours.

    Raises WizardError `run-busy`, `state-not-writable`.
    """
    plan = read_plan(folder.plan)
    if folder.is_running():
        raise WizardError(RUN_BUSY, path=plan.prefix)
    limited = replace(plan, choices=replace(plan.choices, limit_rate=limit_rate, connections=connections))
    try:
        moving.write_whole(folder.plan, plan_to_json(limited), 0o600)  # addresses may hold a password
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(folder.path)) from error
    return limited


_LOCK_SECONDS = 1.0  # who only looks whether a worker is there holds the lock for a moment


def start(run_id: str) -> int:
    """Starts the worker, which outlives us; returns its process id.

    Raises WizardError `worker-not-started`, `state-not-writable`, `run-busy` for a run that is being carried out.
    """
    folder = find_run_folder(run_id)
    with _alone(folder):
        return _start(folder)


def resume(run_id: str) -> int:
    """As `start`. Raises UsageError `nothing-to-resume` for a run that is done."""
    folder = find_run_folder(run_id)
    with _alone(folder):
        if how_it_ended(folder)[0] == FINISHED:
            raise UsageError(
                "nothing-to-resume",
                "The run {run} is done; there is nothing to go on with.",
                "Start another [on the page {page.welcome}.|with: torch-wizard setup]",
                run=run_id,
            )
        return _start(folder)


def _start(folder: RunFolder) -> int:
    """The lock is held until the worker's process is written down: nobody ever takes a start for an end."""
    argv = (*paths.own_command(), "run", "--started", str(folder.plan))
    _begin(folder)
    try:
        pid = start_detached(argv, child_environment(paths.own_environment()), _output(folder))
    except OSError as error:
        raise WizardError(
            "worker-not-started",
            "The installing part of the program could not be started.",
            "Check that memory and disk are not full and that no antivirus program holds it back.",
            details=str(error),
        ) from error
    with contextlib.suppress(OSError, psutil.Error):  # one that is gone already has said why
        write_owner(folder.starting, pid)
    return pid


@contextlib.contextmanager
def _alone(folder: RunFolder) -> Iterator[None]:
    """Nobody carries this run out, nor begins to, meanwhile. Raises WizardError `run-busy`, `state-not-writable`."""
    lock = folder.lock(_LOCK_SECONDS)
    try:
        lock.acquire()
    except Timeout as error:
        raise WizardError(RUN_BUSY, path=_prefix(folder)) from error
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(folder.path)) from error
    try:
        if owner_lives(folder.starting):
            raise WizardError(RUN_BUSY, path=_prefix(folder))
        yield
    finally:
        lock.release()


def _prefix(folder: RunFolder) -> str:
    try:
        return read_plan(folder.plan).prefix
    except UsageError:  # a plan that nobody can read does not say what it began
        return str(folder.path)


def _begin(folder: RunFolder) -> None:
    """From here on it is unfinished, and offered again, however soon a kill comes; what it said before is over.

    Raises WizardError `state-not-writable`.
    """
    try:
        control.clear(folder)
        moving.unlink(_output(folder), missing_ok=True)
        with append_to(folder.events) as events:
            is_further = events.tell() > 0
        if is_further:
            emitter = Emitter(folder)
            emitter.emit(EventKind.ATTEMPT_STARTING)
            emitter.close()
        keep(folder.path)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(folder.path)) from error


def worker_output(run_id: str) -> Path:
    """What the worker itself printed: nothing, unless it could not even begin."""
    return _output(find_run_folder(run_id))


def _output(folder: RunFolder) -> Path:
    return folder.path / "worker.txt"


def discard(run_id: str, finished_too: bool = False) -> None:
    """Removes an unfinished run: the environment that it began, then the run. Downloads stay: they are verified.

    Raises UsageError `run-finished` where the run has ended well meanwhile, unless its record is what shall go
    (`finished_too`); WizardError `run-busy` for one that is being carried out, `state-covered` for one on whose half
    another change lies.
    """
    folder = own_run_folder(run_id)
    with _alone(folder):
        _take_back(folder, finished_too)
    remove_run(folder)


def _take_back(folder: RunFolder, finished_too: bool) -> None:
    try:
        prefix, state = Path(read_plan(folder.plan).prefix), how_it_ended(folder)[0]
    except UsageError:
        return
    if state == FINISHED and not finished_too:
        raise UsageError(
            "run-finished",
            "The setup {run} has ended well meanwhile, so nothing was removed.",
            "See its result [on the page {page.welcome}.|with: torch-wizard resume {run}]",
            run=folder.id,
        )
    if state != FINISHED:
        from wizard.diagnose.repair.steps import restore_run

        restore_run(folder)  # a repair that did not get to its end
    if is_ours_unfinished(prefix, folder.id):
        remove_unfinished(prefix, folder.id)
    else:
        drop_cut_mark(prefix)


def finish_deletions_in_background() -> int | None:
    """Starts a process for it when there is something to finish that nobody is at; its id. It outlives us.

    Drafts of runs whose program was killed before it began anything go at once: that takes no time.
    """
    try:
        clear_left_behind(paths.runs_dir())
        is_needed = any(_is_free(deletion) for deletion in pending())
    except OSError:  # a folder that this user may not look into stops no start
        return None
    if not is_needed:
        return None
    log = paths.logs_dir() / "deletions.txt"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        argv = (*paths.own_command(), "envs", "finish")
        return start_detached(argv, child_environment(paths.own_environment()), log)
    except OSError:  # then at another start
        return None


def _is_free(deletion: Deletion) -> bool:
    with contextlib.suppress(OSError), held(deletion) as is_ours:
        return is_ours
    return False


class Runs:
    """What is asked about a run, and done with it, by its id; part of the session."""

    def start(self, run_id: str) -> int:
        """Starts the worker, which outlives us; returns its process id. Raises WizardError `worker-not-started`."""
        return start(run_id)

    def keep(self, run_id: str) -> None:
        """A plan that somebody will start later, by its file."""
        keep(find_run_folder(run_id).path)

    def resume(self, run_id: str) -> int:
        """Raises UsageError `nothing-to-resume` for a run that is done."""
        return resume(run_id)

    def discard(self, run_id: str, finished_too: bool = False) -> None:
        """Removes an unfinished run with what it began. Raises as `discard`."""
        discard(run_id, finished_too)

    def is_running(self, run_id: str) -> bool:
        return find_run_folder(run_id).is_running()

    def request_cancel(self, run_id: str) -> None:
        control.ask(find_run_folder(run_id), control.CANCEL)

    def request_pause(self, run_id: str, paused: bool) -> None:
        control.ask(find_run_folder(run_id), control.PAUSE if paused else "")

    def events_path(self, run_id: str) -> Path:
        return find_run_folder(run_id).events

    def worker_output_path(self, run_id: str) -> Path:
        """What the worker itself printed: nothing, unless it could not even begin."""
        return worker_output(run_id)

    def plan_path(self, run_id: str) -> Path:
        return find_run_folder(run_id).plan

    def log_path(self, run_id: str) -> Path:
        return find_run_folder(run_id).log

    def runs(self) -> tuple[RunInfo, ...]:
        """Newest first; a folder that cannot be read is left out."""
        return known_runs()

    def run(self, run_id: str) -> RunInfo:
        """One of them, as it is now. Raises UsageError `no-such-run`, `bad-plan`."""
        return run_info(find_run_folder(run_id))

    def report(self, run_id: str) -> dict[str, Any]:
        path = find_run_folder(run_id).report
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return document


def resume_or_show(session: Runs, run_id: str) -> None:
    """Resumes, unless somebody else has done so meanwhile or the run has ended well: then it is there to be shown."""
    try:
        session.resume(run_id)
    except WizardError as error:
        if error.code not in ("run-busy", "nothing-to-resume"):
            raise


_ALIKE = ("check", "verify")  # steps whose time hangs on the build alone; others wait for the network


def last_times(session: Runs, run_id: str) -> dict[str, float]:
    """Return the seconds that these steps took when the same kind of build was last set up here; {} where it was not,
    or nobody can read its report."""
    runs = session.runs()
    kind = next((run.variant for run in runs if run.id == run_id), None)
    alike = [run for run in runs if run.state == "finished" and run.variant == kind and not run.adds]
    if not alike:
        return {}
    try:
        report = session.report(max(alike, key=lambda run: run.created).id)
    except WizardError:
        return {}
    rows = [row for row in report.get("steps") or () if row.get("name") in _ALIKE and row.get("outcome") == "done"]
    return {str(row["name"]): float(row["seconds"]) for row in rows if row.get("seconds")}


def known_prefixes() -> tuple[Path, ...]:
    """Environments that runs of ours made or repaired, and that are still there."""
    return tuple(prefix for prefix in prefixes_of_runs() if read_baseline(prefix))


def prefixes_of_runs() -> tuple[Path, ...]:
    """Return where runs of ours changed anything, also where nothing is any more."""
    found: dict[Path, None] = {}
    for folder in run_folders():
        try:
            found[Path(read_plan(folder.plan).prefix)] = None
        except WizardError:
            continue
    return tuple(found)


def restores_cut_off() -> tuple[WizardError, ...]:
    """`restore-under-way` of each environment that a run of ours changed: half of its packages may be gone."""
    from wizard.diagnose.repair.states import restore_cut_off  # brings the installer, which Welcome does not need

    return tuple(half for prefix in prefixes_of_runs() if (half := restore_cut_off(prefix)))


def drift(prefixes: Iterable[Path] | None = None) -> tuple[EnvironmentChanges, ...]:
    """Reads a few small files of each; starts no Python and imports nothing."""
    known = known_prefixes() if prefixes is None else prefixes
    looked = (changes_since_baseline(prefix) or losses_since_baseline(prefix) for prefix in known)
    return tuple(each for each in looked if each)


def strays_of_torch() -> dict[Path, tuple[str, ...]]:
    """Return, for each environment that a run of ours changed, the files that Python runs at its start there, that no
    package lists, and that name torch. Starts no Python; what they do to torch is not known by that."""
    found = {}
    for prefix in prefixes_of_runs():
        left = strays(site) if (site := site_packages(prefix)) else {}
        if names := tuple(name for name, content in left.items() if names_torch(content)):
            found[prefix] = names
    return found
