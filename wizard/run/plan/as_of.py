"""Finds the releases that packages had on a day, so that a lock may prefer them: what an old project leaves open was
that, and its code is written for it.

Only a package index tells days (PEP 700); of what does not, nothing is taken, and it is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from wizard.model.distributions import FAMILY
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, message
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.other_packages import looked_up, naming
from wizard.run.select.source_catalog import is_main
from wizard.sources.model import Source
from wizard.sources.read import Reader
from wizard.sources.wanted import fitting_versions, platform_tags

_MOST_ASKED = 400  # pages
_MOST_ROUNDS = 4  # what older releases need is looked for, too
_SECONDS = 60.0
_GROUND, _NONE = "numpy", "none"
_AS_OF, _NO_DAYS = "project.as-of", "project.as-of-unknown"


class LockAgain(Exception):
    """Other releases than the locked ones are to be preferred."""


@dataclass
class ReleasesThen:
    """`day`: "2022-03-14"; "": today. `versions`: by name, as they were then, where the lock has another."""

    day: str
    facts: Facts
    selected: SelectedBuild
    is_cancelled: Callable[[], bool]
    versions: dict[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    rounds: int = 0
    tells_days: bool = False  # a page said when its files came
    is_too_early: bool = False  # NumPy had nothing for this Python: then most with code of their own had not

    def look(self, lock: Lock) -> None:
        """Ask once, for each package in the lock but torch's family, for the newest release of that day with a wheel
        for this Python and system. Raises LockAgain where the lock has others, Cancelled."""
        main = next((source for source in self.selected.package_sources if is_main(source)), None)
        known = {*self.asked, *FAMILY}
        left = [one for one in lock.files if one.name not in known and not one.name.startswith("nvidia-")]
        if main is None or not (self.day and left) or self.rounds == _MOST_ROUNDS or self.is_too_early:
            return
        self.rounds += 1
        self.asked |= {one.name for one in left}
        settings, is_cancelled = self.facts.settings, self.is_cancelled
        answers = looked_up(left[:_MOST_ASKED], lambda file: (main,), self._then, settings, is_cancelled, _SECONDS)
        self.tells_days |= any(is_dated for _, is_dated in answers.values())
        self.is_too_early = any(name == _GROUND and then == _NONE for (name, _), (then, _) in answers.items())
        versions = {name: then for (name, _), (then, _) in answers.items() if then not in ("", _NONE)}
        if versions and not self.is_too_early:
            self.versions |= versions
            raise LockAgain

    def _then(self, reader: Reader, source: Source, file: LockedFile) -> tuple[str, bool]:
        machine, python = self.facts.machine, self.selected.python
        tags = platform_tags(python, machine.os, machine.arch, machine.glibc)
        offers = [one for one in reader.offers(source, file.name) if one.uploaded]
        there = [one for one in offers if (one.uploaded or "")[: len(self.day)] <= self.day]
        found = [one for one in fitting_versions(there, python, tags) if not one.is_prerelease]
        newest = str(max(found)) if found else _NONE if offers else ""
        return newest if newest != file.version else "", bool(offers)

    def told(self, lock: Lock) -> tuple[Message, ...]:
        """Return a sentence on what is locked as it was then, or on why nothing is."""
        names = [f"{one.name} {one.version}" for one in lock.files if self.versions.get(one.name) == one.version]
        if names:
            return (naming(_AS_OF, names, day=self.day),)
        if self.is_too_early:
            return (message("project.as-of-python", day=self.day, python=self.selected.python),)
        return (message(_NO_DAYS, day=self.day),) if self.asked and not self.tells_days else ()
