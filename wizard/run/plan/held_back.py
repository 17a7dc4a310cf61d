"""Says of packages that were asked for by name and are not the newest in the lock: which one is, why it is not taken.

A resolver that may take no source goes back, without a word, to the last release that has a wheel, or to one that asks
nothing of torch: years old, and often of another kind; or on to a pre-release. So it is asked what stands against the
newest one. Who is silent is left out: nothing hangs on this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wizard.model.distributions import FAMILY
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, message
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.other_packages import looked_up
from wizard.run.select.source_catalog import is_main
from wizard.sources.model import Source
from wizard.sources.read import Reader
from wizard.sources.wanted import fitting_versions, platform_tags, public
from wizard.transfer.http import SourceUnreachable, list_headers

_MOST_ASKED = 60  # pages
_MOST_TRIED = 3  # times that the resolver is asked again
_MOST_NEEDED = 6  # packages in one answer of the resolver
_ASKING = "environment"  # what the resolver calls the lines that it is given
_NO_WHEEL = re.compile(r"Wheels are required for `([^`]+)`")
_OTHER_WHEELS = re.compile(r"([A-Za-z0-9][\w.-]*?)(?:[<>=!~]\S*)? has no (?:usable wheels|wheels with a matching)")
_SECONDS = 10.0
_SAME = 2  # numbers of a version: a patch release is not worth a word, from 1.0 on


@dataclass(frozen=True, slots=True)
class SourceNeed:
    """What a package needs (`by`) and the index has as a wheel for no system."""

    name: str
    specifier: str
    by: str

    def __str__(self) -> str:
        return f"{self.name}{self.specifier}"


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A package that is not the newest, or a pre-release that nobody asked for. `newest`: "" where there are
    pre-releases alone; `needs`: what stands against it, where that is given as source alone."""

    name: str
    version: str
    newest: str
    said: Message
    is_early: bool = False
    needs: tuple[SourceNeed, ...] = ()


def held_back(
    facts: Facts,
    selected: SelectedBuild,
    lock: Lock,
    is_cancelled: Callable[[], bool],
    refusal: Callable[[str], str] = lambda line: "",
) -> tuple[HeldBack, ...]:
    """Return each of `selected.requirements` whose newest release is another. `refusal`: what the resolver says to
    one more line. Raises Cancelled."""
    main = next((source for source in selected.package_sources if is_main(source)), None)
    wanted = dict(named_packages(selected.requirements))
    kept = {(canonicalize_name(one.name), one.version) for one in selected.preferred}  # to a project's own pins
    named = ((canonicalize_name(file.name), file) for file in lock.files)
    asked = tuple(file for name, file in named if name in wanted and (name, file.version) not in kept)[:_MOST_ASKED]
    if main is None or not asked:
        return ()
    machine = facts.machine
    tags = platform_tags(selected.python, machine.os, machine.arch, machine.glibc)

    def look(reader: Reader, source: Source, file: LockedFile) -> HeldBack | None:
        allowed = wanted[canonicalize_name(file.name)]
        offers = reader.offers(source, file.name)
        here = fitting_versions(offers, selected.python, tags)
        anywhere = frozenset(public(offer.version) for offer in offers if not offer.yanked)
        newest = _newest(anywhere | reader.sources(source, file.name), allowed)
        is_early = _is_early(file.version, allowed)
        if not is_early and (newest is None or not _is_behind(file.version, newest)):
            return None
        early = "-early" if newest is None or newest in anywhere else "-early-source"
        why = early if is_early else "" if newest in here else "-elsewhere" if newest in anywhere else "-source"
        said = message(
            f"notice.held-back{why}",
            name=file.name,
            version=file.version,
            newest=str(newest),
            torch=selected.candidate.torch,
            python=selected.python,
        )
        return HeldBack(file.name, file.version, str(newest) if newest in here else "", said, is_early)

    found = looked_up(asked, lambda file: (main,), look, facts.settings, is_cancelled, _SECONDS)
    return tuple(_with_cause(facts, selected, tuple(found.values()), refusal))


def _with_cause(
    facts: Facts, selected: SelectedBuild, found: Collection[HeldBack], refusal: Callable[[str], str]
) -> Iterator[HeldBack]:
    left = _MOST_TRIED
    for one in found:
        if one.newest and left:
            left -= 1
            words = refusal(f"{one.name}=={one.newest}")
            needs, torch = source_alone(facts, selected, words), torch_need(one.name, words)
            params = {"name": one.name, "version": one.version, "newest": one.newest}
            if needs:
                said = message("notice.held-back-needs", **params, needs=", ".join(map(str, needs)))
                one = replace(one, needs=needs, said=said)
            elif torch:
                one = replace(one, said=message("notice.held-back-torch", **params, need=str(torch)))
            elif need := needed_elsewhere(words):
                told = {"need": str(need), "by": need.by, "python": selected.python}
                one = replace(one, said=message("notice.held-back-needs-elsewhere", **params, **told))
        yield one


