"""The compatibility tables as rows to read: the releases of torch, and the builds of one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wizard.compatibility.data.model import PLATFORMS, Build, Matrix, Release
from wizard.compatibility.data.ordering import branch_of, cuda_of, version_key
from wizard.model.capability import ComputeCapability

_SYSTEMS = {platform: system for system, platform in PLATFORMS.items()}


@dataclass(frozen=True, slots=True)
class BuildRow:
    """`cuda` None: for the processor. `driver`: the oldest that runs it. `cards`: the oldest and the newest
    architecture that it holds code for, by name. What the tables do not know is None or empty."""

    variant: str
    cuda: str | None
    system: str
    machine: str
    pythons: tuple[str, ...]
    driver: str | None
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    torch: str
    released: str
    torchvision: str
    torchaudio: str
    pythons: tuple[str, ...]
    builds: tuple[BuildRow, ...]

    def drivers(self, system: str) -> Iterator[tuple[str, str]]:
        """Yield each CUDA version once, with the oldest driver branch that runs it on `system`; "": not published."""
        found: dict[str, str] = {}
        for build in self.builds:
            if build.cuda and build.driver and build.system == system:
                found.setdefault(build.cuda, str(branch_of(build.driver)))
        yield from found.items()


def release_rows(matrix: Matrix) -> tuple[ReleaseRow, ...]:
    """Return all releases, the newest first, with the builds that the official pages name."""
    return tuple(_release(release, matrix) for release in reversed(tuple(matrix.releases.values())))


def _release(release: Release, matrix: Matrix) -> ReleaseRow:
    builds = tuple(
        _build(build, matrix) for build in matrix.builds if build.torch == release.torch and build.advertised
    )
    pythons = sorted({python for build in builds for python in build.pythons}, key=version_key)
    return ReleaseRow(
        release.torch,
        release.released,
        release.torchvision or "",
        release.torchaudio or "",
        tuple(pythons),
        builds,
    )


def _build(build: Build, matrix: Matrix) -> BuildRow:
    system, machine = _SYSTEMS[build.platform]
    cuda = cuda_of(build.variant)
    floor = matrix.floors.get((cuda or "", system))
    return BuildRow(
        build.variant,
        cuda,
        system,
        machine,
        tuple(build.pythons),
        floor.driver_floor if floor else None,
        _cards(build, matrix),
    )


def _cards(build: Build, matrix: Matrix) -> tuple[str, ...]:
    codes = build.kernels.architectures if build.kernels else ()
    found = (matrix.architecture_of(ComputeCapability.from_arch(code)) for code in codes)
    names = tuple(dict.fromkeys(one.name for one in found if one))
    return names if len(names) < 2 else (names[0], names[-1])
