"""The cards of a machine as the decision sees them: capability, architecture, and whether the driver runs them.

The capability is the one that the driver reported, else that of the PCI id; never a guess from the name
(a GT 730 is 2.1, 3.0 or 3.5).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wizard.compatibility.data.load import read_rows
from wizard.compatibility.data.model import Architecture, Card, Matrix
from wizard.compatibility.rules import DriverLevel, driver_level, driver_system, reaches
from wizard.machine.model import Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.model.table_update import tables_dir


class CardState(enum.Enum):
    DRIVEN = "driven"
    NO_DRIVER = "no-driver"
    OTHER_DRIVER = "other-driver"  # nouveau
    HANDED_OVER = "handed-over"  # to a virtual machine: no driver of this system will run it
    DROPPED = "dropped"  # the driver is of a branch that ignores this card
    NO_SYSTEM = "no-system"  # no driver for this system runs such cards
    TOO_NEW = "too-new"  # the card is newer than the driver, which did not report it


@dataclass(frozen=True, slots=True)
class GraphicsCard:
    name: str
    capability: ComputeCapability | None
    architecture: Architecture | None
    state: CardState
    memory_bytes: int
    first_driver: str | None  # the first branch that knows the card, where that matters
    confidence: str  # of the capability
    source: str

    @property
    def strength(self) -> tuple[ComputeCapability, int]:
        return self.capability or ComputeCapability(0, 0), self.memory_bytes

    @property
    def capability_text(self) -> str:
        return str(self.capability) if self.capability else "?"


def graphics_cards(machine: Machine, matrix: Matrix) -> tuple[GraphicsCard, ...]:
    """The NVIDIA cards, the strongest first."""
    level = driver_level(machine.driver)
    cards = [_graphics_card(gpu, machine, matrix, level) for gpu in machine.nvidia_gpus]
    return tuple(sorted(cards, key=lambda card: card.strength, reverse=True))


def _graphics_card(gpu: Gpu, machine: Machine, matrix: Matrix, level: DriverLevel | None) -> GraphicsCard:
    row = matrix.card(gpu.pci_id) if gpu.pci_id else None
    capability = gpu.compute_capability or (row.capability if row else None)
    architecture = _architecture(row, capability, matrix)
    first = architecture.first_driver.get(driver_system(machine)) if architecture else None
    has_none = architecture is not None and driver_system(machine) in architecture.without_driver
    is_out = has_none and gpu.compute_capability is None
    state = CardState.NO_SYSTEM if is_out else _state(gpu, architecture, first, matrix, level)
    reported = gpu.compute_capability is not None or row is None
    return GraphicsCard(
        name=_name(gpu, row),
        capability=capability,
        architecture=architecture,
        state=state,
        memory_bytes=gpu.memory_bytes or 0,
        first_driver=str(first) if first else None,
        confidence="high" if reported or row is None else row.confidence,
        source="driver" if reported or row is None else row.source,
    )


def alike_once(cards: tuple[GraphicsCard, ...]) -> tuple[GraphicsCard, ...]:
    """Of cards of which the same is to be said, the first."""
    return tuple({(card.name, card.capability, card.state): card for card in reversed(cards)}.values())[::-1]


def _name(gpu: Gpu, row: Card | None) -> str:
    # One PCI id may be sold under many names: the first stands for all.
    of_row = row.name.split(" / ")[0] if row else None
    name = gpu.name or of_row
    if not name:  # with its maker, so that the number stands where a name does in every sentence
        return f"NVIDIA {gpu.pci_id or 'GPU'}"
    return name.removeprefix("NVIDIA ").strip() or name


def _architecture(row: Card | None, capability: ComputeCapability | None, matrix: Matrix) -> Architecture | None:
    if capability is not None:
        return matrix.architecture_of(capability)
    return matrix.architectures.get(row.architecture) if row else None


def _state(
    gpu: Gpu, architecture: Architecture | None, first: int | None, matrix: Matrix, level: DriverLevel | None
) -> CardState:
    if gpu.kernel_driver in matrix.policy.kernel_drivers_handed_over:
        return CardState.HANDED_OVER
    if level is None:
        return CardState.NO_DRIVER
    if gpu.kernel_driver in matrix.policy.kernel_drivers_without_cuda:
        return CardState.OTHER_DRIVER
    if architecture and architecture.dropped_since and level.branch >= architecture.dropped_since:
        return CardState.DROPPED
    # A driver that reported the capability does know the card, whatever our table says.
    unreported = gpu.compute_capability is None
    if first and unreported and level.version and not reaches(level, str(first)):
        return CardState.TOO_NEW
    return CardState.DRIVEN


def stated_speed(name: str) -> float | None:
    """Return the TFLOP/s in float32 that a card of this name (as CUDA says it) is rated at; None: not known."""
    path = tables_dir() / "matrix_speed.csv"
    return _speeds(path).get(name.removeprefix("NVIDIA ")) if path.is_file() else None


@lru_cache(maxsize=4)
def _speeds(path: Path) -> Mapping[str, float]:
    return {row["name"]: float(row["fp32_tflops"]) for row in read_rows(path)}
