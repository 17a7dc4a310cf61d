"""What NVIDIA's driver says about itself and its cards, whoever was asked, and what its error codes mean.

NVML's error numbers are the common language: nvidia-smi prints their sentences, the NVML child their
numbers. A machine without an NVIDIA card is no failure of anything.

Three witnesses, one list of cards: earlier ones win (NVML, then nvidia-smi, then the bus). Two equal cards stay two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from wizard.machine.model import Driver, Gpu
from wizard.model.messages import Message, message

# nvml.h, nvmlReturn_t. The sentence in the catalogue is machine.nvidia.<name>.
_NAMES = {
    4: "no-permission",
    9: "driver-not-loaded",
    12: "library-not-found",
    15: "gpu-lost",
    16: "reset-required",
    17: "blocked-by-system",
    18: "driver-library-mismatch",
    999: "unknown",
}
NO_PERMISSION, DRIVER_NOT_LOADED, GPU_LOST, BLOCKED, MISMATCH = 4, 9, 15, 17, 18
RESET_REQUIRED, UNKNOWN = 16, 999
NO_SENSORS = -2  # no error of NVML: neither fan nor power can be told, all else can

# Of one card, which the others outlive: machine.card.<name>.
_OF_A_CARD = {GPU_LOST: "lost", RESET_REQUIRED: "reset", UNKNOWN: "unknown", NO_SENSORS: "partly"}

_BUS_ID = re.compile(r"^(?:([0-9a-f]+):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-9a-f])$")


@dataclass(frozen=True, slots=True)
class NvidiaReading:
    """`failure` set: this way of asking gave nothing. `notices`: single cards that did not answer."""

    driver: Driver | None = None
    gpus: tuple[Gpu, ...] = ()
    failure: Message | None = None
    notices: tuple[Message, ...] = ()


def error_notice(code: int, said: str) -> Message:
    """`said` is NVIDIA's own sentence, shown for a code that we have no words for."""
    name = _NAMES.get(code)
    return message(f"machine.nvidia.{name}") if name else message("machine.nvidia.error", code=code, said=said)


def card_notice(code: int, said: str, card: str) -> Message:
    """Return what the error means where only `card` (its place on the bus, or its number) does not answer."""
    name = _OF_A_CARD.get(code)
    return message(f"machine.card.{name}", card=card) if name else message("machine.card.error", card=card, said=said)


def normal_bus_id(text: str | None) -> str | None:
    """NVML's `00000000:01:00.0` and sysfs' `0000:01:00.0` are one place."""
    match = _BUS_ID.match((text or "").strip().lower())
    return f"{int(match[1] or '0', 16):04x}:{match[2]}:{match[3]}.{match[4]}" if match else None


def pci_id(combined: int | None) -> str | None:
    """NVIDIA gives device and vendor in one number: 0x218210de is `10de:2182`."""
    return f"{combined & 0xFFFF:04x}:{combined >> 16 & 0xFFFF:04x}" if combined else None


def merge_gpus(*witnesses: Sequence[Gpu]) -> tuple[Gpu, ...]:
    """NVIDIA's first, otherwise in the order of the witnesses."""
    merged: list[Gpu] = []
    for witness in witnesses:
        merged = _join(merged, witness)
    return tuple(sorted(merged, key=lambda gpu: gpu.vendor != "nvidia"))


def _join(known: list[Gpu], more: Sequence[Gpu]) -> list[Gpu]:
    """Each card of `more` meets at most one known card: first the certain meetings, then those by model only."""
    joined = list(known)
    free = set(range(len(known)))
    left: list[Gpu] = []
    for gpu in more:
        index = next((index for index in sorted(free) if _is_certain(known[index], gpu)), None)
        if index is None:
            left.append(gpu)
            continue
        free.discard(index)
        joined[index] = _filled(known[index], gpu)
    for gpu in left:
        index = next((index for index in sorted(free) if _is_likely(known[index], gpu)), None)
        if index is None:
            joined.append(gpu)
            continue
        free.discard(index)
        joined[index] = _filled(known[index], gpu)
    return joined


def _is_certain(one: Gpu, other: Gpu) -> bool:
    if one.uuid and other.uuid:
        return one.uuid == other.uuid
    return bool(one.bus_id and one.bus_id == other.bus_id)


def _is_likely(one: Gpu, other: Gpu) -> bool:
    """The same model, and nothing says that they are two (Windows gives no place on the bus)."""
    if (one.uuid and other.uuid) or (one.bus_id and other.bus_id):
        return False
    return bool(one.pci_id and one.pci_id == other.pci_id)


def _filled(gpu: Gpu, more: Gpu) -> Gpu:
    blanks = {field.name: getattr(more, field.name) for field in fields(Gpu) if getattr(gpu, field.name) is None}
    return replace(gpu, **blanks)
