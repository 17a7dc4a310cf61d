"""Three witnesses, one list of cards: a card that several know appears once, with what each knew.

Earlier witnesses win: NVML, then nvidia-smi, then the bus. Two equal cards stay two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from wizard.machine.model import Gpu


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
