"""Is it this very wheel? Builds, platforms and Pythons that look alike are not taken for one another."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from packaging import tags as packaging_tags

from tests.old_pythons import OLD_PYTHONS, old_python
from tests.servers.index_server import IndexServer
from tests.sources.wheels import CPU, CU126, PLAIN, WINDOWS, make_wheel
from wizard.sources.index import offer
from wizard.sources.model import Layout, Offer, Origin, Source
from wizard.sources.read import Reader
from wizard.sources.releases import listed_builds
from wizard.sources.wanted import WantedWheel, best_offer, carried, platform_tags, platforms, variant_of

SOURCE = Source("lab", Layout.SIMPLE, Origin.BY_HAND, "https://lab.example/simple", "Lab")
TAGGED = Source("t", Layout.SIMPLE, Origin.OFFICIAL, "https://t.example/cu118", "T", variant="cu118")
LINUX = platform_tags("3.12", "linux", "x86_64", "2.36")


def offers(*names: str, source: Source = SOURCE, requires: str | None = None) -> list[Offer]:
    made = [
        offer(source, name.split("-")[0], f"https://x/{name}", filename=name, requires_python=requires)
        for name in names
    ]
    return [found for found in made if found]


def wanted(
    variant: str = "cu126", default: str | None = "cu130", version: str = "2.14.1", python: str = "3.12"
) -> WantedWheel:
    return WantedWheel("torch", version, variant, python, platform_tags(python, "linux", "x86_64", "2.36"), default)


def chosen(found: list[Offer], question: WantedWheel) -> str | None:
    best = best_offer(found, question)
    return best.filename if best else None


def test_only_the_same_build_counts() -> None:
    listed = offers(CPU, PLAIN, WINDOWS, CU126, "torch-2.14.0+cu126-cp312-cp312-manylinux_2_28_x86_64.whl")
    assert chosen(listed, wanted("cu126")) == CU126
    assert chosen(listed, wanted("cpu")) == CPU
    assert chosen(listed, wanted("cu130")) == PLAIN
    assert chosen(listed, wanted("cu132")) is None
    assert chosen(listed, wanted("cu130", default=None)) is None
    assert chosen(offers(PLAIN), wanted("cu126")) is None
    assert chosen(offers(CPU.replace("+cpu", "+cpu.cxx11.abi")), wanted("cpu")) is None


def test_in_an_index_of_one_tag_a_plain_file_is_that_tag() -> None:
    assert variant_of(offers(PLAIN, source=TAGGED)[0], "cu130") == "cu118"
    assert variant_of(offers(CPU, source=TAGGED)[0], "cu130") == "cpu"


def test_platform_and_python_decide() -> None:
    listed = offers(
        CU126,
        WINDOWS,
        "torch-2.14.1+cu126-cp313-cp313-manylinux_2_28_x86_64.whl",
        "torch-2.14.1+cu126-cp312-cp312-manylinux_2_28_aarch64.whl",
    )
    for os_name, arch, glibc, filename in (
        ("linux", "x86_64", "2.36", CU126),
        ("linux", "x86_64", "2.27", None),
        ("linux", "x86_64", None, None),
        ("windows", "AMD64", None, WINDOWS),
        ("windows", "ppc64", None, None),
        ("linux", "aarch64", "2.31", listed[3].filename),
    ):
        question = WantedWheel("torch", "2.14.1", "cu126", "3.12", platform_tags("3.12", os_name, arch, glibc))
        assert chosen(listed, question) == filename
    assert chosen(listed, wanted(python="3.11")) is None


def test_abi3_and_pure_wheels_count_and_older_abi3_too() -> None:
    for name in (
        "torchaudio-2.11.0-cp310-abi3-manylinux_2_28_x86_64.whl",
        "torchaudio-2.11.0-py3-none-any.whl",
        "torchaudio-2.11.0-py3-none-linux_x86_64.whl",
        "torchaudio-2.11.0-cp312-none-manylinux1_x86_64.manylinux2014_x86_64.whl",
    ):
        question = WantedWheel("torchaudio", "2.11.0", "cpu", "3.12", LINUX, "cpu")
        assert chosen(offers(name), question) == name
    later = offers("torchaudio-2.11.0-cp313-abi3-manylinux_2_28_x86_64.whl")
    assert best_offer(later, WantedWheel("torchaudio", "2.11.0", "cpu", "3.12", LINUX, "cpu")) is None


def test_the_best_of_several_is_what_installers_take() -> None:
    old = CU126.replace("manylinux_2_28", "manylinux2014")
    rebuilt = CU126.replace("cu126-cp312", "cu126-2-cp312", 1)
    generic = "torch-2.14.1+cu126-py3-none-any.whl"
    assert chosen(offers(generic, old, CU126, rebuilt), wanted()) == rebuilt
    assert chosen(offers(generic, old), wanted()) == old


def test_withdrawn_files_and_other_pythons_are_out() -> None:
    yanked = offer(SOURCE, "torch", "https://x/y", filename=CU126, yanked=True)
    assert yanked
    assert best_offer([yanked], wanted()) is None
    assert chosen(offers(CU126, requires=">=3.13"), wanted()) is None
    assert chosen(offers(CU126, requires=">=3.12.1"), wanted()) == CU126
    assert chosen(offers(CU126, requires="rubbish"), wanted()) == CU126


def test_a_version_with_its_local_part_means_the_release() -> None:
    assert chosen(offers(CU126), wanted(version="2.14.1+cu126")) == CU126


@pytest.mark.skipif(sys.platform != "linux", reason="compares with this Linux")
def test_our_list_is_what_packaging_says_for_this_python() -> None:
    import platform

    name, glibc = platform.libc_ver()
    if name != "glibc":
        pytest.skip("not glibc")
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    ours = platform_tags(python, "linux", platform.machine(), glibc)
    theirs = list(packaging_tags.cpython_tags()) + list(packaging_tags.compatible_tags(interpreter=ours[0].interpreter))
    assert set(ours) == set(theirs)
    # Where `linux_x86_64` stands among the manylinux names has changed between versions of packaging.
    named = [tag for tag in theirs if not tag.platform.startswith("linux_")]
    assert [tag for tag in ours if not tag.platform.startswith("linux_")] == named


@pytest.mark.parametrize("python", ["", "2.7", "three", "3", "3.x", "4.0"])
def test_what_is_no_python_is_refused(python: str) -> None:
    with pytest.raises(ValueError, match="not a Python version"):
        platform_tags(python, "linux", "x86_64", "2.36")


def test_free_threaded_wheels_are_another_thing() -> None:
    name = "torch-2.14.1+cu126-cp314-cp314t-manylinux_2_28_x86_64.whl"
    assert chosen(offers(name), wanted(python="3.14")) is None
    assert chosen(offers(name), wanted(python="3.14t")) == name


@pytest.mark.parametrize(
    ("python", "os_name", "filename"),
    [
        ("3.6", "linux", "torch-1.10.2-cp36-cp36m-manylinux1_x86_64.whl"),
        ("3.7", "linux", "torch-1.13.1-cp37-cp37m-manylinux1_x86_64.whl"),
        ("3.8", "linux", "torch-2.4.1-cp38-cp38-manylinux1_x86_64.whl"),
        ("3.6", "linux", "torch-1.7.1+cu110-cp36-cp36m-linux_x86_64.whl"),
        ("3.6", "windows", "torch-1.7.1+cu110-cp36-cp36m-win_amd64.whl"),
        ("3.7", "windows", "torch-1.13.1-cp37-cp37m-win_amd64.whl"),
        ("3.8", "windows", "torch-1.7.0-cp38-cp38-win_amd64.whl"),
    ],
)
def test_the_names_of_old_wheels(python: str, os_name: str, filename: str) -> None:
    version = filename.split("-")[1]
    variant = version.partition("+")[2] or "cu102"
    glibc = "2.17" if os_name == "linux" else None
    tags = platform_tags(python, os_name, "x86_64", glibc)
    question = WantedWheel("torch", version, variant, python, tags, variant)
    assert chosen(offers(filename), question) == filename
    other = replace(question, python="3.9", tags=platform_tags("3.9", os_name, "x86_64", glibc))
    assert chosen(offers(filename), other) is None


@pytest.mark.parametrize("version", OLD_PYTHONS)
def test_an_old_python_says_the_same_of_itself(version: str) -> None:
    """SOABI names the ABI that its extension modules have, and so its wheels."""
    ask = "import sysconfig; print(sysconfig.get_config_var('SOABI'))"
    said = subprocess.run([old_python(version), "-I", "-c", ask], capture_output=True, text=True, check=True).stdout
    abi = "cp" + said.split("-")[1]
    assert platform_tags(version, "linux", "x86_64", "2.17")[0].abi == abi


def test_old_names_of_manylinux() -> None:
    assert platforms("linux", "x86_64", "2.17")[:3] == (
        "manylinux_2_17_x86_64",
        "manylinux2014_x86_64",
        "manylinux_2_16_x86_64",
    )
    assert platforms("linux", "arm64", "2.17") == ("manylinux_2_17_aarch64", "manylinux2014_aarch64", "linux_aarch64")


def test_from_a_real_server(tmp_path: Path) -> None:
    for name in (CU126, CPU, WINDOWS):
        make_wheel(tmp_path, name)
    with IndexServer(tmp_path) as server, Reader() as reader:
        source = Source("lab", Layout.SIMPLE, Origin.BY_HAND, server.simple, "Lab")
        found = carried(reader, source, wanted())
        assert found
        assert (found.filename, found.size) == (CU126, (tmp_path / CU126).stat().st_size)
        assert carried(reader, source, wanted("cu132")) is None


def test_an_index_of_old_wheels_is_grouped_as_the_tables_are() -> None:
    names = [f"torch-1.10.2-{tag}-manylinux1_x86_64.whl" for tag in ("cp36-cp36m", "cp37-cp37m", "cp38-cp38")]
    (one,) = listed_builds(offers(*names))
    assert one.pythons_among(()) == ("3.6", "3.7", "3.8")
