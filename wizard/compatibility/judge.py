"""Judges one build for one situation: every true reason why it does not fit, in the order of their weight.

No choice is made here (`resolve` picks) and nothing is said for people beyond the reasons' parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from wizard.compatibility.cards import CardState, GraphicsCard, alike_once, graphics_cards
from wizard.compatibility.data.model import PLATFORMS, Build, Floor, Matrix
from wizard.compatibility.data.ordering import branch_of, cuda_of, version_key
from wizard.compatibility.model import Choices, Reason
from wizard.compatibility.other_makers import OtherCard, other_cards
from wizard.compatibility.rules import (
    Code,
    DriverLevel,
    code_for,
    compiles_ptx,
    driver_level,
    driver_system,
    reaches,
    runs,
    wants_own_code,
)
from wizard.machine.model import Machine
from wizard.system.traits import of


@dataclass(frozen=True)
class JudgeContext:
    """A machine, seen through what was asked for. `platform` is None where no wheel exists at all."""

    machine: Machine
    matrix: Matrix
    choices: Choices
    platform: str | None
    level: DriverLevel | None
    cards: tuple[GraphicsCard, ...]  # the strongest first

    @cached_property
    def driven(self) -> tuple[GraphicsCard, ...]:
        return tuple(card for card in self.cards if card.state is CardState.DRIVEN)

    @cached_property
    def others(self) -> tuple[OtherCard, ...]:
        return other_cards(self.machine)

    @property
    def libc_is_musl(self) -> bool:
        """A probe leaves glibc out on musl only; a file by hand, which names no system either, may just not say."""
        return of(self.machine.os).has_glibc and self.machine.glibc is None and self.machine.os_version is not None

    def has_own_wheels(self, card: GraphicsCard) -> bool:
        """A board whose maker publishes its own PyTorch: what is here was made for other computers."""
        boards = self.matrix.boards
        own = {board.capability for board in boards if not board.official_wheels}
        return self.machine.arch == "aarch64" and (card.capability in own or wants_own_code(card.capability))

    def floor(self, build: Build) -> Floor | None:
        cuda = cuda_of(build.variant)
        return self.matrix.floors.get((cuda, driver_system(self.machine))) if cuda else None


def situation_of(machine: Machine, matrix: Matrix, choices: Choices) -> JudgeContext:
    """Return what every rule looks at: machine, tables, wishes, the driver's level and the cards."""
    return JudgeContext(
        machine=machine,
        matrix=matrix,
        choices=choices,
        platform=PLATFORMS.get((machine.os, machine.arch)),
        level=driver_level(machine.driver),
        cards=graphics_cards(machine, matrix),
    )


def offered_pythons(build: Build, choices: Choices) -> tuple[str, ...]:
    """Experimental ones only on request."""
    if not choices.include_unadvertised:
        return build.pythons
    return tuple(sorted({*build.pythons, *build.experimental_pythons}, key=version_key))


def software_reasons(build: Build, situation: JudgeContext) -> tuple[Reason, ...]:
    """What does not depend on the graphics card."""
    return tuple(_software_reasons(build, situation))


def _software_reasons(build: Build, situation: JudgeContext) -> Iterator[Reason]:
    if build.variant != "cpu" and build.kernels is None and build.confidence == "low":
        # Named in a plan or a rumour, and seen nowhere: no promise.
        platform = f"{situation.machine.os} {situation.machine.arch}"
        yield Reason("not-published", {"torch": build.torch, "variant": build.variant, "platform": platform})
    asked, offered = situation.choices.python, offered_pythons(build, situation.choices)
    if asked and asked not in offered:
        words = "python-experimental" if asked in build.experimental_pythons else ""
        yield Reason("python-unsupported", {"python": asked, "first": offered[0], "last": offered[-1]}, words)
    yield from glibc_reasons(build, situation)


def glibc_reasons(build: Build, situation: JudgeContext) -> Iterator[Reason]:
    glibc, needed = situation.machine.glibc, build.min_glibc
    if needed and (situation.libc_is_musl or (glibc and version_key(glibc) < version_key(needed))):
        yield Reason("glibc-too-old", {"need": needed, "have": glibc or "musl"})


