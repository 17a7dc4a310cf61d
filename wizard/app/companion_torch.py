"""Lets a package that is made for one torch release choose it: vLLM counts more than the newest torch.

Left to torch, the resolver finds nothing, or a companion of years ago. So it is asked once without a torch, within the
releases that run here; where it answers with another one, that build is selected instead. Nothing hangs on this: where
it cannot be answered, the first selection stays, and its lock says what is wrong (`refused_lock`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate, Choices, Verdict
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.model.capability import ComputeCapability
from wizard.model.errors import ErrorText, WizardError
from wizard.model.lock import Lock
from wizard.model.messages import Message, message
from wizard.project.model import TORCH
from wizard.project.named import NamedChoices, decide_named
from wizard.project.packages.companions import (
    companion,
    has_library,
    library_bound,
    release_bound,
    torch_bound,
    undeclared_bounds,
)
from wizard.project.versions import can_meet, meets
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.checked_index import CheckedIndex
from wizard.run.plan.computed import Asker
from wizard.run.plan.preview import lock_request

NOTHING_OF_USE = ErrorText(
    "nothing-of-use", "{why}", "Leave it out; nothing else that was asked for is missing in “{path}”."
)


def select_for_named(
    facts: Facts,
    matrix: Matrix,
    choices: Choices,
    verdict: Verdict,
    first: Callable[[Choices], SelectedBuild],
    again: Callable[[Choices], SelectedBuild],
    is_cancelled: Callable[[], bool],
) -> SelectedBuild:
    """Select with `first` what goes with the packages that are named, as a project that lists them gets it; what has no
    use here is left out and told. Where no source has that build, the newest. Raises as `first`."""
    named = decide_named(facts.machine, matrix, choices, verdict)
    try:
        selected = first(named.choices)
    except WizardError:
        if named.choices == named.open:
            raise
        selected = first(named.open)
    newest = verdict.best.torch if named.torch and verdict.best else selected.candidate.torch
    found = with_companions_torch(facts, named.open, selected, verdict.candidates, again, is_cancelled, newest)
    is_decided = named.torch == found.candidate.torch
    told = (*found.notices, *named.said, *(named.of_torch if is_decided else ()))
    return replace(found, notices=told, left_out=named.left_out)


def kept_extras(machine: Machine, matrix: Matrix, choices: Choices) -> Choices:
    """Return the choices without the named packages that have no use here, as `select_for_named` takes them."""
    if not choices.extras:
        return choices
    return decide_named(machine, matrix, choices, resolve(machine, matrix, choices, prove_all=False)).open


def with_named_beside(
    facts: Facts, matrix: Matrix, choices: Choices, selected: SelectedBuild
) -> tuple[SelectedBuild, NamedChoices]:
    """Return the build, which stays, with what is told of the named packages, and which of them are of use with it.
    Raises UsageError for a torch or a variant that no build knows."""
    if not choices.extras:
        return selected, NamedChoices(choices, choices)
    its = selected.candidate
    fixed = replace(choices, torch=its.torch, variant=its.variant, include_unadvertised=True)
    named = decide_named(facts.machine, matrix, fixed, resolve(facts.machine, matrix, fixed, prove_all=False))
    found = with_companions_torch(facts, named.open, selected, (), lambda wanted: selected, lambda: False)
    return replace(found, notices=(*found.notices, *named.said), left_out=named.left_out), named


def with_companions_torch(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    candidates: Collection[Candidate],
    again: Callable[[Choices], SelectedBuild],
    is_cancelled: Callable[[], bool],
    newest: str = "",
) -> SelectedBuild:
    """`again` selects anew. What has no ready wheels for so new a torch, for its CUDA or for the cards is told.
    `newest`: the torch that would be taken if nothing were named, where it is not the selected one. Raises
    Cancelled."""
    found = _chosen(facts, choices, selected, candidates, again, is_cancelled, newest)
    build, named = found.candidate, dict(_specifiers(choices.extras))
    bounds = {name: bound for name, bound in _bounds(choices.extras, {build.variant}) if build.variant != CPU}
    older = {name: bound for name, asked in named.items() if (bound := _open(asked, release_bound(name, build.torch)))}
    requirements = (
        *found.requirements,
        *(f"{name}{bound}" for each in (bounds, older) for name, bound in each.items()),
    )
    told = [one for name, asked in named.items() for one in _told(facts, found, name, asked, bounds.get(name, ""))]
    told += [_made_for_newer(name, bound, build.torch) for name, bound in older.items()]
    constraints = undeclared_bounds((*requirements, *choices.extras))
    return replace(found, requirements=requirements, constraints=constraints, notices=(*found.notices, *told))


def _told(facts: Facts, found: SelectedBuild, name: str, asked: str, bound: str) -> Iterator[Message]:
    row, torch, variant = companion(name), found.candidate.torch, found.candidate.variant
    known = [gpu.compute_capability for gpu in facts.machine.gpus if gpu.compute_capability]
    if row and row.ends_before(torch):
        yield message(
            "notice.companion-ended",
            "{name}: its ready wheels are known for torch up to {newest} only; with torch {torch} it may not "
            "load. An older torch is chosen [on the page {page.build}|with --torch], where one runs here.",
            name=row.name,
            newest=row.newest,
            torch=torch,
        )
    if row and facts.machine.os in row.lacks and not row.instead:
        yield message(
            "notice.companion-system",
            "{name} is made for other systems: what installs here, if anything, is an old release or lacks parts. "
            "Leave it out, or use it under another system (on Windows: WSL).",
            name=name,
        )
    if row and row.card and variant == CPU:
        yield message(
            "notice.companion-card",
            "{name} needs a CUDA card: with a build for the processor it may not load. Leave it out where it has no "
            "use.",
            name=name,
        )
    elif row and row.least and known and max(known) < ComputeCapability.parse(row.least):
        yield message(
            "notice.companion-least",
            "{name} runs on cards of compute capability {least} and newer, and none here has that. Leave it out where "
            "it has no use.",
            name=name,
            least=row.least,
        )
    if bound:
        yield message(
            "notice.companion-library",
            "{name}: a release before {release} is taken, since from that one on it is made for another CUDA than "
            "{variant}, the one of this torch. With a torch of that CUDA the newest comes, where card and driver run "
            "it.",
            name=name,
            release=bound.removeprefix("<"),
            variant=variant,
        )
    elif not has_library(name, asked, variant):
        yield message(
            "notice.companion-no-library",
            "{name} is made for another CUDA than {variant}, the one of this torch, and may not load. Look where "
            "its makers have one for {variant}, or choose another CUDA[| (--variant)].",
            name=name,
            variant=variant,
        )


def _chosen(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    candidates: Collection[Candidate],
    again: Callable[[Choices], SelectedBuild],
    is_cancelled: Callable[[], bool],
    newest: str,
) -> SelectedBuild:
    is_cpu = selected.candidate.variant == CPU
    releases = {one.torch for one in candidates if one.fits and (one.variant == CPU) == is_cpu}
    made_for_one = tuple(_made_for_one(choices.extras, selected.candidate.torch))
    rows = [row for name in _names(made_for_one) if (row := companion(name)) and row.wheels == "index"]
    releases = {one for one in releases if not any(row.ends_before(one) for row in rows)} or releases
    if choices.torch or not made_for_one or not releases:
        return selected
    try:
        variants = {one.variant for one in candidates if one.fits and one.torch in releases}
        packages = (*made_for_one, *(f"{name}{bound}" for name, bound in _bounds(made_for_one, variants) if not is_cpu))
        lock = _without_torch(facts, selected, packages, releases, Asker(choices, is_cancelled))
        torch = _release(lock)
        if torch in (None, selected.candidate.torch) or torch not in releases:
            return selected
        other = again(replace(choices, torch=torch))
    except WizardError:
        return selected
    if torch == newest or other.candidate.torch != torch:
        return other if torch == newest else selected
    names = _names(made_for_one)
    named = [f"{file.name} {file.version}" for file in lock.files if canonicalize_name(file.name) in names]
    told = message(
        "notice.companions-torch",
        "torch {torch} is taken and not {newest}, since {packages} needs it. To keep the newer torch, name it[| "
        "(--torch {newest})]: then an older release comes, or none.",
        torch=other.candidate.torch,
        newest=newest or selected.candidate.torch,
        packages=", ".join(named),
    )
    return replace(other, notices=(*other.notices, told))


def _made_for_one(extras: Collection[str], torch: str) -> Iterator[str]:
    """Yield those that move with torch, and those whose newest release is known to refuse this one."""
    for words in extras:
        for name, asked in _specifiers((words,)):
            row = companion(name)
            if row and row.follows or not meets(torch_bound(name, asked), torch):
                yield words


def _bounds(extras: Collection[str], variants: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield those that have a library for none of these CUDAs in their newest releases, with what keeps them from
    these; not where the person has named the release."""
    for name, asked in _specifiers(extras):
        if bound := _open(asked, library_bound(name, variants)):
            yield name, bound


