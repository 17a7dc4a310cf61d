"""What a newer driver would give, and the oldest branch that gives it.

Never a branch that dropped a card of this machine. Null when nothing would change: then no one is sent
to change a driver that works.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wizard.machine.model import Driver, Machine
from wizard.matrix.model import Build, Matrix
from wizard.matrix.ordering import CPU, branch_of, variant_key, version_key
from wizard.plan.cards import State, graphics_cards
from wizard.plan.drivers import driver_level, driver_system, reaches
from wizard.plan.model import Candidate, Choices, DriverUpdate

BestBuild = Callable[[Machine, Matrix, Choices], Build | None]
Rank = tuple[bool, tuple[int, ...], tuple[int, ...]]


def after_driver_update(
    machine: Machine, matrix: Matrix, choices: Choices, best: Candidate | None, best_build: BestBuild
) -> DriverUpdate | None:
    drivers = _newer_drivers(machine, matrix)
    if not drivers:
        return None
    newest = best_build(_with_driver(machine, matrix, drivers[-1]), matrix, choices)
    if newest is None or newest.variant == CPU or _rank(newest.torch, newest.variant) <= _rank_of(best):
        return None
    for driver in drivers:
        if best_build(_with_driver(machine, matrix, driver), matrix, choices) == newest:
            return DriverUpdate(str(branch_of(driver)), newest.torch, newest.variant)
    return None


def after_driver_return(
    machine: Machine, matrix: Matrix, choices: Choices, best_build: BestBuild
) -> DriverUpdate | None:
    """For a driver whose branch ignores every card here: what the last branch that knew them all gives."""
    cards = graphics_cards(machine, matrix)
    branches = [card.architecture.last_driver_branch for card in cards if card.architecture]
    known = [branch for branch in branches if branch]
    if not known or any(card.state is not State.DROPPED for card in cards):
        return None
    driver = str(min(known))
    build = best_build(_with_driver(machine, matrix, driver), matrix, choices)
    return DriverUpdate(driver, build.torch, build.variant) if build and build.variant != CPU else None


def _newer_drivers(machine: Machine, matrix: Matrix) -> list[str]:
    """The drivers at which something changes, oldest first, none of which drops a card that can still run."""
    cards = graphics_cards(machine, matrix)
    # A card that this driver ignores already has nothing to lose.
    keep = [card for card in cards if card.state not in (State.DROPPED, State.HANDED_OVER, State.NO_SYSTEM)]
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