def hardware_reasons(build: Build, situation: JudgeContext, targets: tuple[GraphicsCard, ...]) -> tuple[Reason, ...]:
    """`targets` are the cards that the build must run on; the CPU build runs anywhere."""
    if build.variant == "cpu":
        return ()
    return tuple(_hardware_reasons(build, situation, targets))


def runs_on(build: Build, situation: JudgeContext, targets: tuple[GraphicsCard, ...]) -> bool:
    """As `hardware_reasons`, without asking for every reason."""
    return build.variant == "cpu" or next(_hardware_reasons(build, situation, targets), None) is None


def _hardware_reasons(build: Build, situation: JudgeContext, targets: tuple[GraphicsCard, ...]) -> Iterator[Reason]:
    if not situation.cards:
        other = next(iter(situation.others), None)
        yield Reason("other-maker", {"gpu": other.name, "maker": other.maker}) if other else Reason("no-gpu")
        return
    targets = alike_once(targets)
    codes = [_code(build, card) for card in targets]
    for card, code in zip(targets, codes, strict=True):
        if code is None:
            yield _no_kernels(build, card)
    if codes and not any(codes):  # no driver makes it run
        return
    if situation.level is None or not situation.driven:
        yield _not_driven(situation, situation.floor(build))
        return
    needed = _needed_driver(situation.floor(build), situation.level, any(code and code.is_ptx for code in codes))
    if needed:
        yield _too_old(needed, situation.level)


def _needed_driver(floor: Floor | None, level: DriverLevel, with_ptx: bool) -> str | None:
    """The oldest driver that would do, or None when this one does."""
    if floor is None:
        return "?"
    if with_ptx and not compiles_ptx(level, floor):
        return floor.toolkit_driver or floor.driver_floor
    return None if runs(level, floor) else floor.driver_floor


def _code(build: Build, card: GraphicsCard) -> Code | None:
    if build.kernels is None or card.capability is None:
        return None
    return code_for(build.kernels.architectures, card.capability)


def _no_kernels(build: Build, card: GraphicsCard) -> Reason:
    architectures = build.kernels.architectures if build.kernels else ()
    first, last = first_and_last(architectures)
    params = {"gpu": card.name, "capability": card.capability_text, "first": first, "last": last}
    words = "kernels-unknown" if build.kernels is None else "card-unknown" if card.capability is None else ""
    words = words or ("own-code" if wants_own_code(card.capability) else "")
    return Reason("no-kernels-for-gpu", params, words)


@lru_cache(maxsize=512)
def first_and_last(architectures: tuple[str, ...]) -> tuple[str, str]:
    """Of the machine code; "?" where there is none."""
    cubins = [arch for arch in architectures if arch.startswith("sm_")] or ["?"]
    return cubins[0], cubins[-1]


def _too_old(needed: str, level: DriverLevel) -> Reason:
    own_cuda = ".".join(map(str, level.cuda))
    says_otherwise = bool(own_cuda and level.version) and reaches(level, needed)
    have = f"{level.text} (CUDA {own_cuda})" if says_otherwise else level.text
    # In a cell the branch will do, but 450.51.06 is of branch 450 as well.
    short = branch_of(needed) if level.branch < branch_of(needed) else needed
    return Reason("driver-too-old", {"need": needed, "have": have, "branch": short})


def _not_driven(situation: JudgeContext, floor: Floor | None) -> Reason:
    """A driver that knows the card need not be new enough for the build: the newer of the two is needed."""
    card = situation.cards[0]
    if situation.level and card.state is CardState.TOO_NEW and card.first_driver:
        known = (card.first_driver, _needed_driver(floor, situation.level, False))
        needed = max((each for each in known if each and each != "?"), key=version_key)
        return _too_old(needed, situation.level)
    if situation.level and card.state is CardState.DROPPED:
        return Reason("no-driver", {"gpu": card.name, "driver": situation.level.text}, "driver-dropped")
    return Reason("no-driver", {"gpu": card.name})


def codes_for(build: Build, targets: tuple[GraphicsCard, ...]) -> tuple[Code, ...]:
    """The code that each card would run, for a build that fits them."""
    return tuple(code for code in (_code(build, card) for card in targets) if code)
