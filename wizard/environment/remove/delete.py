"""Deleting an environment as a plan, and what is never deleted.

Deleting an environment: first a plan that says what goes and what stays, then the typed name, then the doing.

The plan is a value and changes nothing. The doing looks again (time has passed), takes the environment away in one
step and removes its files afterwards; what is interrupted is finished by `finish_deletions` at the next start.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wizard.environment.activate.programs import (
    family,
    may_take_off,
    own_listings,
    servers_among,
    take_off_jupyters_list,
)
from wizard.environment.inspect.in_use import Kernel, RunningProgram, kernels_of, running_inside
from wizard.environment.inspect.look import is_conda_base
from wizard.environment.inspect.owned import Unowned
from wizard.environment.inspect.sizes import Sizes
from wizard.environment.inspect.survey import Survey, mounted_in, survey
from wizard.environment.layout import read_text
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.naming import check_place, is_environment
from wizard.environment.remove.trash import Deletion, clear, held, new_deletion, pending, put_away, sweep
from wizard.environment.remove.unfinished import unfinished_run
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.messages import Message, bytes_text, message
from wizard.model.typed import from_json
from wizard.system import paths
from wizard.system.links import is_link
from wizard.system.traits import this

DELETE_DENIED = ErrorText(
    "delete-denied",
    "You may not delete the contents of {inside}, so only half of “{path}” could be deleted; it was not begun.",
    "Ask its owner or the administrator to delete it.",
)
DELETE_HOLDS = ErrorText(
    "delete-holds",
    "“{path}” contains something else that must not be lost: {what}.",
    "Move that somewhere else or delete it first.",
)
DELETE_MOUNT = ErrorText(
    "delete-mount",
    "Another disk or folder is mounted at {inside}; “{path}” is not deleted.",
    "Unmount it first.",
)
DELETE_NAME = ErrorText(
    "delete-name",
    "The name that was typed is “{typed}”, and the environment is called “{name}”; nothing was deleted.",
    "Type exactly {name} if it is to be deleted.",
)
DELETE_REST = ErrorText(
    "delete-rest",
    "“{path}” is deleted, but some of its files could not be removed from {trash}.",
    "They are tried again at the next start; the details name the first one.",
)
DELETE_SYSTEM = ErrorText(
    "delete-system",
    "“{path}” belongs to the system or to an installed Python; it is not deleted.",
    "Remove an installed Python with the tool that installed it.",
)

# What is never deleted, and why: each refusal is one sentence.
#
# The rule is narrow on purpose: only what is an environment by its own signs, belongs to nobody else's order (an
# installation, a lab's frozen one, the Python that runs us) and has nothing of another kind in it.


@dataclass(frozen=True, slots=True)
class ProtectedPlaces:
    """What else is on this computer: conda installations, all environments, the user's home."""

    roots: tuple[Path, ...] = ()
    environments: tuple[Environment, ...] = ()
    home: Path | None = None


def check_deletable(prefix: Path, around: ProtectedPlaces) -> None:
    """Refuse what is plainly no environment of the user's, without a walk. Raises UsageError `delete-…`."""
    shown = str(prefix)
    if is_link(prefix):
        raise UsageError(
            "delete-link",
            "“{path}” is only a link; the environment itself is in {target}.",
            "Give that folder if it is to be deleted, or remove the link yourself.",
            path=shown,
            target=os.path.realpath(prefix),
        )
    if not prefix.is_dir():
        raise UsageError(
            "delete-missing",
            "There is no folder “{path}”.",
            "Look at the list again: [{page.environments}|torch-wizard envs list].",
            path=shown,
        )
    _check_place(prefix)
    _check_kind(prefix, around)
    if ours := next((place for place in _our_places() if _holds(prefix, place)), None):
        raise UsageError(
            "delete-ourselves",
            "This program itself runs from “{path}” ({ours}); it can't delete that.",
            "Start the program from another Python if this one is to be deleted.",
            path=shown,
            ours=str(ours),
        )
    if mounts := mounted_in(prefix):
        raise UsageError(DELETE_MOUNT, path=shown, inside=str(prefix / mounts[0]))
    _check_inside(prefix, around)


