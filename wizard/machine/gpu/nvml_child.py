"""The child that talks to NVML, NVIDIA's own library, and says what it heard as one JSON object.

A process of its own because a call can hang for ever, or crash, on a lost card or a broken driver. Run as
`python -m wizard.machine.gpu.nvml_child`, or `_nvml` of the frozen program. Reads only: changes no setting.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pynvml

from wizard.system.places import places


def _start() -> None:
    """Raises pynvml.NVMLError."""
    try:
        pynvml.nvmlInit()
        return
    except pynvml.NVMLError as error:
        if error.value != pynvml.NVML_ERROR_LIBRARY_NOT_FOUND:
            raise
    for path in places().driver_libraries():
        try:
            pynvml.nvmlLib = ctypes.CDLL(str(path))
        except OSError:
            continue
        break
    pynvml.nvmlInit()


def _or_none(call: Callable[[], Any]) -> Any:
    """An old driver lacks newer functions, some cards do not answer some: neither spoils the rest."""
    try:
        value = call()
    except (pynvml.NVMLError, AttributeError, ValueError):
        return None
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _error(error: Any) -> dict[str, Any]:
    return {"code": int(error.value), "text": str(error)}


def _cuda_version() -> int | None:
    newest = _or_none(lambda: pynvml.nvmlSystemGetCudaDriverVersion_v2())
    found = newest or _or_none(lambda: pynvml.nvmlSystemGetCudaDriverVersion())
    return int(found) if found else None


def _gpu(index: int) -> dict[str, Any]:
    """Raises pynvml.NVMLError when the card itself does not answer (lost, or not ours to see)."""
    handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    pci = _or_none(lambda: pynvml.nvmlDeviceGetPciInfo(handle))
    memory = _or_none(lambda: pynvml.nvmlDeviceGetMemoryInfo(handle))
    capability = _or_none(lambda: pynvml.nvmlDeviceGetCudaComputeCapability(handle))
    return {
        "name": _or_none(lambda: pynvml.nvmlDeviceGetName(handle)),
        "uuid": _or_none(lambda: pynvml.nvmlDeviceGetUUID(handle)),
        "bus_id": _or_none(lambda: pci.busId) if pci else None,
        "pci_device_id": int(pci.pciDeviceId) if pci else None,
        "memory_bytes": int(memory.total) if memory else None,
        "compute_capability": list(capability) if capability else None,
        "mig": _instances(handle),
        "are_sensors_silent": _are_sensors_silent(handle),
    }


def _are_sensors_silent(handle: Any) -> bool:
    """Return whether neither fan nor power can be told, for which nvidia-smi prints ERR!; to have none is no error."""

    def fails(call: Callable[[Any], Any]) -> bool:
        try:
            call(handle)
        except pynvml.NVMLError as error:
            return bool(error.value == pynvml.NVML_ERROR_UNKNOWN)
        return False

    return fails(pynvml.nvmlDeviceGetFanSpeed) and fails(pynvml.nvmlDeviceGetPowerUsage)


def _instances(handle: Any) -> list[dict[str, Any]] | None:
    """Return the parts of a card in MIG mode, and None of one that is not (or of an older driver)."""
    mode = _or_none(lambda: pynvml.nvmlDeviceGetMigMode(handle))
    if not mode or mode[0] != pynvml.NVML_DEVICE_MIG_ENABLE:
        return None
    count = _or_none(lambda: pynvml.nvmlDeviceGetMaxMigDeviceCount(handle)) or 0
    found = (_or_none(partial(pynvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, place)) for place in range(count))
    return [_instance(part) for part in found if part is not None]


def _instance(part: Any) -> dict[str, Any]:
    memory = _or_none(lambda: pynvml.nvmlDeviceGetMemoryInfo(part))
    return {
        "name": _or_none(lambda: pynvml.nvmlDeviceGetName(part)),
        "uuid": _or_none(lambda: pynvml.nvmlDeviceGetUUID(part)),
        "memory_bytes": int(memory.total) if memory else None,
    }


def read() -> dict[str, Any]:
    """What NVML says; `error` is set when it could not even be started."""
    answer: dict[str, Any] = {
        "schema": 1,
        "error": None,
        "driver_version": None,
        "cuda_version": None,
        "gpus": [],
        "gpu_errors": [],
    }
    try:
        say("asking the driver")  # who waits knows then that it is the driver that is slow
        _start()
        answer["driver_version"] = _or_none(lambda: pynvml.nvmlSystemGetDriverVersion())
        answer["cuda_version"] = _cuda_version()
        count = pynvml.nvmlDeviceGetCount()
    except pynvml.NVMLError as error:
        answer["error"] = _error(error)
        return answer
    for index in range(count):
        try:
            answer["gpus"].append(_gpu(index))
        except pynvml.NVMLError as error:
            answer["gpu_errors"].append({"index": index, **_error(error)})
    return answer


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    say(json.dumps(read()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
