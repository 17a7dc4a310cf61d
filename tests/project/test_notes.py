"""What a README says of installing that no rule understood is quoted with its line, and nothing that a line of the
answer names already."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, PASCAL, decided
from wizard.machine.model import Machine
from wizard.project.answer import project_document, project_lines
from wizard.project.read import read_project

TORCH = {"requirements.txt": "torch==2.7.0\n"}


def notes(folder: Path, readme: str, on: Machine = AMPERE, **files: str) -> list[str]:
    named = {name.replace("_txt", ".txt"): words for name, words in files.items()}
    return [at.text for at in decided(folder, {"README.md": readme, **TORCH, **named}, on).notes]


@pytest.mark.parametrize(
    "words",
    [
        "You need nvcc of the same CUDA as torch's.",
        "Download the weights from [here](https://example.org/weights) into `weights/`.",
        "Please install git and docker, and make sure that both are on PATH.",
        "A card with at least 16 GB of VRAM is recommended.",
        "请先安装 CUDA 工具包，显存不低于 16 GB。",
    ],
)
def test_a_sentence_below_a_heading_of_installing_is_quoted(tmp_path: Path, words: str) -> None:
    found = decided(tmp_path, {"README.md": f"# It\n## Installation\n{words}\n", **TORCH}, AMPERE)
    (note,) = found.notes
    assert (note.file, note.line) == ("README.md", 3)
    assert note.text == words.replace("[here](https://example.org/weights)", "here").replace("`", "")


@pytest.mark.parametrize("step", ["sudo apt install xvfb", "bash scripts/download_models.sh", "export CUDA_HOME=/x"])
def test_a_step_that_is_no_package_is_quoted(tmp_path: Path, step: str) -> None:
    block = f"```\npip install -r requirements.txt\n{step}\npython train.py\n```\n"
    assert notes(tmp_path, f"# It\n## Setup\n{block}") == [step]
    assert notes(tmp_path, f"# It\n## Training\n{block}") == []


@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("(my_env) $ conda install -c conda-forge openjdk=11", False),  # a remark has it
        ("(my_env) $ sudo apt install xvfb", True),
        ("conda install -c conda-forge scipy", False),
        ("conda install openjdk scipy", False),
    ],
)
def test_a_step_that_installs_no_package_is_quoted(tmp_path: Path, line: str, is_said: bool) -> None:
    assert notes(tmp_path, f"# It\n## Installation\n```\n{line}\n```\n") == ([line] if is_said else [])


def test_instructions_are_of_installing(tmp_path: Path) -> None:
    words = "Please download MuJoCo 2.0 and put its license in place."
    assert notes(tmp_path, f"# It\n## Instructions\n{words}\n") == [words]


def test_elsewhere_only_what_decides_whether_it_runs(tmp_path: Path) -> None:
    readme = (
        "# It\nWe love graphs. Please cite us.\nYou must have a card with 24 GB of VRAM.\n"
        "## News\n- 2024-05-01: CUDA 12 is required now.\n## Training\nMulti-GPU training needs at least 4 GPUs.\n"
        "## Citation\nPlease download the paper.\n"
    )
    assert notes(tmp_path, readme) == ["You must have a card with 24 GB of VRAM."]


def test_what_is_for_another_system_or_another_maker_s_card_is_not(tmp_path: Path) -> None:
    readme = (
        "# It\n## Install\n### Windows\nInstall the C++ build tools of Visual Studio.\n### Ubuntu\n"
        "You need gcc 11 or newer.\n### macOS\nYou need Xcode and its compiler.\n"
        "### AMD\nYou need ROCm and a compiler.\n"
    )
    assert notes(tmp_path, readme, ADA) == ["Install the C++ build tools of Visual Studio."]
    assert notes(tmp_path, readme, AMPERE) == ["You need gcc 11 or newer."]
    words = "On Windows, WSL with Ubuntu is recommended."
    assert notes(tmp_path, f"# It\n## Install\n{words}\n", ADA) == [words]
    assert notes(tmp_path, f"# It\n## Install\n{words}\n", AMPERE) == []


def test_a_way_for_windows_is_quoted_there_wherever_it_is_said(tmp_path: Path) -> None:
    readme = "# It\n- Windows Users\n## Notes\n- For setting up on Windows, refer to issue 168.\n"
    assert notes(tmp_path, readme, ADA) == ["For setting up on Windows, refer to issue 168."]
    assert notes(tmp_path, readme, AMPERE) == []


def test_what_a_line_of_the_answer_names_is_not_quoted_again(tmp_path: Path) -> None:
    readme = "# It\n## Install\nYour GPU must be of Compute Capability 7.5 or newer.\n"
    assert notes(tmp_path, readme, PASCAL) == []  # it is told: the card is older
    assert notes(tmp_path, readme, ADA) == ["Your GPU must be of Compute Capability 7.5 or newer."]


def test_a_comment_of_a_list_is_a_note_too(tmp_path: Path) -> None:
    lines = "torch==2.7.0\neinops  # nothing special\n# flash-attn needs the CUDA toolkit 12.8\n"
    assert notes(tmp_path, "# It\n", requirements_txt=lines) == ["flash-attn needs the CUDA toolkit 12.8"]


def test_the_weightiest_are_quoted_in_their_order(tmp_path: Path) -> None:
    soft = [f"Download the weights number {number} first." for number in range(30)]
    hard = "The CUDA toolkit is needed, and a compiler."
    found = notes(tmp_path, "\n".join(["# It", "## Install", *soft, hard]))
    assert found == [*soft[:11], hard]


def test_a_long_hostile_readme_ends(tmp_path: Path) -> None:
    readme = (
        "## Install\n"
        + "<" * 200_000
        + "\n"
        + "![" * 100_000
        + "\n"
        + "to a " * 50_000
        + "\n"
        + "[x](" * 50_000
        + "\n"
        + "<!--" * 50_000
    )
    assert notes(tmp_path, readme) == []


def test_notes_stand_in_the_document_and_in_the_lines(tmp_path: Path) -> None:
    readme = "# It\n## Install\nYou need nvcc of torch's CUDA.\x1b[2J\n"
    found = decided(tmp_path, {"README.md": readme, **TORCH}, BLACKWELL)
    document = project_document(read_project(tmp_path), found)
    shown = "You need nvcc of torch's CUDA. [2J"
    assert document["notes"] == [{"file": "README.md", "line": 3, "text": shown}]
    assert f"README.md:3: {shown}" in project_lines(found)


def test_a_line_that_leads_to_a_list_says_for_whom_it_is(tmp_path: Path) -> None:
    readme = (
        "# It\n## Install\n> **Note:** for Windows users:\n>\n> 1. Install the CUDA toolkit 12.6\n\n"
        "```\nset CUDA_HOME=C:\\cuda\n```\n\nYou need nvcc.\n\nOn Ubuntu:\n- Install gcc 11\n"
    )
    windows = ["Install the CUDA toolkit 12.6", "set CUDA_HOME=C:\\cuda", "You need nvcc."]
    assert notes(tmp_path, readme, ADA) == windows
    assert notes(tmp_path, readme, AMPERE) == ["You need nvcc.", "Install gcc 11"]


def test_a_sentence_over_several_lines_is_one_with_the_line_it_begins_in(tmp_path: Path) -> None:
    words = "Read this. A mismatch of the CUDA\ntoolkit is not supported\nat all. Thanks.\nYou need gcc.\n"
    readme = f"# It\n## Install\n{words}"
    found = decided(tmp_path, {"README.md": readme, **TORCH}, AMPERE).notes
    said = [(3, "A mismatch of the CUDA toolkit is not supported at all."), (6, "You need gcc.")]
    assert [(at.line, at.text) for at in found] == said


def test_a_pin_in_running_text_and_a_comment_in_a_block_are_quoted(tmp_path: Path) -> None:
    pin = "遇到报错，请尝试pip install gym==0.18.3安装此版本"
    comment = "It is recommended to use torch 2.4.0 with flash-attn 2.6.3"
    readme = f"# It\n{pin}\n\n## Install\n```\n# {comment}\nexport CUDA_VISIBLE_DEVICES=0\n```\n"
    assert notes(tmp_path, readme) == [pin, comment]


def test_a_comment_of_html_is_not_quoted_and_moves_no_line(tmp_path: Path) -> None:
    readme = "# It\n## Install\n<!-- You need gcc.\n\nYou need cmake. -->\nYou need nvcc.\n\n<!-- no end\n"
    found = decided(tmp_path, {"README.md": readme, **TORCH}, AMPERE).notes
    assert [(at.line, at.text) for at in found] == [(6, "You need nvcc.")]


def test_a_secret_of_a_step_is_not_quoted(tmp_path: Path) -> None:
    steps = "export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz123456\nwget https://me:pa55word@host.example/a.zip\n"
    said = " ".join(notes(tmp_path, f"# It\n## Install\n```\n{steps}```\n"))
    assert ("HF_TOKEN=***" in said, "hf_abc" in said, "pa55word" in said) == (True, False, False)


def test_a_translation_says_nothing_twice(tmp_path: Path) -> None:
    words = "# It\n## Install\nYou need nvcc.\n"
    assert notes(tmp_path, words, **{"README_zh.md": "# It\n## Install\n需要 nvcc 编译器。\n"}) == ["You need nvcc."]


@pytest.mark.parametrize(
    ("readme", "notes"),
    [
        ("## Installation\nYou need cmake 3.20 and gcc 9.\n\n## 安装\n需要 cmake 3.20 和 gcc 9。\n", 1),
        ("## Installation\nYou need cmake 3.20 and gcc 9.\n\n## 安装\n需要 cmake 3.20 和 ninja 1。\n", 2),
        ("## Installation\nYou need cmake 3.20 and gcc 9.\n\n## 安装\n需要安装显卡驱动，必须先重启。\n", 2),
        ("## Install\n```\nsudo apt install x\n```\n## Environment\n```\nsudo apt install x\n```\n", 1),
        ("## Finetune\nMulti GPUs (DDP mode recommended)\n", 0),
        ("## Data preparation\nDownload the data and put it in place.\n", 0),
        ("## Installation\nPlease download the dataset from our page.\n", 0),
        ("## Data preparation\nDownload the weights from our page.\n", 1),
        ("## Installation\n_install Docker: https://docs.example\n", 0),
    ],
)
def test_what_is_of_data_or_said_before_is_no_note(tmp_path: Path, readme: str, notes: int) -> None:
    assert len(decided(tmp_path, {"README.md": f"# It\n{readme}", **TORCH}, AMPERE).notes) == notes


def test_a_comment_behind_a_command_is_quoted_with_that(tmp_path: Path) -> None:
    block = "```\nSET DISTUTILS_USE_SDK=1 # Windows only\n# Windows only: close the shell\n```\n"
    said = notes(tmp_path, f"# It\n## Installation\n{block}", ADA)
    assert said == ["SET DISTUTILS_USE_SDK=1 # Windows only", "Windows only: close the shell"]