def check_survey(prefix: Path, survey: Survey) -> None:
    """Refuse by what only the walk has seen. Raises UsageError."""
    if survey.volumes:
        raise UsageError(DELETE_MOUNT, path=str(prefix), inside=str(prefix / survey.volumes[0]))
    if survey.nested:
        raise UsageError(DELETE_HOLDS, path=str(prefix), what=str(prefix / survey.nested[0]))
    if survey.denied:
        raise UsageError(DELETE_DENIED, path=str(prefix), inside=str(prefix / survey.denied[0]))
    if not os.access(prefix.parent, os.W_OK | os.X_OK):
        raise UsageError(DELETE_DENIED, path=str(prefix), inside=str(prefix.parent))


def _check_place(prefix: Path) -> None:
    for place in {prefix, prefix.resolve()}:
        try:
            check_place(place, paths.os_name())
        except UsageError as error:
            if error.code == "target-is-system":
                raise UsageError(DELETE_SYSTEM, path=str(prefix)) from None


def _check_kind(prefix: Path, around: ProtectedPlaces) -> None:
    shown = str(prefix)
    if any(_same(prefix, root) for root in around.roots) or is_conda_base(prefix):
        raise UsageError(
            "delete-base",
            "“{path}” is a conda installation itself, with its other environments; it is not deleted.",
            "Delete single environments in it, or uninstall conda the way its own pages say.",
            path=shown,
        )
    if not is_environment(prefix) and unfinished_run(prefix) is None:
        raise UsageError(
            "delete-foreign",
            "“{path}” is not an environment: it has neither conda's history nor a pyvenv.cfg.",
            "Delete the folder yourself if you know what is in it.",
            path=shown,
        )
    frozen = prefix / "conda-meta" / "frozen"
    if os.path.lexists(frozen):
        raise UsageError(
            "delete-frozen",
            "“{path}” is marked as frozen by whoever looks after it ({reason}); it is not deleted.",
            "Ask them; they take away the file conda-meta/frozen first.",
            path=shown,
            reason=frozen_reason(read_text(frozen) or ""),
        )


def frozen_reason(text: str) -> str:
    """Return the words in conda's marker, `{"message": "managed by lab"}`; "-" when it has none."""
    try:
        said = from_json(text, dict[str, object]).get("message")
    except msgspec.MsgspecError:
        return " ".join(text.split()) or "-"
    return " ".join(str(said or "-").split())


def _check_inside(prefix: Path, around: ProtectedPlaces) -> None:
    precious: list[Path] = [
        *(one.prefix for one in around.environments if one.kind is not EnvironmentKind.SYSTEM),
        *around.roots,
    ]
    for place in (around.home, paths.home(), *precious):
        if place is not None and not _same(place, prefix) and _holds(prefix, place):
            raise UsageError(DELETE_HOLDS, path=str(prefix), what=str(place))
    if around.home is not None and _same(around.home, prefix):
        raise UsageError(DELETE_HOLDS, path=str(prefix), what=str(around.home))


def _our_places() -> Iterable[Path]:
    """The Python that runs us, and our own code."""
    yield from (Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable), paths.resources_dir())


def _holds(prefix: Path, place: Path) -> bool:
    """Links resolved: what counts is where the bytes lie."""
    real = os.path.normcase(os.path.realpath(place))
    start = os.path.normcase(os.path.realpath(prefix))
    return real == start or real.startswith(start + os.sep)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


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
    running: tuple[RunningProgram, ...]
    kernels: tuple[Kernel, ...]
    dependants: tuple[Environment, ...]
    stays: tuple[Message, ...]
    notebooks: frozenset[int] = frozenset()  # of `running`, the processes of a Jupyter that this program has started

    @property
    def name(self) -> str:
        """Return what has to be typed."""
        return self.environment.name


def plan_deletion(
    environment: Environment,
    around: ProtectedPlaces,
    variables: Mapping[str, str],
    is_cancelled: IsCancelled = _never,
) -> DeletionPlan:
    """Walk through the whole environment. Raises UsageError `delete-…`, Cancelled."""
    prefix = environment.prefix
    if environment.state is EnvironmentState.DELETING:
        raise UsageError(
            "delete-going",
            "“{path}” is deleted already; its last files are being removed.",
            "Wait a moment; nothing more has to be done.",
            path=str(prefix),
        )
    if environment.kind is EnvironmentKind.SYSTEM:
        raise UsageError(DELETE_SYSTEM, path=str(prefix))
    check_deletable(prefix, around)
    seen = survey(prefix, is_cancelled)
    check_survey(prefix, seen)
    kernels, running = kernels_of(prefix, variables, around.home), running_inside(prefix)
    of_ours = {pid for process, _ in servers_among(running) for pid in family(process)}
    return DeletionPlan(
        environment,
        seen.sizes,
        seen.unowned,
        running,
        kernels,
        tuple(one for one in around.environments if _borrows(one, prefix)),
        tuple(_stays(environment, seen.sizes, kernels)),
        frozenset(one.pid for one in running) & of_ours,
    )


