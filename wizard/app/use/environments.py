"""The use cases about environments that are there: list them, measure them, plan a deletion, delete, finish one.

Brings together what only others know (conda installations, interpreters, runs, condarc) and asks `environments`.
Listing is quick; measuring and deleting take their time and belong on a thread of their own. One file: each is a few
lines about the same environments.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.environment.inspect import listing, sizes
from wizard.environment.inspect.listing import SearchPlaces, usual_places
from wizard.environment.inspect.sizes import Sizes
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.naming import absolute_prefix
from wizard.environment.remove import delete as deleting
from wizard.environment.remove.delete import DeletionPlan, Finished, OnProgress, ProtectedPlaces
from wizard.machine.host import condas, interpreters
from wizard.model.errors import UsageError, WizardError
from wizard.run.plan.plan_file import read_plan
from wizard.run.run_folder import RUN_BUSY, RunFolder, run_folders
from wizard.system import paths
from wizard.toolconfig.conda import conda_files, conda_places, parse_conda_file
from wizard.toolconfig.model import UserContext
from wizard.undo.user_file import read_file

if TYPE_CHECKING:
    from wizard.app.pages.after_setup import Section

IsCancelled = Callable[[], bool]
_MOST_NAMED = 8


def _never() -> bool:
    return False


def list_environments(is_cancelled: IsCancelled = _never) -> tuple[Environment, ...]:
    """All of all engines and installations, the current one marked. No process is started."""
    return listing.list_environments(places(), is_cancelled)


def with_gone(
    before: Iterable[Environment], found: tuple[Environment, ...]
) -> tuple[tuple[Environment, ...], tuple[Environment, ...]]:
    """Beside those that are there now, the person's of an earlier look whose folders are not there any more."""
    there = {one.prefix for one in found}
    missing = (one for one in before if one.is_persons and one.prefix not in there)
    return found, tuple(
        one for one in missing if one.state is not EnvironmentState.DELETING and not os.path.lexists(one.prefix)
    )


def known_sizes(environments: Iterable[Environment]) -> dict[Path, Sizes]:
    """Those that need no counting."""
    return sizes.known_sizes(one.prefix for one in environments if one.state is not EnvironmentState.DELETING)


def measure_sizes(
    environments: Iterable[Environment],
    on_sizes: Callable[[Path, Sizes], None],
    is_cancelled: IsCancelled = _never,
) -> None:
    """Each is told as soon as it is known; for a thread. An interpreter's own prefix may be `/usr`: left out.

    Raises Cancelled.
    """
    prefixes = (one.prefix for one in environments if is_measured(one))
    sizes.measure_all(prefixes, on_sizes, is_cancelled)


def is_measured(one: Environment) -> bool:
    return one.state is not EnvironmentState.DELETING and one.kind.value != "system"


def find_environment(text: str) -> Environment:
    """By name, else by path. Raises UsageError `env-unknown`, `env-not-one`, `env-ambiguous`."""
    live = [one for one in list_environments() if one.state is not EnvironmentState.DELETING]
    named = [one for one in live if one.name == text]
    if len(named) == 1:
        return named[0]
    if named:
        raise UsageError(
            "env-ambiguous",
            "Several environments are called “{name}”: {paths}.",
            "Give the folder instead of the name.",
            name=text,
            paths=", ".join(str(one.prefix) for one in named),
        )
    prefix = absolute_prefix(text) if text.strip() and "\0" not in text else None
    for one in live:
        if prefix is not None and _is_same(one.prefix, prefix):
            return one
    found = listing.list_environments(SearchPlaces(prefixes=(prefix,))) if prefix and os.path.lexists(prefix) else ()
    at_prefix = next((one for one in found if one.prefix == prefix), None)
    if at_prefix is None:
        if prefix and os.path.lexists(prefix):
            raise UsageError(
                "env-not-one",
                "“{path}” is not a Python environment.",
                "Give the folder of an environment: [{page.environments}|torch-wizard envs list] names them.",
                path=str(prefix),
            )
        raise UsageError(
            "env-unknown",
            "There is no environment called “{name}” on this computer, and no such folder.",
            "Choose one of these, or give its folder: {names}.",
            name=text,
            names=", ".join(_names(live)[:_MOST_NAMED]) or "-",
        )
    return at_prefix


def _names(environments: Iterable[Environment]) -> list[str]:
    """Environments first: bare interpreters are many, and hardly meant."""
    ranked = sorted((one.kind is EnvironmentKind.SYSTEM, one.name) for one in environments)
    return list(dict.fromkeys(name for _, name in ranked))


def _is_same(one: Path, other: Path) -> bool:
    """As text: a link to an environment is not that environment."""
    return os.path.normcase(one) == os.path.normcase(other)


def plan_deletion(environment: Environment, is_cancelled: IsCancelled = _never) -> DeletionPlan:
    """Walks through it; changes nothing. Raises UsageError `delete-…`, WizardError `run-busy`, Cancelled."""
    _check_runs(environment)
    return deleting.plan_deletion(environment, surroundings(), os.environ, is_cancelled)


def delete(
    plan: DeletionPlan,
    typed: str,
    on_progress: OnProgress = lambda files, size: None,
    is_cancelled: IsCancelled = _never,
) -> None:
    """`typed` must be the environment's name. See `environments.delete.delete` for what it raises."""
    _check_runs(plan.environment)
    deleting.delete(plan, typed, surroundings(), on_progress, is_cancelled)


