"""The proof chain of a build that fits: card, kernels in the wheel, driver, Python, system, wheel.

Each link with the source of its row and how sure that row is. What does not fit has reasons instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from wizard.compatibility.cards import GraphicsCard, alike_once
from wizard.compatibility.data.model import Build, least_sure
from wizard.compatibility.data.ordering import CPU, cuda_of, version_key
from wizard.compatibility.judge import JudgeContext, first_and_last
from wizard.compatibility.model import Link
from wizard.compatibility.rules import code_for
from wizard.model.messages import Message, bytes_text, message


def proof(
    build: Build, situation: JudgeContext, targets: tuple[GraphicsCard, ...], python: str | None
) -> tuple[Link, ...]:
    return (*_cards(build, situation, targets), *_driver(build, situation), *_wheel(build, situation, python))


def _cards(build: Build, situation: JudgeContext, targets: tuple[GraphicsCard, ...]) -> Iterator[Link]:
    if build.variant == CPU or build.kernels is None:
        yield Link("gpu", _unused(situation))
        return
    kernels = build.kernels
    for card in alike_once(targets):
        if card.capability is None:
            continue
        params = {"gpu": card.name, "capability": card.capability_text, "arch": card.capability.sm}
        words = message("plan.proof.gpu", **params)
        if card.architecture:
            words = message(
                "plan.proof.gpu-of",
                "{gpu}: {architecture} architecture, compute capability {capability} ({arch})",
                **params,
                architecture=card.architecture.name,
            )
        yield Link("gpu", words, card.source, card.confidence)
        code = code_for(kernels.architectures, card.capability)
        if code:
            key = "plan.proof.ptx" if code.is_ptx else "plan.proof.kernels"
            first, last = first_and_last(kernels.architectures)
            words = message(key, arch=code.arch, first=first, last=last, gpu=card.name)
            yield Link("kernels", words, kernels.source, "low" if code.is_ptx else kernels.confidence)


def _unused(situation: JudgeContext) -> Message:
    """Return why the chain begins without a card: none is there, or none that is used."""
    if other := next(iter(situation.others), None):
        return message(
            "plan.proof.other-maker",
            "{gpu} is made by {maker}; CUDA builds need an NVIDIA card, so PyTorch runs on the processor",
            gpu=other.name,
            maker=other.maker,
        )
    return message("plan.proof.cpu" if situation.cards else "plan.proof.no-gpu")


def _driver(build: Build, situation: JudgeContext) -> Iterator[Link]:
    floor, level = situation.floor(build), situation.level
    if floor and level:
        cuda = cuda_of(build.variant) or ""
        if level.cuda and version_key(level.text) < version_key(floor.driver_floor) or not level.version:
            own = ".".join(map(str, level.cuda))
            words = message(
                "plan.proof.driver-cuda",
                "Driver {driver} itself says that it runs CUDA {own}, and so it runs CUDA {cuda}",
                driver=level.text,
                own=own,
                cuda=cuda,
            )
        elif version_key(level.text) < version_key(
            floor.driver_floor
        ):  # only the series is known: 580.00, as of a board
            words = message(
                "plan.proof.driver-series",
                "Driver {driver} is of the series {branch}, which runs CUDA {cuda}",
                driver=level.text,
                branch=level.branch,
                cuda=cuda,
            )
        else:
            words = message("plan.proof.driver", driver=level.text, need=floor.driver_floor, cuda=cuda)
        yield Link("driver", words, floor.source, floor.confidence)


def _wheel(build: Build, situation: JudgeContext, python: str | None) -> Iterator[Link]:
    machine = situation.machine
    if python:
        yield Link("python", message("plan.proof.python", python=python), build.source, build.confidence)
    system = f"{machine.os} {machine.arch}"
    if build.min_glibc:
        words = message(
            "plan.proof.glibc",
            "Published for {system} with glibc {need} or newer; this system has {have}",
            system=system,
            need=build.min_glibc,
            have=machine.glibc or "?",
        )
    else:
        words = message("plan.proof.system", "Published for {system}", system=system)
    yield Link("platform", words, build.source, build.confidence)
    params = {"build": f"{build.torch}+{build.variant}", "python": python or "?", "platform": build.platform}
    size = build.size
    if size is None:
        yield Link("wheel", message("plan.proof.wheel", **params), build.source, build.confidence)
        return
    words = message(
        "plan.proof.wheel-size",
        "Package torch {build} for Python {python}, {platform}: about {size}, its libraries come on top",
        size=bytes_text(size.bytes),
        **params,
    )
    sources = "; ".join(dict.fromkeys((build.source, size.source)))
    yield Link("wheel", words, sources, least_sure(build.confidence, size.confidence))