def _borrows(one: Environment, prefix: Path) -> bool:
    if one.base is None or one.prefix == prefix:
        return False
    return os.path.realpath(one.base).startswith(os.path.realpath(prefix) + os.sep)


def _stays(environment: Environment, sizes: Sizes, kernels: tuple[Kernel, ...]) -> list[Message]:
    found = [message("envs.stays.shared", size=bytes_text(sizes.apparent - sizes.freed))] if _shares(sizes) else []
    if environment.kind in (EnvironmentKind.RATTLER, EnvironmentKind.CONDA):
        found.append(message("envs.stays.conda-cache"))
    found.append(message("envs.stays.downloads"))
    ours = own_listings(kernels)
    for kernel in kernels:
        of_others = "envs.goes.kernel-of-others" if may_take_off(kernel) else "envs.stays.kernel"
        key = "envs.goes.kernel" if kernel in ours else of_others
        found.append(message(key, title=kernel.title, path=str(kernel.folder)))
    if this().has_start_menu and (environment.prefix / "Menu").is_dir():
        found.append(message("envs.stays.menu"))
    return found


def _shares(sizes: Sizes) -> bool:
    """The last block of each file makes the freed figure the larger one where nothing is shared."""
    return sizes.apparent - sizes.freed > sizes.apparent // 100


def delete(
    plan: DeletionPlan,
    typed: str,
    around: ProtectedPlaces,
    on_progress: OnProgress = lambda files, size: None,
    is_cancelled: IsCancelled = _never,
) -> None:
    """Delete an environment. Raises UsageError `delete-name` and the plan's refusals; WizardError `delete-in-use`,
    `delete-failed`: nothing has changed then; `delete-rest`, Cancelled: the environment is gone, and the rest goes at
    the next start."""
    prefix = plan.environment.prefix
    if typed != plan.name:
        raise UsageError(DELETE_NAME, name=plan.name, typed=typed)
    check_deletable(prefix, around)
    check_unused(prefix)
    kind = plan.environment.kind.value
    deletion = new_deletion(prefix, files=plan.sizes.files, size=plan.sizes.freed, kind=kind)
    try:
        with held(deletion):
            put_away(deletion)
            take_off_jupyters_list(plan.kernels)
            _clear(deletion, on_progress, is_cancelled)
    except OSError as error:
        raise WizardError(
            "delete-failed",
            "“{path}” could not be deleted; it is as it was.",
            "Close programs that use files in it and check that you may write in the folder above, then try again.",
            details=str(error),
            path=str(prefix),
        ) from error


def check_unused(prefix: Path) -> None:
    """Refuse while something runs from it. Raises WizardError `delete-in-use`, which names programs and process ids."""
    running = running_inside(prefix)
    if running:
        named = ", ".join(f"{one.program} ({one.pid})" for one in running[:_MOST_PROGRAMS])
        more = " …" if len(running) > _MOST_PROGRAMS else ""
        details = "\n".join(f"{one.pid} {one.program}: {one.path}" for one in running)
        raise WizardError(
            "delete-in-use",
            "Programs are using “{path}”: {programs}.",
            "Close them and try again; nothing was deleted.",
            details=details,
            path=str(prefix),
            programs=named + more,
        )


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
        raise WizardError(DELETE_REST, details=details, path=deletion.prefix, trash=str(deletion.trash)) from error


@dataclass(frozen=True, slots=True)
class Finished:
    """`failed`: could not be removed this time either, with the system's words."""

    done: tuple[Deletion, ...]
    failed: tuple[tuple[Deletion, str], ...]


def finish_deletions(
    on_progress: OnProgress = lambda files, size: None, is_cancelled: IsCancelled = _never
) -> Finished:
    """Finish what an earlier start began to delete. One that another process is at is left to it. Raises Cancelled."""
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
