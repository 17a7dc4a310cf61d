"""What pixi's files ask for: its environments, tasks and the systems and CUDA that they want."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import (
    ADA,
    AMPERE,
    BLACKWELL,
    NO_CARD,
    PASCAL,
    build,
    codes,
    decided,
    without,
)
from wizard.model.messages import text
from wizard.project.read import read_project

_PIXI = """
[workspace]
channels = ["conda-forge"]
platforms = ["linux-64"]
[dependencies]
tqdm = "*"
[feature.gpu.system-requirements]
cuda = "12.8"
[feature.gpu.dependencies]
cuda-version = "12.*"
pytorch-gpu = "*"
[feature.gpu.pypi-dependencies]
onnxruntime-gpu = "*"
[feature.cpu.dependencies]
pytorch-cpu = "*"
onnxruntime = "*"
[environments]
default = ["gpu"]
cpu = ["cpu"]
"""


def test_without_a_card_the_environment_of_pixi_for_these_is_taken(tmp_path: Path) -> None:
    taken = {
        NO_CARD: (["tqdm", "onnxruntime"], "cpu", "default"),
        BLACKWELL: (["tqdm", "onnxruntime-gpu"], "default", "cpu"),
    }
    for on, (rest, chosen, others) in taken.items():
        found = decided(tmp_path, {"pixi.toml": _PIXI}, on)
        assert [one.name for one in found.understood.rest if not one.name.startswith("cuda-")] == rest
        [said] = [one.params for one in found.remarks if one.key == "project.remark.environments"]
        assert (said["chosen"], said["others"]) == (chosen, others)
        assert ("system-cuda" in codes(found), without(found)) == (False, ())


def test_the_cuda_that_pixi_wants_of_a_system_is_told_where_torch_has_an_older_one(tmp_path: Path) -> None:
    words = '[workspace]\nchannels = []\n[system-requirements]\ncuda = "13"\n[dependencies]\npytorch-gpu = "*"\n'
    given = {}
    for on in (BLACKWELL, PASCAL, NO_CARD):
        found = decided(tmp_path, {"pixi.toml": words}, on)
        given[build(found)[1]] = [one.params for one in found.remarks if one.key == "project.remark.system-cuda"]
    assert [(variant, len(said)) for variant, said in given.items()] == [("cu132", 0), ("cu126", 1), ("cpu", 1)]
    assert (given["cu126"][0]["line"], given["cu126"][0]["asked"]) == (4, "13")


def test_a_pixi_that_names_other_systems_only_is_told_there(tmp_path: Path) -> None:
    text = '[workspace]\nplatforms = ["linux-64"]\n[dependencies]\npytorch = "2.5.*"\neinops = "*"\n'
    for on, told in ((AMPERE, set()), (ADA, {"lock-elsewhere"})):
        found = decided(tmp_path / on.os, {"pixi.toml": text}, on)
        assert (build(found)[0], codes(found) & {"lock-elsewhere"}) == ("2.5.1", told)
        assert [one.name for one in found.understood.rest] == ["einops"]


def test_a_pixi_table_for_one_system_holds_there_alone(tmp_path: Path) -> None:
    words = """[dependencies]
pytorch = "2.4.*"
[pypi-dependencies]
tensorflow = "*"
[target.win-64.pypi-dependencies]
tensorflow-cpu = "*"
"""
    for on, names in ((AMPERE, ["tensorflow"]), (ADA, ["tensorflow", "tensorflow-cpu"])):
        found = decided(tmp_path, {"pixi.toml": words}, on)
        assert [one.name for one in found.understood.rest] == names


def test_of_pixi_environments_that_exclude_each_other_one_is_taken_and_said(tmp_path: Path) -> None:
    words = """[feature.py39.dependencies]
