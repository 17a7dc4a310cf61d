"""The data that travel with the program: whole, well formed, and true where we can tell."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.model import PLATFORMS, least_sure
from wizard.compatibility.data.ordering import branch_of, cuda_of, variant_key, version_key
from wizard.compatibility.data.validate import check_folder
from wizard.model.messages import LANGUAGES, catalogue
from wizard.system.paths import matrices_dir

MATRIX = load_matrix()
SOURCE_TABLES = ("releases", "builds", "arch_list", "cuda_driver_floors", "architectures", "gpus", "numpy_bounds")


def test_the_data_are_valid() -> None:
    assert [str(problem) for problem in check_folder(matrices_dir())] == []


def test_every_stable_release_since_1_7_0_is_there() -> None:
    minors = {version_key(torch)[:2] for torch in MATRIX.releases}
    newest = max(minors)[1]
    assert newest >= 15
    assert minors == {(1, n) for n in range(7, 14)} | {(2, n) for n in range(newest + 1)}
    assert len(MATRIX.releases) >= 42


@pytest.mark.parametrize(
    ("platform", "releases", "variant"),
    [
        ("linux_x86_64", "1.7.0 1.12.1", "cu102"),
        ("linux_x86_64", "1.13.0 2.0.1", "cu117"),
        ("linux_x86_64", "2.1.0 2.4.1", "cu121"),
        ("linux_x86_64", "2.5.0 2.6.0", "cu124"),
        ("linux_x86_64", "2.7.0 2.7.1", "cu126"),
        ("linux_x86_64", "2.8.0 2.10.0", "cu128"),
        ("linux_x86_64", "2.11.0 2.14.1", "cu130"),
        ("linux_x86_64", "2.15.0 2.15.0", "cu132"),
        ("win_amd64", "1.7.0 2.15.0", "cpu"),
        ("linux_aarch64", "1.8.0 1.9.0", "cpu"),
        ("linux_aarch64", "1.10.0 2.10.0", "cpu"),
        ("linux_aarch64", "2.11.0 2.14.1", "cu130"),
        ("linux_aarch64", "2.15.0 2.15.0", "cu132"),
    ],
)
def test_the_default_build_of_the_package_index(platform: str, releases: str, variant: str) -> None:
    first, last = map(version_key, releases.split())
    inside = [torch for torch in MATRIX.releases if first <= version_key(torch) <= last]
    defaults = {
        build.torch: build.variant for build in MATRIX.builds if build.pypi_default and build.platform == platform
    }
    assert inside
    assert {defaults[torch] for torch in inside} == {variant}


@pytest.mark.parametrize("platform", sorted(PLATFORMS.values()))
def test_2_14_1_cu126_is_the_last_build_below_driver_580(platform: str) -> None:
    twelve = [
        build.torch
        for build in MATRIX.builds
        if build.platform == platform and build.advertised and (cuda_of(build.variant) or "").startswith("12.")
    ]
    assert max(twelve, key=version_key) == "2.14.1"


def test_windows_and_linux_hold_different_code() -> None:
    def code(torch: str, variant: str, platform: str) -> tuple[str, ...]:
        build = MATRIX.build(torch, variant, platform)
        assert build
        assert build.kernels
        return build.kernels.architectures

    assert "sm_50" not in code("2.8.0", "cu126", "win_amd64")
    assert "sm_50" in code("2.8.0", "cu126", "linux_x86_64")
    assert "sm_61" in code("2.14.1", "cu126", "win_amd64")
    assert "sm_61" not in code("2.14.1", "cu126", "linux_x86_64")
    assert "sm_70" not in code("2.11.0", "cu128", "linux_x86_64")


def test_old_default_wheels_carry_no_local_version() -> None:
    def local(torch: str, variant: str, platform: str) -> str | None:
        build = MATRIX.build(torch, variant, platform)
        assert build
        return build.local_version

    assert local("1.7.0", "cu102", "linux_x86_64") is None
    assert local("2.5.1", "cu124", "linux_aarch64") is None
    assert local("2.14.1", "cu126", "linux_x86_64") == "cu126"
    assert local("2.15.0", "cpu", "win_amd64") == "cpu"


@pytest.mark.parametrize(
    ("pci_id", "name", "capability", "architecture"),
    [
        ("10de:2182", "GeForce GTX 1660 Ti", "7.5", "Turing"),
        ("10DE:2E12", "GB10", "12.1", "Blackwell"),
        ("10de:28e3", "GeForce RTX 3050 A Laptop GPU", "8.9", "Ada Lovelace"),
        ("10de:1287", "GeForce GT 730", "3.5", "Kepler"),
    ],
)
def test_a_card_by_its_id(pci_id: str, name: str, capability: str, architecture: str) -> None:
    card = MATRIX.card(pci_id)
    assert card
    assert (card.name, str(card.capability), card.architecture) == (name, capability, architecture)


def test_an_id_that_nobody_knows() -> None:
    assert MATRIX.card("10de:ffff") is None


def test_the_card_table_is_read_only_when_it_is_asked_for() -> None:
    script = (
        "from wizard.compatibility.data import load\n"
        "matrix = load.load_matrix()\n"
        "assert load._cards.cache_info().currsize == 0\n"
        "matrix.card('10de:2182')\n"
        "assert load._cards.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60, cwd=matrices_dir().parent)


def test_a_source_that_is_words_has_them_in_every_language() -> None:
    """The proof of a build names it; what has a mark of an address or a revision in it is a name, and stays."""
    words = {build.source for build in load_matrix().builds if not re.search("[@#:]", build.source)}
    named = {f"plan.source.{one}" for one in words}
    assert named
    for language in LANGUAGES:
        assert named <= set(catalogue(language)), language
    assert catalogue("zh_CN")["plan.source.announcement of the release"] == "版本发布公告"


def test_ordering() -> None:
    assert sorted(["cpu", "cu92", "cu132", "cu118", "cu102"], key=variant_key) == [
        "cpu",
        "cu92",
        "cu102",
        "cu118",
        "cu132",
    ]
    assert cuda_of("cu92") == "9.2"
    assert cuda_of("cu132") == "13.2"
    assert cuda_of("cpu") is None
    with pytest.raises(ValueError, match="rocm"):
        cuda_of("rocm6.4")
    assert (branch_of("581.29"), branch_of("")) == (581, 0)
    assert least_sure("high", "low", "medium") == "low"
    assert re.fullmatch(r"[\d.]+", max(MATRIX.releases, key=version_key))
