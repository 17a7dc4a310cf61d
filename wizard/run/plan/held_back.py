"""Says of packages that were asked for by name and are not the newest in the lock: which one is, why it is not taken.

A resolver that may take no source goes back, without a word, to the last release that has a wheel, or to one that asks
nothing of torch: years old, and often of another kind. Who is silent is left out: nothing hangs on this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
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

_MOST_ASKED = 60  # pages
_SECONDS = 10.0
_SAME = 2  # numbers of a version: a patch release is not worth a word, from 1.0 on


def held_back(
    facts: Facts, selected: SelectedBuild, lock: Lock, is_cancelled: Callable[[], bool]
) -> tuple[Message, ...]:
    """Return a sentence for each of `selected.requirements` whose newest release is another. Raises Cancelled."""
    main = next((source for source in selected.package_sources if is_main(source)), None)
    wanted = dict(_named(selected.requirements))
    kept = {(canonicalize_name(one.name), one.version) for one in selected.preferred}  # to a project's own pins
    named = ((canonicalize_name(file.name), file) for file in lock.files)
    asked = tuple(file for name, file in named if name in wanted and (name, file.version) not in kept)[:_MOST_ASKED]
    if main is None or not asked:
        return ()
    machine = facts.machine
    tags = platform_tags(selected.python, machine.os, machine.arch, machine.glibc)

    def look(reader: Reader, source: Source, file: LockedFile) -> Message | None:
        allowed = wanted[canonicalize_name(file.name)]
        offers = reader.offers(source, file.name)
        here = fitting_versions(offers, selected.python, tags)
        anywhere = frozenset(public(offer.version) for offer in offers if not offer.yanked)
        newest = _newest(anywhere | reader.sources(source, file.name), allowed)
        if newest is None or not _is_behind(file.version, newest):
            return None
        why = "" if newest in here else "-elsewhere" if newest in anywhere else "-source"
        return message(
            f"notice.held-back{why}",
            name=file.name,
            version=file.version,
            newest=str(newest),
            torch=selected.candidate.torch,
            python=selected.python,
        )

    found = looked_up(asked, lambda file: (main,), look, facts.settings, is_cancelled, _SECONDS)
    return tuple(found.values())


def _named(requirements: tuple[str, ...]) -> Iterator[tuple[str, SpecifierSet]]:
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


def _is_behind(version: str, newest: Version) -> bool:
    try:
        same = _SAME if newest.major else _SAME + 1
        return Version(version).release[:same] < newest.release[:same]
    except InvalidVersion:
        return False
