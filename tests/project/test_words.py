"""What a README says in words counts last: where no file and no command has a version.

One file: each is a sentence or two, and what is decided by them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, PASCAL, build, codes, decided, relaxed
from tests.project.test_read import asked, project_of
from wizard.project.model import NOTE

LISTED = "# Model\n## Requirements\n- Python 3.8\n- PyTorch 1.13.1\n* CUDA 11.6\n"


@pytest.mark.parametrize("files", [{}, {"requirements.txt": "einops\n"}, {"requirements.txt": "torch\n"}])
def test_a_list_in_words_counts_where_nothing_else_has_a_version(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    found = decided(tmp_path, {"README.md": LISTED, **files}, AMPERE)
    assert (build(found), found.relaxed) == (("1.13.1", "cu116", "3.8"), ())
    assert "recommended" in codes(found)
    moved = decided(tmp_path, {"README.md": LISTED, **files}, BLACKWELL)
    assert relaxed(moved)["torch"][:2] == ("==1.13.1", "2.7.1")
    assert "python-left" in codes(moved)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("requirements.txt", "torch==2.4.0\n"),
        ("Dockerfile", "RUN pip install torch==2.4.0\n"),
        ("README.md", f"{LISTED}```\npip install torch==2.4.0\n```\n"),
    ],
)
def test_no_file_and_no_command_gives_way_to_words(tmp_path: Path, name: str, words: str) -> None:
    files: dict[str, str | bytes] = {"README.md": LISTED, name: words}
    assert build(decided(tmp_path, files, AMPERE)) == ("2.4.0", "cu118", "3.8")


def test_a_python_in_words_chooses_within_what_is_declared(tmp_path: Path) -> None:
    readme = "It is compatible with Python 3.9 - 3.11, Linux and macOS. To install it, see below.\n"
    setup = "from setuptools import setup\nsetup(python_requires='%s', install_requires=['torch==2.7.0'])\n"
    for bound, python, told in ((">=3.8", "3.11", False), (">=3.12", "3.12", True)):
        found = decided(tmp_path, {"README.md": readme, "setup.py": setup % bound}, ADA)
        assert (build(found)[2], "python-left" in codes(found), relaxed(found)) == (python, told, {})


def test_a_bound_in_words_is_what_is_needed_and_a_release_beside_it_what_was_tried(tmp_path: Path) -> None:
    readme = "Requires Python 3.6+ and PyTorch 1.10+\n\nTested with Python 3.9 and PyTorch 1.10.\n"
    found = decided(tmp_path, {"README.md": readme}, BLACKWELL)
    assert (build(found)[0], found.relaxed) == ("2.15.0", ())
    assert {"asked-in-words", "in-words", "python-left"} <= codes(found)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("- Python >= 3.8", {"python": ">=3.8"}),
        ("* **Python**: 3.8+", {"python": ">=3.8"}),
        ("Python 3.6 or newer is needed", {"python": ">=3.6"}),
        ("Your Python version must be between 3.10 and 3.12, inclusive.", {"python": ">=3.10,<3.13"}),
        ("1. `python` 3.8, 3.9 or 3.10", {"python": ">=3.8,<3.11"}),
        ("- PyTorch 2.1 or later", {"torch": ">=2.1"}),
        ("* python 3.8 y superior", {"python": ">=3.8"}),
        ("* python 3.8 et plus", {"python": ">=3.8"}),
        ("- PyTorch 2.1 oder höher", {"torch": ">=2.1"}),
        ("- python 3.8以降", {"python": ">=3.8"}),
        ("- [PyTorch](https://pytorch.org) >= 1.7", {"torch": ">=1.7"}),
        ("- torch = 1.10.0", {"torch": "==1.10.0"}),
        ("- PyTorch version: 2.7.1+cu126", {"torch": "==2.7.1"}),
        ("| PyTorch | 2.1.2 |", {"torch": "==2.1.2"}),
        ("- PyTorch < 2.0", {"torch": "<2.0"}),
        ("Install [Python](https://python.example) **< 3.12** and Git.", {"python": "<3.12"}),
        ("2. Install [PyTorch 2.0](https://pytorch.example/get-started)", {"torch": "==2.0.*"}),
        (
            "Our code is tested with Python 3.10, PyTorch 2.3.1 and CUDA 12.1.",
            {"python": "==3.10.*", "torch": "==2.3.1", "cudatoolkit": "==12.1.*"},
        ),
        ("Tested with PyTorch 1.8 - 2.1", {"torch": ">=1.8,<2.2"}),
        ("所需环境：Python 3.9，PyTorch 2.0.1 以上", {"python": "==3.9.*", "torch": ">=2.0.1"}),
        ("- 2024-05: PyTorch 2.3 support was added", {}),
        ("It is 2x faster than PyTorch 2.1", {}),
        ("Python 3.12 is not supported", {}),
        ("- Python 2.7", {}),
        ("- PyTorch 1.13 has a bug in its penalty (take 2.0+)", {}),
        ("One uses PyTorch 2.0 here, while others use PyTorch 1.10 and Python 3.7", {}),
        ("```\ncompile = True  # requires PyTorch 2.0\n```", {}),
        ("```\npython 3.9\npytorch 2.0.1\n```", {"python": "==3.9.*", "torch": "==2.0.1"}),
        ("- PyTorch Lightning 2.1", {}),
        ("- pytorch-lightning 2.1", {}),
        ("![](https://img.shields.io/badge/python-3.10-blue)", {}),
        ("See https://pytorch.org/docs/torch-2.1", {}),
    ],
)
def test_what_words_ask_for(tmp_path: Path, words: str, expected: dict[str, str]) -> None:
    project = project_of(tmp_path, {"README.md": f"{words}\n", "requirements.txt": "einops\n"})
    assert {one.name: one.specifier for one in project.statements if one.name not in ("einops", NOTE)} == expected


@pytest.mark.slow
@pytest.mark.parametrize("line", ["torch" + " " * 3_900 + "x", "cd " + "a/" * 1_900, "git clone " + "a" * 3_900])
def test_a_line_that_was_made_to_be_slow_is_read(tmp_path: Path, line: str) -> None:
    project = project_of(tmp_path, {"README.md": f"{line}\n" * 400, "requirements.txt": "torch==2.4.0\n"})
    assert asked(project, "torch") == [("==2.4.0", "requirements.txt:1")]


def test_a_tag_of_html_is_no_part_of_a_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "1. pip install -r requirements.txt<br>\n2. pip install einops</code>\n",
        "requirements.txt": "torch\n",
    }
    assert "include-missing" not in codes(decided(tmp_path, files, AMPERE))
    assert asked(project_of(tmp_path, files), "einops")


def test_the_description_of_somebodys_computer_asks_for_nothing(tmp_path: Path) -> None:
    table = "\n| GPU | 8 x H100 |\n| CUDA | CUDA 12.6 |\n"
    for heading, tags in (("### 1. Hardware Configuration", []), ("### Hardware requirements", ["cu126"])):
        files: dict[str, str | bytes] = {"README.md": f"{heading}\n{table}", "requirements.txt": "torch\n"}
        assert [one.tag for one in decided(tmp_path, files, AMPERE).understood.tags] == tags


@pytest.mark.parametrize(
    "words",
    [
        "```\npython=3.9\npytorch==1.13.1\ntransformers==4.28.1\n\ntorchvision==0.14.1\npeft==0.3.0  # must be\n```\n",
        "| name | version |\n|--|--|\n| **torch** | 1.13.1 |\n| transformers | 4.28.1 |\n| `torchvision` | 0.14.1 |\n"
        "| peft | 0.3.0 | tuning |\n",
        "- Python 3.9\n- PyTorch 1.13.1\n- transformers 4.28.1\n- torchvision: 0.14.1\n- peft == 0.3.0\n- CUDA 11.6\n",
        "Tested with pytorch==1.13.1, torchvision==0.14.1, transformers==4.28.1 and `peft==0.3.0`.\n"
        "Fixed: torch and gradio==3.1 do not go together.\n",
    ],
)
def test_what_a_list_names_beside_torch_is_told_and_its_torchvision_taken(tmp_path: Path, words: str) -> None:
    readme = f"# Model\n## Requirements\n{words}\nFaster:\n\n- ResNet 76.1\n- loss: 0.25\n"
    found = decided(tmp_path, {"README.md": readme}, AMPERE)
    [told] = [one.params for one in found.remarks if one.key.endswith(("named-too", "named-apart"))]
    assert (told["packages"], told["file"]) == ("transformers==4.28.1, peft==0.3.0", "README.md")
    assert (build(found)[0], found.understood.rest) == ("1.13.1", ())
    assert [one.specifier for one in found.understood.pairs["torchvision"]] == ["==0.14.1"]
    listed = {"README.md": readme, "requirements.txt": "torch==2.0.1\ntransformers\npeft\n"}
    assert not {"named-too", "named-apart"} & codes(decided(tmp_path / "listed", {**listed}, AMPERE))


def test_numbers_of_a_list_without_torch_are_no_versions(tmp_path: Path) -> None:
    readme = "| model | score |\n|--|--|\n| jax | 12.30 |\n| torch | 14.20 |\n\n```yaml\nlr: 0.001\n```\n"
    assert not {"named-too", "named-apart"} & codes(
        decided(tmp_path, {"README.md": readme, "requirements.txt": "torch\n"}, AMPERE)
    )


@pytest.mark.parametrize("name", ["PyG", "PyTorch Geometric", "torch-geometric"])
@pytest.mark.parametrize("mark", ["* ", "- ", "--"])
def test_pyg_in_a_list_beside_torch_is_named(tmp_path: Path, name: str, mark: str) -> None:
    readme = f"## Dependencies\n\n{mark}pytorch 1.11\n{mark}{name} 2.1\n"
    found = decided(tmp_path, {"README.md": readme, "requirements.txt": "rdkit\n"}, AMPERE)
    assert build(found)[0] == "1.11.0"
    [said] = [one.params["packages"] for one in found.remarks if one.key.endswith(("named-too", "named-apart"))]
    assert said == "torch-geometric==2.1"


def test_options_of_a_list_are_words(tmp_path: Path) -> None:
    readme = "## Environment\n--cuda 11.8\n\n--python 3.9.17\n\n--pytorch 2.0.1\n"
    found = decided(tmp_path, {"README.md": readme, "requirements.txt": "einops\n"}, AMPERE)
    assert build(found) == ("2.0.1", "cu118", "3.9")


def test_of_several_recommended_releases_a_readmes_counts_before_a_dockerfiles(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "einops\n",
        "README.md": "```\npip install torch==2.4.0\n# pip install torch==2.6.0\n```\n",
        "Dockerfile": "RUN pip install torch==2.5.1\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[0] == "2.4.0"
    assert "recommended-others" in codes(found)


def test_a_comment_above_a_line_without_a_version_counts_before_a_line_that_is_switched_off(tmp_path: Path) -> None:
    fence = "```\n# pytorch=1.10.0 cudatoolkit=11.3.1\nconda install pytorch cudatoolkit -c pytorch\n"
    files: dict[str, str | bytes] = {"README.md": f"{fence}# conda install pytorch=1.7.1 cudatoolkit=11.0\n```\n"}
    assert build(decided(tmp_path, files, AMPERE))[0] == "1.10.0"


def test_an_old_pyg_is_named_with_the_parts_that_it_is_imported_with_alone(tmp_path: Path) -> None:
    found = decided(tmp_path, {"README.md": "* pytorch 1.11\n* PyG 2.1\n", "requirements.txt": "einops\n"}, AMPERE)
    assert [one.name for one in found.understood.native] == ["torch-geometric", "torch-scatter", "torch-sparse"]
    [parts] = [one for one in found.remarks if one.key.endswith(".parts")]
    assert parts.params["page"] == "https://data.pyg.org/whl/torch-1.11.0+cu115.html"
    listed: dict[str, str | bytes] = {
        "requirements.txt": "torch\ntorch-geometric==2.2.0\ntorch-scatter\ntorch-sparse\n"
    }
    assert "parts" not in codes(decided(tmp_path / "listed", listed, AMPERE))
    assert "parts" not in codes(decided(tmp_path / "new", {"requirements.txt": "torch-geometric>=2.1\n"}, AMPERE))


def test_a_line_with_torch_and_a_cuda_is_what_somebody_works_with(tmp_path: Path) -> None:
    words = "Tesla **A100** (40G): CUDA 11.1 + PyTorch 1.8.0 + torchvision 0.9.0<br>\n"
    words += "other cards: CUDA 10.1 + PyTorch 1.7.1 + torchvision 0.8.2\n"
    found = decided(tmp_path / "a", {"INSTALL.md": words, "README.md": "See [here](INSTALL.md).\n"}, ADA)
    assert build(found)[:2] == ("1.8.0", "cu111")
    assert (found.candidate and found.candidate.torchvision, [*found.understood.pairs]) == ("0.9.0", ["torchvision"])
    news = "- Fixed a bug with PyTorch 1.8.0 and CUDA 11.1.\n"
    files: dict[str, str | bytes] = {"README.md": news, "requirements.txt": "torch\n"}
    assert build(decided(tmp_path / "b", files, ADA))[0] == "2.14.1"


def test_the_python_of_an_environment_that_is_to_be_made_is_the_projects(tmp_path: Path) -> None:
    words = "1. Create a new python virtual env with python 3.6, 3.7 or 3.8 (3.8 recommended)\n"
    files: dict[str, str | bytes] = {"README.md": words, "requirements.txt": "torch==1.10.0\n"}
    assert build(decided(tmp_path, files, AMPERE))[2] == "3.8"


def test_what_a_later_sentence_denies_is_not_what_the_first_says(tmp_path: Path) -> None:
    words = "Developed and tested with PyTorch 1.8-2.0. This is not a strict requirement.\n"
    found = decided(tmp_path / "a", {"requirements.txt": "torch\n", "README.md": words}, NO_CARD)
    assert build(found)[0] == "2.0.1"
    assert "recommended" in codes(found)
    denied = "It was not tested with PyTorch 1.8-2.0. Any newer release does.\n"
    assert build(decided(tmp_path / "b", {"requirements.txt": "torch\n", "README.md": denied}, NO_CARD))[0] != "2.0.1"


def test_what_a_later_sentence_says_to_install_makes_no_command_of_the_first(tmp_path: Path) -> None:
    said = "The code requires `python>=3.8`, as well as `pytorch>=1.7`."
    files: dict[str, str | bytes] = {"train.py": "import torch\n"}
    found = decided(tmp_path / "a", {**files, "README.md": f"{said} Please read on to install both.\n"}, NO_CARD)
    assert "asked-in-words" in codes(found)
    assert "undeclared" not in codes(found)
    command = "It requires torch, so do pip install pytorch 1.7.1 first. Have fun.\n"
    assert build(decided(tmp_path / "b", {**files, "README.md": command}, NO_CARD))[0] != "1.7.1"


@pytest.mark.parametrize("head", ["## Requirements", "# 2. Prerequisites:", "### Dependencies", "## 环境要求"])
@pytest.mark.parametrize("mark", ["", "* "])
def test_prose_below_a_heading_of_needs_counts_as_words_and_is_no_command(tmp_path: Path, head: str, mark: str) -> None:
    said = f"{mark}64-bit Python 3.7 and PyTorch 1.7.1. See https://pytorch.org/ for PyTorch install instructions.\n"
    files: dict[str, str | bytes] = {"README.md": f"# A\n{head}\n{said}", "train.py": "import torch\n"}
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[::2], [one.name for one in found.understood.rest]) == (("1.7.1", "3.7"), [])
    assert "recommended" in codes(found)
    files["requirements.txt"] = "torch==2.4.1\n"
    assert build(decided(tmp_path / "b", files, AMPERE))[0] == "2.4.1", "a file goes before"
    del files["requirements.txt"]
    files["README.md"] = f"# A\n{head}\n## News\n{said}"
    assert build(decided(tmp_path / "c", files, AMPERE))[0] != "1.7.1", "the next heading ends it"
    files["README.md"] = f"# A\n{head}\n{said.replace('1.7.1', '1.7.1 (or later)')}"
    assert build(decided(tmp_path / "d", files, AMPERE))[0] == "2.14.1"


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        ("For GPUs that do not support `flash-attn`, install `xformers` and set `BACKEND` to `xformers`.", True),
        ("If flash_attn is not available for your card, use `--attn sdpa`.", True),
        ("Without flash-attn, set `USE_FLASH=0`.", True),
        ("Flash-attn is much faster. Please install it.", False),
        ("Our code does not use xformers, install what you like.", False),
    ],
)
def test_what_a_readme_says_to_do_without_a_package_is_told_where_that_is_left_out(
    tmp_path: Path, words: str, is_told: bool
) -> None:
    readme = f"By default the code uses flash-attn. {words}\n```\npip install flash-attn\n```\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch==2.8.0\n"}
    told = [one.params for one in decided(tmp_path, files, PASCAL).remarks if one.key.endswith("way-round")]
    assert [(one["name"], one["line"], one["text"]) for one in told] == [("flash-attn", 1, words)] * is_told
    assert "way-round" not in codes(decided(tmp_path, files, AMPERE))


@pytest.mark.parametrize(
    ("comment", "python"),
    [
        ("# python3.10 environment", "3.10"),
        ("# Python>=3.13", "3.13"),
        ("# tested with python 3.11", "3.11"),
        ("# python 3.10 needs an older numba", "3.12"),
        ("# python 3.10\n# python 3.11", "3.12"),
    ],
)
def test_the_python_of_a_lists_comment_counts_as_one_in_words(tmp_path: Path, comment: str, python: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"{comment}\ntorch>=1.8.0\n"}
    assert build(decided(tmp_path / "a", files, AMPERE))[2] == python
    files["README.md"] = "# t\n## Requirements\n- Python 3.11\n"
    assert build(decided(tmp_path / "b", files, AMPERE))[2] == "3.11"


def test_a_python_of_a_lists_comment_that_torch_has_no_more_is_told(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "# python3.8 environment\ntorch>=1.8.0\n"}, AMPERE)
    [told] = [one.params for one in found.remarks if one.key.endswith("python-left")]
    assert (told["line"], told["text"], build(found)[2]) == (1, "# python3.8 environment", told["python"])


def test_a_torch_in_words_gives_way_to_a_declared_cuda(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "environment.yml": "dependencies:\n  - python=3.10\n  - pytorch\n  - pytorch-cuda=11.8\n",
        "README.md": "# X\n## Training\nThe training code is tested with PyTorch 1.13.1 and CUDA 11.7.\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[:2], relaxed(found)) == (("2.7.1", "cu118"), {})
    assert "recommended-apart" in codes(found)


def test_a_list_whose_versions_follow_the_names_without_a_blank_is_read(tmp_path: Path) -> None:
    readme = (
        "# t\n## 1. Environments we use\n\n* Python3.8.9\n* pytorch2.0.1\n* `librosa0.7.1`\n* h5py3.8.0\n* step2\n\n"
    )
    found = decided(tmp_path, {"README.md": f"{readme}* release1.2 of this\n", "a.py": "import torch\n"}, AMPERE)
    assert (build(found)[0], build(found)[2]) == ("2.0.1", "3.8")
    [said] = [one.params["packages"] for one in found.remarks if one.key.endswith(".named-apart")]
    assert said == "librosa==0.7.1, h5py==3.8.0"


@pytest.mark.parametrize(
    ("words", "torch"),
    [
        ("Follow the guide in `docs/prepare_env/install_guide.md`.", "1.11.0"),
        ("Follow [this](docs/prepare_env/install_guide.md).", "1.11.0"),
        ("Call `docs/prepare_env/install_guide.md.bak`, or ask.", ""),
    ],
)
def test_a_manual_that_a_readme_names_is_read_where_nothing_else_names_torch(
    tmp_path: Path, words: str, torch: str
) -> None:
    manual = "# Install\n```\nconda install pytorch==1.11.0 -c pytorch\n```\n"
    files: dict[str, str | bytes] = {"README.md": f"# t\n{words}\n", "docs/prepare_env/install_guide.md": manual}
    found = decided(tmp_path, {**files, "requirements.txt": "einops\n"}, AMPERE)
    assert [one.specifier for one in found.understood.torch] == ([f"=={torch}"] if torch else [])
