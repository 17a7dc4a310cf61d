"""What a repair is to bring: which packages, and in which build of torch. Pure but for the tables; asks no source."""

from __future__ import annotations

from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate
from wizard.diagnose.model import Remedy
from wizard.diagnose.right_build import judged, python_series, right_builds
from wizard.environment.inspect.installation import Installation
from wizard.model.distributions import FAMILY, parse_requirement, read_distributions
from wizard.model.errors import WizardError
from wizard.run.model import Facts
from wizard.run.select.select_build import NO_SOURCE
from wizard.system.traits import of


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """`candidates`: the builds that will do, the best first. `family`: of torch and its companions, those that come
    anew. `others`: requirements as they are locked.
    """

    candidates: tuple[Candidate, ...]
    family: tuple[str, ...]
    others: tuple[str, ...]
    damaged: frozenset[str]  # come anew even in the version that is there

    @property
    def names(self) -> frozenset[str]:
        return frozenset((*self.family, *self.damaged))


def named_packages(remedy: Remedy, env: Installation) -> tuple[str, ...]:
    named = [parse_requirement(line) for line in remedy.reinstall]
    names: list[str] = [canonicalize_name(each.name) for each in named if each]
    return tuple(dict.fromkeys((*names, *(_family(env) if remedy.family else ()))))


def _family(env: Installation) -> tuple[str, ...]:
    """torch and the companions that are there, were there, or stayed behind in the folder of another Python."""
    kept = [each.name for each in env.state.packages] if env.state else []
    behind = [each.name for each in read_distributions(env.prefix.glob("lib/python3.*/site-packages"))]
    there = {*(each.name for each in env.distributions), *kept, *(behind if of(env.os).sites_by_python else ())}
    return ("torch", *(name for name in FAMILY[1:] if name in there))


def read_wish(facts: Facts, matrix: Matrix, env: Installation, remedy: Remedy) -> RepairRequest:
    """Return what a remedy asks to be resolved: builds in their order, the torch family, the rest, and what is
    damaged."""
    named = [each for line in remedy.reinstall if (each := parse_requirement(line))]
    family: list[str] = [name for each in named if (name := canonicalize_name(each.name)) in FAMILY]
    if remedy.family:
        family += _family(env)
    others = tuple(str(each) for each in named if canonicalize_name(each.name) not in FAMILY)
    torch = next((each for each in named if canonicalize_name(each.name) == "torch"), None)
    candidates = _candidates(facts, matrix, env, remedy, torch, bool(family))
    damaged: frozenset[str] = frozenset(canonicalize_name(each.name) for each in named)
    if remedy.family:
        damaged |= {"torch"}
    return RepairRequest(candidates, tuple(name for name in FAMILY if name in family), others, damaged)


def _candidates(
    facts: Facts, matrix: Matrix, env: Installation, remedy: Remedy, torch: Requirement | None, is_family: bool
) -> tuple[Candidate, ...]:
    """The build that was meant or is there; only where that is the fault or is not to be had, those that fit.

    Raises WizardError `no-source` for a build that no table knows, where one of the family is to come.
    """
    release, variant = env.release, env.variant
    pinned = next((each.version for each in torch.specifier if each.operator == "=="), None) if torch else None
    if pinned:
        release, _, local = pinned.partition("+")
        variant = local or variant
    elif remedy.family:
        if right := right_builds(env, facts.machine, matrix):
            return right
        if env.meant and env.variant in (CPU, None):
            release, variant = env.meant.torch, env.meant.variant
    known = judged(env, facts.machine, matrix, release, variant)
    if known is None and is_family:
        raise WizardError(NO_SOURCE, build=f"torch {release or '?'}+{variant or '?'}")
    return (known or Candidate(release or "?", variant or CPU, python_series(env) or None, None, None, fits=True),)