python = "3.9.*"
[feature.py310.dependencies]
python = "3.10.*"
[feature.old.dependencies]
pytorch = "1.7.1"
numpy = "<1.19"
[feature.new.dependencies]
pytorch = "2.3.0"
pytorch-cuda = "12.1"
torchvision = "0.18.0"
[environments]
a = ["py39", "old"]
b = ["py39", "new"]
c = { features = ["py310", "new"] }
"""
    found = decided(tmp_path, {"pixi.toml": words}, AMPERE)
    assert build(found) == ("2.3.0", "cu121", "3.10")
    assert (found.relaxed, found.numpy) == ((), "")
    [told] = [text(remark) for remark in found.remarks if remark.key.endswith(".environments")]
    assert "c is taken, and not a, b" in told


def test_the_pythons_of_other_environments_are_no_clash(tmp_path: Path) -> None:
    words = '[dependencies]\npython = ">=3.10,<3.14"\npytorch = "*"\n'
    for minor in (11, 12, 13):
        words += f'[feature.py{minor}.dependencies]\npython = "3.{minor}.*"\n'
    words += '[environments]\ndefault = ["py11"]\npy12 = ["py12"]\npy13 = ["py13"]\n'
    lock = "packages:\n"
    for minor in (11, 12):
        lock += f"- conda: https://conda.anaconda.org/conda-forge/linux-64/python-3.{minor}.1-h1_0_cpython.conda\n"
    found = decided(tmp_path / "a", {"pixi.toml": words, "pixi.lock": lock}, AMPERE)
    assert (build(found)[2], codes(found) & {"contradiction", "python-left"}) == ("3.11", set())
    alone = decided(tmp_path / "b", {"pixi.toml": words, "pixi.lock": lock.replace("3.11.1", "3.10.1")}, AMPERE)
    assert "python-left" in codes(alone)


def test_the_environments_of_pixi_for_other_computers_are_named(tmp_path: Path) -> None:
    words = '[pypi-dependencies]\neinops = "*"\n'
    for kind in ("cpu", "gpu"):
        words += f'[feature.{kind}.pypi-dependencies]\ntorch = "*"\nonnx{kind} = "*"\n'
    words += '[environments]\ndefault = ["gpu"]\nrelease-small = ["cpu"]\ntest = ["gpu", "test"]\n'
    found = decided(tmp_path, {"pixi.toml": words}, NO_CARD)
    [said] = [one.params for one in found.remarks if one.key.endswith("remark.environments")]
    assert (said["chosen"], said["others"]) == ("default", "release-small")
    assert [one.name for one in found.understood.rest] == ["einops", "onnxgpu"]
    words = '[dependencies]\npytorch = "*"\n[feature.cuda.dependencies]\ncuda-version = "12.*"\n'
    words += '[environments]\ncuda = ["cuda"]\ndocs = ["docs"]\n'
    found = decided(tmp_path / "base", {"pixi.toml": words}, NO_CARD)
    assert [one.params["others"] for one in found.remarks if one.key.endswith("remark.environments")] == ["cuda"]


def test_a_repository_that_a_task_of_pixi_installs_is_a_part_of_the_project(tmp_path: Path) -> None:
    words = '[tasks]\nbuild = { cmd = "python -m pip install git+https://git.example/a/lie.git", outputs = [] }\n'
    words += '# old = "pip install git+https://git.example/a/older.git"\n[pypi-dependencies]\ntorch = "==2.4.1"\n'
    found = decided(tmp_path, {"pixi.toml": words}, AMPERE)
    [told] = [one.params["packages"] for one in found.remarks if one.key == "project.remark.as-source"]
    assert (told, found.relaxed) == ("lie", ())


def test_the_page_that_pixi_names_beside_torch_is_its_cuda(tmp_path: Path) -> None:
    page = "https://download.pytorch.org/whl/cu128"
    files: dict[str, str | bytes] = {
        "pixi.toml": f'[feature.cuda.pypi-dependencies]\ntorch = {{ version = "==2.8.0", index = "{page}" }}\n'
        '[environments]\ntrain = ["cuda"]\n',
        "conda_environment.yaml": "dependencies:\n  - pytorch\n  - pytorch-cuda=12.1\n",
    }
    assert build(decided(tmp_path, files, AMPERE))[:2] == ("2.8.0", "cu128")


@pytest.mark.parametrize(
    ("tasks", "line"),
    [
        ('[tasks]\nbuild = { cmd = """\n    pip install lycon &&\n    pip install \'flask[all]==2.1\'\n""" }\n', 4),
        ('[tasks.build]\ncmd = ["pip", "install", "lycon", "flask==2.1"]\n', 1),
        ('[feature.dev.tasks]\nbuild = "pip install lycon flask==2.1"\n', 2),
    ],
)
def test_what_a_task_of_pixi_installs_is_read_however_it_is_written(tmp_path: Path, tasks: str, line: int) -> None:
    words = f'{tasks}[pypi-dependencies]\ntorch = "==2.4.1"\n'
    found = decided(tmp_path, {"pixi.toml": words}, AMPERE)
    [told] = [one.params["packages"] for one in found.remarks if one.key == "project.remark.tasks-too"]
    assert str(told).replace("[all]", "").split(", ") == ["lycon", "flask==2.1"]
    [flask] = [one for one in read_project(tmp_path).statements if one.name == "flask"]
    assert flask.origin.line == line