@dataclass(frozen=True, slots=True)
class Replaced:
    """What a change of an environment replaced, and that can be brought back. `run`: its name; `moved`: when, in
    seconds since 1970; `kernels`: what Jupyter then lists no more, by their titles."""

    names: tuple[str, ...]
    size: int
    moved: float
    run: str = ""
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Closer:
    """One environment from near. `kept`: of the newest change, None where nothing waits to be brought back; `older`: of
    those before it, the newest first."""

    sections: tuple[Section, ...]
    kept: Replaced | None = None
    older: tuple[Replaced, ...] = ()
    lacks: str | None = None  # the package that a notebook needs here; "" where one can be opened
    notebook: str = ""  # where its server answers; "" where none does


def replaced_in(prefix: Path) -> tuple[Replaced, ...]:
    """Return what can be brought back, the newest change first."""
    from wizard.diagnose.repair.states import kernels_going, states_in

    found: tuple[Replaced, ...] = ()
    with contextlib.suppress(OSError, WizardError):
        states = states_in(prefix)
        for at, one in enumerate(states):
            titles = tuple(kernel.title for kernel in kernels_going(prefix, states[: at + 1]))
            found += (Replaced(one.names, one.size, one.moved, one.run, titles),)
    return found


def finish_deletions(
    on_progress: OnProgress = lambda files, size: None, is_cancelled: IsCancelled = _never
) -> Finished:
    """What an earlier start began to delete and did not end."""
    return deleting.finish_deletions(on_progress, is_cancelled)


def conda_roots() -> tuple[Path, ...]:
    """Conda installations on this computer, by where their programs lie."""
    return tuple(_roots())


def surroundings() -> ProtectedPlaces:
    return ProtectedPlaces(tuple(_roots()), list_environments(), _home())


def places() -> SearchPlaces:
    """Return where this account's environments may lie: usual folders, settings of conda, runs, known Pythons."""
    home = _home()
    roots = tuple(_roots())
    pythons = tuple(interpreters.candidates(os.environ, home)) if home else ()
    return usual_places(
        os.environ,
        home,
        _here(),
        paths.default_environments_dir(),
        roots=roots,
        envs_dirs=(paths.usual_environments_dir(), *_envs_dirs(home, roots)),
        known=tuple(Path(prefix) for _, prefix in _runs()),
        pythons=pythons,
    )


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # no HOME, no entry in passwd
        return None


def _here() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was deleted
        return None


def _roots() -> Iterator[Path]:
    """Conda installations, by where their programs lie."""
    found = [condas.root_prefix(executable.resolve()) for _, executable, _ in condas.candidates(os.environ)]
    named = os.environ.get("MAMBA_ROOT_PREFIX")
    yield from dict.fromkeys([*(root for root in found if root), *([Path(named)] if named else [])])


def _envs_dirs(home: Path | None, roots: Iterable[Path]) -> list[Path]:
    """Return where conda's settings put environments, in every file that conda would read."""
    around = UserContext(os.environ, home or Path(os.sep), paths.os_name())
    places = dict.fromkeys(place for root in (*roots, None) for place in conda_places(around, root))
    found: list[Path] = []
    for path in conda_files(places):
        with contextlib.suppress(OSError, ValueError, RecursionError):
            rows = parse_conda_file(read_file(path).decode("utf-8-sig"), path).rows
            written = (row.value for row in rows if row.key == "envs_dirs" and isinstance(row.value, str))
            found += [Path(os.path.expandvars(part)).expanduser() for part in written]
    return found


def _runs() -> Iterator[tuple[RunFolder, str]]:
    for folder in run_folders():
        with contextlib.suppress(WizardError):
            yield folder, read_plan(folder.plan).prefix


def _check_runs(environment: Environment) -> None:
    """An environment that a run works on, or that one began and could go on with, goes through that run."""
    for folder, prefix in _runs():
        if _is_same(Path(prefix), environment.prefix):
            if folder.is_running():
                raise WizardError(RUN_BUSY, path=prefix)
            if environment.run == folder.id:
                raise UsageError(
                    "delete-unfinished",
                    "“{path}” was begun by the setup {run}, which is not finished.",
                    "Resume it [on the page {page.welcome}|with torch-wizard resume {run}], or take it back [on "
                    "the page {page.welcome}|with torch-wizard runs --remove {run}].",
                    path=prefix,
                    run=folder.id,
                )


@dataclass(frozen=True, slots=True)
class Glance:
    """What Welcome's tiles say: the first card by name, how many environments are the person's, and the
    first broken one. None: there is none, or nobody could say."""

    card: str | None
    environments: int
    broken: str | None


def glance(is_cancelled: IsCancelled) -> Glance:
    """Ask for the NVIDIA card alone and list the environments. Raises Cancelled."""
    from wizard.machine.asking import asker
    from wizard.machine.gpu.nvml import probe_nvml

    seen = probe_nvml(asker(is_cancelled))
    found = [one for one in list_environments(is_cancelled) if one.is_persons]
    return Glance(
        next((card.name for card in seen.gpus if card.name), None),
        len(found),
        next((one.name for one in found if one.state.value == "broken"), None),
    )
