"""What conda brings and what the wheels need, brought into agreement before anything is begun.

The packages that conda has solved bind the lock. Where the wheels cannot go with them, conda is asked for what they
can; where it cannot give that, the setup is refused: two owners of one package would damage each other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from packaging.version import InvalidVersion, Version

from wizard.compatibility.model import Choices, Plan
from wizard.environment.conda.answer import CondaPlan
from wizard.environment.conda.engine import CondaEngine, check_conda_prefix
from wizard.environment.conda.find import KnownConda, OwnConda, find_conda
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.model import ChosenPackage, PythonPart
from wizard.install.lock import NO_SOLUTION
from wizard.model.errors import WizardError
from wizard.model.lock import Lock, LockedFile, PackageVersion
from wizard.model.messages import Message, bytes_text, message
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.place import target_prefix
from wizard.run.steps.create import target_of
from wizard.transfer.download import Downloads

# The conda engine's part of the use cases: which of the user's condas, and what it would do.
#
# Translates what the probe found (`machine`) for the layer that asks it (`environments`); decides nothing itself.


def own_conda(facts: Facts, choices: Choices, is_cancelled: Callable[[], bool]) -> OwnConda | None:
    """None when another engine was asked for. Raises UsageError for a conda or a place that cannot be, Cancelled."""
    if choices.engine != "conda":
        return None
    check_conda_prefix(target_prefix(choices))
    known = [KnownConda(Path(row.executable), row.kind, row.found_by or "") for row in facts.machine.condas]
    return find_conda(choices.conda, known, {}, is_cancelled)


def plan_conda(plan: Plan, is_cancelled: Callable[[], bool]) -> CondaPlan | None:
    """By a dry run, so that terms, channels and missing packages are heard of before anything is begun. None for
    another engine. Raises WizardError, Cancelled."""
    if plan.engine != "conda":
        return None
    return CondaEngine(plan.environment).plan(target_of(plan), is_cancelled)


def conda_changes(plan: Plan, planned: CondaPlan | None) -> tuple[Message, ...]:
    """Return what the preview says of conda's packages and their size; nothing where conda is not used."""
    if planned is None:
        return ()
    size, python = planned.bytes_to_fetch, planned.python or plan.python
    exact = {"size": bytes_text(size), "bytes": f"{size:,}"}
    return (
        message(
            "change.conda-packages",
            "conda puts {count} packages into it (Python {python}) and fetches {size} "
            "({bytes} bytes) for them into its own cache.",
            count=planned.packages,
            python=python,
            **exact,
        ),
    )


# The built-in engine's part of a preview: Python and pip chosen before anything is begun, with their bytes.
#
# What is chosen here is what the run makes the environment of; where a class profile has locked it, nothing is chosen
# and no channel is asked. Another engine has nothing of it.


@dataclass(frozen=True, slots=True)
class LockedPython:
    """Of a class profile: the packages' descriptions for the engine, and their files with all addresses."""

    text: str
    files: tuple[LockedFile, ...]


def choose_python_part(
    plan: Plan, is_cancelled: Callable[[], bool], locked: LockedPython | None = None
) -> PythonPart | None:
    """Raises WizardError `env-…`, Cancelled."""
    if plan.engine != "rattler":
        return None
    part = RattlerEngine(plan.environment).plan(target_of(plan, locked.text if locked else ""), is_cancelled)
    return _with_downloads(part, locked.files) if locked else part


def _with_downloads(part: PythonPart, files: tuple[LockedFile, ...]) -> PythonPart:
    """What this computer has downloaded for an earlier setup is not fetched either. `text` stays the profile's."""
    store = Downloads()
    here = {file.sha256 for file in files if store.find(file)}
    digests = [str(record["sha256"]) for record in json.loads(part.text)]
    packages = tuple(
        replace(package, is_cached=package.is_cached or digest in here)
        for package, digest in zip(part.packages, digests, strict=True)
    )
    return replace(part, packages=packages)


def python_changes(plan: Plan, part: PythonPart | None) -> tuple[Message, ...]:
    """Return what the preview says of the Python that comes along and of its size."""
    if part is None:
        return ()
    python = next((package.version for package in part.packages if package.name == "python"), plan.python)
    size = part.bytes_to_fetch
    key = "change.python-packages" if size else "change.python-packages-cached"
    exact = {"size": bytes_text(size), "bytes": f"{size:,}"}
    return (message(key, python=python, count=len(part.packages), **exact),)


