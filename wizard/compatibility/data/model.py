"""The compatibility data as values: releases, builds, driver floors, architectures, cards.

Rows of `matrices/`, each with its source and how sure it is; no rule lives here (that is `wizard/compatibility`).
`confidence` is `high`, `medium` or `low`. A *build* is one release for one CUDA tag on one platform.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wizard.model.capability import ComputeCapability

CONFIDENCES = ("high", "medium", "low")
PLATFORMS: Mapping[tuple[str, str], str] = {
    ("linux", "x86_64"): "linux_x86_64",
    ("linux", "aarch64"): "linux_aarch64",
    ("windows", "x86_64"): "win_amd64",
}
SYSTEMS: Mapping[str, str] = {"linux_x86_64": "Linux", "linux_aarch64": "Linux aarch64", "win_amd64": "Windows"}
AUDIO = "torchaudio"


def least_sure(*confidences: str) -> str:
    return max(confidences, key=CONFIDENCES.index, default="high")


@dataclass(frozen=True, slots=True)
class Release:
    torch: str
    released: str  # ISO date
    torchvision: str | None  # None: not known yet
    torchaudio: str | None
    torchaudio_python_max: str | None  # torchaudio's wheels end at this Python
    confidence: str
    source: str

    def audio_for(self, python: str | None) -> str | None:
        """Return the torchaudio of this release; None where there is none for that Python."""
        limit = self.torchaudio_python_max
        if python and limit and int(python.split(".")[1]) > int(limit.split(".")[1]):
            return None
        return self.torchaudio


@dataclass(frozen=True, slots=True)
class Kernels:
    """What machine code a build holds: `sm_75` is a cubin, `compute_75` is PTX."""

    architectures: tuple[str, ...]
    evidence: str
    confidence: str
    source: str


@dataclass(frozen=True, slots=True)
class WheelSize:
    """Of the wheel for one Python; those for its other Pythons differ by about one per cent."""

    bytes: int
    confidence: str
    source: str


@dataclass(frozen=True, slots=True)
class Build:
    torch: str
    variant: str
    platform: str  # "linux_x86_64", "linux_aarch64", "win_amd64"
    local_version: str | None  # "cu126" of 2.14.1+cu126 on the torch index; None: old wheels that carry none
    pythons: tuple[str, ...]
    experimental_pythons: tuple[str, ...]
    advertised: bool  # offered by the official selector; others are offered on request only
    pypi_default: bool  # the build that the official package index carries for this platform
    min_glibc: str | None
    kernels: Kernels | None  # None: the CPU build, or not known
    confidence: str
    source: str
    note: str = ""
    size: WheelSize | None = None  # None: not known


@dataclass(frozen=True, slots=True)
class Floor:
    """The oldest driver for a CUDA version: `driver_floor` runs it, `toolkit_driver` also compiles its PTX."""

    cuda: str
    os: str  # "linux", "windows"
    driver_floor: str
    toolkit_driver: str | None
    confidence: str
    source: str


@dataclass(frozen=True, slots=True)
class Architecture:
    """`dropped_since`: the first driver branch that ignores these cards; None while they are supported."""

    name: str
    capabilities: tuple[ComputeCapability, ...]
    last_driver_branch: int | None
    dropped_since: int | None
    first_driver: Mapping[str, int]  # by os; where the first branch that knows the cards matters
    without_driver: frozenset[str]  # the systems for which no driver runs the cards
    open_kernel_module: str  # "no", "optional", "required"
    confidence: str
    source: str


@dataclass(frozen=True, slots=True)
class Card:
    pci_id: str
    name: str  # may name several products that share the id
    chip: str
    architecture: str
    capability: ComputeCapability
    segment: str
    confidence: str
    source: str


@dataclass(frozen=True, slots=True)
class Board:
    """A computer whose GPU is on the processor. `official_wheels` False: the maker publishes its own PyTorch."""

    name: str
    capability: ComputeCapability
    official_wheels: bool


@dataclass(frozen=True, slots=True)
class Policy:
    default_python: str
    kernel_drivers_without_cuda: frozenset[str]
    kernel_drivers_handed_over: frozenset[str]  # of those: the card belongs to a virtual machine
    held_back: tuple[str, ...] = ()  # constraints of every new environment
    old_project_months: int = 18  # without a change: then it gets the releases of its time


@dataclass(frozen=True, slots=True)
class OverlayState:
    """What lay in the user's overlay. With `problems` (dotted paths) none of it was taken."""

    folder: str
    rows: int
    as_of: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """`builds` newest release first, then highest CUDA, the CPU build last."""

    releases: Mapping[str, Release]
    builds: tuple[Build, ...]
    floors: Mapping[tuple[str, str], Floor]  # by (cuda, os)
    architectures: Mapping[str, Architecture]
    numpy: Mapping[tuple[str, str, str], str]  # by (torch, platform, Python or "*")
    boards: tuple[Board, ...]
    policy: Policy
    find_card: Callable[[str], Card | None]  # reads the card table when first asked
    find_pins: Callable[[str], frozenset[str] | None]  # as `matrix.pins.Pins.find`; likewise its table
    find_capabilities: Callable[[str], frozenset[ComputeCapability]] = lambda name: frozenset()  # by a part of the name
    overlay: OverlayState | None = None  # None: there is none
    learned: frozenset[str] = frozenset()  # releases that were learnt here: perhaps not all of their builds are known

    def card(self, pci_id: str) -> Card | None:
        return self.find_card(pci_id.lower())

    def capabilities_of(self, name: str) -> frozenset[ComputeCapability]:
        """Return those of all cards in whose names these words stand, such as `RTX 5090`."""
        return self.find_capabilities(name)

    def pinned_sha256(self, file_name: str) -> frozenset[str]:
        """Return the SHA-256 that this wheel may have; empty when the tables hold none for its build."""
        return self.find_pins(file_name) or frozenset()

    def contradicts_pin(self, file_name: str, sha256: str) -> bool:
        """Return whether the tables know this wheel with another SHA-256, or its build without a wheel of its tags."""
        pinned = self.find_pins(file_name)
        return pinned is not None and sha256.lower() not in pinned

    def numpy_bound(self, torch: str, platform: str, python: str | None) -> str:
        """`<2`, or empty when this build works with any NumPy."""
        of_python = self.numpy.get((torch, platform, python or ""))
        return of_python or self.numpy.get((torch, platform, "*"), "")

    def architecture_of(self, capability: ComputeCapability) -> Architecture | None:
        return next((row for row in self.architectures.values() if capability in row.capabilities), None)

    def audio_for(self, build: Build, python: str | None) -> str | None:
        """Return the torchaudio of a build; None where there is none for that Python or that CUDA.

        One that was made for an older torch, since there is no newer, ends with an error where it is imported beside
        another CUDA than its own (`_check_cuda_version` of torchaudio 2.11.0; seen with torch 2.15.0+cu132,
        2026-11-28).
        """
        audio = self.releases[build.torch].audio_for(python)
        is_of_older = audio in self.releases and audio != build.torch
        return None if is_of_older and self.build(audio or "", build.variant, build.platform) is None else audio

    def build(self, torch: str, variant: str, platform: str) -> Build | None:
        wanted = (torch, variant, platform)
        return next((row for row in self.builds if (row.torch, row.variant, row.platform) == wanted), None)
