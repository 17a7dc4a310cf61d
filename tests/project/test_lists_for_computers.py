"""Which of the lists for several cards, CUDAs or systems counts on one computer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import (
    ADA,
    AMPERE,
    BLACKWELL,
    CONDA,
    NO_CARD,
    OLD_DRIVER,
    PASCAL,
    build,
    codes,
    decided,
    without,
)
from wizard.machine.model import Machine

_OF_CARDS: dict[str, str | bytes] = {
    "requirements.txt": "-r requirements-cuda.txt\n",
    "requirements-cuda.txt": "--extra-index-url https://download.pytorch.org/whl/cu130\ntorch==2.12.0+cu130\nnvcomp-13\n",
    "requirements-cuda-legacy.txt": "torch==2.12.0+cu126\nnvcomp-12\n",
}


def test_a_list_for_another_makers_gpu_does_not_count_beside_the_one_for_this_card(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements_cuda.txt": "--extra-index-url https://download.pytorch.org/whl/cu118\neinops\n",
        "requirements_cpu.txt": "--extra-index-url https://download.pytorch.org/whl/cpu\neinops\n",
        "requirements_intel_gpu_mkl.txt": "torch==2.1.0.post2\nmkl-dpcpp\n",
    }
    for on in (AMPERE, BLACKWELL, NO_CARD):
        found = decided(tmp_path, files, on)
        assert [one.name for one in found.understood.rest] == ["einops"]
        assert found.understood.torch == ()


@pytest.mark.parametrize(
    ("on", "variant", "rest"),
    [(BLACKWELL, "cu130", "nvcomp-13"), (AMPERE, "cu126", "nvcomp-12"), (PASCAL, "cu126", "nvcomp-12")],
)
def test_of_lists_for_cards_that_differ_in_their_cuda_one_alone_is_taken(
    tmp_path: Path, on: Machine, variant: str, rest: str
) -> None:
    found = decided(tmp_path, _OF_CARDS, on)
    assert (build(found)[:2], [one.name for one in found.understood.rest]) == (("2.12.0", variant), [rest])
    assert "cuda-chosen" in codes(found)
    told = [one.params for one in found.remarks if one.key.endswith("list-instead")]
    said = [(one["by"], one["line"], one["left"]) for one in told]
    assert said == [("requirements.txt", 1, "requirements-cuda.txt")] * (variant == "cu126")
    same = {**_OF_CARDS, "requirements-cuda-legacy.txt": "torch==2.12.0+cu130\nnvcomp-12\n"}
    both = decided(tmp_path / "same", same, on)
    assert [one.name for one in both.understood.rest] == ["nvcomp-13", "nvcomp-12"], "parts of one and the same"


@pytest.mark.parametrize(
    ("default", "is_taken"),
    [("torch==2.12.0\nonnxruntime\n", True), ("torch==2.11.0\n", False), ("torch==2.12.0+cu126\n", False)],
)
def test_the_list_beside_those_for_cards_is_taken_without_one(tmp_path: Path, default: str, is_taken: bool) -> None:
    files = {**_OF_CARDS, "requirements-default.txt": default}
    found = decided(tmp_path, files, NO_CARD)
    assert (build(found)[:2], found.relaxed == ()) == (("2.12.0", "cpu"), is_taken)
    assert [one.name for one in found.understood.rest] == (["onnxruntime"] if is_taken else ["nvcomp-13"])
    left = {one.params["file"] for one in found.remarks if one.key.endswith("not-for-this")}
    assert left == ({"requirements-cuda.txt", "requirements-cuda-legacy.txt"} if is_taken else set())
    assert is_taken != ("other-lists" in codes(found))
    on_card = decided(tmp_path, files, BLACKWELL)
    assert [one.name for one in on_card.understood.rest] == ["nvcomp-13"]


def test_of_two_lists_for_other_systems_one_is_taken(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements_mac.txt": "tensorflow==2.16.2\n",
        "requirements_win.txt": "torch==2.6.0\ntensorflow==2.18.0\ntensorflow_intel==2.18.0\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], without(found)) == ("2.6.0", ("tensorflow-intel",))
    assert {one.origin.file for one in found.understood.packages} == {"requirements_win.txt"}


def test_a_list_for_this_system_is_taken_instead_of_the_one_for_all(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.2.2\nuvloop\n",
        "requirements_win.txt": "--extra-index-url https://download.pytorch.org/whl/cu124\ntorch==2.4.0+cu124\n",
    }
    assert build(decided(tmp_path, files, AMPERE))[0] == "2.2.2"
    found = decided(tmp_path, files, ADA)
    assert build(found)[:2] == ("2.4.0", "cu124")
    assert (found.relaxed, without(found), "other-lists" in codes(found)) == ((), (), True)


def test_of_lists_for_several_cudas_the_one_that_runs_here_is_taken(tmp_path: Path) -> None:
    lists: dict[str, str | bytes] = {
        "requirements-cu121.txt": "torch==2.3.1+cu121\n",
        "requirements-cu130.txt": "torch==2.9.0+cu130\n",
    }
    found = decided(tmp_path, lists, BLACKWELL)
    assert (build(found)[:2], found.relaxed) == (("2.9.0", "cu130"), ())
    assert "other-lists" in codes(found)
    assert build(decided(tmp_path, lists, ADA))[:2] == ("2.3.1", "cu121")


@pytest.mark.parametrize(
    ("old", "new"), [("cuda11_8", "cuda12_8"), ("cuda11.8", "cuda12.8"), ("cuda-11-8", "cuda-12-8"), ("cu118", "cu128")]
)
def test_of_environments_for_several_cudas_the_one_that_runs_here_is_taken(tmp_path: Path, old: str, new: str) -> None:
    files: dict[str, str | bytes] = {
        f"environment-{old}.yaml": f"{CONDA}  - pytorch=2.0.1\n  - pytorch-cuda=11.8\n  - pip:\n    - timm==0.6.7\n",
        f"environment-{new}.yaml": f"{CONDA}  - pip:\n    - torch==2.7.1+cu128\n    - timm==1.0.9\n",
    }
    for on, torch, timm in ((OLD_DRIVER, "2.0.1", "==0.6.7"), (BLACKWELL, "2.7.1", "==1.0.9")):
        found = decided(tmp_path, files, on)
        assert (build(found)[0], "contradiction" in codes(found)) == (torch, False)
        assert [one.specifier for one in found.understood.rest if one.name == "timm"] == [timm]
        assert "other-lists" in codes(found)
    files[f"environment-{old}.yaml"] = f"{CONDA}  - pip:\n    - timm==0.6.7\n#    - torch==2.0.0\n"
    found = decided(tmp_path, files, AMPERE)
    assert [one.specifier for one in found.understood.rest if one.name == "timm"] == ["==1.0.9"]


def test_the_list_for_a_mac_and_for_all_without_a_card_is_read_without_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "environment_cpu_apple.yml": f"{CONDA}  - pytorch\n  - pip:\n    - auraloss==0.3.0\n",
        "environment_gpu.yml": f"{CONDA}  - pytorch\n  - pip:\n    - auraloss==0.4.0\n",
    }
    for on, release in ((AMPERE, "==0.4.0"), (NO_CARD, "==0.3.0")):
        assert [one.specifier for one in decided(tmp_path, files, on).understood.rest] == [release]
    files["requirements-linux.txt"] = "torch\nauraloss==0.5.0\n"
    left = {one.params.get("file") for one in decided(tmp_path / "linux", files, NO_CARD).remarks}
    assert {"environment_cpu_apple.yml", "environment_gpu.yml"} <= left


@pytest.mark.parametrize("word", ["metal", "apple_silicon", "mps"])
def test_the_list_for_apples_cards_is_left_out_beside_one_for_these(tmp_path: Path, word: str) -> None:
    files: dict[str, str | bytes] = {
        "requirements_gpu.txt": "torch==2.8.0\neinops\n",
        f"requirements_{word}.txt": "torch>=2.0.0\nonnxruntime==1.20.1\n",
    }
    found = decided(tmp_path, files, BLACKWELL)
    assert [one.name for one in found.understood.rest] == ["einops"]
    [told] = [one.params["file"] for one in found.remarks if one.key == "project.remark.not-for-this"]
    assert told == f"requirements_{word}.txt"


def test_a_list_for_cards_is_taken_instead_of_the_one_for_all(tmp_path: Path) -> None:
    lists: dict[str, str | bytes] = {
        "environment.yml": "dependencies:\n  - pytorch=1.13.1=py3.9_cpu_0\n",
        "environment_cuda.yml": "dependencies:\n  - pytorch=2.0.1=py3.9_cuda11.8_cudnn8.7.0_0\n",
    }
    assert build(decided(tmp_path, lists, AMPERE))[:2] == ("2.0.1", "cu118")
    assert build(decided(tmp_path, lists, NO_CARD))[:2] == ("1.13.1", "cpu")


def test_no_list_for_another_computer_is_said_to_be_taken(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements_cuda.txt": "-r requirements/runtime_cuda.txt\n",
        "requirements_ascend.txt": "-r requirements/runtime_ascend.txt\n",
        "requirements/runtime_cuda.txt": "torch>=2.0\n",
        "requirements/runtime_ascend.txt": "torch==2.1.0\n",
        "requirements/readthedocs.txt": "torch\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert not [one for one in found.remarks if one.key.endswith("other-lists") and "ascend" in str(one.params["file"])]


def test_a_list_for_a_generation_of_cards_counts_there_alone(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "environment.yml": "dependencies:\n  - python=3.11\n  - pytorch\n",
        "environment_blackwell.yml": "dependencies:\n  - python=3.11\n  - pytorch=2.10.0\n",
    }
    assert build(decided(tmp_path, files, BLACKWELL))[0] == "2.10.0"
    assert build(decided(tmp_path, files, AMPERE))[0] == "2.14.1"


def test_beside_a_list_for_this_system_another_says_which_torch_alone(tmp_path: Path) -> None:
    begin = "dependencies:\n  - python=3.11\n"
    files: dict[str, str | bytes] = {
        "environment_linux.yml": f"{begin}  - pip:\n    - torch==2.5.1+cu121\n    - numpy==2.1.2\n    - tqdm\n",
        "environment_windows.yml": f"{begin}  - numpy=2.0.1\n",
    }
    found = decided(tmp_path, files, ADA)
    assert (build(found)[:2], found.numpy) == (("2.5.1", "cu121"), "==2.0.1.*")
    assert [one.name for one in found.understood.rest] == ["numpy"]
    assert codes(found) & {"other-system", "other-system-torch", "contradiction"} == {"other-system-torch"}
    assert {one.name for one in decided(tmp_path, files, AMPERE).understood.rest} == {"numpy", "tqdm"}


@pytest.mark.parametrize(
    ("lines", "on", "told"),
    [
        (
            ["python=3.10.0=h12debd9_5", "pytorch=2.0.1=py3.10_cuda11.8_cudnn8.7.0_0", "pip=23.3.1=py310h06a4308_0"],
            ADA,
            2,
        ),
        (
            ["pytorch=2.0.1=py3.10_cuda11.8_cudnn8_0", "pip=23.3.1=py310haa95532_0", "tqdm=4.66.1=py310haa95532_0"],
            AMPERE,
            3,
        ),
        (["pytorch=2.0.1=py3.10_cuda11.8_cudnn8.7.0_0", "pip=23.3.1=py310h06a4308_0"], AMPERE, 0),
        (["pytorch=2.0.1=py3.10_cuda11.8_cudnn8.7.0_0", "pip=23.3.1=py310haa95532_0"], ADA, 0),
        (["pytorch=2.0.1=py3.10_cuda11.8_cudnn8.7.0_0", "libgcc-ng=9.1.0=hdf63c60_0"], ADA, 0),
    ],
)
def test_builds_that_conda_has_for_another_system_alone_are_told_once(
    tmp_path: Path, lines: list[str], on: Machine, told: int
) -> None:
    text = "channels: [pytorch]\ndependencies:\n" + "".join(f"  - {line}\n" for line in lines)
    found = decided(tmp_path, {"environment.yml": text}, on)
    said = [one.params["count"] for one in found.remarks if one.key.endswith("built-elsewhere")]
    assert (build(found)[:2], said) == (("2.0.1", "cu118"), [told] if told else [])


@pytest.mark.parametrize("on", [NO_CARD, AMPERE])
@pytest.mark.parametrize(
    ("plain", "own", "card"),
    [
        ("environment.yml", "environment_cpuonly.yml", "dgl-cuda11.3"),
        ("requirements.txt", "requirements-cpu.txt", "dgl"),
    ],
)
def test_of_two_whole_lists_the_one_for_no_card_counts_there_alone(
    tmp_path: Path, on: Machine, plain: str, own: str, card: str
) -> None:
    start = "dependencies:\n  - " if plain.endswith(".yml") else ""
    joined = "\n  - " if start else "\n"
    files: dict[str, str | bytes] = {
        plain: start + joined.join(["pytorch=1.12" if start else "torch==1.12.0", "einops", "rich", card]) + "\n",
        own: start + joined.join(["pytorch=1.12" if start else "torch==1.12.0", "einops", "rich", "tqdm"]) + "\n",
    }
    found = decided(tmp_path, files, on)
    names = {one.name for one in found.understood.rest}
    is_cpu = on is NO_CARD
    assert ("tqdm" in names, any(one.startswith("dgl") for one in names)) == (is_cpu, not is_cpu)
    assert ("list-for-cpu" in codes(found), "not-for-this" in codes(found)) == (is_cpu, not is_cpu)
    assert is_cpu == (not any(one.name.startswith("dgl") for one in found.understood.native))
    files[own] = f"-r {plain}\ntorch==1.12.0\n"
    if not start and is_cpu:  # it goes on from there
        assert "list-for-cpu" not in codes(decided(tmp_path / "on", files, on))


ENVIRONMENT = "name: x\ndependencies:\n  - python=3.9\n  - pytorch=1.13\n  - pandas=1.5\n"


@pytest.mark.parametrize("file", ["environment_win10.yml", "env-macosx.yml", "requirements_ubuntu20.txt"])
def test_a_list_of_another_system_is_known_by_more_words(tmp_path: Path, file: str) -> None:
    text = "torch==1.13.1\npandas==1.5\n" if file.endswith(".txt") else ENVIRONMENT
    system = ADA if "ubuntu" in file else AMPERE
    found = decided(tmp_path, {"requirements.txt": "torch==2.1.0\nnumpy\n", file: text}, system)
    assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.1.0", ["numpy"])
    assert [one.params["file"] for one in found.remarks if one.key.endswith("not-for-this")] == [file]


def test_a_list_in_a_folder_of_another_system_is_left_out(tmp_path: Path) -> None:
    readme = "```\npip install -r requirements.txt\npip install -r windows/requirements.txt\n```\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.1.0\nnumpy\n", "README.md": readme}
    files["windows/requirements.txt"] = "pandas\n"
    assert [one.name for one in decided(tmp_path, files, AMPERE).understood.rest] == ["numpy"]
    assert [one.name for one in decided(tmp_path, files, ADA).understood.rest] == ["numpy", "pandas"]


def test_a_list_that_is_left_out_is_not_quoted(tmp_path: Path) -> None:
    comment = "# CUDA 11.8 must be there on the computer\n"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.1.0\n",
        "requirements-linux.txt": f"uvloop\n{comment}",
    }
    assert [str(at) for at in decided(tmp_path, files, AMPERE).notes] == ["requirements-linux.txt:2"]
    assert decided(tmp_path, files, ADA).notes == ()