_CONDA_CANNOT = ("env-unsolvable", "conda-unsolvable", "conda-package-missing", "conda-failed")


@dataclass(frozen=True, slots=True)
class Around:
    """What a lock is made around. `provided`: conda brings these. `preferred`: kept to where that has a solution."""

    provided: tuple[PackageVersion, ...] = ()
    preferred: tuple[PackageVersion, ...] = ()


class Brings(Protocol):
    @property
    def provided(self) -> tuple[PackageVersion, ...]: ...


@dataclass(frozen=True, slots=True)
class EnginePart:
    """What the engine will put into the environment before any wheel, with words for the Review page."""

    packages: tuple[ChosenPackage, ...] = ()
    changes: tuple[Message, ...] = ()
    python: PythonPart | None = None

    @property
    def provided(self) -> tuple[PackageVersion, ...]:
        return provided_by(self.packages)


def provided_by(packages: Iterable[ChosenPackage]) -> tuple[PackageVersion, ...]:
    return tuple(PackageVersion(each.name, each.version) for each in packages if each.is_python)


def choose_part(plan: Plan, is_cancelled: Callable[[], bool], locked: LockedPython | None) -> EnginePart:
    """`plan.conda_specs` are asked for as well. Raises WizardError `env-…`, `conda-…`, Cancelled."""
    part, by_conda = choose_python_part(plan, is_cancelled, locked), plan_conda(plan, is_cancelled)
    packages = part.packages if part else by_conda.chosen if by_conda else ()
    return EnginePart(packages, (*conda_changes(plan, by_conda), *python_changes(plan, part)), part)


Part = TypeVar("Part", bound=Brings)
Locked = tuple[Lock, SelectedBuild]


def agree(
    choose: Callable[[tuple[str, ...]], Part], lock_it: Callable[[Around], Locked]
) -> tuple[Part, Lock, SelectedBuild]:
    """`choose`: conda's part, with further specs. Raises WizardError `lock-conda-version` and what the two raise."""
    part = choose(())
    try:
        return part, *lock_it(Around(part.provided))
    except WizardError as error:
        if error.code not in NO_SOLUTION or not part.provided:
            raise
        first = error
    free, _ = lock_it(Around(preferred=part.provided))  # without conda: is it conda at all?
    apart = tuple(_apart(part.provided, free))
    if not apart:
        raise first
    for specs in _demands(apart):
        try:
            other = choose(specs)
            return other, *lock_it(Around(other.provided))
        except WizardError as error:
            if error.code not in (*NO_SOLUTION, *_CONDA_CANNOT):
                raise
    raise WizardError(
        "lock-conda-version",
        "The packages need other versions than conda can give: conda has {names}, they go with {wanted}.",
        "Use another channel[| (--channel)] or another Python[| (--python)], or an engine without conda: "
        "[{page.place}|--engine venv].",
        details=first.details,
        names=", ".join(f"{has.name} {has.version}" for has, _ in apart) or "-",
        wanted=", ".join(f"{has.name} {needs}" for has, needs in apart) or "-",
    )


def pins(lock: Lock) -> tuple[str, ...]:
    """For conda: what its packages must be, so that the wheels have what they need."""
    return tuple(f"{each.name}=={each.version}" for each in lock.provided)


def _apart(provided: Iterable[PackageVersion], free: Lock) -> Iterator[tuple[PackageVersion, str]]:
    for has in provided:
        file = free.find(has.name)
        if file and file.version != has.version:
            yield has, file.version


def _demands(apart: tuple[tuple[PackageVersion, str], ...]) -> Iterator[tuple[str, ...]]:
    """First the very versions, then the nearest that conda may have: older ones below, newer ones above."""
    if apart:
        yield tuple(f"{has.name}=={needs}" for has, needs in apart)
        yield tuple(f"{has.name}{_direction(has.version, needs)}" for has, needs in apart)


def _direction(has: str, needs: str) -> str:
    try:
        return f"<={needs}" if Version(needs) < Version(has) else f">{has}"
    except InvalidVersion:
        return f"<={needs}"
