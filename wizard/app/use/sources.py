"""The use cases about every known source, and verdicts for described machines.

The truth about sources as a use case of its own: every place that is known, tested for the wanted build.

`mirrors test` and the window's Source page show what comes from here. Nothing is elected and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.model import Choices, Verdict
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.run.model import Facts
from wizard.run.select.benchmark import Benchmark, run_benchmark
from wizard.run.select.build_search import wanted_candidates
from wizard.run.select.mirror_policy import BuildRequest, question_of
from wizard.sources.candidates import source_candidates
from wizard.sources.model import SourceKind

_MOST_JUDGED = 64  # a verdict is large


class Judge:
    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._judged: dict[tuple[Machine, Choices], Verdict] = {}

    def judge(self, machine: Machine, choices: Choices) -> Verdict:
        """Only the best has its proof."""
        key = (_decisive(machine), choices)
        if key not in self._judged:
            if len(self._judged) >= _MOST_JUDGED:
                self._judged.clear()
            self._judged[key] = resolve(machine, self._matrix, choices, prove_all=False)
        return self._judged[key]


def _decisive(machine: Machine) -> Machine:
    """What the rule looks at: two computers of one order differ in serial numbers and folders only."""
    gpus = tuple(replace(gpu, uuid=None, bus_id=None) for gpu in machine.gpus)
    return replace(machine, gpus=gpus, toolkits=(), pythons=(), condas=(), volumes=(), notices=())


NEEDED = (SourceKind.TORCH, SourceKind.PACKAGES, SourceKind.CONDA)
IsCancelled = Callable[[], bool]
OnRace = Callable[[Benchmark], None]
_PYTHON = "3.12"


def wish_of(facts: Facts, matrix: Matrix, verdict: Verdict, choices: Choices) -> BuildRequest:
    """The best build, or the chosen one. Raises WizardError `no-build-fits`."""
    candidate = wanted_candidates(verdict, choices)[0]
    platform = PLATFORMS.get((facts.machine.os, facts.machine.arch))
    builds = [build for build in matrix.builds if build.torch == candidate.torch and build.platform == platform]
    default = next((build.variant for build in builds if build.pypi_default), None)
    return BuildRequest(candidate, choices.python or candidate.python or _PYTHON, default)


def ask_sources(
    facts: Facts,
    wish: BuildRequest,
    choices: Choices,
    kinds: Iterable[SourceKind],
    is_cancelled: IsCancelled,
    fresh: bool = False,
    on_race: OnRace = lambda race: None,
) -> tuple[Benchmark, ...]:
    """One race for each kind, one after the other. Raises UsageError for a bad address, Cancelled."""
    races = []
    for kind in kinds:
        variant = wish.candidate.variant
        found = source_candidates(kind, choices, facts.settings, variant, variant == wish.default_variant)
        race = run_benchmark(kind, question_of(kind, facts.machine, wish), found, facts.settings, is_cancelled, fresh)
        on_race(race)
        races.append(race)
    return tuple(races)


def lacking(races: Iterable[Benchmark]) -> tuple[SourceKind, ...]:
    """The kinds for which no source is complete."""
    return tuple(race.kind for race in races if not race.complete)
