"""The decision: every build with its verdict, the best first. Pure: facts in, verdict out.

The rule for best: the newest stable release that has a build fitting every card, the driver, the Python, the
system and the C library; among its builds the highest CUDA. Without a usable card, the CPU build. Cards that
no single build covers: the build for the strongest, and the others are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wizard.machine.model import Machine
from wizard.matrix.model import Build, Matrix, least_sure
from wizard.matrix.ordering import CPU, variant_key, version_key
from wizard.plan.asked import asked_builds, canonical, check_choices, unpublished
from wizard.plan.cards import GraphicsCard
from wizard.plan.judge import (
    Situation,
    codes_for,
    hardware_reasons,
    offered_pythons,
    runs_on,
    situation_of,
    software_reasons,
)
from wizard.plan.model import Candidate, Choices, Reason, Verdict
from wizard.plan.notices import notices
from wizard.plan.proof import proof
from wizard.plan.update import after_driver_return, after_driver_update

Judged = tuple[Build, tuple[Reason, ...]]


def resolve(machine: Machine, matrix: Matrix, choices: Choices, prove_all: bool = True) -> Verdict:
    """`prove_all` False: only the best has its proof chain, which is all that a lab of machines is asked for.

    Raises UsageError for a release, a tag or a Python that no build knows.

    `no-such-torch`, `no-such-variant`, `no-build-for-python`.
    """
    choices = canonical(choices)
    check_choices(choices, matrix)
    situation = situation_of(machine, matrix, choices)
    judged, targets = judge(situation)
    candidates = [_candidate(build, reasons, situation, targets, prove_all) for build, reasons in judged]
    candidates += unpublished(situation, {(build.torch, build.variant) for build, _ in judged})
    candidates.sort(key=_rank, reverse=True)
    best = candidates[0] if candidates and candidates[0].fits else None
    if best and not prove_all:
        build = next(build for build, _ in judged if (build.torch, build.variant) == (best.torch, best.variant))
        candidates[0] = best = replace(best, proof=proof(build, situation, targets, best.python))
    # The maker's boards get their driver with their system, and PyTorch from the maker.
    is_own = any(map(situation.has_own_wheels, situation.cards))
    return Verdict(
        best=best,
        after_driver_update=None if is_own else after_driver_update(machine, matrix, choices, best, best_build),
        candidates=tuple(candidates),
        notices=notices(
            situation,
            targets,
            best,
            alone=_best_alone(judged, situation, targets),
            after_return=after_driver_return(machine, matrix, choices, best_build),
        ),
    )


def best_build(machine: Machine, matrix: Matrix, choices: Choices) -> Build | None:
    """Only the answer, without words; for asking what another driver would change."""
    return next(fitting_builds(machine, matrix, choices), None)


def fitting_builds(machine: Machine, matrix: Matrix, choices: Choices) -> Iterator[Build]:
    """Yield those that fit, the best first."""
    situation = situation_of(machine, matrix, choices)
    builds = [build for build in asked_builds(situation) if not software_reasons(build, situation)]
    builds.sort(key=_build_rank, reverse=True)
    targets = _targets(situation, builds)
    yield from (build for build in builds if runs_on(build, situation, targets))


def judge(situation: Situation) -> tuple[list[Judged], tuple[GraphicsCard, ...]]:
    """Every build that was asked for with its reasons, and the cards that it was judged for."""
    judged = [(build, software_reasons(build, situation)) for build in asked_builds(situation)]
    targets = _targets(situation, [build for build, reasons in judged if not reasons])
    return [(build, reasons + hardware_reasons(build, situation, targets)) for build, reasons in judged], targets


def _targets(situation: Situation, builds: Sequence[Build]) -> tuple[GraphicsCard, ...]:
    """All cards that the driver runs, if one build fits them all; else the strongest that any build fits."""
    driven = situation.driven
    if not driven:
        return situation.cards[:1]
    groups = [driven, *((card,) for card in driven)]
    cuda_builds = [build for build in builds if build.variant != CPU]
    for group in groups:
        if any(runs_on(build, situation, group) for build in cuda_builds):
            return group
    return driven[:1]


def _best_alone(judged: Sequence[Judged], situation: Situation, targets: tuple[GraphicsCard, ...]) -> Build | None:
    """What the strongest card could have if it need not share, where it does share."""
    if len(targets) < 2:
        return None
    fitting = [
        build
        for build, _ in judged
        if not software_reasons(build, situation) and runs_on(build, situation, targets[:1])
    ]
    return max(fitting, key=_build_rank, default=None)


def _candidate(
    build: Build, reasons: tuple[Reason, ...], situation: Situation, targets: tuple[GraphicsCard, ...], proven: bool
) -> Candidate:
    matrix, choices = situation.matrix, situation.choices
    pythons = offered_pythons(build, choices)
    python = choices.python or nearest_python(pythons, matrix.policy.default_python)
    release = matrix.releases[build.torch]
    return Candidate(
        torch=build.torch,
        variant=build.variant,
        python=python,
        torchvision=release.torchvision,
        torchaudio=release.audio_for(python),
        fits=not reasons,
        reasons=reasons,
        proof=() if reasons or not proven else proof(build, situation, targets, python),
        numpy=matrix.numpy_bound(build.torch, build.platform, python),
        confidence=_confidence(build, situation, targets),
        advertised=build.advertised,
        is_default_build=build.pypi_default,
        pythons=pythons,
    )


def _confidence(build: Build, situation: Situation, targets: tuple[GraphicsCard, ...]) -> str:
    if build.variant == CPU or build.kernels is None:
        return build.confidence
    floor = situation.floor(build)
    # Libraries beside torch ship no PTX, so code that the driver must compile first is a weak promise.
    weak = ["low"] if any(code.is_ptx for code in codes_for(build, targets)) else []
    cards = [card.confidence for card in targets]
    weak += ["low"] if any(map(situation.has_own_wheels, targets)) else []
    return least_sure(build.confidence, build.kernels.confidence, floor.confidence if floor else "low", *cards, *weak)


def nearest_python(pythons: Sequence[str], preferred: str) -> str | None:
    """The preferred one, else the nearest older one, else the nearest newer one."""
    older = [python for python in pythons if version_key(python) <= version_key(preferred)]
    if older:
        return max(older, key=version_key)
    return min(pythons, key=version_key, default=None)


def _rank(candidate: Candidate) -> tuple[bool, bool, tuple[int, ...], tuple[int, ...]]:
    """Greatest first: fits; runs on a card; newest release; highest CUDA. Those that don't fit: by release alone."""
    on_card = candidate.fits and candidate.variant != CPU
    return candidate.fits, on_card, version_key(candidate.torch), variant_key(candidate.variant)


def _build_rank(build: Build) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    return build.variant != CPU, version_key(build.torch), variant_key(build.variant)
