"""nvidia-smi, the second witness: asked for named fields only, never for its banner.

The banner changes between drivers (610 renamed its headings); a field list is a contract. It gives no
CUDA version, so NVML's answer wins where both speak.
"""

from __future__ import annotations

import csv
import shutil
from dataclasses import replace

from wizard.machine.asking import Ask, question
from wizard.machine.gpu.nvidia import (
    DRIVER_NOT_LOADED,
    GPU_LOST,
    MISMATCH,
    NO_PERMISSION,
    NvidiaReading,
    error_notice,
    normal_bus_id,
    pci_id,
)
from wizard.machine.model import Driver, Gpu
from wizard.model.capability import ComputeCapability
from wizard.model.messages import message
from wizard.process import Outcome
from wizard.system.places import places

SECONDS = 15.0
FIELDS = "index,name,uuid,pci.bus_id,pci.device_id,memory.total,driver_version"
_FORMAT = "--format=csv,noheader,nounits"
_MIB = 1024 * 1024
_NOT_READ = "\ufffd"  # bytes that were no text
_MOST_NOT_READ = 3  # more are no sentence in another code page, but rubbish

# What nvidia-smi prints when it fails, and the NVML error that it stands for.
_SENTENCES = (
    ("version mismatch", MISMATCH),
    ("couldn't communicate with the nvidia driver", DRIVER_NOT_LOADED),
    ("driver not loaded", DRIVER_NOT_LOADED),
    ("gpu is lost", GPU_LOST),
    ("insufficient permissions", NO_PERMISSION),
)


def find_nvidia_smi() -> str | None:
    found = shutil.which("nvidia-smi")
    if found:
        return found
    return next((str(place) for place in places().nvidia_smi() if place.is_file()), None)


def _rows(text: str, width: int) -> list[list[str]]:
    rows = csv.reader(text.splitlines(), skipinitialspace=True)
    return [[cell.strip() for cell in row] for row in rows if len(row) == width]


def _known(cell: str) -> str | None:
    """`[N/A]`, `[Not Supported]`, `[Unknown Error]` are its words for nothing."""
    return None if not cell or cell.startswith("[") or cell == "N/A" else cell


def _number(cell: str, base: int = 10) -> int | None:
    try:
        return int(cell, base)
    except ValueError:
        return None


def parse_gpus(text: str) -> tuple[tuple[Gpu, ...], str | None]:
    """The cards and the driver version, from the answer to FIELDS."""
    gpus: list[Gpu] = []
    version: str | None = None
    for _, name, uuid, bus_id, device_id, memory, driver_version in _rows(text, FIELDS.count(",") + 1):
        mib = _number(memory)
        version = version or _known(driver_version)
        gpus.append(
            Gpu(
                vendor="nvidia",
                name=_known(name),
                pci_id=pci_id(_number(device_id, 16)),
                memory_bytes=mib * _MIB if mib else None,
                uuid=_known(uuid),
                bus_id=normal_bus_id(bus_id),
            )
        )
    return tuple(gpus), version


def parse_capabilities(text: str) -> dict[str, ComputeCapability]:
    """By UUID, from the answer to `uuid,compute_cap`. Drivers up to 470 refuse the question: then it is empty."""
    found: dict[str, ComputeCapability] = {}
    for uuid, capability in _rows(text, 2):
        try:
            found[uuid] = ComputeCapability.parse(capability)
        except ValueError:
            continue
    return found


def parse_failure(text: str) -> NvidiaReading:
    said = "".join(letter for letter in " ".join(text.split()) if letter.isprintable() and letter != _NOT_READ)
    for sentence, code in _SENTENCES:
        if sentence in said.lower():
            return NvidiaReading(failure=error_notice(code, said))
    if text.count(_NOT_READ) > _MOST_NOT_READ:
        return NvidiaReading(failure=message("machine.nvidia.smi-failed", said=message("machine.nvidia.not-readable")))
    return NvidiaReading(failure=message("machine.nvidia.smi-failed", said=said[:200] or "-"))


def probe_nvidia_smi(ask: Ask, executable: str | None = None) -> NvidiaReading:
    """Nothing at all when there is no nvidia-smi: NVML says better what is missing."""
    program = executable or find_nvidia_smi()
    if program is None:
        return NvidiaReading()
    outcome = ask(question((program, f"--query-gpu={FIELDS}", _FORMAT), SECONDS))
    if outcome.timed_out:
        return NvidiaReading(failure=message("machine.nvidia.timeout"))
    if not outcome.ok:
        return parse_failure(outcome.stdout + "\n" + outcome.stderr + "\n" + outcome.start_error)
    gpus, version = parse_gpus(outcome.stdout)
    capabilities = _capabilities(ask(question((program, "--query-gpu=uuid,compute_cap", _FORMAT), SECONDS)))
    return NvidiaReading(Driver(version) if version else None, tuple(_with(gpu, capabilities) for gpu in gpus))


def _capabilities(outcome: Outcome) -> dict[str, ComputeCapability]:
    return parse_capabilities(outcome.stdout) if outcome.ok else {}


def _with(gpu: Gpu, capabilities: dict[str, ComputeCapability]) -> Gpu:
    return replace(gpu, compute_capability=capabilities.get(gpu.uuid or ""))
