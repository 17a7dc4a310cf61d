"""Lets a package that is made for one torch release choose it: vLLM counts more than the newest torch.

Left to torch, the resolver finds nothing, or a companion of years ago. So it is asked once without a torch, within the
releases that run here; where it answers with another one, that build is selected instead. Nothing hangs on this: where
it cannot be answered, the first selection stays, and its lock says what is wrong: where it has no solution, the
package index's pages say which package has no wheel here, and what there is of it.

One file: what is known of a named package, before the lock and after its refusal.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.ordering import CPU, version_key
from wizard.compatibility.model import Candidate, Choices
from wizard.install.lock import NO_SOLUTION
from wizard.model.capability import ComputeCapability
from wizard.model.errors import ErrorText, WizardError
from wizard.model.lock import Lock
from wizard.model.messages import Message, message
from wizard.project.model import TORCH
from wizard.project.packages.companions import (
    companion,
    has_library,
    library_bound,
    release_bound,
    torch_bound,
    undeclared_bounds,
)
from wizard.project.versions import can_meet, meets
from wizard.run.model import Facts, Preview, SelectedBuild
from wizard.run.plan.checked_index import CheckedIndex
from wizard.run.plan.computed import Asker, OnProgress
from wizard.run.plan.held_back import named_packages, needed_elsewhere, source_alone, torch_need
from wizard.run.plan.preview import lock_request, preview
from wizard.run.select.source_catalog import is_main
from wizard.sources.model import Source
from wizard.sources.read import Reader
from wizard.sources.wanted import fitting_versions, platform_tags
from wizard.transfer.http import SourceUnreachable, list_headers

_SECONDS, _MOST_ASKED = 10.0, 60  # for pages


def with_companions_torch(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    candidates: Collection[Candidate],
    again: Callable[[Choices], SelectedBuild],
    is_cancelled: Callable[[], bool],
) -> SelectedBuild:
    """`again` selects anew. What has no ready wheels for so new a torch, for its CUDA or for the cards is told. Raises
    Cancelled."""
    found = _chosen(facts, choices, selected, candidates, again, is_cancelled)
    build, named = found.candidate, dict(_specifiers(choices.extras))
    bounds = {name: bound for name, bound in _bounds(choices.extras, {build.variant}) if build.variant != CPU}
    older = {name: bound for name, asked in named.items() if (bound := _open(asked, release_bound(name, build.torch)))}
    requirements = (
        *found.requirements,
        *(f"{name}{bound}" for each in (bounds, older) for name, bound in each.items()),
    )
    told = [one for name, asked in named.items() for one in _told(facts, found, name, asked, bounds.get(name, ""))]
    told += [_made_for_newer(name, bound, build.torch) for name, bound in older.items()]
    return replace(found, requirements=requirements, notices=(*found.notices, *told))


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
    names = _names(made_for_one)
    named = [f"{file.name} {file.version}" for file in lock.files if canonicalize_name(file.name) in names]
    told = message(
        "notice.companions-torch",
        "torch {torch} is taken and not {newest}, since {packages} needs it. To keep the newer torch, name it[| "
        "(--torch {newest})]: then an older release comes, or none.",
        torch=other.candidate.torch,
        newest=selected.candidate.torch,
        packages=", ".join(named),
    )
    return replace(other, notices=(*other.notices, told)) if other.candidate.torch == torch else selected


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


_NO_PACKAGE = ErrorText(
    "lock-no-package",
    "No package is named {name} ({source}).",
    "Check the spelling, or name the index that has it[| (--index)].",
)
_SOURCE_ALONE = ErrorText(
    "lock-source-alone",
    "There is only the source of {name} ({source}), and nothing is compiled unasked.",
    "Leave it out; its documentation says how it is built, or where else its makers have ready wheels.",
)
_ON_NO_INDEX = ErrorText(
    "lock-on-no-index",
    "{name} is on no package index: its makers give the source alone, and nothing is compiled unasked.",
    "Leave it out; its documentation says how it is built, or where else its makers have ready wheels.",
)
_NEEDS_SOURCE = ErrorText(
    "lock-needs-source",
    "{name} needs {need}, of which there is only the source ({source}), and nothing is compiled unasked.",
    "Leave {name} out, or ask for another release of it.",
)
_NEEDS_ELSEWHERE = ErrorText(
    "lock-needs-elsewhere",
    "{name} needs {need}, which has no ready wheel for this system with Python {python}.",
    "Leave {name} out, or choose another Python[| (--python)].",
)
_OTHER_TORCH = ErrorText(
    "lock-other-torch",
    "{name} needs {need}, which does not go with torch {torch}.",
    "Choose a torch that it goes with[ (page {page.build})| (--torch)], where one runs here, or leave {name} out.",
)
_MAKERS_PAGE = ErrorText(
    "lock-makers-page",
    "There is only the source of {name} ({source}); its makers have ready wheels for torch up to {newest} at {where}.",
    "Leave it out, and install the wheel for your torch, CUDA and Python from there afterwards.",
)
_OTHER_PYTHONS = ErrorText(
    "lock-other-pythons",
    "{name} has ready wheels for Python {pythons} alone, not for Python {python}.",
    "Choose such a Python[| (--python)], or leave {name} out.",
)
_OTHER_SYSTEMS = ErrorText(
    "lock-other-systems",
    "{name} has ready wheels for other systems alone.",
    "Leave it out.",
)
_INSTEAD = ErrorText(
    "lock-instead",
    "{name} has ready wheels for other systems alone.",
    "Name {instead} in its place, which has them for this one.",
)


def named_preview(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    is_cancelled: Callable[[], bool],
    on_progress: OnProgress,
) -> Preview:
    """Raises as `preview`; where a package that was asked for has no wheel here, that."""
    bound = replace(selected, constraints=undeclared_bounds(selected.requirements))
    try:
        return preview(facts, choices, bound, is_cancelled, on_progress)
    except WizardError as error:
        raise with_lacking(error, facts, selected) from error


def with_lacking(error: WizardError, facts: Facts, selected: SelectedBuild) -> WizardError:
    """Return what says which package that was asked for has no wheel here, and what there is of it; else the error."""
    main = next((source for source in selected.package_sources if is_main(source)), None)
    if error.code not in NO_SOLUTION or main is None:
        return error
    with Reader(facts.settings, (_SECONDS, _SECONDS), headers=list_headers()) as reader:
        for name, allowed in tuple(named_packages(selected.requirements))[:_MOST_ASKED]:
            try:
                found = _lacking(reader, main, name, allowed, facts, selected.python)
            except SourceUnreachable:
                return error
            if found:
                text, params = found
                return WizardError(text, details=error.details, name=name, source=main.label, **params)
    words, torch, python = error.details, selected.candidate.torch, selected.python
    named = (torch_need(name, words) for name, _ in named_packages(selected.requirements))
    stands_against = (
        (_NEEDS_SOURCE, next(iter(source_alone(facts, selected, words)), None)),
        (_NEEDS_ELSEWHERE, needed_elsewhere(words)),
        (_OTHER_TORCH, next(filter(None, named), None)),
    )
    for text, need in stands_against:
        if need:
            told = {"name": need.by, "need": str(need), "source": main.label}
            return WizardError(text, details=words, torch=torch, python=python, **told)
    return error


def _lacking(
    reader: Reader, main: Source, name: str, allowed: SpecifierSet, facts: Facts, python: str
) -> tuple[ErrorText, dict[str, str]] | None:
    machine, row = facts.machine, companion(name)
    offers = reader.offers(main, name)

    def has(pythons: Iterable[str]) -> list[str]:
        """Return those with a wheel on this system that may be taken."""
        return [
            one
            for one in pythons
            if any(
                allowed.contains(version, prereleases=True)
                for version in fitting_versions(
                    offers, one, platform_tags(one, machine.os, machine.arch, machine.glibc)
                )
            )
        ]

    if has([python]):
        return None
    if not reader.has(main, name):
        return _ON_NO_INDEX if row and row.wheels == "none" else _NO_PACKAGE, {}
    known = {one for build in load_matrix().builds for one in build.pythons}
    if pythons := has(sorted(known, key=version_key)):
        return _OTHER_PYTHONS, {"pythons": ", ".join(pythons), "python": python}
    if any(allowed.contains(offer.version, prereleases=True) for offer in offers if not offer.yanked):
        return (_INSTEAD, {"instead": row.instead}) if row and row.instead else (_OTHER_SYSTEMS, {})
    if not any(allowed.contains(one, prereleases=True) for one in reader.sources(main, name)):
        return None
    if row and row.where and row.newest and machine.os not in row.lacks:
        folder = f"{row.where.partition('{')[0].rpartition('/')[0]}/" if "{" in row.where else row.where
        return _MAKERS_PAGE, {"where": folder, "newest": row.newest}
    return _SOURCE_ALONE, {}
