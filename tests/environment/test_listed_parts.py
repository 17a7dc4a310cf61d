"""What the list says of one environment: its torch and variant, its Python, who made it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.environment.cheap import (
    VERSION,
    VERSION_PY,
    add_conda_package,
    add_torch,
    add_wheel,
    make_conda,
    make_venv,
    site_of,
)
from wizard.environment.inspect.contents import build_variant, parse_variant, read_contents
from wizard.environment.inspect.look import cfg_python, look, parse_cfg
from wizard.environment.model import EnvironmentKind, EnvironmentState
from wizard.model.messages import text

linux = pytest.mark.skipif(sys.platform == "win32", reason="folders of two Pythons in one environment are Linux'")


@pytest.mark.parametrize(
    ("version", "cuda", "hip", "expected"),
    [
        ("2.14.1+cu126", "'12.6'", "None", "cu126"),
        ("2.15.0", "'13.2'", "None", "cu132"),
        ("2.14.1+cpu", "None", "None", "cpu"),
        ("2.14.1", "None", "None", "cpu"),
        ("2.9.0+rocm6.4", "None", "'6.4.43482-0f2d60242'", "rocm6.4"),
        ("2.15.0", "None", "'7.0.51831'", "rocm7.0"),
        ("2.8.0a0+git12ab", "'12.8'", "None", "cu128"),
    ],
)
def test_torch_and_its_variant(tmp_path: Path, version: str, cuda: str, hip: str, expected: str) -> None:
    prefix = make_venv(tmp_path / "env")
    add_torch(prefix, version, cuda, hip)
    contents = read_contents(prefix, VERSION)
    assert (contents.torch, contents.variant) == (version.partition("+")[0], expected)


def test_a_torch_without_its_library_is_not_well(tmp_path: Path) -> None:
    """By its own list of files: one that never had that library (a stand-in) is none that lost it."""
    prefix, other = make_venv(tmp_path / "env"), make_venv(tmp_path / "other")
    add_torch(other, "2.14.1+cpu")
    names = ("python", "cpu", "cuda")
    files = {"torch/__init__.py": "", **{f"torch/lib/libtorch_{name}.so": "" for name in names}}
    add_wheel(prefix, "torch", "2.14.1+cu126", files)
    states = [one.state for folder in (prefix, other) if (one := look(folder))]
    assert states == [EnvironmentState.OK] * 2
    (site_of(prefix) / "torch" / "lib" / "libtorch_cuda.so").unlink()
    found = look(prefix)
    assert found is not None
    assert found.reason is not None
    assert "torch/lib/libtorch_cuda.so" in text(found.reason, "en")
    shutil.rmtree(site_of(prefix) / "torch" / "lib")
    found = look(prefix)
    assert found is not None
    assert (found.state, found.torch) == (EnvironmentState.BROKEN, "2.14.1")
    assert found.reason is not None
    assert "torch/lib/libtorch_python.so" in text(found.reason, "en")


@pytest.mark.parametrize("name", ["_C.cpython-312-x86_64-linux-gnu.so", "_C.cp312-win_amd64.pyd"])
def test_a_torch_without_its_compiled_part_is_not_well(tmp_path: Path, name: str) -> None:
    prefix = make_venv(tmp_path / "env")
    add_wheel(prefix, "torch", "2.14.1+cpu", {"torch/__init__.py": "", "torch/_C/x.pyi": "", f"torch/{name}": ""})
    found = look(prefix)
    assert found is not None
    assert found.state is EnvironmentState.OK
    (site_of(prefix) / "torch" / name).unlink()
    found = look(prefix)
    assert found is not None
    assert found.state is EnvironmentState.BROKEN
    assert found.reason is not None
    assert f"torch/{name}" in text(found.reason, "en")


def test_two_builds_of_torch_over_each_other_are_told(tmp_path: Path) -> None:
    prefix = make_venv(tmp_path / "env")
    add_torch(prefix, "2.14.1+cu126")
    add_torch(prefix, "2.15.0+cpu")
    found = look(prefix)
    assert found is not None
    assert found.state is EnvironmentState.BROKEN
    assert found.reason is not None
    assert "torch-2.14.1+cu126, torch-2.15.0+cpu" in text(found.reason, "en")


@linux
@pytest.mark.parametrize("newest", ["python3.12", "python3.14t"])
def test_an_environment_without_a_word_about_its_python_has_the_newest(tmp_path: Path, newest: str) -> None:
    """3.12 is newer than 3.9, although its text comes before."""
    for folder, version in (("python3.9", "1.13.0+cpu"), (newest, "2.14.1+cu126")):
        info = tmp_path / "lib" / folder / "site-packages" / f"torch-{version}.dist-info"
        info.mkdir(parents=True)
    assert read_contents(tmp_path, None).variant == "cu126"


def test_torch_of_conda_by_its_records_alone(tmp_path: Path) -> None:
    prefix = make_conda(tmp_path / "env")
    add_conda_package(prefix, "pytorch", "2.5.1", "py3.12_cuda12.4_cudnn9.1.0_0", [])
    add_conda_package(prefix, "torchvision", "0.20.1", "py312_cu124", [])
    found = look(prefix)
    assert found is not None
    assert (found.torch, found.variant) == ("2.5.1", "cu124")
    assert [(one.name, one.version) for one in found.companions] == [("torchvision", "0.20.1")]
    assert found.packages == 3


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        ("cuda126_mkl_py312_h4f3ed5c_300", "cu126"),
        ("py3.12_cuda11.8_cudnn9.1.0_0", "cu118"),
        ("cuda_126_generic_py310", "cu126"),
        ("cpu_mkl_py311_h5dd3ca3_101", "cpu"),
        ("py3.12_cpu_0", "cpu"),
        ("py312h0", None),
    ],
)
def test_variant_in_a_conda_build(build: str, expected: str | None) -> None:
    assert build_variant(build) == expected


def test_a_version_file_that_is_none() -> None:
    assert parse_variant("") is None
    assert parse_variant("<html>") is None
    assert parse_variant(VERSION_PY.format(version="2", cuda="None", hip="None")) == "cpu"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("version = 3.12.4", "3.12.4"),
        ("version_info = 3.12.4.final.0", "3.12.4"),
        ("version_info = 3.13.1", "3.13.1"),
        ("Version=3.9.2\r", "3.9.2"),
        ("version = ", None),
        ("", None),
    ],
)
def test_python_of_a_venv(line: str, expected: str | None) -> None:
    assert cfg_python(parse_cfg(f"home = /usr/bin\n{line}\nprompt = 'x'\n")) == expected


def test_who_made_it(tmp_path: Path) -> None:
    """conda writes its command into the history, we write our name, rattler leaves it empty."""
    conda = look(make_conda(tmp_path / "a"))
    ours = look(make_conda(tmp_path / "b", history="==> 2026-11-21 12:00:00 <==\n# cmd: torch-setup\n"))
    rattler = look(make_conda(tmp_path / "c", history=""))
    assert [one.kind for one in (conda, ours, rattler) if one] == [
        EnvironmentKind.CONDA,
        EnvironmentKind.RATTLER,
        EnvironmentKind.RATTLER,
    ]
