"""What this machine is: facts only, no judgement.

`driver_version` is the NVIDIA kernel driver (580.65.06), `driver cuda` the newest CUDA that this driver
runs (13.0), and neither is the CUDA toolkit (nvcc), which PyTorch does not need. `None` = not known,
`()` = looked and found nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wizard.model.capability import ComputeCapability
from wizard.model.messages import Message


@dataclass(frozen=True, slots=True)
class MigInstance:
    """A part of a card that is cut into several (Multi-Instance GPU); CUDA gives a program one of them."""

    name: str | None  # "1g.10gb"
    memory_bytes: int | None = None
    uuid: str | None = None  # what CUDA_VISIBLE_DEVICES takes


@dataclass(frozen=True, slots=True)
class Gpu:
    vendor: str  # "nvidia", "amd", "intel", "apple", "other"
    name: str | None
    pci_id: str | None  # "10de:2182", lower case
    compute_capability: ComputeCapability | None = None
    memory_bytes: int | None = None
    uuid: str | None = None
    bus_id: str | None = None  # "0000:01:00.0"
    kernel_driver: str | None = None  # Linux: "nvidia", "nouveau", "vfio-pci"
    mig: tuple[MigInstance, ...] | None = None  # None: not cut, or not known; (): MIG is on, and no instance is made


@dataclass(frozen=True, slots=True)
class Driver:
    version: str
    cuda: str | None = None  # "12.3": newest CUDA this driver runs


@dataclass(frozen=True, slots=True)
class Toolkit:
    """A CUDA toolkit (nvcc) that lies on the machine; shown, never needed."""

    version: str
    path: str
    found_by: str  # "PATH", "CUDA_PATH", "/usr/local/cuda"


@dataclass(frozen=True, slots=True)
class PythonInstall:
    executable: str
    version: str  # "3.11.7"
    has_venv: bool

    @property
    def minor(self) -> str:
        """`3.11`"""
        return ".".join(self.version.split(".")[:2])


@dataclass(frozen=True, slots=True)
class CondaInstall:
    executable: str
    version: str | None
    root_prefix: str | None
    kind: str  # "conda", "mamba", "micromamba"
    # "CONDA_EXE", "MAMBA_EXE", "MAMBA_ROOT_PREFIX", "PATH", "registry" or "folder" (a usual place)
    found_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Volume:
    path: str  # the folder that was asked about
    free_bytes: int | None
    writable: bool | None


@dataclass(frozen=True, slots=True)
class Machine:
    os: str  # "windows", "linux"; "macos" in a machine file only
    arch: str  # "x86_64", "aarch64"
    glibc: str | None  # "2.36"; None on Windows and musl
    driver: Driver | None
    gpus: tuple[Gpu, ...]
    toolkits: tuple[Toolkit, ...] = ()
    pythons: tuple[PythonInstall, ...] = ()
    condas: tuple[CondaInstall, ...] = ()
    volumes: tuple[Volume, ...] = ()
    os_version: str | None = None
    is_wsl: bool = False
    notices: tuple[Message, ...] = field(default=())  # what a probe could not find out, or found odd

    @property
    def nvidia_gpus(self) -> tuple[Gpu, ...]:
        return tuple(gpu for gpu in self.gpus if gpu.vendor == "nvidia")
