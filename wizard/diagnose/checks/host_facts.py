"""What surrounds the environment on this machine and PyTorch depends on: kernel modules, boot, container, scheduler.

Facts beside `Machine`: `None` is not known. All is read from files below `root` and from variables, so that tests
give a folder of their own; nothing is asked that could hang.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.system.places import places
from wizard.system.windows.files import file_version

_CONTAINER_WORDS = re.compile(r"docker|containerd|kubepods|libpod|lxc|podman|garden")
_SCHEDULERS = {"sbatch": "Slurm", "qsub": "PBS", "bsub": "LSF"}
_JOB_VARIABLES = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID")


@dataclass(frozen=True, slots=True)
class HostFacts:
    """`module_installed`: the kernel that runs has an nvidia module on disk. `device_nodes`: /dev/nvidia0 and such."""

    secure_boot: bool | None
    modules: frozenset[str]  # loaded
    module_installed: bool | None
    device_nodes: tuple[str, ...]
    container: str | None  # "docker", "podman", …
    scheduler: str | None
    in_job: bool
    prime: str | None  # "intel", "nvidia", "on-demand": the choice of prime-select
    powered_off: tuple[str, ...]  # cards that the switch of a laptop has turned off
    visible_devices: str | None
    runtime_missing: tuple[str, ...] | None  # Windows: DLLs of the Visual C++ runtime that are not there
    runtime_version: str | None = None


def look_around(
    root: Path = Path("/"), variables: Mapping[str, str] | None = None, kernel: str | None = None
) -> HostFacts:
    """Read what surrounds the card: Secure Boot, kernel modules, device files, container, batch system, switched-off
    cards."""
    known = os.environ if variables is None else variables
    scheduler = next(
        (name for program, name in _SCHEDULERS.items() if shutil.which(program, path=known.get("PATH"))), None
    )
    missing, version = _runtime()
    return HostFacts(
        secure_boot=_secure_boot(root),
        modules=parse_modules(_text(root / "proc/modules")),
        module_installed=_module_on_disk(root, kernel or platform.release()),
        device_nodes=_device_nodes(root),
        container=_container(root, known),
        scheduler=scheduler,
        in_job=any(known.get(name) for name in _JOB_VARIABLES),
        prime=_text(root / "etc/prime-discrete").strip() or None,
        powered_off=_powered_off(root),
        visible_devices=known.get("CUDA_VISIBLE_DEVICES"),
        runtime_missing=missing,
        runtime_version=version,
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return ""


def parse_modules(text: str) -> frozenset[str]:
    """/proc/modules: the name is the first word of each line."""
    return frozenset(line.split()[0] for line in text.splitlines() if line.strip())


def _secure_boot(root: Path) -> bool | None:
    """Four bytes of attributes, then one byte: 1 is on."""
    for path in (root / "sys/firmware/efi/efivars").glob("SecureBoot-*"):
        try:
            data = path.read_bytes()
        except OSError:
            return None
        return len(data) > 4 and data[4] == 1
    return None


def _module_on_disk(root: Path, kernel: str) -> bool | None:
    folder = root / "lib/modules" / kernel
    if not folder.is_dir():
        return None  # a container has none, whatever its host has
    listed = _text(folder / "modules.dep")
    if re.search(r"(^|/)nvidia\.ko(\.\w+)?:", listed, re.MULTILINE):
        return True
    places = ("updates/dkms", "kernel/drivers/video", "extra", "kernel/nvidia", "updates", "kernel/drivers/char/drm")
    return any(any((folder / place).glob("**/nvidia.ko*")) for place in places if (folder / place).is_dir())


def _device_nodes(root: Path) -> tuple[str, ...]:
    folder = root / "dev"
    names = sorted(
        path.name for pattern in ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm", "dxg") for path in folder.glob(pattern)
    )
    return tuple(names)


def _container(root: Path, variables: Mapping[str, str]) -> str | None:
    if (root / ".dockerenv").exists():
        return "docker"
    if (root / "run/.containerenv").exists():
        return "podman"
    if variables.get("APPTAINER_CONTAINER") or variables.get("SINGULARITY_CONTAINER"):
        return "apptainer"
    match = _CONTAINER_WORDS.search(_text(root / "proc/1/cgroup"))
    return match[0] if match else variables.get("container") or None


def _powered_off(root: Path) -> tuple[str, ...]:
    """The switch of an Optimus laptop: bbswitch says it, else the card's own runtime state with no driver."""
    if "OFF" in _text(root / "proc/acpi/bbswitch"):
        return ("bbswitch: OFF",)
    found = []
    devices = root / "sys/bus/pci/devices"
    for folder in sorted(devices.iterdir()) if devices.is_dir() else ():
        is_card = _text(folder / "vendor").strip() == "0x10de" and _text(folder / "class").startswith("0x03")
        if is_card and _text(folder / "power_state").strip() == "D3cold" and not (folder / "driver").exists():
            found.append(f"{folder.name}: D3cold, no driver")
    return tuple(found)


def _runtime() -> tuple[tuple[str, ...] | None, str | None]:
    """Which of its libraries are missing, and its version."""
    libraries = places().runtime_libraries()
    if libraries is None:
        return None, None
    missing = tuple(library.name for library in libraries if not library.is_file())
    return missing, file_version(str(libraries[0]))
