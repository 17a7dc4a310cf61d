"""What conda brings and what the wheels need, brought into agreement before anything is begun.

The packages that conda has solved bind the lock. Where the wheels cannot go with them, conda is asked for what they
can; where it cannot give that, the setup is refused: two owners of one package would damage each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from packaging.version import InvalidVersion, Version

from wizard.environments.python_part import ChosenPackage, PythonPart
from wizard.errors import WizardError
from wizard.i18n import Message
from wizard.packages.lock import NO_SOLUTION
from wizard.packages.model import Lock, PackageVersion
from wizard.plan.model import Plan
from wizard.session.conda import conda_changes, plan_conda
from wizard.session.model import Election
from wizard.session.python_part import LockedPython, choose_python_part, python_changes

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
Locked = tuple[Lock, Election]


def agree(
    choose: Callable[[tuple[str, ...]], Part], lock_it: Callable[[Around], Locked]
) -> tuple[Part, Lock, Election]:
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
