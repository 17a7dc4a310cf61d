"""What NVIDIA's driver says about itself and its cards, whoever was asked, and what its error codes mean.

NVML's error numbers are the common language: nvidia-smi prints their sentences, the NVML child their
numbers. A machine without an NVIDIA card is no failure of anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
NO_PERMISSION, DRIVER_NOT_LOADED, LIBRARY_NOT_FOUND, GPU_LOST, BLOCKED, MISMATCH = 4, 9, 12, 15, 17, 18
RESET_REQUIRED, UNKNOWN = 16, 999

# Of one card, which the others outlive: machine.card.<name>.
_OF_A_CARD = {GPU_LOST: "lost", RESET_REQUIRED: "reset", UNKNOWN: "unknown"}

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
