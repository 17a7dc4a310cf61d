"""What the compatibility tables say to the facts of an error text: sentences that name the facts they rest on.

No guess: a version that no table holds gets no sentence. What this computer is does not count here.
"""

from __future__ import annotations

from collections.abc import Iterator

from wizard.explain.facts import Named, TextFacts
from wizard.i18n import Message, message
from wizard.matrix.model import Build, Matrix
from wizard.matrix.ordering import cuda_of, version_key
from wizard.plan.kernels import code_for

_PLATFORM = "linux_x86_64"  # the platform with the most builds: what it lacks is nowhere


def check_facts(facts: TextFacts, matrix: Matrix) -> tuple[Message, ...]:
    return (*_pair(facts, matrix), *_code(facts, matrix), *_driver(facts, matrix), *_wanted(facts, matrix))


def _pair(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    torch, vision = facts.torch, facts.torchvision
    if torch is None or vision is None:
        return
    release = matrix.releases.get(torch.version)
    right = release.torchvision if release else None
    if right and version_key(right)[:2] != version_key(vision.version)[:2]:
        yield message("explain.reason.pair", torch=torch.version, right=right, torchvision=vision.version)
    elif torch.tag and vision.tag and torch.tag != vision.tag:
        yield message("explain.reason.tags", torch=torch.text, torchvision=vision.text)


def _code(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    """Which build holds code for the card: the one named, else one of its release, else of the newest that has one."""
    if facts.capability is None:
        return
    fitting = [build for build in _cuda_builds(matrix) if _has_code(build, facts)]
    there = facts.torch
    blanks = {"sm": facts.capability.sm}
    if there and there.tag and any(_is(build, there) for build in fitting):
        yield message("explain.reason.has-code", build=there.text, **blanks)
        return
    of_release = [build for build in fitting if there and build.torch == there.version]
    of_newest = [build for build in fitting if build.torch == fitting[0].torch]
    least = (of_release or of_newest)[-1:]  # the lowest CUDA asks the least of the driver
    if least and there and any(_is(build, there) for build in _cuda_builds(matrix)):
        yield message("explain.reason.no-code", build=there.text, other=_text(least[0]), **blanks)
    elif least:
        yield message("explain.reason.code", other=_text(least[0]), **blanks)


def _driver(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    """Any build of the driver's CUDA major runs, whatever its minor."""
    if not facts.driver_cuda:
        return
    allowed = version_key(facts.driver_cuda)[0]
    runs = next((one for one in _cuda_builds(matrix) if version_key(cuda_of(one.variant) or "")[0] <= allowed), None)
    if runs:
        yield message("explain.reason.driver", cuda=facts.driver_cuda, build=_text(runs))


def _wanted(facts: TextFacts, matrix: Matrix) -> Iterator[Message]:
    wanted = facts.wanted
    if wanted is None or wanted.name != "torch":
        return
    builds = [build for build in matrix.builds if build.torch == wanted.version and build.platform == _PLATFORM]
    pythons = sorted({python for build in builds for python in build.pythons}, key=version_key)
    if not pythons:
        return
    yield message("explain.reason.pythons", torch=wanted.version, first=pythons[0], last=pythons[-1])
    if wanted.tag and all(build.variant != wanted.tag for build in builds):
        tags = ", ".join(build.variant for build in builds)
        yield message("explain.reason.no-tag", torch=wanted.version, tag=wanted.tag, tags=tags)


def _cuda_builds(matrix: Matrix) -> Iterator[Build]:
    return (build for build in matrix.builds if build.platform == _PLATFORM and build.kernels)


def _has_code(build: Build, facts: TextFacts) -> bool:
    kernels, capability = build.kernels, facts.capability
    return kernels is not None and capability is not None and code_for(kernels.architectures, capability) is not None


def _is(build: Build, named: Named) -> bool:
    return (build.torch, build.variant) == (named.version, named.tag)


def _text(build: Build) -> str:
    return f"torch {build.torch}+{build.variant}"
