"""NVML through a child with a time limit: the first and best witness of NVIDIA cards.

`nvml_child` is what runs there; here is how it is started and how its JSON is read.
"""

from __future__ import annotations

import json
from typing import Any

from wizard.machine.asking import Ask, question
from wizard.machine.gpu.nvidia import NO_SENSORS, NvidiaReading, card_notice, error_notice, normal_bus_id, pci_id
from wizard.machine.model import Driver, Gpu, MigInstance
from wizard.model.capability import ComputeCapability
from wizard.model.messages import message
from wizard.process import Request, child_environment
from wizard.system import paths

# Without the persistence daemon a server with eight cards takes ten seconds to wake them all.
SECONDS = 15.0
CHILD_COMMAND = "_nvml"


def nvml_question(seconds: float = SECONDS) -> Request:
    """A child of ours: NVML can hang on a lost GPU."""
    environment = child_environment(paths.own_environment())
    return question((*paths.own_command(), CHILD_COMMAND), seconds, environment)


def parse_nvml(text: str) -> NvidiaReading:
    """Raises ValueError when it is no answer of the child."""
    try:
        data = json.loads(text.strip().splitlines()[-1])
        if data["error"]:
            return NvidiaReading(failure=error_notice(data["error"]["code"], data["error"]["text"]))
        version = data["driver_version"]
        errors = [(row["code"], row["text"], f"#{row['index']}") for row in data["gpu_errors"]]
        errors += [
            (NO_SENSORS, "", normal_bus_id(row["bus_id"]) or row["name"] or "?")
            for row in data["gpus"]
            if row.get("are_sensors_silent")
        ]
        return NvidiaReading(
            driver=Driver(version, _cuda(data["cuda_version"])) if version else None,
            gpus=tuple(_gpu(row) for row in data["gpus"]),
            notices=tuple(card_notice(*error) for error in errors),
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"not an answer of the NVML child: {error!r}") from error


def _cuda(number: int | None) -> str | None:
    """13000 is 13.0, 12080 is 12.8."""
    return f"{number // 1000}.{number % 1000 // 10}" if number else None


def _gpu(row: dict[str, Any]) -> Gpu:
    capability = row["compute_capability"]
    return Gpu(
        vendor="nvidia",
        name=row["name"],
        pci_id=pci_id(row["pci_device_id"]),
        compute_capability=ComputeCapability(*capability) if capability else None,
        memory_bytes=row["memory_bytes"],
        uuid=row["uuid"],
        bus_id=normal_bus_id(row["bus_id"]),
        mig=None if row["mig"] is None else tuple(_instance(part) for part in row["mig"]),
    )


def _instance(row: dict[str, Any]) -> MigInstance:
    """Named as `NVIDIA A100-SXM4-40GB MIG 1g.5gb`, of which the last word is the instance's."""
    name = row["name"]
    return MigInstance(name.split()[-1] if name and name.strip() else None, row["memory_bytes"], row["uuid"])


def probe_nvml(ask: Ask, request: Request | None = None) -> NvidiaReading:
    """Ask NVML in a child, since a lost card can hang it; no answer in time is a failure that says whose it is."""
    outcome = ask(request or nvml_question())
    if outcome.timed_out:
        has_begun = bool(outcome.stdout.strip())  # the child says a word before it asks: from there on it is the driver
        return NvidiaReading(failure=message("machine.nvidia.timeout" if has_begun else "machine.nvidia.not-asked"))
    try:
        return parse_nvml(outcome.stdout)
    except ValueError:
        return NvidiaReading(failure=message("machine.nvidia.child-failed", code=_code(outcome.exit_code)))


def _code(exit_code: int | None) -> int | str:
    return "-" if exit_code is None else exit_code
