"""Searches, among the builds that fit, the first that a reachable source really carries.

The matrix says what should exist; only an index that lists the wheel makes it a promise. The search is by
build first and by source second, so a worse build is taken only when no source has the better one. Companions that
must come along choose between sources of the same build, never between builds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.model import Candidate, Choices, Verdict
from wizard.machine.model import Machine, PythonInstall
from wizard.model.errors import Cancelled, ErrorText, WizardError
from wizard.model.messages import Message, message
from wizard.run.select.origin import why_refused
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.model import Availability, Offer, Source, SourceKind, SourceStatus

# Only what this machine lacks; what was never published cannot be chosen.
_CHOOSABLE_REASONS = frozenset({"no-gpu", "other-maker", "no-driver", "driver-too-old", "no-kernels-for-gpu"})
NO_BUILD_FITS = ErrorText(
    "no-build-fits",
    "No build of PyTorch fits this computer with what you asked for ({what}).",
    "The page {page.build} shows what fits and why[.|; so does: torch-wizard pick]",
)


@dataclass(frozen=True, slots=True)
class FoundBuild:
    candidate: Candidate
    python: str
    source: Source
    offers: dict[str, Offer]  # project -> wheel, torch always, companions where the same source has them


def wanted_candidates(verdict: Verdict, choices: Choices) -> tuple[Candidate, ...]:
    """Return the builds to look for, best first. A build that does not fit is taken only if its variant was asked for
    by name.

    Raises WizardError `no-build-fits`.
    """
    fitting = [candidate for candidate in verdict.candidates if candidate.fits]
    if choices.variant:
        fitting += [
            candidate
            for candidate in verdict.candidates
            if not candidate.fits and candidate.variant == choices.variant and is_choosable(candidate)
        ]
    if not fitting:
        raise WizardError(
            NO_BUILD_FITS,
            what=_asked(choices),
        )
    return tuple(fitting)


def second_choice(wanted: Candidate, found: Candidate) -> tuple[Message, ...]:
    """Say that another build was taken than the one that was wanted, and that no source has this."""
    if (wanted.torch, wanted.variant) == (found.torch, found.variant):
        return ()
    build, other = (f"torch {one.torch}+{one.variant}" for one in (found, wanted))
    return (message("notice.second-choice", wanted=other, build=build),)


def is_choosable(candidate: Candidate) -> bool:
    """Return whether it is published for this system, whatever this machine lacks to run it."""
    return {reason.code for reason in candidate.reasons} <= _CHOOSABLE_REASONS


def _asked(choices: Choices) -> str:
    parts = {"Python": choices.python, "torch": choices.torch, "variant": choices.variant}
    return ", ".join(f"{name} {value}" for name, value in parts.items() if value) or "-"


def python_order(candidate: Candidate, choices: Choices, available: Sequence[str] | None) -> tuple[str, ...]:
    """Return the Pythons to try for a build: the asked one, else the preferred one and then its neighbours.

    `available` limits them to what the machine has (venv engine); None: the engine can bring any.
    """
    if choices.python:
        order: tuple[str, ...] = (choices.python,)
    else:
        preferred = candidate.python or candidate.pythons[-1]
        rest = sorted(candidate.pythons, key=lambda python: abs(_minor(python) - _minor(preferred)))
        order = tuple(dict.fromkeys((preferred, *rest)))
    usable = [python for python in order if python in candidate.pythons]
    return tuple(python for python in usable if available is None or python in available)


def _minor(python: str) -> int:
    return int(python.split(".")[1])


def available_pythons(installs: Sequence[PythonInstall]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(install.minor for install in installs if install.has_venv))


@dataclass(slots=True)
class BuildSearch:
    """One live check. Remembers every page it has read and every source that did not answer. `needed`: companions
    that must come along, so that a source without one of them is taken only when no other has them all. `refused`:
    by source, why its wheels were not taken."""

    machine: Machine
    matrix: Matrix
    choices: Choices
    catalog: SourceCatalog
    is_cancelled: Callable[[], bool]
    needed: Collection[str] = ()
    states: dict[tuple[str, str | None], SourceStatus] = field(default_factory=dict)
    refused: dict[str, WizardError] = field(default_factory=dict)

    def find(self, candidates: Sequence[Candidate], pythons: Sequence[str] | None) -> FoundBuild | None:
        """Return the first build that is carried; less than `needed` only where no source of the best build has it
        all."""
        for candidate in candidates:
            found = self._among(candidate, pythons)
            if (found is None or not self._is_whole(found)) and self._falls_back():
                found = self._among(candidate, pythons) or found
            if found:
                self._note_others(found)
                return found
        return None

    def _note_others(self, found: FoundBuild) -> None:
        """Who lacks a build that nobody has may have the one that is taken: that is what its row must say."""
        candidate, default = found.candidate, self._default_variant(found.candidate.torch)
        for source in self.catalog.sources_for(candidate, found.python, default):
            state = self.states.get((source.id, source.url))
            if state and state.availability is Availability.MISSING and not self.is_cancelled():
                has = self._carried(source, "torch", candidate.torch, candidate, found.python)
                availability = Availability.COMPLETE if has else Availability.MISSING
                words = message("source.carries", build=_name(candidate)) if has else _missing(candidate)
                if self._answers(source):
                    self._note(source, availability, words)

    def _is_whole(self, found: FoundBuild) -> bool:
        return all(name in found.offers for name in self.needed)

    def _among(self, candidate: Candidate, pythons: Sequence[str] | None) -> FoundBuild | None:
        order = python_order(candidate, self.choices, pythons)
        default = self._default_variant(candidate.torch)
        python = order[0] if order else (candidate.python or candidate.pythons[-1])
        lacking: FoundBuild | None = None
        for source in self.catalog.sources_for(candidate, python, default):
            found = self._try(candidate, source, pythons)
            if found and (self._is_whole(found) or not self._is_published(candidate)):
                return found
            lacking = lacking or found
        return lacking

    def _is_published(self, candidate: Candidate) -> bool:
        """Return whether all that is needed was made for this build; if not, no other source has it either."""
        return all(candidate.companion(name) for name in self.needed)

    def _falls_back(self) -> bool:
        """Turn to the mirrors of both kinds where an official place did not answer: who lost one often lacks the
        other."""
        policy = self.catalog.policy
        silent = [state.source for state in self.states.values() if state.availability is Availability.UNREACHABLE]
        if policy is None or not any(policy.fall_back(SourceKind.TORCH, source) for source in silent):
            return False
        policy.join(SourceKind.PACKAGES)
        return True

    def _try(self, candidate: Candidate, source: Source, pythons: Sequence[str] | None) -> FoundBuild | None:
        if self.is_cancelled():
            raise Cancelled
        if not self._answers(source):
            return None
        for python in python_order(candidate, self.choices, pythons):
            offer = self._carried(source, "torch", candidate.torch, candidate, python)
            if offer:
                self._note(source, Availability.COMPLETE, message("source.carries", build=_name(candidate)))
                return FoundBuild(
                    candidate, python, source, {"torch": offer, **self._companions(candidate, source, python)}
                )
        self._note_missing(source, candidate)
        return None

    def _companions(self, candidate: Candidate, source: Source, python: str) -> dict[str, Offer]:
        wanted = {"torchvision": candidate.torchvision, "torchaudio": candidate.torchaudio}
        found: dict[str, Offer] = {}
        for project, version in wanted.items():
            offer = self._carried(source, project, version, candidate, python) if version else None
            if offer:
                found[project] = offer
        return found

    def _carried(self, source: Source, project: str, version: str, candidate: Candidate, python: str) -> Offer | None:
        variant, default = candidate.variant, self._default_variant(candidate.torch)
        try:
            offer = self.catalog.carried(source, project, version, variant, default, python, self.machine)
        except WizardError as error:
            self._note(source, Availability.UNREACHABLE, error.summary)
            return None
        refusal = offer and why_refused(offer, self.matrix, lambda one: self.catalog.official_sha256(one, variant))
        if refusal:
            self.refused.setdefault(source.id, refusal)
            self._note(source, Availability.UNPROVEN, refusal.summary)
        return None if refusal else offer

    def _default_variant(self, torch: str) -> str | None:
        """Return what a wheel of this release without a local version is, on this platform."""
        platform = PLATFORMS.get((self.machine.os, self.machine.arch))
        builds = self.matrix.builds
        return next((b.variant for b in builds if b.torch == torch and b.platform == platform and b.pypi_default), None)

    def _answers(self, source: Source) -> bool:
        state = self.states.get((source.id, source.url))
        return state is None or state.availability is not Availability.UNREACHABLE

    def statuses(self) -> tuple[SourceStatus, ...]:
        """Return every source that was asked: of benchmarks first, best first. What was found out later counts."""
        policy = self.catalog.policy
        probed = [status for benchmark in policy.benchmarks.values() for status in benchmark.ranked] if policy else []
        seen = {(status.source.id, status.source.url) for status in probed}
        lost = {key for key, status in self.states.items() if status.verdict in ("unreachable", "refused")}
        kept = [
            self.states[key]
            if (key := (one.source.id, one.source.url)) in lost and one.kind == "torch"
            else self._of_the_found(one)
            for one in probed
        ]
        return (*kept, *(status for key, status in self.states.items() if key not in seen))

    def _of_the_found(self, probed: SourceStatus) -> SourceStatus:
        """A benchmark asked for the best build; who lacks that may have the one that is taken."""
        known = self.states.get((probed.source.id, probed.source.url))
        if known is None or probed.kind != "torch" or probed.availability is not Availability.MISSING:
            return probed
        return replace(probed, availability=known.availability, message=known.message)

    def _note(self, source: Source, availability: Availability, words: Message) -> None:
        self.states[(source.id, source.url)] = SourceStatus(source, availability, words)

    def _note_missing(self, source: Source, candidate: Candidate) -> None:
        if (source.id, source.url) not in self.states:
            self._note(source, Availability.MISSING, self.catalog.gone(source, "torch") or _missing(candidate))


def _name(candidate: Candidate) -> str:
    return f"{candidate.torch}+{candidate.variant}"


def _missing(candidate: Candidate) -> Message:
    return message("source.missing", build=_name(candidate))
