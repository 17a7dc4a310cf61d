"""The lock of a repair: resolved as for a setup, then all that is there already in the right version is left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from packaging.version import InvalidVersion, Version

from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.model import Candidate, Choices, Plan, PlanSource
from wizard.diagnose.checks.packages import fits
from wizard.diagnose.repair.request import RepairRequest
from wizard.diagnose.repair.reuse import EXACT, provided_by_conda
from wizard.diagnose.right_build import python_series
from wizard.environment.inspect.installation import Installation
from wizard.install.lock import NO_SOLUTION
from wizard.machine.machine_file import machine_to_json
from wizard.model.distributions import FAMILY
from wizard.model.errors import WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, message
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.computed import Asker
from wizard.run.plan.conda_part import Around
from wizard.run.plan.preview import locked, network_environment
from wizard.run.run_folder import RunFolder
from wizard.run.select.build_search import BuildSearch, FoundBuild, second_choice
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.run.select.select_build import NO_SOURCE
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.known_sources import default_index
from wizard.sources.model import Offer
from wizard.sources.read import Reader
from wizard.system import moving

# The plan of a run inside an environment that is there: a repair, or a setup into it. Nothing is created by it.


def inside_plan(
    facts: Facts,
    env: Installation,
    selected: SelectedBuild,
    choices: Choices,
    folder: RunFolder,
    lock: Lock,
    gpu_expected: bool,
    notices: tuple[Message, ...] = (),
) -> Plan:
    """Return the plan of a run that works within an environment that is there already."""
    sources = [("torch", selected.torch_source), *(("packages", source) for source in selected.package_sources)]
    return Plan(
        id=folder.id,
        created=round(time.time(), 3),
        candidate=selected.candidate,
        choices=choices,
        prefix=str(env.prefix),
        engine=selected.engine,
        engine_reason=selected.engine_reason,
        python=selected.python,
        base_python=None,
        channels=(),
        sources=tuple(PlanSource(role, s.layout.value, s.origin.value, s.url, s.name) for role, s in sources),
        requirements=selected.requirements,
        gpu_expected=gpu_expected,
        machine=machine_to_json(facts.machine),
        total_bytes=lock.total_bytes,
        notices=notices,
        environment=network_environment(facts.settings, [source.url for _, source in sources]),
        left_out=selected.left_out,
    )


def election_for(
    facts: Facts,
    matrix: Matrix,
    env: Installation,
    wanted: RepairRequest,
    choices: Choices,
    is_cancelled: Callable[[], bool],
) -> SelectedBuild:
    """The sources that carry it, asked live as for a setup; without a package of the family, none needs to."""
    python = python_series(env)
    choices = replace(choices, python=python)
    with Reader(facts.settings) as reader:
        catalog = SourceCatalog(choices, facts.settings, reader, MirrorPolicy(choices, facts, is_cancelled))
        found = _carried(facts, matrix, catalog, wanted, choices, is_cancelled) if wanted.family else None
        candidate = found.candidate if found else wanted.candidates[0]
        source = found.source if found else default_index()
        # Where torch is not asked for, no index has to be kept from offering it.
        beside = source if found else replace(source, url="https://torch.invalid/")
        packages = catalog.package_sources(beside, python)
    offers = found.offers if found else {}
    return SelectedBuild(
        wanted=wanted.candidates[0],
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
        notices=second_choice(wanted.candidates[0], candidate),
    )


def _carried(
    facts: Facts,
    matrix: Matrix,
    catalog: SourceCatalog,
    wanted: RepairRequest,
    choices: Choices,
    is_cancelled: Callable[[], bool],
) -> FoundBuild:
    needed = tuple(name for name in wanted.family if name != "torch")
    search = BuildSearch(facts.machine, matrix, choices, catalog, is_cancelled, needed)
    found = search.find(wanted.candidates, (choices.python or "",))
    build = f"torch {wanted.candidates[0].torch}+{wanted.candidates[0].variant}"
    if found is None:
        details = "\n".join(f"{state.source.id}: {state.verdict}" for state in search.states.values())
        raise WizardError(NO_SOURCE, details=details, build=build)
    missing = [name for name in needed if name not in found.offers]
    if missing:
        build = f"torch {found.candidate.torch}+{found.candidate.variant}"
        raise WizardError(
            "repair-companion-not-carried",
            "No reachable source has {name} made for {build}, so nothing was changed.",
            "Name a source that has both [on the page {page.source}|with --torch-index or --find-links]; or, if "
            "you do not use {name}, uninstall it and let the doctor look again.",
            name=", ".join(missing),
            build=build,
        )
    return found


def _pins(offers: Mapping[str, Offer], wanted: RepairRequest) -> Iterator[str]:
    """torch is always named: a companion must be resolved beside it."""
    for name in FAMILY:
        if name in offers and (name == "torch" or name in wanted.family):
            yield f"{name}=={offers[name].version}"


def _bound(env: Installation, matrix: Matrix, facts: Facts, candidate: Candidate) -> tuple[str, ...]:
    platform = PLATFORMS.get((facts.machine.os, facts.machine.arch), "")
    bound = matrix.numpy_bound(candidate.torch, platform, python_series(env))
    return (f"numpy{bound}",) if bound and env.one("numpy") else ()


def lock_for(
    facts: Facts,
    selected: SelectedBuild,
    env: Installation,
    wanted: RepairRequest,
    folder: RunFolder,
    asker: Asker,
) -> Lock:
    """Resolved first around what conda owns only; what that changes without need is then held, where that has a
    solution."""
    around = Around(tuple(each for each in provided_by_conda(env) if each.name not in wanted.damaged))
    lock = locked(facts, selected, folder, asker, around)
    held = tuple(_held(lock, env, wanted))
    if held:
        kept = replace(selected, requirements=(*selected.requirements, *held))
        try:
            lock = locked(facts, kept, folder, asker, around)
        except WizardError as error:
            if error.code not in NO_SOLUTION:
                raise
            moving.remove_tree(folder.path / "resolve")
    return replace(lock, files=tuple(file for file in lock.files if _comes(file, env, wanted)))


def _held(lock: Lock, env: Installation, wanted: RepairRequest) -> Iterator[str]:
    """Installed in another version, and nothing but the newest release asks for the change."""
    for file in lock.files:
        installed = env.one(file.name)
        must_follow = file.name in wanted.names or file.name in FAMILY or file.name.startswith(EXACT)
        if installed and not must_follow and _is_plain(installed.version) and _comes(file, env, wanted):
            yield f"{file.name}=={installed.version}"


def _is_plain(version: str) -> bool:
    """A local or odd version is in no index."""
    try:
        return Version(version).local is None
    except InvalidVersion:
        return False


def _comes(file: LockedFile, env: Installation, wanted: RepairRequest) -> bool:
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
