"""The decision: what was asked for, and every build with its verdict, the best first. Pure: facts in, verdict out.

The rule for best: the newest stable release that has a build fitting every card, the driver, the Python, the
system and the C library; among its builds the highest CUDA. Without a usable card, the CPU build. Cards that
no single build covers: the build for the strongest, and the others are named.

One file: the rule, and its verdict kept for machines that are alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from wizard.compatibility.cards import GraphicsCard
from wizard.compatibility.data.model import AUDIO, Build, Matrix, least_sure
from wizard.compatibility.data.ordering import CPU, variant_key, version_key
from wizard.compatibility.judge import (
    JudgeContext,
    codes_for,
    hardware_reasons,
    offered_pythons,
    runs_on,
    situation_of,
    software_reasons,
)
from wizard.compatibility.model import Candidate, Choices, Reason, Verdict
from wizard.compatibility.notices import after_driver_return, after_driver_update, notices
from wizard.compatibility.proof import proof
from wizard.machine.model import Machine
from wizard.model.errors import ErrorText, UsageError

BAD_REQUIREMENT = ErrorText(
    "bad-requirement",
    "“{requirement}” is not the name of a package.",
    "Give names such as pandas or pandas>=2, separated by commas.",
)

# Are the further packages that a person names requirements at all? Checked before anything takes time.

# These have a place of their own in the decision; a second pin beside it could only contradict.
DECIDED = frozenset({"torch", "torchvision", AUDIO})


def check_extras(extras: tuple[str, ...]) -> None:
    """Raises UsageError `bad-requirement` or `extra-is-decided`."""
    for extra in extras:
        try:
            requirement = Requirement(extra)
        except InvalidRequirement as error:
            raise UsageError(BAD_REQUIREMENT, details=str(error), requirement=extra) from error
        if requirement.url and not requirement.url.lower().startswith("https://"):
            raise UsageError(BAD_REQUIREMENT, requirement=extra)
        if canonicalize_name(requirement.name) in DECIDED:
            raise UsageError(
                "extra-is-decided",
                "{name} is decided together with torch and cannot be asked for as “{requirement}”.",
                "[Choose {name} on the page {page.build}|Use --with {name}] for the fitting version, or [another "
                "torch there.|--torch for another release.]",
                requirement=extra,
                name=requirement.name,
            )


# What was asked for: checks the wishes, says which builds they mean, and which of those were never published.
#
# Wishes that nothing anywhere meets are usage errors; wishes that only this system lacks get a verdict with a reason,
# so that one odd machine among many does not stop the rest.


def canonical(choices: Choices) -> Choices:
    """As the tables write it: `v2.10` is 2.10.0, `CU126` is cu126, Python 3.12.4 is 3.12. The rest stays as it is,
    for `check_choices` to refuse by the name that was given."""
    torch, variant, python = choices.torch, choices.variant, choices.python
    changed = (
        torch and (_numbers(torch, 3) or torch.strip()),
        variant and variant.strip().lower(),
        python and (_numbers(python, 2) or python.strip()),
    )
    if changed == (torch, variant, python):
        return choices
    return replace(choices, torch=changed[0], variant=changed[1], python=changed[2])


def _numbers(text: str, wanted: int) -> str | None:
    """Of a stable version: for torch all its numbers and three at least, for Python the first two."""
    try:
        version = Version(text)
    except ValueError:  # no version, or numbers of thousands of digits
        return None
    numbers = list(version.release)
    if version.epoch or version.local or version.is_prerelease or version.is_postrelease:
        return None
    if wanted == 2:
        return ".".join(map(str, numbers[:2])) if len(numbers) in (2, 3) else None
    numbers += [0] * (wanted - len(numbers))
    while len(numbers) > wanted and numbers[-1] == 0:
        numbers.pop()
    return ".".join(map(str, numbers))


def check_choices(choices: Choices, matrix: Matrix) -> None:
    """Raises UsageError `no-such-torch`, `no-such-variant`, `no-build-for-python`."""
    choices = canonical(choices)
    torch, variant, python = choices.torch, choices.variant, choices.python
    if torch is not None and torch not in matrix.releases:
        newest = sorted(matrix.releases, key=version_key, reverse=True)
        raise UsageError(
            "no-such-torch",
            "There is no stable torch release {torch} in our table.",
            "Take one of the newest ({known}), or leave the choice to the program. For a release newer than the "
            "table: [{page.versions}.|torch-wizard matrices refresh]",
            torch=torch,
            known=", ".join(newest[:5]),
        )
    variants = {build.variant for build in matrix.builds}
    if variant is not None and variant not in variants:
        known = sorted({build.variant for build in matrix.builds if build.advertised}, key=variant_key, reverse=True)
        raise UsageError(
            "no-such-variant",
            "There is no build called {variant}.",
            "Take one of these: {known}.",
            variant=variant,
            known=", ".join(known),
        )
    pythons = {python for build in matrix.builds for python in offered_pythons(build, choices)}
    if python is not None and pythons and python not in pythons:
        known_pythons = sorted(pythons, key=version_key)
        raise UsageError(
            "no-build-for-python",
            "No build of PyTorch supports Python {python}.",
            "Take a Python from {first} to {last}, written like 3.12, or leave the choice to the program.",
            python=python,
            first=known_pythons[0],
            last=known_pythons[-1],
        )


def is_asked(build: Build, choices: Choices) -> bool:
    """A build that is not advertised is asked for by its tag or by the switch for all of them."""
    if choices.torch and build.torch != choices.torch:
        return False
    if choices.variant:
        return build.variant == choices.variant
    return build.advertised or choices.include_unadvertised


def asked_builds(situation: JudgeContext) -> Iterator[Build]:
    for build in situation.matrix.builds:
        if build.platform == situation.platform and is_asked(build, situation.choices):
            yield build


def unpublished(situation: JudgeContext, published: set[tuple[str, str]]) -> list[Candidate]:
    """Builds that exist for another system only, or that a release no longer has: people look for them."""
    matrix, choices = situation.matrix, situation.choices
    elsewhere = {(build.torch, build.variant) for build in matrix.builds if is_asked(build, choices)}
    missing = (elsewhere | _removed(situation)) - published
    if choices.torch and choices.variant and not published:
        missing.add((choices.torch, choices.variant))
    missing |= _unread(situation) - published
    here = {build.torch for build in matrix.builds if build.platform == situation.platform}
    return [_unpublished_candidate(torch, variant, torch in here, situation) for torch, variant in missing]


def _removed(situation: JudgeContext) -> set[tuple[str, str]]:
    """The first release without a tag that the release before it offered."""
    here = [build for build in situation.matrix.builds if build.platform == situation.platform]
    published = {(build.torch, build.variant) for build in here}
    releases = sorted({build.torch for build in here}, key=version_key)
    following = dict(zip(releases, releases[1:], strict=False))
    removed = {(following.get(build.torch, build.torch), build.variant) for build in here if build.advertised}
    choices = situation.choices
    return {
        (torch, variant)
        for torch, variant in removed - published
        if choices.torch in (None, torch) and choices.variant in (None, variant)
    }


def _unread(situation: JudgeContext) -> set[tuple[str, str]]:
    """Learnt releases under the tags that others have here: a source that was silent, or gave no parts of its files,
    may well have them."""
    matrix, choices = situation.matrix, situation.choices
    tags = {build.variant for build in matrix.builds if build.platform == situation.platform and build.advertised}
    return {
        (torch, variant)
        for torch in matrix.learned
        for variant in tags
        if choices.torch in (None, torch) and choices.variant in (None, variant)
    }


def _unpublished_candidate(torch: str, variant: str, is_here: bool, situation: JudgeContext) -> Candidate:
    platform = f"{situation.machine.os} {situation.machine.arch}"
    code = "not-published" if is_here else "platform-unsupported"
    is_learned = torch in situation.matrix.learned
    words = (
        "publication-unknown"
        if is_learned
        else "platform-elsewhere"
        if situation.platform is None and situation.others
        else ""
    )  # others may build for it
    reason = Reason(code, {"torch": torch, "variant": variant, "platform": platform}, words)
    release = situation.matrix.releases[torch]
    python = situation.choices.python
    return Candidate(torch, variant, python, release.torchvision, release.audio_for(python), False, (reason,))


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
    candidates.sort(key=lambda one: _rank(one, choices), reverse=True)
    best = candidates[0] if candidates and candidates[0].fits else None
    if best and not prove_all:
        build = next(build for build, _ in judged if (build.torch, build.variant) == (best.torch, best.variant))
        candidates[0] = best = replace(best, proof=proof(build, situation, targets, best.python))
    # The maker's boards get their driver with their system, and PyTorch from the maker.
    is_own = any(map(situation.has_own_wheels, situation.cards))
    update = None if is_own else after_driver_update(machine, matrix, choices, best, best_build)
    return Verdict(
        best=best,
        after_driver_update=update,
        candidates=tuple(candidates),
        notices=notices(
            situation,
            targets,
            best,
            alone=_best_alone(judged, situation, targets),
            update=update,
            after_return=after_driver_return(machine, matrix, choices, best_build),
        ),
        others=situation.others,
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


def judge(situation: JudgeContext) -> tuple[list[Judged], tuple[GraphicsCard, ...]]:
    """Every build that was asked for with its reasons, and the cards that it was judged for."""
    judged = [(build, software_reasons(build, situation)) for build in asked_builds(situation)]
    targets = _targets(situation, [build for build, reasons in judged if not reasons])
    return [(build, reasons + hardware_reasons(build, situation, targets)) for build, reasons in judged], targets


def _targets(situation: JudgeContext, builds: Sequence[Build]) -> tuple[GraphicsCard, ...]:
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


def _best_alone(judged: Sequence[Judged], situation: JudgeContext, targets: tuple[GraphicsCard, ...]) -> Build | None:
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
    build: Build, reasons: tuple[Reason, ...], situation: JudgeContext, targets: tuple[GraphicsCard, ...], proven: bool
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
        torchaudio=matrix.audio_for(build, python),
        fits=not reasons,
        reasons=reasons,
        proof=() if reasons or not proven else proof(build, situation, targets, python),
        numpy=matrix.numpy_bound(build.torch, build.platform, python),
        confidence=_confidence(build, situation, targets),
        is_translated=_is_translated(build, targets),
        advertised=build.advertised,
        pythons=pythons,
    )


def _confidence(build: Build, situation: JudgeContext, targets: tuple[GraphicsCard, ...]) -> str:
    if build.variant == CPU or build.kernels is None:
        return build.confidence
    floor = situation.floor(build)
    # Libraries beside torch ship no PTX, so code that the driver must compile first is a weak promise.
    weak = ["low"] if _is_translated(build, targets) else []
    cards = [card.confidence for card in targets]
    return least_sure(build.confidence, build.kernels.confidence, floor.confidence if floor else "low", *cards, *weak)


def _is_translated(build: Build, targets: tuple[GraphicsCard, ...]) -> bool:
    return build.variant != CPU and build.kernels is not None and any(one.is_ptx for one in codes_for(build, targets))


def nearest_python(pythons: Sequence[str], preferred: str) -> str | None:
    """The preferred one, else the nearest older one, else the nearest newer one."""
    older = [python for python in pythons if version_key(python) <= version_key(preferred)]
    if older:
        return max(older, key=version_key)
    return min(pythons, key=version_key, default=None)


def _rank(candidate: Candidate, choices: Choices) -> tuple[bool, bool, bool, tuple[int, ...], tuple[int, ...]]:
    """Greatest first: fits; runs on a card; has what was asked for beside torch; newest release; highest CUDA. Those
    that don't fit: by release alone."""
    on_card = candidate.fits and candidate.variant != CPU
    has_audio = candidate.fits and (candidate.torchaudio is not None or AUDIO not in (choices.companions or ()))
    return candidate.fits, on_card, has_audio, version_key(candidate.torch), variant_key(candidate.variant)


def _build_rank(build: Build) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    return build.variant != CPU, version_key(build.torch), variant_key(build.variant)


_MOST_JUDGED = 64  # a verdict is large


class Judge:
    """Judges many machines; those that are alike once."""

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


def running_builds(verdict: Verdict, absent: Collection[tuple[str, str]] = ()) -> list[Candidate]:
    """Return those that fit, without what the driver would have to translate where another build has the card's code.
    `absent`: torch and variant of builds that no source has."""
    fitting = [one for one in verdict.candidates if one.fits and (one.torch, one.variant) not in absent]
    sure = [one for one in fitting if one.variant != CPU and not one.is_translated]
    return [one for one in fitting if one.variant == CPU or one in sure or not sure]
