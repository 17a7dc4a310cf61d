"""Which builds can be the best at all? Found by asking the rule itself about every kind of machine that the tables can
tell apart: one card of each capability or none, each driver floor, each C library, each Python."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from wizard.compatibility.data.model import PLATFORMS, Build, Matrix
from wizard.compatibility.data.ordering import version_key
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import fitting_builds
from wizard.compatibility.rules import code_for
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.system.traits import of


def best_builds(matrix: Matrix) -> dict[tuple[str, str, str, str], Build]:
    """Return by (torch, variant, platform, Python) each build that is the best for some machine, without a wish for a
    release or a variant."""
    found: dict[tuple[str, str, str, str], Build] = {}
    pythons = sorted({python for build in matrix.builds for python in build.pythons}, key=version_key)
    for machine in _machines(matrix):
        fitting = list(fitting_builds(machine, matrix, Choices()))
        for python in pythons:
            best = next((build for build in fitting if python in build.pythons), None)
            if best:
                found[best.torch, best.variant, best.platform, python] = best
    return found


def _machines(matrix: Matrix) -> Iterator[Machine]:
    for (system, arch), platform in PLATFORMS.items():
        floors = {floor.driver_floor for (_, os), floor in matrix.floors.items() if os == system}
        has_glibc = of(system).has_glibc
        libcs = {build.min_glibc for build in matrix.builds if build.platform == platform} if has_glibc else {None}
        yield Machine(system, arch, max(libcs, key=lambda text: version_key(text or "")), None, ())
        for driver, glibc, capability in product(sorted(floors), libcs, _capabilities(matrix, platform)):
            card = Gpu("nvidia", "card", None, capability)
            yield Machine(system, arch, glibc, Driver(driver, None), (card,))


def _capabilities(matrix: Matrix, platform: str) -> tuple[ComputeCapability, ...]:
    """One of each sort: those for which the same builds hold code are alike."""
    lists = [build.kernels.architectures for build in matrix.builds if build.platform == platform and build.kernels]
    every = sorted({one for row in matrix.architectures.values() for one in row.capabilities})
    alike = {tuple(code_for(codes, one) for codes in lists): one for one in every}
    return tuple(alike.values())