def torch_need(name: str, words: str) -> SourceNeed | None:
    """Return what its newest release that the resolver names asks of torch's family, where it says that this stands
    against it."""
    family, specifier = "|".join(FAMILY), r"((?:[<>=!~]+[\w.*+!]+,?)+)"
    pattern = rf"(?<![\w.-]){re.escape(name)}(?:[<>=!~]\S*)? depends on ({family}){specifier}(?![\w-])"
    found = re.findall(pattern, " ".join(words.split()))
    return SourceNeed(found[-1][0], found[-1][1].rstrip(","), name) if found else None


def source_alone(facts: Facts, selected: SelectedBuild, words: str) -> tuple[SourceNeed, ...]:
    """Return what the resolver says that packages need, and that the main index has, in the versions that they need,
    as source alone: no other Python and no other release of torch would have it."""
    main = next((source for source in selected.package_sources if is_main(source)), None)
    flowing = " ".join(words.split())
    names = {canonicalize_name(name) for name in _NO_WHEEL.findall(flowing)} - {*FAMILY, "numpy"}
    if main is None or not names:
        return ()
    with Reader(facts.settings, headers=list_headers()) as reader:
        needed = (_needed(name, flowing) for name in sorted(names)[:_MOST_NEEDED])
        return tuple(one for one in needed if one and _is_source_alone(reader, main, one))


def as_source_alone(facts: Facts, selected: SelectedBuild, asked: Mapping[str, str]) -> frozenset[str]:
    """Return those of the packages that the main index has, in the versions that are asked, as source alone. `asked`:
    what of each, by its name."""
    main = next((source for source in selected.package_sources if is_main(source)), None)
    if main is None or not asked:
        return frozenset()
    with Reader(facts.settings, headers=list_headers()) as reader:
        needs = (SourceNeed(name, specifier, "") for name, specifier in asked.items())
        return frozenset(one.name for one in needs if _is_source_alone(reader, main, one))


def needed_elsewhere(words: str) -> SourceNeed | None:
    """Return the last that the resolver says a package needs, and that has wheels for other systems or Pythons."""
    flowing = " ".join(words.split())
    needed = (_needed(name, flowing) for name in reversed(_OTHER_WHEELS.findall(flowing)) if name not in FAMILY)
    return next(filter(None, needed), None)


def _needed(name: str, flowing: str) -> SourceNeed | None:
    found = re.search(
        rf"(\S+?)(?:[<>=!~]\S*)? depends? on {re.escape(name)}((?:[<>=!~]+[\w.*+!]+,?)*)(?![\w-])", flowing
    )
    return SourceNeed(name, found[2].rstrip(","), found[1]) if found and found[1] != _ASKING else None


def _is_source_alone(reader: Reader, main: Source, one: SourceNeed) -> bool:
    try:
        allowed = SpecifierSet(one.specifier)
        wheels = {public(offer.version) for offer in reader.offers(main, one.name)}
        sources = reader.sources(main, one.name)
    except (SourceUnreachable, InvalidSpecifier):
        return False
    return any(map(allowed.contains, sources)) and not any(map(allowed.contains, wheels))


def named_packages(requirements: tuple[str, ...]) -> Iterator[tuple[str, SpecifierSet]]:
    """Yield each package and what may be taken of it; not torch's own ground, nor what an address names."""
    for words in requirements:
        try:
            one = Requirement(words)
        except InvalidRequirement:
            continue
        name = canonicalize_name(one.name)
        if name not in (*FAMILY, "numpy") and not one.url:
            yield name, one.specifier


def _newest(versions: frozenset[Version], allowed: SpecifierSet) -> Version | None:
    return max((one for one in versions if not one.is_prerelease and allowed.contains(one)), default=None)


def _is_early(version: str, allowed: SpecifierSet) -> bool:
    """Return whether it is a pre-release, and no line names one."""
    try:
        return Version(version).is_prerelease and not allowed.prereleases
    except InvalidVersion:
        return False


def _is_behind(version: str, newest: Version) -> bool:
    try:
        same = _SAME if newest.major else _SAME + 1
        return Version(version).release[:same] < newest.release[:same]
    except InvalidVersion:
        return False
