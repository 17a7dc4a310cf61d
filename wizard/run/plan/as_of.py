"""Finds the releases that packages had on a day, so that a lock may prefer them: what an old project leaves open was
that, and its code is written for it.

Only a package index tells days (PEP 700); of what does not, nothing is taken, and it is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from packaging.version import Version

from wizard.model.distributions import FAMILY
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, message
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.other_packages import looked_up, naming
from wizard.run.select.source_catalog import is_main
from wizard.sources.model import Offer, Source
from wizard.sources.read import HOST_IS_THERE, Reader
from wizard.sources.wanted import fitting_versions, platform_tags, public
from wizard.transfer.http import SourceUnreachable

_MOST_ASKED = 400  # pages
_AT_A_TIME = 50  # whose pages are kept together
_MOST_ROUNDS = 4  # what older releases need is looked for, too
_SECONDS = 30.0
_NUMPY = "numpy"
_DAY = re.compile(r"20[0-9]{2}-[01][0-9]-[0-3][0-9]T")
_AS_OF, _NOT_THEN = "project.as-of", "project.as-of-newer"


class LockAgain(Exception):
    """Other releases than the locked ones are to be preferred."""


@dataclass(frozen=True, slots=True)
class _Then:
    """What a page says of that day: the releases with a wheel for this Python and system; `is_dated`: it says when its
    files came; `had_any`: there was one of that day for any Python."""

    versions: frozenset[Version]
    is_dated: bool
    had_any: bool

    def newest_up_to(self, version: str) -> str:
        """Return the newest that is not newer than this one, which is within all bounds; "" for none."""
        found = [one for one in self.versions if not one.is_prerelease and one <= Version(version)]
        return str(max(found)) if found else ""


@dataclass
class ReleasesThen:
    """`day`: "2022-03-14"; "": today. `apart`: packages whose versions the project names, and what the person asked for
    beside it. `versions`: what to prefer, by name."""

    day: str
    facts: Facts
    selected: SelectedBuild
    is_cancelled: Callable[[], bool]
    apart: Collection[str] = ()
    versions: dict[str, str] = field(default_factory=dict)
    _told: dict[str, _Then] = field(default_factory=dict)
    _rounds: int = 0
    _never: Message | None = None  # why nothing is taken

    def look(self, lock: Lock) -> None:
        """Ask, once for each package in the lock but torch's family, for its releases of that day. Raises LockAgain
        where the lock has newer ones, Cancelled."""
        if not self.day or self._never or self._rounds == _MOST_ROUNDS:
            return
        self._rounds += 1
        self._ask([one for one in lock.files if self._is_open(one) and one.name not in self._told])
        self._never = self._why_never(lock)
        if self._never:
            was_taken, self.versions = bool(self.versions), {}
            if was_taken:  # NumPy came with what older releases need
                raise LockAgain
            return
        found = {
            one.name: then
            for one in lock.files
            if one.name not in self.versions and not self._is_of_day(one) and (then := self._newest(one))
        }
        self.versions |= found
        if found:
            raise LockAgain

    def told(self, lock: Lock) -> tuple[Message, ...]:
        """Return what is locked as it was then, and what is not; or why nothing is."""
        if self._never or not self._rounds:
            return (self._never,) if self._never else ()
        then = [one for one in lock.files if self.versions.get(one.name) == one.version]
        newer = [one for one in lock.files if self._is_open(one) and not self._is_of_day(one)]
        said = [(_AS_OF, then), (_NOT_THEN, newer)]
        return tuple(naming(key, [f"{one.name} {one.version}" for one in of], day=self.day) for key, of in said if of)

    def _is_open(self, file: LockedFile) -> bool:
        return file.name not in (*FAMILY, *self.apart) and not file.name.startswith("nvidia-")

    def _newest(self, file: LockedFile) -> str:
        return self._told[file.name].newest_up_to(file.version) if file.name in self._told else ""

    def _is_of_day(self, file: LockedFile) -> bool:
        return file.name in self._told and public(Version(file.version)) in self._told[file.name].versions

    def _why_never(self, lock: Lock) -> Message | None:
        """Of the index, or of NumPy, without which old packages beside new ones would be worse than new ones alone."""
        numpy = self._told.get(_NUMPY)
        is_dated = numpy.is_dated and numpy.had_any if numpy else any(one.is_dated for one in self._told.values())
        is_unknown = any(one.name == _NUMPY and self._is_open(one) and numpy is None for one in lock.files)
        if is_unknown or (self._told and not is_dated):
            return message("project.as-of-unknown", day=self.day)
        if numpy and not numpy.versions:
            return message("project.as-of-python", day=self.day, python=self.selected.python)
        return None

    def _ask(self, files: list[LockedFile]) -> None:
        """Ask twice at most: one page that does not come says nothing of the others."""
        main = next((source for source in self.selected.package_sources if is_main(source)), None)
        settings, is_cancelled = self.facts.settings, self.is_cancelled
        for _ in range(2 if main else 0):
            left = [one for one in files if one.name not in self._told][:_MOST_ASKED]
            for at in range(0, len(left), _AT_A_TIME):
                asked = left[at : at + _AT_A_TIME]
                answers = looked_up(
                    asked, lambda file: (main,) if main else (), self._then, settings, is_cancelled, _SECONDS
                )
                self._told |= {name: then for (name, _), then in answers.items()}

    def _then(self, reader: Reader, source: Source, file: LockedFile) -> _Then | None:
        machine, python = self.facts.machine, self.selected.python
        try:
            dated = [one for one in reader.offers(source, file.name) if _DAY.match(one.uploaded or "")]
        except SourceUnreachable as error:
            if error.code in HOST_IS_THERE:  # of this page alone
                return None
            raise
        there = [one for one in dated if self._had(one)]
        tags = platform_tags(python, machine.os, machine.arch, machine.glibc)
        return _Then(fitting_versions(there, python, tags), bool(dated), bool(there))

    def _had(self, offer: Offer) -> bool:
        return (offer.uploaded or "")[: len(self.day)] <= self.day
