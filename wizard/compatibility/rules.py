"""The two rules: does the driver run a CUDA version, and does a build hold code for the card?

The driver rule: does the installed driver run a CUDA version, and may it compile its PTX?

NVIDIA's minor-version floor decides: any 12.x build runs from the first 12.0 driver on. A driver is never
too new for a build. It can be too new, or too old, for a card: that is `cards`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from wizard.compatibility.data.model import Floor
from wizard.compatibility.data.ordering import version_key
from wizard.machine.model import Driver, Machine
from wizard.model.capability import ComputeCapability

# The kernel rule: does a build hold code that runs on this card?
#
# A cubin runs on its own major version with a minor not below its own; PTX runs on its own capability and everything
# after it, once the driver has compiled it. sm_86 code runs on 8.9, sm_120 on 12.1, sm_90 not on 10.0.
#
# Boards run machine code of their own number only: torch says so of itself (DEVICE_REQUIREMENT in
# torch/cuda/__init__.py of 2.13.0), whose sm_80 and sm_86 are not for 8.7.

_CUBIN = "sm_"
_OWN_CODE_ONLY = frozenset(ComputeCapability.parse(each) for each in ("5.3", "6.2", "7.2", "8.7", "10.1"))

_UNIFIED = frozenset(ComputeCapability.parse(each) for each in ("11.0", "12.1"))


@dataclass(frozen=True, slots=True)
class Code:
    """The code that would be used: `arch` is `sm_75` or `compute_75`."""

    arch: str

    @property
    def is_ptx(self) -> bool:
        return not self.arch.startswith(_CUBIN)


@lru_cache(maxsize=4096)
def code_for(architectures: tuple[str, ...], capability: ComputeCapability) -> Code | None:
    """The nearest cubin, else the nearest PTX, else None. Remembered: a lab asks for the same pairs again and again."""
    cubins, ptx = [], []
    for arch in architectures:
        target = ComputeCapability.from_arch(arch)
        if not arch.startswith(_CUBIN):
            if target <= capability:
                ptx.append((target, arch))
        elif _runs_cubin(capability, target):
            cubins.append((target, arch))
    nearest = cubins or ptx
    return Code(max(nearest)[1]) if nearest else None


def wants_own_code(capability: ComputeCapability | None) -> bool:
    """Return whether only machine code of exactly this number runs there, as on a Jetson."""
    return capability in _OWN_CODE_ONLY


def shares_memory(capability: ComputeCapability | None) -> bool:
    """Return whether such a card has no memory of its own, so that a driver tells none: boards, Thor and GB10."""
    return capability in _OWN_CODE_ONLY or capability in _UNIFIED


def _runs_cubin(capability: ComputeCapability, target: ComputeCapability) -> bool:
    if wants_own_code(capability):
        return target == capability
    return target.major == capability.major and target.minor <= capability.minor


_FIRST_WITH_MINOR_COMPATIBILITY = 11


@dataclass(frozen=True, slots=True)
class DriverLevel:
    """What a driver can do. `version` is () when only its CUDA is known, and `cuda` the other way round."""

    text: str
    version: tuple[int, ...]
    cuda: tuple[int, ...]

    @property
    def branch(self) -> int:
        return self.version[0] if self.version else 0


def driver_level(driver: Driver | None) -> DriverLevel | None:
    """None: no driver, or one that says nothing of itself."""
    if driver is None:
        return None
    version, cuda = version_key(driver.version), version_key(driver.cuda or "")
    if not version and not cuda:
        return None
    return DriverLevel(driver.version if version else f"CUDA {driver.cuda}", version, cuda)


def driver_system(machine: Machine) -> str:
    """Whose driver numbers count: under WSL the driver is the one of Windows."""
    return "windows" if machine.is_wsl else machine.os


def reaches(level: DriverLevel, driver: str) -> bool:
    """A bare branch, `580` (some boards say `580.00`), is compared as a branch."""
    wanted = version_key(driver)
    precision = 1 if not any(level.version[1:]) else len(wanted)
    return level.version >= wanted[:precision]


def runs(level: DriverLevel, floor: Floor) -> bool:
    """What the driver says of its CUDA counts before its number, which differs between systems and boards.

    Only the very first drivers of a family, those that say x.0, may lie below NVIDIA's floor for later members of it.
    """
    if not level.cuda:
        return reaches(level, floor.driver_floor)
    wanted = version_key(floor.cuda)
    if level.cuda >= wanted or wanted[0] < _FIRST_WITH_MINOR_COMPATIBILITY or level.cuda[0] < wanted[0]:
        return level.cuda >= wanted
    is_first = not any(level.cuda[1:])
    return not is_first or not level.version or reaches(level, floor.driver_floor)


def compiles_ptx(level: DriverLevel, floor: Floor) -> bool:
    """PTX is compiled by the driver, which must be as new as the toolkit that wrote it: no minor-version rule here."""
    if level.cuda:
        return level.cuda >= version_key(floor.cuda)
    return floor.toolkit_driver is not None and reaches(level, floor.toolkit_driver)
