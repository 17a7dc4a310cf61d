"""Lists the sources for the search: what to ask, in which order, and what was already answered.

It binds the choices and the user's settings to one reader, so that each page is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from wizard.compatibility.model import Candidate, Choices
from wizard.machine.model import Machine
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.sources.channel import check_channel
from wizard.sources.cross_check import of_failure
from wizard.sources.known_sources import (
    TYPED_INDEX,
    conda_channels,
    official_torch_sources,
    package_sources,
    torch_sources,
)
from wizard.sources.model import Availability, Offer, Origin, Source, SourceKind, SourceStatus, UserSettings
from wizard.sources.read import Reader
from wizard.sources.wanted import WantedWheel, carried, platform_tags
from wizard.transfer.http import SourceUnreachable

_ASKED_FOR = "numpy"


class SourceCatalog:
    def __init__(
        self, choices: Choices, settings: UserSettings, reader: Reader, policy: MirrorPolicy | None = None
    ) -> None:
        """`policy`: where mirrors may be measured against one another."""
        self.policy = policy
        self._choices = choices
        self._settings = settings
        self._reader = reader
        self._with_layouts: dict[str, Source] = {}

    def torch_sources(self, variant: str) -> tuple[Source, ...]:
        """Return them in order of trust. Raises UsageError for a bad address."""
        return tuple(self._with_layout(source) for source in torch_sources(self._choices, self._settings, variant))

    def sources_for(self, candidate: Candidate, python: str, default_variant: str | None) -> tuple[Source, ...]:
        """Return them by trust; by what a benchmark found where there is one."""
        if self.policy is None or not self.policy.is_on(SourceKind.TORCH):
            return self.torch_sources(candidate.variant)
        measured = self.policy.torch(candidate, python, default_variant)
        return tuple(map(self._with_layout, measured)) or self.torch_sources(candidate.variant)

    def _with_layout(self, source: Source) -> Source:
        """Ask once whether it is simple or flat; an address that does not answer is found out by the search."""
        if source.id not in self._with_layouts:
            try:
                self._with_layouts[source.id] = self._reader.with_layout(source, "torch")
            except WizardError:
                self._with_layouts[source.id] = source
        return self._with_layouts[source.id]

    def package_sources(self, torch_source: Source, python: str = "3.12", numpy: str = "") -> tuple[Source, ...]:
        """Return those for all but the torch family, which the resolver is bound to take from `torch_source`."""
        return self._measured_packages(python, numpy) or package_sources(self._choices, self._settings)

    def _measured_packages(self, python: str, numpy: str) -> tuple[Source, ...]:
        """Return the fastest index in place of the main one; what the user's settings add to it stays."""
        if self.policy is None or not self.policy.is_on(SourceKind.PACKAGES):
            return ()
        # An index that the settings merely add may hold a handful of packages: it takes nobody's place.
        usable = tuple(source for source in self.policy.packages(python, numpy) if is_main(source))
        main, *others = package_sources(self._choices, self._settings)
        if not usable or not is_main(main):
            return ()
        return (usable[0], *(source for source in others if source.url != usable[0].url))

    def official_sha256(self, offer: Offer, variant: str) -> str | None:
        """Return what the official pages say of this very file; None where they are silent, or must not be asked."""
        if self._settings.no_index or self._choices.offline:
            return None
        for source in official_torch_sources(variant):
            try:
                offers = self._reader.offers(source, offer.project)
            except WizardError:
                continue
            if found := next((one.sha256 for one in offers if one.filename == offer.filename), None):
                return found
        return None

    def gone(self, source: Source, project: str) -> Message | None:
        """Return which address of a person's own source has nothing; None: it is there, or a public one."""
        is_own = source.origin in (Origin.BY_HAND, Origin.USER_SETTINGS)
        return self._reader.gone(source, project) if is_own else None

    def lost_index(self, packages: Sequence[Source]) -> SourceStatus | None:
        """Ask the index that was typed for NumPy, which every setup takes from `packages`. Return what it answered
        where it is of no use. None: it serves, a folder beside it does, or none was typed."""
        typed = next((source for source in packages if source.id == TYPED_INDEX), None)
        if typed is None:
            return None
        try:
            if self._reader.has(typed, _ASKED_FOR):
                return None
        except SourceUnreachable as error:
            return SourceStatus(typed, *of_failure(error), kind="packages")
        if any(self._has(source) for source in packages if source is not typed):
            return None
        words = self._reader.gone(typed, _ASKED_FOR) or message("truth.lacks", name="NumPy")
        return SourceStatus(typed, Availability.BROKEN, words, kind="packages")

    def _has(self, source: Source) -> bool:
        try:
            return self._reader.has(source, _ASKED_FOR)
        except SourceUnreachable:
            return False

    def channels(self, python: str) -> tuple[Source, ...]:
        """Return the conda channels in their order, the best of a benchmark alone where there is one."""
        measured = self.policy.channels(python) if self.policy and self.policy.is_on(SourceKind.CONDA) else ()
        return measured or conda_channels(self._choices, self._settings)

    def check_channel(self, source: Source, subdir: str) -> None:
        """Check that it answers; one of the user's settings must have this platform too, as the official one behind it
        has. Raises SourceUnreachable."""
        subdirs = ("noarch", subdir) if source.origin is Origin.USER_SETTINGS else ("noarch",)
        check_channel(source.url or "", self._settings, subdirs)

    def carried(
        self,
        source: Source,
        project: str,
        version: str,
        variant: str,
        default_variant: str | None,
        python: str,
        machine: Machine,
    ) -> Offer | None:
        """Return the wheel that the source lists. Raises SourceUnreachable."""
        tags = _tags(python, machine.os, machine.arch, machine.glibc)
        return carried(self._reader, source, WantedWheel(project, version, variant, python, tags, default_variant))


def is_main(source: Source) -> bool:
    """Return whether it is the index in place of the default one; the others only add to it."""
    if source.url is None or source.id in ("official", TYPED_INDEX, "user-index-url-1"):
        return True
    return source.origin is Origin.MIRROR and source.id.endswith(f"-{SourceKind.PACKAGES.value}")


_tags = cache(platform_tags)
