"""Tests every known source for the wanted build (`mirrors test`).

Nothing is selected and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.model import Choices, Verdict
from wizard.machine.model import Machine
from wizard.run.model import Facts
from wizard.run.select.build_search import wanted_candidates
from wizard.run.select.mirror_policy import wanted_of
from wizard.sources.benchmark import Benchmark, run_benchmark
from wizard.sources.known_sources import source_candidates
from wizard.sources.model import SourceKind

NEEDED = (SourceKind.TORCH, SourceKind.PACKAGES, SourceKind.CONDA)
IsCancelled = Callable[[], bool]
OnBenchmark = Callable[[Benchmark], None]
_PYTHON = "3.12"


def ask_sources(
    facts: Facts,
    matrix: Matrix,
    verdict: Verdict,
    choices: Choices,
    kinds: Iterable[SourceKind],
    is_cancelled: IsCancelled,
    fresh: bool = False,
    on_benchmark: OnBenchmark = lambda benchmark: None,
) -> tuple[Benchmark, ...]:
    """Probe all sources of each kind, one kind after the other, for the best build, or the chosen one.

    Raises WizardError `no-build-fits`, UsageError for a bad address, Cancelled."""
    candidate = wanted_candidates(verdict, choices)[0]
    python = choices.python or candidate.python or _PYTHON
    default = _default_variant(facts.machine, matrix, candidate.torch)
    benchmarks = []
    for kind in kinds:
        wanted = wanted_of(kind, facts.machine, candidate, python, default)
        found = source_candidates(kind, choices, facts.settings, candidate.variant, candidate.variant == default)
        benchmark = run_benchmark(
            kind, wanted, found, facts.settings, is_cancelled, fresh, contradicts_pin=matrix.contradicts_pin
        )
        on_benchmark(benchmark)
        benchmarks.append(benchmark)
    return tuple(benchmarks)


def _default_variant(machine: Machine, matrix: Matrix, torch: str) -> str | None:
    """Return the build of this release that the package index has for this platform."""
    platform = PLATFORMS.get((machine.os, machine.arch))
    builds = [build for build in matrix.builds if build.torch == torch and build.platform == platform]
    return next((build.variant for build in builds if build.pypi_default), None)


def lacking(benchmarks: Iterable[Benchmark]) -> tuple[SourceKind, ...]:
    """Return the kinds for which no source is complete."""
    return tuple(benchmark.kind for benchmark in benchmarks if not benchmark.complete)
