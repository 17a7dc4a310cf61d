"""From an answer of the doctor to a repair that can be carried out: which files come, what goes, bytes and time.

Resolved and locked by the code of a setup; then everything that is there already in the right version is left out of
the lock, so that only what the repair needs is fetched. Nothing is changed here.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wizard.doctor.aside import FOLDER
from wizard.doctor.distributions import FAMILY, parse_requirement, read_distributions
from wizard.doctor.examine import best_build, gpu_expected
from wizard.doctor.guards import guard_files
from wizard.doctor.installation import Installation
from wizard.doctor.model import Answer, Remedy
from wizard.doctor.package_looks import fits
from wizard.doctor.repair import Repair, write_repair
from wizard.errors import UsageError, WizardError
from wizard.i18n import Message, message
from wizard.machine.serialize import machine_to_json
from wizard.matrix.model import PLATFORMS, Matrix
from wizard.matrix.ordering import CPU
from wizard.mirrors.candidates import default_index
from wizard.mirrors.model import Offer
from wizard.mirrors.read import Reader
from wizard.packages.model import Lock, LockedFile
from wizard.plan.model import Candidate, Choices, Plan, PlanSource
from wizard.plan.resolve import resolve
from wizard.session.contest import Contest
from wizard.session.election import Found, Walk
from wizard.session.model import Election, Facts
from wizard.session.outlook import Outlook
from wizard.session.preview import locked, network_environment, save_run
from wizard.steps.run_folder import RunFolder, create_run_folder, new_run_id

_USUAL_LINE = 5_000_000  # bytes a second, for the minutes that are shown
_EXACT = ("nvidia-", "cuda-", "triton")  # torch names these in exact versions: they follow torch


@dataclass(frozen=True, slots=True)
class RepairPreview:
    plan: Plan
    lock: Lock
    repair: Repair
    changes: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
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


def plan_repair(
    facts: Facts, matrix: Matrix, env: Installation, answer: Answer, choices: Choices, is_cancelled: Callable[[], bool]
) -> RepairPreview:
    """Saved as a run that has not started. Raises WizardError `repair-…`, `no-source`, `lock-…`, Cancelled."""
    remedy = answer.remedy
    _check_possible(env, remedy)
    wanted = _wanted(facts, matrix, env, remedy)
    folder = create_run_folder(new_run_id())
    try:
        election = _election(facts, matrix, env, wanted, choices, is_cancelled)
        lock = _locked(facts, election, env, wanted, folder, is_cancelled)
        repair = _repair(env, answer, remedy, election.candidate, lock)
        plan = _plan(facts, env, election, choices, folder, lock)
        write_repair(folder.path, repair)
        save_run(folder, plan, lock)
    except OSError as error:
        shutil.rmtree(folder.path, ignore_errors=True)
        raise WizardError("state-not-writable", details=str(error), path=str(folder.path.parent)) from error
    except BaseException:
        shutil.rmtree(folder.path, ignore_errors=True)
        raise
    return RepairPreview(plan, lock, repair, tuple(_changes(plan, lock, repair, env)))


def _check_possible(env: Installation, remedy: Remedy) -> None:
    if not remedy.changes_something or env.python is None:
        raise WizardError("repair-by-hand")
    is_own = env.is_conda or (env.prefix / "pyvenv.cfg").is_file()
    is_of_system = (env.python.stdlib / "EXTERNALLY-MANAGED").is_file() or env.prefix in (
        Path("/usr"),
        Path("/usr/local"),
    )
    if not is_own and is_of_system:
        raise WizardError("repair-system", path=str(env.prefix))
    twice = {path.name.split("-")[0] for path in remedy.aside}
    for name in _named(remedy, env):
        owned = [each for each in env.find(name) if each.installer == "conda"]
        if owned and len(env.find(name)) == 1 and name not in twice:
            raise WizardError("repair-conda-owned", name=name)


def _named(remedy: Remedy, env: Installation) -> tuple[str, ...]:
    named = [parse_requirement(line) for line in remedy.reinstall]
    names: list[str] = [canonicalize_name(each.name) for each in named if each]
    return tuple(dict.fromkeys((*names, *(_family(env) if remedy.family else ()))))


def _family(env: Installation) -> tuple[str, ...]:
    """torch and the companions that are there, were there, or stayed behind in the folder of another Python."""
    kept = [each.name for each in env.state.packages] if env.state else []
    behind = [each.name for each in read_distributions(env.prefix.glob("lib/python3.*/site-packages"))]
    there = {*(each.name for each in env.distributions), *kept, *(behind if env.os != "windows" else ())}
    return ("torch", *(name for name in FAMILY[1:] if name in there))


def _wanted(facts: Facts, matrix: Matrix, env: Installation, remedy: Remedy) -> _Wanted:
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
    return _Wanted(candidates, tuple(name for name in FAMILY if name in family), others, damaged)


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
    known = _judged(facts, matrix, _python(env), release, variant)
    if known is None and is_family:
        raise WizardError("no-source", build=f"torch {release or '?'}+{variant or '?'}")
    return (known or Candidate(release or "?", variant or CPU, _python(env) or None, None, None, fits=True),)


def _fitting(facts: Facts, matrix: Matrix, env: Installation) -> tuple[Candidate, ...]:
    """Of the release that is there first: then less of the environment changes."""
    best = best_build(env, facts.machine, matrix)
    if best is None:
        return ()
    verdict = resolve(facts.machine, matrix, Choices(python=_python(env) or None), prove_all=False)
    able = [each for each in verdict.candidates if each.fits and (each.variant != CPU or best.variant == CPU)]
    return tuple(sorted(able, key=lambda each: each.torch != best.torch))


def _python(env: Installation) -> str:
    return ".".join(env.python.version.split(".")[:2]) if env.python else ""


def _is_unfit(env: Installation, facts: Facts, matrix: Matrix) -> bool:
    found = _judged(facts, matrix, _python(env), env.release, env.variant)
    return found is None or not found.fits


def _judged(facts: Facts, matrix: Matrix, python: str, torch: str | None, variant: str | None) -> Candidate | None:
    """That very build with its verdict, whether or not it fits. None: the tables do not know it."""
    try:
        choices = Choices(python=python, torch=torch, variant=variant, include_unadvertised=True)
        verdict = resolve(facts.machine, matrix, choices, prove_all=False)
    except UsageError:
        return None
    return next((each for each in verdict.candidates if (each.torch, each.variant) == (torch, variant)), None)


def _election(
    facts: Facts, matrix: Matrix, env: Installation, wanted: _Wanted, choices: Choices, is_cancelled: Callable[[], bool]
) -> Election:
    """The sources that carry it, asked live as for a setup; without a package of the family, none needs to."""
    python = _python(env)
    choices = replace(choices, python=python)
    with Reader(facts.settings) as reader:
        outlook = Outlook(choices, facts.settings, reader, Contest(choices, facts, is_cancelled))
        found = _carried(facts, matrix, outlook, wanted, choices, is_cancelled) if wanted.family else None
        candidate = found.candidate if found else wanted.candidates[0]
        source = found.source if found else default_index()
        # Where torch is not asked for, no index has to be kept from offering it.
        beside = source if found else replace(source, url="https://torch.invalid/")
        packages = outlook.package_sources(beside, python)
    offers = found.offers if found else {}
    return Election(
        wanted=candidate,
        candidate=candidate,
        engine="existing",
        engine_reason=message("doctor.title.environment", prefix=str(env.prefix)),
        python=python,
        base_python=None,
        channels=(),
        torch_source=source,
        offers=offers,
        requirements=(*_pins(offers, wanted), *_bound(env, matrix, facts, candidate), *wanted.others),
        package_sources=packages,
        states=(),
    )


def _carried(
    facts: Facts, matrix: Matrix, outlook: Outlook, wanted: _Wanted, choices: Choices, is_cancelled: Callable[[], bool]
) -> Found:
    walk = Walk(facts.machine, matrix, choices, outlook, is_cancelled)
    found = walk.find(wanted.candidates, (choices.python or "",))
    build = f"torch {wanted.candidates[0].torch}+{wanted.candidates[0].variant}"
    if found is None:
        details = "\n".join(f"{state.source.id}: {state.verdict}" for state in walk.states.values())
        raise WizardError("no-source", details=details, build=build)
    missing = [name for name in wanted.family if name not in found.offers]
    if missing:
        raise WizardError("companion-not-carried", name=", ".join(missing), build=build)
    return found


def _pins(offers: Mapping[str, Offer], wanted: _Wanted) -> Iterator[str]:
    """torch is always named: a companion must be resolved beside it."""
    for name in FAMILY:
        if name in offers and (name == "torch" or name in wanted.family):
            yield f"{name}=={offers[name].version}"


def _bound(env: Installation, matrix: Matrix, facts: Facts, candidate: Candidate) -> tuple[str, ...]:
    platform = PLATFORMS.get((facts.machine.os, facts.machine.arch), "")
    bound = matrix.numpy_bound(candidate.torch, platform, _python(env))
    return (f"numpy{bound}",) if bound and env.one("numpy") else ()


def _locked(
    facts: Facts, election: Election, env: Installation, wanted: _Wanted, folder: RunFolder,
    is_cancelled: Callable[[], bool],
) -> Lock:  # fmt: skip
    """Resolved freely first; what that changes without need is then held, where that has a solution."""
    lock = locked(facts, election, folder, is_cancelled, _mute)
    held = tuple(_held(lock, env, wanted))
    if held:
        kept = replace(election, requirements=(*election.requirements, *held))
        try:
            lock = locked(facts, kept, folder, is_cancelled, _mute)
        except WizardError as error:
            if error.code != "lock-no-solution":
                raise
            shutil.rmtree(folder.path / "resolve", ignore_errors=True)
    return Lock(tuple(file for file in lock.files if _comes(file, env, wanted)), lock.text)


def _mute(line: str) -> None:
    return None


def _held(lock: Lock, env: Installation, wanted: _Wanted) -> Iterator[str]:
    """Installed in another version, and nothing but the newest release asks for the change."""
    for file in lock.files:
        installed = env.one(file.name)
        must_follow = file.name in wanted.names or file.name in FAMILY or file.name.startswith(_EXACT)
        if installed and not must_follow and _is_plain(installed.version) and _comes(file, env, wanted):
            yield f"{file.name}=={installed.version}"


def _is_plain(version: str) -> bool:
    """A local or odd version is in no index."""
    try:
        return Version(version).local is None
    except InvalidVersion:
        return False


def _comes(file: LockedFile, env: Installation, wanted: _Wanted) -> bool:
    """Damaged, not there, there in another version, or made for another Python. The family: only what was named."""
    if file.name in wanted.damaged:
        return True
    if file.name in FAMILY and file.name not in wanted.family:
        return False
    installed = env.one(file.name)
    if installed is None:
        return True
    if env.python and installed.tags and not fits(installed.tags, env.python.tag):
        return True
    try:
        return Version(installed.version) != Version(file.version)
    except InvalidVersion:
        return True


def _repair(env: Installation, answer: Answer, remedy: Remedy, candidate: Candidate, lock: Lock) -> Repair:
    return Repair(
        code=answer.cause.code if answer.cause else "",
        names=tuple(file.name for file in lock.files),
        aside=tuple(str(path) for path in remedy.aside),
        no_user_site=remedy.no_user_site,
        drop_library_folders=remedy.drop_library_folders,
        site=str(env.site),
        python_version=env.python.version if env.python else "",
        variant=candidate.variant,
        variables=env.variables,
    )


def _plan(facts: Facts, env: Installation, election: Election, choices: Choices, folder: RunFolder, lock: Lock) -> Plan:
    sources = [("torch", election.torch_source), *(("packages", source) for source in election.package_sources)]
    return Plan(
        id=folder.id,
        created=round(time.time(), 3),
        candidate=election.candidate,
        choices=replace(choices, prefix=str(env.prefix), name=None),
        prefix=str(env.prefix),
        engine=election.engine,
        engine_reason=election.engine_reason,
        python=election.python,
        base_python=None,
        channels=(),
        sources=tuple(PlanSource(role, s.layout.value, s.origin.value, s.url, s.name) for role, s in sources),
        requirements=election.requirements,
        gpu_expected=gpu_expected(env, facts.machine) and election.candidate.variant != CPU,
        machine=machine_to_json(facts.machine),
        total_bytes=lock.total_bytes,
        environment=network_environment(facts.settings, [source.url for _, source in sources]),
    )


def _changes(plan: Plan, lock: Lock, repair: Repair, env: Installation) -> Iterator[Message]:
    if lock.files:
        names = ", ".join(f"{file.name} {file.version}" for file in lock.files)
        size = sum(file.size or 0 for file in lock.files)
        yield message("doctor.change.reinstall", names=names)
        yield message("doctor.change.others")
        minutes = max(1, round(size / _USUAL_LINE / 60))
        yield message("doctor.change.download", megabytes=round(size / 1e6, 1), count=len(lock.files), minutes=minutes)
        yield from _conflicts(lock, env)
    else:
        yield message("doctor.change.nothing-to-fetch")
    if repair.aside:
        folder = str(Path(plan.prefix) / FOLDER / plan.id)
        yield message("doctor.change.aside", count=len(repair.aside), folder=folder)
    if repair.no_user_site:
        file = next(iter(guard_files(Path(plan.prefix), env.site, True, ())))
        yield message("doctor.change.no-user-site", file=file.name)
    if repair.drop_library_folders:
        yield message("doctor.change.activation", folders=", ".join(repair.drop_library_folders))
    yield message("doctor.change.undo", prefix=plan.prefix)


def _conflicts(lock: Lock, env: Installation) -> Iterator[Message]:
    """Packages that stay and ask for another version of what comes: told, since only the person can choose."""
    coming = {file.name: file.version for file in lock.files}
    for each in env.distributions:
        if each.name in coming:
            continue
        for requirement in each.wanted(env.markers()):
            version = coming.get(canonicalize_name(requirement.name))
            if version and not requirement.specifier.contains(version, prereleases=True):
                yield message(
                    "doctor.change.conflict", name=each.name, version=each.version, requirement=str(requirement)
                )
