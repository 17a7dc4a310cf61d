"""What runs have put aside in environments that are there: is it still kept, how large is it, bring it back, let go.

A snapshot stays until the next setup or repair in the same environment ends well, or for thirty days. The way back is
under the same locks as a run, and never while a program uses the environment.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from filelock import Timeout

from wizard import paths
from wizard.doctor.aside import FOLDER, kept_in, kept_runs
from wizard.environments.reusable import check_not_in_use
from wizard.errors import UsageError, WizardError
from wizard.session.doctor import restore_run
from wizard.session.runs import run_info
from wizard.steps.preflight import prefix_lock
from wizard.steps.run_folder import RunFolder

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
    folder = prefix / FOLDER / run
    with contextlib.suppress(WizardError, OSError):
        aside = kept_in(prefix, run)
        return Snapshot(run, prefix, aside.names, aside.bytes(), folder.stat().st_mtime)
    return Snapshot(run, prefix, (), 0, time.time())


def restore(prefix: Path) -> Snapshot:
    """Brings the newest back. Raises UsageError `nothing-to-undo`, WizardError `run-busy`, `restore-in-use`,
    `restore-failed`: then it goes on with the same command."""
    found = snapshots_in(prefix)
    if not found:
        raise UsageError("nothing-to-undo", path=str(prefix))
    check_not_in_use(prefix, "restore-in-use")
    folder = RunFolder(paths.runs_dir() / found[0].run)
    try:
        with prefix_lock(str(prefix)), contextlib.ExitStack() as held:
            if folder.path.is_dir():
                held.enter_context(folder.lock())
            if not restore_run(folder):
                kept_in(prefix, found[0].run).restore()
    except Timeout as error:
        raise WizardError("run-busy", path=str(prefix)) from error
    return found[0]


def let_go_of_older(prefix: Path, run: str) -> None:
    """The run ended well: what lies below its own snapshot cannot be brought back any more without it."""
    for older in kept_runs(prefix):
        if older < run:
            with contextlib.suppress(WizardError, OSError):
                kept_in(prefix, older).forget()


def let_go_of_stale(prefixes: Iterable[Path], now: float | None = None) -> tuple[Path, ...]:
    """What nobody has asked back for thirty days. An unfinished run's stays: it is needed to go on or back."""
    moment = time.time() if now is None else now
    gone = []
    for prefix in prefixes:
        for run in kept_runs(prefix):
            with contextlib.suppress(WizardError, OSError, Timeout):
                folder = prefix / FOLDER / run
                if moment - folder.stat().st_mtime > KEPT_DAYS * 86_400 and not _is_unfinished(run):
                    with prefix_lock(str(prefix)):
                        kept_in(prefix, run).forget()
                        gone.append(folder)
    return tuple(gone)


def _is_unfinished(run: str) -> bool:
    folder = RunFolder(paths.runs_dir() / run)
    return folder.plan.is_file() and run_info(folder).state != "finished"
