"""What the person should know beside the verdict: cards left out, a driver not to go beyond, unsure data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from wizard.compatibility.cards import CardState, GraphicsCard, graphics_cards
from wizard.compatibility.data.model import Build, Matrix
from wizard.compatibility.data.ordering import CPU, branch_of, variant_key, version_key
from wizard.compatibility.judge import JudgeContext, glibc_reasons
from wizard.compatibility.model import Candidate, Choices, DriverUpdate
from wizard.compatibility.rules import code_for, driver_level, driver_system, reaches
from wizard.machine.model import Driver, Machine
from wizard.model.messages import Message, message
from wizard.system.traits import of

# Which is the last torch that will ever run on this card? For cards whose driver line has ended.
#
# Counted over the advertised builds that this platform and its C library take, with the newest driver that the card can
# ever have. A card that the newest of them still serves has no last torch yet.


@dataclass(frozen=True, slots=True)
class LastTorch:
    """`build` None: no release in the tables ran on it; `first` is the oldest of them."""

    card: GraphicsCard
    build: Build | None
    first: str


def last_torches(situation: JudgeContext) -> tuple[LastTorch, ...]:
    alike = {(card.name, card.capability): card for card in situation.cards}
    found = (last_torch(card, situation) for card in alike.values())
    return tuple(one for one in found if one)


def last_torch(card: GraphicsCard, situation: JudgeContext) -> LastTorch | None:
    """Return the newest torch that still has code for an older card; None where the newest has."""
    architecture = card.architecture
    if architecture is None or architecture.last_driver_branch is None or card.capability is None:
        return None
    here = [
        build
        for build in situation.matrix.builds
        if build.platform == situation.platform and build.advertised and not any(glibc_reasons(build, situation))
    ]
    if not here:
        return None
    last = next((build for build in here if _runs(build, card, situation)), None)
    newest, first = here[0].torch, min((build.torch for build in here), key=version_key)
    return None if last and last.torch == newest else LastTorch(card, last, first)


def _runs(build: Build, card: GraphicsCard, situation: JudgeContext) -> bool:
    floor, architecture = situation.floor(build), card.architecture
    if build.variant == CPU or build.kernels is None or floor is None or card.capability is None:
        return False
    branch = architecture.last_driver_branch if architecture else None
    within = branch is None or branch_of(floor.driver_floor) <= branch
    return within and code_for(build.kernels.architectures, card.capability) is not None


# What a newer driver would give, and the oldest branch that gives it.
#
# Never a branch that dropped a card of this machine. Null when nothing would change: then no one is sent to change a
# driver that works.

BestBuild = Callable[[Machine, Matrix, Choices], Build | None]
Rank = tuple[bool, tuple[int, ...], tuple[int, ...]]


def after_driver_update(
    machine: Machine, matrix: Matrix, choices: Choices, best: Candidate | None, best_build: BestBuild
) -> DriverUpdate | None:
    """Return the smallest driver that gives the best build that any driver would give; None: it gains nothing."""
    drivers = _newer_drivers(machine, matrix)
    if not drivers:
        return None
    newest = best_build(_with_driver(machine, matrix, drivers[-1]), matrix, choices)
    if newest is None or newest.variant == CPU or _rank(newest.torch, newest.variant) <= _rank_of(best):
        return None
    for driver in drivers:
        if best_build(_with_driver(machine, matrix, driver), matrix, choices) == newest:
            return DriverUpdate(str(branch_of(driver)), newest.torch, newest.variant, driver)
    return None


def after_driver_return(
    machine: Machine, matrix: Matrix, choices: Choices, best_build: BestBuild
) -> DriverUpdate | None:
    """For a driver whose branch ignores every card here: what the last branch that knew them all gives."""
    cards = graphics_cards(machine, matrix)
    branches = [card.architecture.last_driver_branch for card in cards if card.architecture]
    known = [branch for branch in branches if branch]
    if not known or any(card.state is not CardState.DROPPED for card in cards):
        return None
    driver = str(min(known))
    build = best_build(_with_driver(machine, matrix, driver), matrix, choices)
    return DriverUpdate(driver, build.torch, build.variant) if build and build.variant != CPU else None


def _newer_drivers(machine: Machine, matrix: Matrix) -> list[str]:
    """The drivers at which something changes, oldest first, none of which drops a card that can still run."""
    cards = graphics_cards(machine, matrix)
    # A card that this driver ignores already has nothing to lose.
    keep = [card for card in cards if card.state not in (CardState.DROPPED, CardState.HANDED_OVER, CardState.NO_SYSTEM)]
    if not keep:
        return []
    ends = [card.architecture.dropped_since for card in keep if card.architecture and card.architecture.dropped_since]
    system = driver_system(machine)
    steps = {floor.driver_floor for floor in matrix.floors.values() if floor.os == system}
    steps |= {card.first_driver for card in keep if card.first_driver}
    known = [step for step in sorted(steps, key=version_key) if all(branch_of(step) < end for end in ends)]
    level = driver_level(machine.driver)
    return [step for step in known if not (level and level.version and reaches(level, step))]


def _with_driver(machine: Machine, matrix: Matrix, driver: str) -> Machine:
    """The machine with that driver on every card: nouveau gives way; a card of a virtual machine stays there."""
    stays = matrix.policy.kernel_drivers_handed_over
    gpus = tuple(gpu if gpu.kernel_driver in stays else replace(gpu, kernel_driver=None) for gpu in machine.gpus)
    return replace(machine, driver=Driver(driver), gpus=gpus)


def _rank(torch: str, variant: str) -> Rank:
    return variant != CPU, version_key(torch), variant_key(variant)


def _rank_of(best: Candidate | None) -> Rank:
    return _rank(best.torch, best.variant) if best else (False, (), ())


def notices(
    situation: JudgeContext,
    targets: tuple[GraphicsCard, ...],
    best: Candidate | None,
    *,
    alone: Build | None,
    update: DriverUpdate | None,
    after_return: DriverUpdate | None,
) -> tuple[Message, ...]:
    """`alone`: the best build for the strongest card by itself, when the answer has to serve several.

    `update`: what a newer driver would give, which is told beside these: no notice names an older one than that.
    `after_return`: what an older driver branch would give, when this one dropped the cards.
    """
    told = (
        *_not_answered(situation, best),
        *_left_out(situation, targets, best, update),
        *_held_back(targets, best, alone),
        *_card_notes(situation),
        *_last_branches(situation),
        *_last_torches(situation),
        *_return(after_return),
        *_unsure(situation, best),
    )
    return tuple(one for place, one in enumerate(told) if one not in told[:place])  # once for cards that are alike


def _not_answered(situation: JudgeContext, best: Candidate | None) -> Iterator[Message]:
    """Cards that were lost to the driver; where the answer is the processor, also why NVIDIA's tools said nothing."""
    for notice in situation.machine.notices:
        is_why = notice.key.startswith("machine.nvidia.") and notice.key != "machine.nvidia.library-not-found"
        if notice.key.startswith("machine.card.") or is_why and (best is None or best.variant == CPU):
            yield notice
    for gpu in situation.machine.nvidia_gpus:
        if gpu.mig == ():
            yield message("machine.card.mig-empty", card=gpu.name or gpu.pci_id or "NVIDIA")


