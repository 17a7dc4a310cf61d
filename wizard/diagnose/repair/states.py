"""The states of an environment that runs have kept: a chain, the newest on top, and how much of it stays.

Each state is the snapshot of one run and undoes that run alone. So the way back goes through all that lie above it,
the newest first, each whole before the next; and what is let go is the oldest. The chain has never a hole, wherever
it is killed. How many stay is a row of `matrices/policy.toml`. One file: the chain is read, gone back through and cut.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from filelock import Timeout
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wizard.compatibility.data.load import KeptStatesRow, PolicyTable
from wizard.diagnose.repair.snapshot import (
    FOLDER,
    REPAIR,
    STATE_COVERED,
    RepairSnapshot,
    StateChange,
    kept_in,
    kept_runs,
    sweep,
)
from wizard.environment.activate.programs import (
    KERNEL_PACKAGE,
    NOTEBOOK_PACKAGE,
    own_listings,
    take_off_jupyters_list,
)
from wizard.environment.inspect.in_use import Kernel, kernels_of
from wizard.environment.inspect.sizes import measure
from wizard.model.distributions import info_folders, read_distribution
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.model.tables import shipped_table
from wizard.run.plan.plan_file import read_plan
from wizard.run.run_folder import RUN_BUSY, RunFolder
from wizard.run.runs import FINISHED, run_info
from wizard.system import paths
from wizard.system.links import long_path

NOTHING_TO_UNDO = ErrorText(
    "nothing-to-undo",
    "No earlier state of {path} is kept.",
    "Nothing was changed.",
)
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class State:
    """An environment as it was before a run. `names`: what the run put in, what was asked for first; `how`: what it
    was, "" where that is not known; `size`: what the disk gets back; `moved`: when, in seconds since 1970."""

    run: str
    prefix: Path
    how: str
    names: tuple[str, ...]
    changes: tuple[StateChange, ...]
    size: int
    moved: float


@lru_cache(maxsize=1)
def bound() -> KeptStatesRow:
    """How much is kept. Raises WizardError `bad-table`."""
    return shipped_table("policy", PolicyTable).kept_states


def states_in(prefix: Path) -> tuple[State, ...]:
    """The newest first. Counts the files."""
    return tuple(_state(prefix, run) for run in kept_runs(prefix))


def bytes_kept(prefix: Path) -> int:
    """Of all states together; files of the package store, which environments have by hard links, are not theirs."""
    with contextlib.suppress(OSError):
        return measure(long_path(prefix) / FOLDER).freed
    return 0


def _state(prefix: Path, run: str) -> State:
    with contextlib.suppress(WizardError, OSError):
        aside = kept_in(prefix, run)
        listed = aside.read()
        changes = listed.changes or tuple(_changes_by_folders(prefix, run, listed.names))
        moved = listed.began or aside.folder.stat().st_mtime
        asked = _asked_for(run)
        names = sorted(listed.names, key=lambda name: asked.index(name) if name in asked else len(asked))
        return State(run, prefix, listed.how, tuple(names), changes, aside.bytes(), moved)
    return State(run, prefix, "", (), (), 0, time.time())


def _asked_for(run: str) -> list[str]:
    """The names that a person gave, while the run's folder is there; with Jupyter its kernel, which it is for."""
    try:
        plan = read_plan(RunFolder(paths.runs_dir() / run).plan)
        asked = [str(canonicalize_name(Requirement(each).name)) for each in plan.choices.extras]
    except (OSError, ValueError, WizardError):
        return []
    return [*asked, KERNEL_PACKAGE] if NOTEBOOK_PACKAGE in asked else asked


def _changes_by_folders(prefix: Path, run: str, names: tuple[str, ...]) -> Iterator[StateChange]:
    """Of a list that an older version of this program wrote: by the metadata that was moved, and by the run's lock."""
    folders = {path.parent for path in (long_path(prefix) / FOLDER / run / "kept").rglob("*.dist-info")}
    found = (read_distribution(info) for folder in folders for info in info_folders(folder))
    was = {each.name: each.version for each in found if each}
    now = {file.name: file.version for file in _lock_of(run)}
    for name in names:
        yield StateChange(name, was.get(name), now.get(name, "?"))


def _lock_of(run: str) -> tuple[LockedFile, ...]:
    """What the run installed, while its folder is there."""
    from wizard.install.lock import parse_lock

    try:
        return parse_lock(RunFolder(paths.runs_dir() / run).pylock.read_text(encoding="utf-8")).files
    except (OSError, ValueError, WizardError):
        return ()


# -- who else is at it


def under_way(prefix: Path, but: str = "") -> WizardError | None:
    """`repair-under-way`, with what is to be done first; None: no run (`but` this one) was left half, and no way
    back."""
    if any(kept_in(prefix, each).is_going_back for each in kept_runs(prefix) if each != but):
        return WizardError(
            "restore-under-way",
            "The way back of {path} was cut off: some of its packages are gone.",
            "Finish it [on the page {page.environments}.|with: torch-wizard envs restore {path}]",
            path=str(prefix),
        )
    run = next((run for run in kept_runs(prefix) if run != but and is_under_way(run)), None)
    if run is None:
        return None
    return WizardError(
        "repair-under-way",
        "An earlier change of {path} is not finished.",
        "Resume [on the page {page.welcome}|with: torch-wizard resume {run}  ] or take it back [on the page "
        "{page.environments}.|with: torch-wizard envs restore {path}]",
        run=run,
        path=str(prefix),
    )


def restore_cut_off(prefix: Path) -> WizardError | None:
    """`restore-under-way` alone: what whoever only looks must know."""
    half = under_way(prefix)
    return half if half is not None and half.code == "restore-under-way" else None


