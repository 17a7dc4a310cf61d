"""The truth about sources as a use case of its own: every place that is known, tested for the wanted build.

`mirrors test` and the window's Source page show what comes from here. Nothing is elected and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wizard.matrix.model import PLATFORMS, Matrix
from wizard.mirrors.racers import Kind, racers
from wizard.plan.model import Choices, Verdict
from wizard.session.election import wanted_candidates
from wizard.session.model import Facts
from wizard.session.race import Race, run_race
from wizard.session.wish import Wish, question_of

NEEDED = (Kind.TORCH, Kind.PACKAGES, Kind.CONDA)
IsCancelled = Callable[[], bool]
OnRace = Callable[[Race], None]
_PYTHON = "3.12"


def wish_of(facts: Facts, matrix: Matrix, verdict: Verdict, choices: Choices) -> Wish:
    """The best build, or the chosen one. Raises WizardError `no-build-fits`."""
    candidate = wanted_candidates(verdict, choices)[0]
    platform = PLATFORMS.get((facts.machine.os, facts.machine.arch))
    builds = [build for build in matrix.builds if build.torch == candidate.torch and build.platform == platform]
    default = next((build.variant for build in builds if build.pypi_default), None)
    return Wish(candidate, choices.python or candidate.python or _PYTHON, default)


def ask_sources(
    facts: Facts, wish: Wish, choices: Choices, kinds: Iterable[Kind], is_cancelled: IsCancelled,
    fresh: bool = False, on_race: OnRace = lambda race: None,
) -> tuple[Race, ...]:  # fmt: skip
    """One race for each kind, one after the other. Raises UsageError for a bad address, Cancelled."""
    races = []
    for kind in kinds:
        variant = wish.candidate.variant
        found = racers(kind, choices, facts.settings, variant, variant == wish.default_variant)
        race = run_race(kind, question_of(kind, facts.machine, wish), found, facts.settings, is_cancelled, fresh)
        on_race(race)
        races.append(race)
    return tuple(races)


def lacking(races: Iterable[Race]) -> tuple[Kind, ...]:
    """The kinds for which no source is complete."""
    return tuple(race.kind for race in races if not race.complete)
