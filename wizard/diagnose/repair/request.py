"""What a repair is to bring: which packages, and in which build of torch. Pure but for the tables; asks no source."""

from __future__ import annotations

from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate, Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.examine import best_build
from wizard.diagnose.model import Remedy
from wizard.environment.inspect.installation import Installation
from wizard.model.distributions import FAMILY, parse_requirement, read_distributions
from wizard.model.errors import UsageError, WizardError
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
    """The build that was meant or is there; only where that is the fault, those that fit.

    Raises WizardError `no-source` for a build that no table knows, where one of the family is to come.
    """
    release, variant = env.release, env.variant
    pinned = next((each.version for each in torch.specifier if each.operator == "=="), None) if torch else None
    if pinned:
        release, _, local = pinned.partition("+")
        variant = local or variant
    elif remedy.family and env.meant and env.variant in (CPU, None):
        release, variant = env.meant.torch, env.meant.variant
    elif remedy.family and (env.variant in (CPU, None) or _is_unfit(env, facts, matrix)):
        fitting = _fitting(facts, matrix, env)
        if fitting:
            return fitting
    known = _judged(facts, matrix, python_series(env), release, variant)
    if known is None and is_family:
        raise WizardError(NO_SOURCE, build=f"torch {release or '?'}+{variant or '?'}")
    return (known or Candidate(release or "?", variant or CPU, python_series(env) or None, None, None, fits=True),)


def _fitting(facts: Facts, matrix: Matrix, env: Installation) -> tuple[Candidate, ...]:
    """Of the release that is there first: then less of the environment changes."""
    best = best_build(env, facts.machine, matrix)
    if best is None:
        return ()
    verdict = resolve(facts.machine, matrix, Choices(python=python_series(env) or None), prove_all=False)
    able = [each for each in verdict.candidates if each.fits and (each.variant != CPU or best.variant == CPU)]
    return tuple(sorted(able, key=lambda each: each.torch != best.torch))


def python_series(env: Installation) -> str:
    return ".".join(env.python.version.split(".")[:2]) if env.python else ""


def _is_unfit(env: Installation, facts: Facts, matrix: Matrix) -> bool:
    found = _judged(facts, matrix, python_series(env), env.release, env.variant)
    return found is None or not found.fits


def _judged(facts: Facts, matrix: Matrix, python: str, torch: str | None, variant: str | None) -> Candidate | None:
    """That very build with its verdict, whether or not it fits. None: the tables do not know it."""
    try:
        choices = Choices(python=python, torch=torch, variant=variant, include_unadvertised=True)
        verdict = resolve(facts.machine, matrix, choices, prove_all=False)
    except UsageError:
        return None
    return next((each for each in verdict.candidates if (each.torch, each.variant) == (torch, variant)), None)