def _left_out(
    situation: JudgeContext, targets: tuple[GraphicsCard, ...], best: Candidate | None, update: DriverUpdate | None
) -> Iterator[Message]:
    for card in situation.cards:
        if card.state is CardState.DRIVEN and card not in targets and best and best.variant != CPU:
            yield message("plan.notice.left-out", gpu=card.name, chosen=targets[0].name)
        if card.state is CardState.DROPPED and card.architecture and situation.level:
            last = card.architecture.last_driver_branch or 0
            yield message("plan.notice.dropped", gpu=card.name, driver=situation.level.text, branch=last)
        if card.state is CardState.OTHER_DRIVER:
            yield message(
                "plan.notice.other-driver",
                "The {gpu} is not run by NVIDIA's driver, so PyTorch cannot use it.",
                gpu=card.name,
            )
        if card.state is CardState.NO_SYSTEM:
            yield message("plan.notice.no-system", gpu=card.name)
        if card.state is CardState.HANDED_OVER:
            yield message("plan.notice.handed-over", gpu=card.name)
        if card.state is CardState.TOO_NEW and card.first_driver and situation.level:
            key = "plan.notice.too-new-updated" if update else "plan.notice.too-new"
            yield message(key, gpu=card.name, driver=situation.level.text, branch=card.first_driver)


def _held_back(targets: tuple[GraphicsCard, ...], best: Candidate | None, alone: Build | None) -> Iterator[Message]:
    if alone is None or best is None or len(targets) < 2:
        return
    if (version_key(alone.torch), variant_key(alone.variant)) > (version_key(best.torch), variant_key(best.variant)):
        build = f"{alone.torch}+{alone.variant}"
        yield message("plan.notice.held-back", gpu=targets[0].name, build=build, other=targets[-1].name)


def _card_notes(situation: JudgeContext) -> Iterator[Message]:
    for card in situation.cards:
        if card.capability is None:
            is_driven = card.state is CardState.DRIVEN
            yield message(f"plan.notice.unknown-card{'-driven' if is_driven else ''}", gpu=card.name)
        elif situation.has_own_wheels(card):
            yield message("plan.notice.own-wheels", gpu=card.name)
        required = card.architecture is not None and card.architecture.open_kernel_module == "required"
        has_modules = of(situation.machine.os).has_kernel_modules and not situation.machine.is_wsl
        if required and has_modules and card.state is CardState.NO_DRIVER:
            yield message("plan.notice.open-module", gpu=card.name)


def _last_branches(situation: JudgeContext) -> Iterator[Message]:
    for card in situation.cards:
        last = card.architecture.last_driver_branch if card.architecture else None
        is_free = card.state not in (CardState.DROPPED, CardState.HANDED_OVER) and not situation.has_own_wheels(card)
        if last and is_free:  # a board's driver comes with its system
            yield message("plan.notice.last-branch", gpu=card.name, branch=last)


def _last_torches(situation: JudgeContext) -> Iterator[Message]:
    for last in last_torches(situation):
        if situation.has_own_wheels(last.card):  # its maker has others than these
            continue
        if last.build is None:
            yield message("plan.notice.no-torch", gpu=last.card.name, first=last.first)
        else:
            build = f"{last.build.torch}+{last.build.variant}"
            yield message("plan.notice.last-torch", gpu=last.card.name, build=build)


def _return(after_return: DriverUpdate | None) -> Iterator[Message]:
    if after_return:
        build = f"{after_return.torch}+{after_return.variant}"
        yield message("plan.notice.return", branch=after_return.driver, build=build)


def _unsure(situation: JudgeContext, best: Candidate | None) -> Iterator[Message]:
    if of(situation.machine.os).has_glibc and situation.machine.glibc is None and not situation.libc_is_musl:
        yield message("plan.notice.unknown-glibc")
    if best and best.variant != CPU and best.confidence != "high":  # of a CPU build only whether it is there
        yield message(f"plan.notice.unsure.{best.confidence}", build=f"{best.torch}+{best.variant}")
