"""Graphics cards on the PCI bus, seen without any driver: Linux' sysfs, and the loaded NVIDIA module.

The ids are burned into the card, so they are right when names are not. In WSL and some containers the
bus is not visible; then NVML alone speaks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wizard.machine.gpu.nvidia import normal_bus_id
from wizard.machine.model import Driver, Gpu
from wizard.model.messages import Message

SYSFS_DEVICES = Path("/sys/bus/pci/devices")
NVIDIA_MODULE = Path("/proc/driver/nvidia/version")

_VENDORS = {"10de": "nvidia", "1002": "amd", "8086": "intel"}
_MICROSOFT = "1414"  # the drawing device of Hyper-V and WSL: not a card
_DISPLAY_CLASSES = (0x0300, 0x0302, 0x0380)  # VGA, 3D controller, other display controller
_MODULE = re.compile(r"Kernel Module(?:\s+for\s+\S+)?\s+(\d+(?:\.\d+)+)")


@dataclass(frozen=True, slots=True)
class DeviceReading:
    """What the operating system itself knows. `driver` is NVIDIA's own, and loaded."""

    gpus: tuple[Gpu, ...] = ()
    driver: Driver | None = None
    notices: tuple[Message, ...] = ()


def display_gpu(vendor: str, device: str) -> Gpu | None:
    """From four hex digits each; None for what is no card."""
    if vendor == _MICROSOFT:
        return None
    return Gpu(vendor=_VENDORS.get(vendor, "other"), name=None, pci_id=f"{vendor}:{device}")


def parse_kernel_module(text: str) -> Driver | None:
    """/proc/driver/nvidia/version, of the closed and the open kernel module."""
    match = _MODULE.search(text)
    return Driver(match[1]) if match else None


def probe_kernel_module(path: Path = NVIDIA_MODULE) -> Driver | None:
    """Return the driver by its kernel module; None where none is loaded."""
    try:
        return parse_kernel_module(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def _hex(path: Path) -> int:
    return int(path.read_text(encoding="ascii").strip(), 16)


def _device(folder: Path) -> Gpu | None:
    try:
        if _hex(folder / "class") >> 8 not in _DISPLAY_CLASSES:
            return None
        found = display_gpu(f"{_hex(folder / 'vendor'):04x}", f"{_hex(folder / 'device'):04x}")
    except (OSError, ValueError):  # a device that went away while we looked
        return None
    if found is None:
        return None
    link = folder / "driver"
    driver = link.resolve().name if link.exists() else None
    return Gpu(found.vendor, None, found.pci_id, bus_id=normal_bus_id(folder.name), kernel_driver=driver)


def probe_pci(devices: Path = SYSFS_DEVICES) -> tuple[Gpu, ...]:
    """Return the graphics cards on the bus, which are seen also without any driver."""
    try:
        folders = sorted(devices.iterdir())
    except OSError:
        return ()
    return tuple(gpu for gpu in map(_device, folders) if gpu)
