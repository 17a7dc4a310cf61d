"""Deleting an environment: first a plan that says what goes and what stays, then the typed name, then the doing.

The plan is a value and changes nothing. The doing looks again (time has passed), takes the environment away in one
step and removes its files afterwards; what is interrupted is finished by `finish_deletions` at the next start.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.environments.found import Environment, Kind, State
from wizard.environments.in_use import Running, running_inside
from wizard.environments.kernels import Kernel, kernels_of
from wizard.environments.owned import Unowned
from wizard.environments.refuse import Surroundings, check_deletable, check_survey
from wizard.environments.sizes import Sizes
from wizard.environments.survey import survey
from wizard.environments.trash import Deletion, clear, held, new_deletion, pending, put_away, sweep
from wizard.errors import UsageError, WizardError
from wizard.i18n import Message, message
from wizard.system.traits import this

OnProgress = Callable[[int, int], None]  # files gone so far, and bytes: their share of all, no file is asked again
IsCancelled = Callable[[], bool]
_MOST_PROGRAMS = 5


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """`unowned` comes first wherever this is shown: it is what would be missed. `running` forbids it for now.

    `dependants`: virtual environments that borrow the Python in here and would no longer run.
    """

    environment: Environment
    sizes: Sizes
    unowned: tuple[Unowned, ...]
    running: tuple[Running, ...]
    kernels: tuple[Kernel, ...]
    dependants: tuple[Environment, ...]
    stays: tuple[Message, ...]

    @property
    def name(self) -> str:
        """What has to be typed."""
        return self.environment.name


def plan_deletion(
    environment: Environment,
    around: Surroundings,
    variables: Mapping[str, str],
    is_cancelled: IsCancelled = _never,
) -> DeletionPlan:
    """Walks through the whole environment. Raises UsageError `delete-…`, Cancelled."""
    prefix = environment.prefix
    if environment.state is State.DELETING:
        raise UsageError("delete-going", path=str(prefix))
    if environment.kind is Kind.SYSTEM:
        raise UsageError("delete-system", path=str(prefix))
    check_deletable(prefix, around)
    seen = survey(prefix, is_cancelled)
    check_survey(prefix, seen)
    kernels = kernels_of(prefix, variables, around.home)
    return DeletionPlan(
        environment,
        seen.sizes,
        seen.unowned,
        running_inside(prefix),
        kernels,
        tuple(one for one in around.environments if _borrows(one, prefix)),
        tuple(_stays(environment, seen.sizes, kernels)),
    )


def _borrows(one: Environment, prefix: Path) -> bool:
    if one.base is None or one.prefix == prefix:
        return False
    return os.path.realpath(one.base).startswith(os.path.realpath(prefix) + os.sep)


def _stays(environment: Environment, sizes: Sizes, kernels: tuple[Kernel, ...]) -> list[Message]:
    found = [message("envs.stays.shared", size=megabytes(sizes.apparent - sizes.freed))] if _shares(sizes) else []
    if environment.kind in (Kind.RATTLER, Kind.CONDA):
        found.append(message("envs.stays.conda-cache"))
    found.append(message("envs.stays.downloads"))
    found += [message("envs.stays.kernel", title=kernel.title, path=str(kernel.folder)) for kernel in kernels]
    if this().has_start_menu and (environment.prefix / "Menu").is_dir():
        found.append(message("envs.stays.menu"))
    return found


def _shares(sizes: Sizes) -> bool:
    """The last block of each file makes the freed figure the larger one where nothing is shared."""
    return sizes.apparent - sizes.freed > sizes.apparent // 100


def megabytes(size: int) -> float:
    return round(size / 1e6, 1)


def delete(
    plan: DeletionPlan,
    typed: str,
    around: Surroundings,
    on_progress: OnProgress = lambda files, size: None,
    is_cancelled: IsCancelled = _never,
) -> None:
    """Raises UsageError `delete-name` and the plan's refusals; WizardError `delete-in-use`, `delete-failed`: nothing
    has changed then; `delete-rest`, Cancelled: the environment is gone, and the rest goes at the next start."""
    prefix = plan.environment.prefix
    if typed != plan.name:
        raise UsageError("delete-name", name=plan.name, typed=typed)
    check_deletable(prefix, around)
    check_unused(prefix)
    kind = plan.environment.kind.value
    deletion = new_deletion(prefix, files=plan.sizes.files, size=plan.sizes.freed, kind=kind)
    try:
        with held(deletion):
            put_away(deletion)
            _clear(deletion, on_progress, is_cancelled)
    except OSError as error:
        raise WizardError("delete-failed", details=str(error), path=str(prefix)) from error


def check_unused(prefix: Path) -> None:
    """Raises WizardError `delete-in-use`, which names programs and process ids."""
    running = running_inside(prefix)
    if running:
        named = ", ".join(f"{one.program} ({one.pid})" for one in running[:_MOST_PROGRAMS])
        more = " …" if len(running) > _MOST_PROGRAMS else ""
        details = "\n".join(f"{one.pid} {one.program}: {one.path}" for one in running)
        raise WizardError("delete-in-use", details, path=str(prefix), programs=named + more)


def _clear(deletion: Deletion, on_progress: OnProgress, is_cancelled: IsCancelled) -> None:
    gone = 0

    def count(files: int) -> None:
        nonlocal gone
        gone += files
        on_progress(gone, deletion.size * min(gone, deletion.files) // max(deletion.files, 1))

    try:
        clear(deletion, count, is_cancelled)
    except OSError as error:
        details = f"{error}\n{error.filename or ''}"
        raise WizardError("delete-rest", details, path=deletion.prefix, trash=str(deletion.trash)) from error


@dataclass(frozen=True, slots=True)
class Finished:
    """`failed`: could not be removed this time either, with the system's words."""

    done: tuple[Deletion, ...]
    failed: tuple[tuple[Deletion, str], ...]


def finish_deletions(
    on_progress: OnProgress = lambda files, size: None, is_cancelled: IsCancelled = _never
) -> Finished:
    """What an earlier start began to delete. One that another process is at is left to it. Raises Cancelled."""
    done: list[Deletion] = []
    failed: list[tuple[Deletion, str]] = []
    for deletion in pending():
        with held(deletion) as is_ours:
            if not is_ours or not deletion.note.exists():
                continue
            try:
                _clear(deletion, on_progress, is_cancelled)
                done.append(deletion)
            except WizardError as error:
                failed.append((deletion, error.details))
    sweep()
    return Finished(tuple(done), tuple(failed))
