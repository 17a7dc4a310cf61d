"""The two rules by themselves: kernels and drivers."""

from __future__ import annotations

import pytest

from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.rules import code_for, compiles_ptx, driver_level, reaches, runs
from wizard.machine.model import Driver
from wizard.model.capability import ComputeCapability


@pytest.mark.parametrize(
    ("architectures", "capability", "expected"),
    [
        ("sm_80 sm_86 sm_90", "8.9", "sm_86"),
        ("sm_80 sm_86 sm_90", "8.7", None),
        ("sm_80 sm_87", "8.7", "sm_87"),
        ("sm_50 sm_52", "5.3", None),
        ("sm_60 sm_61", "6.2", None),
        ("sm_70", "7.2", None),
        ("sm_100", "10.1", None),
        ("compute_80", "8.7", "compute_80"),
        ("sm_90 sm_100 sm_120", "12.1", "sm_120"),
        ("sm_90 sm_100", "10.3", "sm_100"),
        ("sm_60 sm_70", "6.1", "sm_60"),
        ("sm_37 sm_50", "3.5", None),
        ("sm_90", "10.0", None),
        ("sm_86", "8.0", None),
        ("sm_90 compute_120", "12.1", "compute_120"),
        ("sm_120 compute_120", "12.0", "sm_120"),
        ("sm_37 compute_37", "12.0", "compute_37"),
        ("sm_120 compute_120", "11.0", None),
        ("", "8.0", None),
    ],
)
def test_kernels(architectures: str, capability: str, expected: str | None) -> None:
    code = code_for(tuple(architectures.split()), ComputeCapability.parse(capability))
    assert (code.arch if code else None) == expected


@pytest.mark.parametrize(
    ("driver", "cuda", "system", "expected"),
    [
        ("546.33", "12.6", "windows", True),
        ("528.02", "12.6", "windows", False),
        ("528.02", "12.6", "linux", True),
        ("525.60.13", "12.9", "linux", True),
        ("525.53", "12.0", "linux", False),
        ("580.65.06", "13.2", "linux", True),
        ("580.42", "13.0", "linux", False),
        ("580", "13.0", "linux", True),
        ("580.88", "13.2", "windows", True),
        ("576.80", "13.0", "windows", False),
        ("610.43.02", "11.8", "linux", True),
        ("450.80.02", "11.8", "linux", True),
        ("450.51.06", "11.8", "linux", False),
        ("440.33", "10.2", "linux", True),
        ("418.39", "10.2", "linux", False),
    ],
)
def test_drivers(driver: str, cuda: str, system: str, expected: bool) -> None:
    level = driver_level(Driver(driver))
    assert level is not None
    assert runs(level, load_matrix().floors[cuda, system]) is expected


@pytest.mark.parametrize(
    ("driver", "own", "cuda", "system", "expected"),
    [
        ("546.33", "12.3", "12.6", "windows", True),
        ("546.33", "12.3", "13.0", "windows", False),
        ("580.00", "13.0", "13.2", "linux", True),
        ("540.4.0", "12.6", "12.9", "linux", True),
        ("1.2", "13.1", "13.2", "linux", True),
        ("527.41", "12.0", "12.0", "windows", True),
        ("527.41", "12.0", "12.6", "windows", False),
        ("450.51.06", "11.0", "11.8", "linux", False),
        ("440.33", "10.2", "10.2", "linux", True),
        ("440.33", "10.1", "10.2", "linux", False),
        ("610.10", "13.4", "11.8", "windows", True),
    ],
)
def test_what_a_driver_says_of_its_cuda_counts_first(
    driver: str, own: str, cuda: str, system: str, expected: bool
) -> None:
    level = driver_level(Driver(driver, own))
    assert level is not None
    assert runs(level, load_matrix().floors[cuda, system]) is expected


def test_the_cuda_of_a_driver_without_a_version() -> None:
    level = driver_level(Driver("", "10.1"))
    assert level is not None
    assert runs(level, load_matrix().floors["10.1", "linux"])
    assert not runs(level, load_matrix().floors["10.2", "linux"])
    assert driver_level(Driver("", None)) is None


def test_ptx_needs_the_driver_of_its_toolkit() -> None:
    floor = load_matrix().floors["13.0", "linux"]
    older = driver_level(Driver("580.65.06", "12.9"))
    newer = driver_level(Driver("590.48.01", "13.1"))
    by_number = driver_level(Driver("580.65.06"))
    assert older
    assert newer
    assert by_number
    assert not compiles_ptx(older, floor)
    assert compiles_ptx(newer, floor)
    assert compiles_ptx(by_number, floor)
    assert reaches(newer, "590")