def _open(asked: str, bound: str) -> str:
    """Return the bound where what was asked for leaves it open on which side of it a release lies; or ""."""
    return bound if bound and can_meet(asked, bound) and can_meet(asked, bound.replace("<", ">=")) else ""


def _made_for_newer(name: str, bound: str, torch: str) -> Message:
    return message(
        "notice.companion-release",
        "{name}: a release before {release} is taken, since from that one on it is made for a newer torch than "
        "{torch}. Its makers' table says so; another is named [on the page {page.build}|with --with] “{name}==…”.",
        name=name,
        release=bound.removeprefix("<"),
        torch=torch,
    )


def _specifiers(extras: Collection[str]) -> Iterator[tuple[str, str]]:
    for words in extras:
        for name in _names((words,)):
            yield name, str(Requirement(words).specifier)


def _names(extras: Collection[str]) -> list[str]:
    found: list[str] = []
    for words in extras:
        try:
            found.append(canonicalize_name(Requirement(words).name))
        except InvalidRequirement:
            continue
    return found


def _without_torch(
    facts: Facts, selected: SelectedBuild, packages: tuple[str, ...], releases: Collection[str], asker: Asker
) -> Lock:
    """They come first in the list, since the resolver decides what stands first first."""
    versions = sorted(map(Version, releases))
    within = f"{TORCH}>={versions[0]},<={versions[-1]}"
    request = replace(lock_request(facts, selected), requirements=(*packages, within), torch_index=None)
    with (
        tempfile.TemporaryDirectory(prefix="torch-wizard-") as folder,
        CheckedIndex(selected.package_sources, facts.settings, asker, selected.further) as index,
    ):
        return index.lock(request, Path(folder))


def _release(lock: Lock) -> str | None:
    """The torch of the lock, without what says its build."""
    file = lock.find(TORCH)
    return Version(file.version).public if file else None