def is_under_way(run: str) -> bool:
    """It still moves files, or was killed at it. One of another computer, or of a home that was moved, is not known."""
    try:
        info = run_info(RunFolder(paths.runs_dir() / run))
    except WizardError:
        return False
    return info.state == "running" or (info.state == "unfinished" and info.exit_status is None)


def check_alone(prefix: Path, run: str) -> None:
    """For the run that begins, or goes on: nobody's half is below it, and nothing above.

    Raises WizardError `repair-under-way`, `state-covered`."""
    RepairSnapshot(prefix, prefix, run).check_on_top()
    if half := under_way(prefix, run):
        raise half


# -- the way back


def way_back(prefix: Path, state: str | None) -> tuple[State, ...]:
    """What goes back for this state, in that order: it is the last; None: the newest alone.

    Raises UsageError `nothing-to-undo`, `no-such-state`."""
    found = states_in(prefix)
    if not found:
        raise UsageError(NOTHING_TO_UNDO, path=str(prefix))
    at = next((at for at, each in enumerate(found) if state in (None, each.run)), None)
    if at is None:
        raise UsageError(
            "no-such-state",
            "{state} is no state of {path} that is kept.",
            "See them [on the page {page.environments}.|with: torch-wizard envs history {path}]",
            state=state or "",
            path=str(prefix),
        )
    return found[: at + 1]


def kernels_going(prefix: Path, going: Iterable[State]) -> tuple[Kernel, ...]:
    """Our entries in Jupyter's list that could start nothing once these states, the newest first, are gone back
    through: what Jupyter starts came with one of them."""
    changes = [change for each in going for change in each.changes if change.name == KERNEL_PACKAGE]
    if not changes or changes[-1].was is not None:
        return ()
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home raises where there is none
    return tuple(own_listings(kernels_of(prefix, os.environ, Path(home))))


def restore(prefix: Path, state: str | None = None) -> tuple[State, ...]:
    """Goes back to before that run, through all that came after it; with the package that Jupyter starts there our
    entry in its list goes, first: a kill between the two leaves one that the next notebook lists again. Raises as
    `way_back`, WizardError `run-busy`, `restore-in-use`, `restore-failed`: then it goes on with the same command."""
    from wizard.environment.inspect.reusable import check_not_in_use
    from wizard.run.steps.preflight import prefix_lock

    check_not_in_use(prefix, "restore-in-use")
    try:
        with prefix_lock(str(prefix)):
            going = way_back(prefix, state)
            take_off_jupyters_list(kernels_going(prefix, going))
            for each in going:
                with contextlib.ExitStack() as held:
                    folder = RunFolder(paths.runs_dir() / each.run)
                    if folder.path.is_dir():
                        held.enter_context(folder.lock())
                    _restore_one(prefix, each.run)
    except Timeout as error:
        raise WizardError(RUN_BUSY, path=str(prefix)) from error
    return going


def _restore_one(prefix: Path, run: str) -> None:
    """By its own list, in this prefix: the run may know another one, that of which this is a copy."""
    aside = kept_in(prefix, run)
    aside.restore(wheels_kept(run, aside.names))


def undo_repair(prefix: Path) -> str:
    """Takes back the newest change, if it is a repair; its run. Raises as `restore`, and WizardError `state-covered`
    where the repair lies below others."""
    found = states_in(prefix)
    repair = next((each for each in found if each.how in (REPAIR, "") or is_under_way(each.run)), None)
    if repair is None:
        raise UsageError(NOTHING_TO_UNDO, path=str(prefix))
    if repair is not found[0]:
        raise WizardError(STATE_COVERED, path=str(prefix), run=repair.run, newer=found[0].run)
    return restore(prefix)[0].run


def wheels_kept(run: str, names: Collection[str]) -> list[Path]:
    """Those of the run that the package store has."""
    from wizard.install.store import PackageStore

    store = PackageStore()
    return [wheel for file in _lock_of(run) if file.name in names and (wheel := store.wheel_of(file))]


# -- letting go


def release_over(prefix: Path) -> tuple[str, ...]:
    """What is more than the bound goes, the oldest first; the newest stays, however large. Under the environment's
    lock. The runs whose way back that was."""
    most, runs = bound(), kept_runs(prefix)
    gone: list[str] = []
    with contextlib.suppress(OSError):
        sweep(prefix)
    for run in reversed(runs[1:]):
        fits = len(runs) - len(gone) <= most.most and bytes_kept(prefix) <= most.bytes
        if fits or is_under_way(run) or not _let_go(prefix, run):
            break
        gone.append(run)
    return tuple(gone)


def _let_go(prefix: Path, run: str) -> bool:
    with contextlib.suppress(WizardError, OSError):
        kept_in(prefix, run).forget()
        return True
    return False


def release_stale(prefixes: Iterable[Path]) -> tuple[Path, ...]:
    """What nobody has asked back for so long. An unfinished run stays, with all above: it may go on or back."""
    gone = []
    for prefix in prefixes:
        for run in reversed(kept_runs(prefix)):
            from wizard.run.steps.preflight import prefix_lock  # most environments keep nothing

            folder = prefix / FOLDER / run
            try:
                is_stale = time.time() - long_path(folder).stat().st_mtime > bound().days * _DAY
                if not is_stale or _is_unfinished(run):
                    break
                with prefix_lock(str(prefix)):
                    kept_in(prefix, run).forget()
            except (WizardError, OSError, Timeout):
                break
            gone.append(folder)
    return tuple(gone)


def _is_unfinished(run: str) -> bool:
    folder = RunFolder(paths.runs_dir() / run)
    return folder.plan.is_file() and run_info(folder).state != FINISHED
