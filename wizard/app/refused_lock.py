"""Says of a lock that has no solution which named package is at fault: what the package index's pages have of it, or
what the resolver says stands against it.

Before the lock, `companion_torch` says what is known; where no page answers, the resolver's refusal stays as it is.
One file: each answer is that the lock is refused, with the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.ordering import version_key
from wizard.compatibility.model import Choices
from wizard.install.lock import LOCK_NO_PAIR, NO_SOLUTION
from wizard.model.distributions import FAMILY
from wizard.model.errors import ErrorText, WizardError
from wizard.model.lock import Lock
from wizard.project.model import Statement, normalized
from wizard.project.packages.companions import companion, undeclared_bounds
from wizard.project.versions import marker_holds, meets
from wizard.run.model import Facts, Preview, SelectedBuild
from wizard.run.plan.computed import OnProgress
from wizard.run.plan.held_back import (
    SourceNeed,
    as_source_alone,
    named_packages,
    needed_elsewhere,
    source_alone,
    torch_need,
)
from wizard.run.plan.preview import preview
from wizard.run.select.source_catalog import is_main
from wizard.sources.model import Source
from wizard.sources.read import Reader
from wizard.sources.wanted import fitting_versions, platform_tags, public
from wizard.system.paths import os_name
from wizard.transfer.address import host_of
from wizard.transfer.http import SourceUnreachable, list_headers

_SECONDS, _MOST_ASKED = 10.0, 60  # for pages
_BLAMED = re.compile(  # the resolver's words
    r"no versions? of ([A-Za-z0-9][\w.-]*)|[Bb]ecause only ([A-Za-z0-9][\w.-]*?)[<>=!~ ]"
    r"|Because (\S+) was not found in the package registry|Wheels are required for `([^`]+)`"
    r"|([A-Za-z0-9][\w.-]*?)(?:[<>=!~]\S*)? has no (?:usable )?wheels"
)

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
_OTHER_FILE = ErrorText(
    "project-hash-differs",
    "{file}, line {line}: {source} has {name} with another content than the hashes of that line say.",
    "Choose another package source; if its makers give the hash of that file, put it into the line.",
)
_NO_HASH = ErrorText(
    "project-hash-unknown",
    "{file}, line {line} has hashes, and {source} names none of {name}: nothing shows that it is the same file.",
    "Choose a package source that names hashes, or take them out of that line.",
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
_SOURCE_SINCE = ErrorText(
    "lock-source-since",
    "Of the newer releases of {name} there is only the source ({source}), and nothing is compiled unasked; {version}, "
    "the last with a ready wheel, needs {need}, which does not go with torch {torch}.",
    "Leave it out; its documentation says how it is built, or where else its makers have ready wheels.",
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
    "Choose such a Python[| (--python)] for a new environment, or leave {name} out.",
)
_NO_PYTHON_OF_TORCH = ErrorText(
    "lock-no-python-of-torch",
    "{name} has ready wheels for Python {pythons} alone, and torch {torch} is made for none of these.",
    "Leave {name} out, or choose an older torch that is made for such a Python[ (page {page.build})| (--torch)], where "
    "one runs here.",
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
_NO_RELEASE = ErrorText(
    "lock-no-release",
    "{name} has no release that is {asked} ({source}).",
    "Name a release that is there.",
)
_OF_LINES = {  # a project's lines: with their place, and what a setup of it can do
    _NO_PACKAGE.code: ErrorText(
        "project-no-package",
        "No index here has a package of this name: {line}.",
        "Check the spelling, or name the index that has it[ (page {page.source})| (--index)].",
    ),
    _NO_RELEASE.code: ErrorText(
        "project-no-release",
        "The package index has no such release: {line}.",
        "Name a release that is there[| (without --strict, the nearest is proposed)].",
    ),
    _SOURCE_ALONE.code: ErrorText(
        "project-line-source",
        "The package index has the source alone of this, and nothing is compiled unasked: {line}.",
        "Have it built last[: tick “Install the project itself and its parts, too” on the page {page.build}| "
        "(--parts)], or plan all but that[| (without --strict)].",
    ),
}


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
    """Return what says which package that was asked for has no wheel here, and what there is of it; else the error.
    Where the newest of it is source alone, that is at fault, and not what its last wheel of years ago needs."""
    main = next((source for source in selected.package_sources if is_main(source)), None)
    if error.code not in NO_SOLUTION or main is None:
        return error
    try:
        asked = named_packages(selected.requirements)
        if found := _first_lacking(facts, main, selected, error.details, asked):
            name, text, params = found
            return WizardError(text, details=error.details, name=name, source=main.label, **params)
    except SourceUnreachable:
        return error
    words, torch, python = error.details, selected.candidate.torch, selected.python
    named = (torch_need(name, words) for name, _ in named_packages(selected.requirements))
    stands_against = (
        (_NEEDS_SOURCE, next(iter(source_alone(facts, selected, words)), None)),
        (_NEEDS_ELSEWHERE, needed_elsewhere(words)),
        (_OTHER_TORCH, next(filter(None, named), None)),
    )
    lost = (
        SourceNeed(str(error.params["name"]), "", str(error.params["by"])) if error.code == LOCK_NO_PAIR.code else None
    )
    for text, need in ((LOCK_NO_PAIR, lost), *stands_against):
        if need:
            told = {"name": need.by, "need": str(need), "source": main.label}
            if version := _last_wheel(facts, main, need.by, selected.requirements):
                return WizardError(_SOURCE_SINCE, details=words, torch=torch, version=version, **told)
            if need is not lost:
                return WizardError(text, details=words, torch=torch, python=python, **told)
    return error


def check_hashes(packages: Iterable[Statement], lock: Lock, python: str) -> None:
    """Hold the locked files against the hashes of the lines that ask for them: pip takes any of a line's. Of a release
    that no line allows another sentence tells. Raises WizardError `project-hash-…`."""
    for one in packages:
        file = lock.find(one.name) if one.hashes and not one.url else None
        if file is None or not meets(one.specifier, file.version) or not marker_holds(one.marker, os_name(), python):
            continue
        if f"sha256={file.sha256}" not in one.hashes:
            words = _OTHER_FILE if file.sha256 else _NO_HASH
            host = host_of(file.urls[0])
            raise WizardError(words, file=one.origin.file, line=one.origin.line, name=file.filename, source=host)


def line_at_fault(
    error: WizardError, facts: Facts, selected: SelectedBuild, lines: Iterable[Statement]
) -> WizardError | None:
    """Return what says which line the index cannot meet, of those that the resolver's words blame, and beside one of
    source alone all such lines; None where each can be met alone, or nothing answers. `lines`: of a project."""
    main = next((source for source in selected.package_sources if is_main(source)), None)
    blamed = _blamed(error.details)
    named = {one.name: one for one in reversed(list(lines)) if not one.url}
    by_name = {name: one for name, one in named.items() if name in blamed}
    if main is None or not by_name:
        return None
    try:
        asked = ((name, SpecifierSet(one.specifier)) for name, one in by_name.items() if name not in FAMILY)
        found = _first_lacking(facts, main, selected, error.details, asked)
    except (SourceUnreachable, InvalidSpecifier):
        return None
    if found is None:
        return None
    name, text, params = found
    further = _further_sources(facts, selected, name, named.values()) if text is _SOURCE_ALONE else ()
    line = "; ".join(f"{one.origin}: {one}" for one in (by_name[name], *further))
    its = _OF_LINES.get(text.code, text)
    return WizardError(its, details=error.details, name=name, source=main.label, line=line, **params)


def _further_sources(
    facts: Facts, selected: SelectedBuild, first: str, lines: Iterable[Statement]
) -> tuple[Statement, ...]:
    """Return the other lines that a source alone meets: the resolver stops at the first, and a person would have to
    ask once for each."""
    os, python = facts.machine.os, selected.python
    others = [
        one
        for one in lines
        if one.name not in (first, *FAMILY) and companion(one.name) is None and marker_holds(one.marker, os, python)
    ][:_MOST_ASKED]
    alone = as_source_alone(facts, selected, {one.name: one.specifier for one in others})
    return tuple(one for one in others if one.name in alone)


def _blamed(words: str) -> frozenset[str]:
    """Return the packages that the resolver says are not there, not in such a release, or not as a wheel."""
    flowing = " ".join(words.split())
    return frozenset(normalized(name) for found in _BLAMED.findall(flowing) for name in found if name)


def _first_lacking(
    facts: Facts, main: Source, selected: SelectedBuild, words: str, asked: Iterable[tuple[str, SpecifierSet]]
) -> tuple[str, ErrorText, dict[str, str]] | None:
    """Return the first package that the index has no wheel of here. Raises SourceUnreachable."""
    blamed = _blamed(words)
    with Reader(facts.settings, (_SECONDS, _SECONDS), headers=list_headers()) as reader:
        for name, allowed in tuple(asked)[:_MOST_ASKED]:
            found = _lacking(reader, main, name, allowed, facts, selected)
            if found and (found[0] is not _NO_RELEASE or name in blamed):
                return name, *found
    return None


def _last_wheel(facts: Facts, main: Source, name: str, requirements: tuple[str, ...]) -> str:
    """Return the newest release of a package that was asked for with a wheel, for any system, where a newer one is
    source alone; "" where none is, or nothing answers."""
    allowed = dict(named_packages(requirements)).get(normalized(name))
    if allowed is None:
        return ""
    with Reader(facts.settings, (_SECONDS, _SECONDS), headers=list_headers()) as reader:
        try:
            wheels = {public(one.version) for one in reader.offers(main, name) if not one.yanked}
            sources = reader.sources(main, name)
        except SourceUnreachable:
            return ""
    last = max(filter(allowed.contains, wheels), default=None)
    newest = max((one for one in sources if allowed.contains(one) and not one.is_prerelease), default=None)
    return str(last) if last and newest and last < newest else ""


def _lacking(
    reader: Reader, main: Source, name: str, allowed: SpecifierSet, facts: Facts, selected: SelectedBuild
) -> tuple[ErrorText, dict[str, str]] | None:
    machine, row, taken = facts.machine, companion(name), selected.candidate
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

    if has([selected.python]):
        return None
    if not reader.has(main, name):
        return _ON_NO_INDEX if row and row.wheels == "none" else _NO_PACKAGE, {}
    known = {one for build in load_matrix().builds for one in build.pythons}
    if pythons := has(sorted(known, key=version_key)):
        its = [one for one in pythons if one in taken.pythons]
        text = _OTHER_PYTHONS if its else _NO_PYTHON_OF_TORCH
        return text, {"pythons": ", ".join(its or pythons), "python": selected.python, "torch": taken.torch}
    if any(allowed.contains(offer.version, prereleases=True) for offer in offers if not offer.yanked):
        return (_INSTEAD, {"instead": row.instead}) if row and row.instead else (_OTHER_SYSTEMS, {})
    if not any(allowed.contains(one, prereleases=True) for one in reader.sources(main, name)):
        return (_NO_RELEASE, {"asked": str(allowed)}) if str(allowed) else None
    if row and row.where and row.newest and machine.os not in row.lacks:
        folder = f"{row.where.partition('{')[0].rpartition('/')[0]}/" if "{" in row.where else row.where
        return _MAKERS_PAGE, {"where": folder, "newest": row.newest}
    return _SOURCE_ALONE, {}
