"""Lets a package that is made for one torch release choose it: vLLM counts more than the newest torch.

Left to torch, the resolver finds nothing, or a companion of years ago. So it is asked once without a torch, within the
releases that run here; where it answers with another one, that build is selected instead. Nothing hangs on this: where
it cannot be answered, the first selection stays, and its lock says what is wrong: where it has no solution, the
package index's pages say which package has no wheel here, and what there is of it.
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
from wizard.model.errors import ErrorText, WizardError
from wizard.model.lock import Lock
from wizard.model.messages import message
from wizard.project.companions import companion, torch_bound
from wizard.project.model import TORCH, meets
from wizard.run.model import Facts, Preview, SelectedBuild
from wizard.run.plan.checked_index import CheckedIndex
from wizard.run.plan.computed import Asker, OnProgress
from wizard.run.plan.held_back import named_packages
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
    """`again` selects anew. What has no ready wheels for so new a torch is told. Raises Cancelled."""
    found = _chosen(facts, choices, selected, candidates, again, is_cancelled)
    torch = found.candidate.torch
    behind = [row for name in _names(choices.extras) if (row := companion(name)) and row.ends_before(torch)]
    told = tuple(
        message(
            "notice.companion-ended",
            "{name}: its ready wheels are known for torch up to {newest} only; with torch {torch} it may not load. An "
            "older torch is chosen with --torch, where one runs here.",
            name=row.name,
            newest=row.newest,
            torch=torch,
        )
        for row in behind
    )
    return replace(found, notices=(*found.notices, *told))


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
        lock = _without_torch(facts, selected, made_for_one, releases, Asker(choices, is_cancelled))
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
        "torch {torch} is taken and not {newest}, since {packages} needs it. To keep the newer torch, name it (--torch "
        "{newest}): then an older release comes, or none.",
        torch=other.candidate.torch,
        newest=selected.candidate.torch,
        packages=", ".join(named),
    )
    return replace(other, notices=(*other.notices, told)) if other.candidate.torch == torch else selected


def _made_for_one(extras: Collection[str], torch: str) -> Iterator[str]:
    """Yield those that move with torch, and those whose newest release is known to refuse this one."""
    for words in extras:
        for name in _names((words,)):
            row = companion(name)
            if row and row.follows or not meets(torch_bound(name, str(Requirement(words).specifier)), torch):
                yield words


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
    "There is no package of the name {name} ({source}).",
    "Look how it is spelled, or name the index that has it (--index).",
)
_SOURCE_ALONE = ErrorText(
    "lock-source-alone",
    "There is only the source of {name} ({source}), and nothing is compiled unasked.",
    "Leave it out; its documentation says how it is built, or where else its makers have ready wheels.",
)
_MAKERS_PAGE = ErrorText(
    "lock-makers-page",
    "There is only the source of {name} ({source}); its makers have ready wheels for torch up to {newest} at {where}.",
    "Leave it out, and install the wheel for your torch, CUDA and Python from there afterwards.",
)
_OTHER_PYTHONS = ErrorText(
    "lock-other-pythons",
    "{name} has ready wheels for Python {pythons} alone, not for Python {python}.",
    "Choose such a Python (--python), or leave {name} out.",
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
    try:
        return preview(facts, choices, selected, is_cancelled, on_progress)
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
        return _NO_PACKAGE, {}
    known = {one for build in load_matrix().builds for one in build.pythons}
    if pythons := has(sorted(known, key=version_key)):
        return _OTHER_PYTHONS, {"pythons": ", ".join(pythons), "python": python}
    if any(allowed.contains(offer.version, prereleases=True) for offer in offers if not offer.yanked):
        return (_INSTEAD, {"instead": row.instead}) if row and row.instead else (_OTHER_SYSTEMS, {})
    if not any(allowed.contains(one, prereleases=True) for one in reader.sources(main, name)):
        return None
    if row and row.where and row.newest and machine.os not in row.lacks:
        return _MAKERS_PAGE, {"where": row.where, "newest": row.newest}
    return _SOURCE_ALONE, {}
