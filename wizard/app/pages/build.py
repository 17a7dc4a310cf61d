"""The candidates as a table: releases down, CUDA families across, and what a cell may be asked.

Only an arrangement of what the verdict says; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from wizard.compatibility.explain import why_not
from wizard.compatibility.model import Candidate, Choices, Verdict
from wizard.compatibility.other_makers import card_words
from wizard.model.messages import Message, message
from wizard.run.model import Facts

_LINES = 5
_NO_DRIVER = ("check.driver.none", "check.driver.nouveau")


@dataclass(frozen=True, slots=True)
class Grid:
    releases: tuple[str, ...]  # newest first
    variants: tuple[str, ...]  # newest CUDA first, "cpu" last
    cells: dict[tuple[str, str], Candidate]

    def at(self, row: int, column: int) -> Candidate | None:
        """None where there never was such a build."""
        return self.cells.get((self.releases[row], self.variants[column]))


def without_card(facts: Facts | None, verdict: Verdict) -> tuple[tuple[Message, Message], ...]:
    """Return each card that no build here uses and what is done with it; () where a driver runs a card of NVIDIA."""
    if verdict.others:
        unused = (
            (message("other.unused", "This {maker} card is not used.", maker=one.maker), one) for one in verdict.others
        )
        return tuple((said, card_words(one)[1]) for said, one in unused)
    if facts is None:
        return ()
    if facts.machine.nvidia_gpus:
        driver = next((row for row in facts.requirements if row.name == "driver"), None)
        return ((driver.fact, message("check.driver.none.why")),) if driver and driver.fact.key in _NO_DRIVER else ()
    return ((message("check.gpu.none", "No NVIDIA graphics card was found."), message("check.gpu.none.why")),)


def variant_rank(variant: str) -> tuple[int, int]:
    """CUDA families by number, others after them, cpu last."""
    digits = variant.removeprefix("cu")
    if digits.isdigit():
        return (0, -int(digits))
    return (2, 0) if variant == "cpu" else (1, 0)


@lru_cache(maxsize=512)
def version_rank(version: str) -> Any:
    """Numbers first: comparing versions whole takes most of the time that arranging takes."""
    from packaging.version import Version  # not at the start: nobody who has just come sees a table

    parsed = Version(version)
    return (parsed.release, parsed)


def arrange(candidates: Sequence[Candidate]) -> Grid:
    """Return the builds as a grid: the newest release first, variants in their usual order."""
    cells = {(one.torch, one.variant): one for one in reversed(candidates)}
    releases = sorted({one.torch for one in candidates}, key=version_rank, reverse=True)
    variants = sorted({one.variant for one in candidates}, key=variant_rank)
    return Grid(tuple(releases), tuple(variants), cells)


def worth_showing(candidates: Sequence[Candidate], *always: Candidate | None) -> tuple[Candidate, ...]:
    """Return what can be chosen: the newest release, the newest of each line (2.15, 2.14 …) in which something fits,
    the CUDA families that fit there, and whatever is named in `always`.

    There are some forty releases and twenty CUDA families. Where nothing fits, what is published is shown with its
    reasons.
    """
    chosen = [one for one in always if one]
    fits = {one.torch for one in candidates if one.fits and one.variant != "cpu"} or {
        one.torch for one in candidates if one.fits
    }
    newest: dict[tuple[int, ...], str] = {}
    releases = arrange(candidates).releases
    for release in releases:
        if (
            release in fits or not fits or release == releases[0]
        ):  # the newest is looked for, also where it fits nowhere
            newest.setdefault(version_rank(release)[0][:2], release)
    kept = {*tuple(newest.values())[:_LINES], *(one.torch for one in chosen)}
    shown = [one for one in candidates if one.torch in kept]
    variants = {one.variant for one in shown if one.fits} or {one.variant for one in shown if _exists(one)}
    variants |= {one.variant for one in chosen}
    return tuple(one for one in shown if one.variant in variants)


def cell_words(one: Candidate, verdict: Verdict) -> tuple[Message, ...]:
    """Return what is said of one build: why it does not fit, or what speaks for or against a fitting one. It stands
    beside the build's name. That the best is unsure stands above, among the notices."""
    why = why_not(one, verdict)
    if one.fits and is_unsure(one):
        doubt = message(f"flow.cell.unsure-{one.confidence}")
        return (message("flow.cell.both", "{said}", said=(why, doubt)) if why else message("flow.cell.best"),)
    if not one.fits or why is not None:
        return tuple(reason.message for reason in one.reasons) or ((why,) if why else ())
    alike = (other for other in verdict.candidates if other.fits and (one.variant == "cpu" or other.variant != "cpu"))
    drivers = (link.message.params.get("driver") for link in one.proof if link.kind == "driver")
    driver = next((named for named in drivers if named), None)
    if any(version_rank(other.torch) > version_rank(one.torch) for other in alike):
        return (message("flow.cell.best", "the best that fits here"),)
    if one.variant == "cpu" or driver is None:
        return (message("flow.cell.newest", "the newest that works on this computer"),)
    return (
        message(
            "flow.cell.newest-card",
            "the newest that uses your card with driver {driver}",
            driver=driver,
        ),
    )


def is_unsure(one: Candidate) -> bool:
    """Return whether a build that fits may still not run; of the CPU's it is only unsure whether a source has it."""
    return one.confidence != "high" and one.variant != "cpu"


def published(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the builds of those CUDA families that have one at all for this system."""
    variants = {one.variant for one in candidates if _exists(one)}
    return tuple(one for one in candidates if one.variant in variants)


def _exists(one: Candidate) -> bool:
    return all(reason.code not in ("not-published", "platform-unsupported") for reason in one.reasons)


def picked_for(verdict: Verdict, choices: Choices) -> Candidate | None:
    """The cell that the choices name, if it fits or was asked for all the same; else the best."""
    for one in verdict.candidates:
        if is_forced(one, choices) or (one.fits and _names(choices, one)):
            return one
    return verdict.best


def may_be_forced(one: Candidate) -> bool:
    """It is there, and only this computer's card or driver speaks against it: a person may know better."""
    from wizard.run.select.build_search import (
        is_choosable,  # brings the sources along, for which nobody waits at the start
    )

    return not one.fits and is_choosable(one)


def is_forced(one: Candidate, choices: Choices) -> bool:
    return may_be_forced(one) and _names(choices, one)


def _names(choices: Choices, one: Candidate) -> bool:
    return (one.torch, one.variant) == (choices.torch, choices.variant)


def python_instead(code: str, one: Candidate | None, facts: Facts | None, choices: Choices) -> str:
    """Return the newest Python of this computer that the build is made for, where it has not the one that was chosen;
    else ''. Nothing where torch comes from a source of one's own: what that has for another Python was not seen."""
    if code not in ("engine-venv-no-python", "no-engine") or one is None or facts is None:
        return ""
    if choices.torch_index or choices.find_links or facts.settings.find_links:
        return ""
    here = {".".join(found.version.split(".")[:2]) for found in facts.machine.pythons if found.has_venv}
    return max(here.intersection(one.pythons), key=version_rank, default="")


def pythons_of(verdict: Verdict) -> tuple[str, ...]:
    """Every Python that some build is published for, newest first."""
    every = {python for one in verdict.candidates for python in one.pythons}
    return tuple(sorted(every, key=version_rank, reverse=True))
