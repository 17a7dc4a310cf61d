"""What a README says in words of systems and cards: for which it is written, and what that means on another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, PASCAL, build, codes, decided
from wizard.project.versions import marker_holds


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        ("- Linux x86_64\n", True),
        ("* OS: Ubuntu 20.04+\n", True),
        ("- Ubuntu: 18.04 and above.\n- CUDA: 11.3 and above.\n", True),
        ("It is compatible with Python 3.9 - 3.11, Linux and macOS.\n", True),
        ("- Linux x86_64\n\nOn Windows use pip.\n", False),
        ("* A linux 64-bits architecture (i.e. `linux-64` platform in `conda info`).\n", True),
        ("- Linux(ubuntu, debian) or WSL2, (not tested on a Mac)\n\nOn Windows:\n", True),
        ("- Linux or macOS with Python ≥ 3.6\n", True),
        ("- Linux or Windows\n", False),
        ("- Linux server for training (with Windows)\n", False),
        ("1. Win + Anaconda (not supported)\n", True),
        ("1. Windows (supported)\n", False),
        ("We ran it on a Linux machine.\n", False),
        ("- **System**: It is currently tested only on **Linux**.  For windows setup, refer to [#3](x).\n", True),
        ("It only supports Linux.\n\nOn Windows use WSL.\n", True),
        ("P is currently only supported on Linux and OSX.\n", True),
        ("Currently Linux only. Windows users: see below.\n", True),
        (
            "```\n--use-mt   Edit it (currently Linux only)\n-m, --mask X  Linux only\n```\nOn Windows see x.\n",
            False,
        ),
        ("Flash attention is only for Linux on Windows machines with WSL.\n", False),
        ("This works with any Linux, only the fonts differ on Windows.\n", False),
        ("Native Windows is not supported. Use WSL 2.\n", True),
        ("It will be difficult or impossible to make training work on native Windows, as X is hard to have.\n", True),
        ("We have not tested on Windows.\n", True),
        ("Flash-attn is not supported on Windows.\n", False),
        ("## Flash-attn\nThis is not yet supported on Windows.\n", False),
        ("AMD GPU with ROCm\n-----------------\nThis is not yet supported on Windows, but on Linux.\n", False),
        ("## AMD\nSee below.\n\n## Systems\nThis is not yet supported on Windows.\n", True),
        ("If it does not work on Windows, update it.\n", False),
        ("To reproduce it, install our environment on a Linux machine with a card.\n", True),
        ("On Ubuntu, install ffmpeg first.\n", False),
        ("Linux users with cards need the toolkit, tested on Ubuntu.\nUsers on other systems take pip.\n", False),
        ("<summary>My machine (for reference)</summary>\n\n* Ubuntu==20.04\n", False),
        ("## Our environment\n- Ubuntu 20.04\n", False),
        ("## Environment\n- Ubuntu 20.04\n", True),
        ("4. Install the Mamba model\n   > **Linux only**\n\n   See Windows below.\n", False),
        ("4. Install all\n\n**Linux only**\n\nSee Windows below.\n", True),
        ("The font is not the one that Windows has.\n", False),
    ],
)
def test_a_readme_that_names_linux_alone_is_told_on_windows(tmp_path: Path, words: str, is_told: bool) -> None:
    files: dict[str, str | bytes] = {"README.md": words, "requirements.txt": "torch\n"}
    assert ("named-systems" in codes(decided(tmp_path, files, ADA))) == is_told
    assert "named-systems" not in codes(decided(tmp_path, files, AMPERE))


@pytest.mark.parametrize(
    ("words", "more", "is_told"),
    [
        ("```\nconda create -n x\nbash build_all.sh\n```\n", {}, True),
        ("```\n$ ./scripts/install_deps.sh\n```\n", {}, True),
        ("```\nbash train.sh\n```\n", {}, False),  # no step of setting up
        ("```\nbash build_other.sh\n```\n", {}, False),  # of somewhere else
        ("Call bash build_all.sh\n", {}, False),
        ("```\nbash build_all.sh\n```\nOn Windows see issue 3.\n", {}, False),
        ("```\nbash build_all.sh\n```\n", {"build_all.bat": "cd x\n"}, False),
    ],
)
def test_a_step_that_is_a_script_of_linux_is_told_on_windows(
    tmp_path: Path, words: str, more: dict[str, str | bytes], is_told: bool
) -> None:
    files: dict[str, str | bytes] = {"README.md": words, "requirements.txt": "torch\n", **more}
    files |= dict.fromkeys(("build_all.sh", "scripts/install_deps.sh", "train.sh"), "make\n")
    told = [one.params["line"] for one in decided(tmp_path, files, ADA).remarks if one.key.endswith("shell-step")]
    assert bool(told) == is_told
    assert "shell-step" not in codes(decided(tmp_path, files, AMPERE))


@pytest.mark.parametrize(
    ("words", "least"),
    [
        (
            "- Your NVIDIA GPU(s) must be of Compute Capability 7.5. Turing and later architectures are supported.",
            "7.5",
        ),
        ("- NVIDIA GPU, compute capability >= 7.5", "7.5"),
        ("A card with compute capability 7.5 or higher", "7.5"),
        ("- **GPU**: `CUDA compute capability` 8.0+", "8.0"),
        ("It needs an Ampere or newer GPU.", "8.0"),
        ("- a Turing GPU or newer", "7.5"),
        ("计算能力 7.5 以上的显卡", "7.5"),
        ("If your card has compute capability 8.0 or higher, it is faster.", ""),
        ("- Added kernels for Turing and later architectures", ""),
        ("The V100 has compute capability 7.0.", ""),
        ("Cards with compute capability < 7.5 take another way.", ""),
        ("Python 3.8 or newer is needed", ""),
    ],
)
def test_a_readme_that_wants_a_newer_card_is_told(tmp_path: Path, words: str, least: str) -> None:
    files: dict[str, str | bytes] = {"README.md": f"## Prerequisites\n{words}\n", "requirements.txt": "torch\n"}
    found = {name: decided(tmp_path, files, on) for name, on in (("old", PASCAL), ("new", AMPERE), ("no", NO_CARD))}
    told = [one.params for one in found["old"].remarks if one.key == "project.remark.named-card"]
    assert [(one["line"], one["least"], one["given"]) for one in told] == [(2, least, "6.1")] * bool(least)
    assert ("named-no-card" in codes(found["no"])) == bool(least)
    assert not {"named-card", "named-no-card"} & codes(found["new"])


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        ("This package requires Linux and a GPU with CUDA and bfloat16 support.", True),
        ("You need to have an NVIDIA GPU.", True),
        ("It needs an NVIDIA card.", True),
        ("If you want to use this on your own computer, you must have an NVIDIA GPU.", True),
        ("If you'd like to run it, you need a CUDA card.", True),
        ("If you want to use this optimizer, you must have an NVIDIA GPU.", False),
        ("It does not need a CUDA GPU.", False),
        ("To use your NVIDIA GPU, you will need to have the driver for your GPU installed.", False),
        ("You need to install the driver of your NVIDIA graphics card.", False),
        ("With CUDA, memory needs grow.", False),
        ("Requires a GPU or a CPU.", False),
        ("--bf16  Load it in bfloat16. Requires an NVIDIA GPU.", False),
    ],
)
def test_a_readme_that_demands_a_card_is_told_without_one(tmp_path: Path, words: str, is_told: bool) -> None:
    files: dict[str, str | bytes] = {"README.md": f"# P\n\n{words}\n", "requirements.txt": "torch\n"}
    assert ("named-no-card" in codes(decided(tmp_path, files, NO_CARD))) == is_told
    assert not {"named-card", "named-no-card"} & codes(decided(tmp_path, files, PASCAL))


@pytest.mark.parametrize(
    ("words", "torch"),
    [
        ("For RTX 50 series GPUs, PyTorch 2.8.0 with CUDA 12.8/12.9 should be used.", "2.8.0"),
        ("If you have an RTX 5090, use PyTorch 2.9.1.", "2.9.1"),
        ("- Blackwell: PyTorch 2.8.0", "2.8.0"),
        ("For RTX 40 series GPUs, PyTorch 2.8.0 should be used.", "2.7.1"),
        ("PyTorch 2.8.0 does not work on RTX 50 series cards.", "2.7.1"),
        ("For RTX 50 cards take PyTorch 2.8.0 or PyTorch 2.9.1.", "2.7.1"),
        ("PyTorch 2.8.0 is the newest for Linux.", "2.7.1"),
    ],
)
def test_a_torch_that_a_readme_names_for_such_cards_is_the_one_that_it_moves_to(
    tmp_path: Path, words: str, torch: str
) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.6.0\n", "README.md": f"# P\n\n{words}\n"}
    moved = decided(tmp_path, files, BLACKWELL)
    assert (build(moved)[0], "for-cards" in codes(moved)) == (torch, torch != "2.7.1")
    for on in (AMPERE, NO_CARD):
        kept = decided(tmp_path, files, on)
        assert (build(kept)[0], "for-cards" in codes(kept)) == ("2.6.0", False)


def test_words_on_one_system_count_for_that_one_where_others_are_on_the_other(tmp_path: Path) -> None:
    ubuntu = "- Ubuntu 22 with torch 1.12 & CUDA 11.6 on a V100.\n"
    readme = f"# t\nTested on:\n\n{ubuntu}- Windows 10 with torch 2.1 & CUDA 12.1 on a 3070.\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": readme}
    for on, torch, tag, line in ((AMPERE, "1.12", "cu116", 4), (ADA, "2.1", "cu121", 5)):
        found = decided(tmp_path / on.os, files, on)
        assert (build(found)[0][: len(torch)], build(found)[1]) == (torch, tag)
        here = [one for one in found.understood.torch if marker_holds(one.marker, on.os, "3.10")]
        assert [one.origin.line for one in here] == [line]
    alone = decided(tmp_path / "alone", {**files, "README.md": f"# t\nTested on:\n\n{ubuntu}"}, ADA)
    assert [one.origin.line for one in alone.understood.torch] == [4]  # nothing is said of this system


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("### AMD GPU's (Linux only)\n", False),
        ("To run the demo (linux only) use:\n", False),
        ("# Or install it with the loader for training (Linux only)\n", False),
        ("This framework supports Linux, MacOS and Windows. Training is only tested under Linux.\n", False),
        ("This framework supports no Windows. It is only tested under Linux.\n", True),
        ("## Installation (Linux only)\n", True),
    ],
)
def test_a_part_for_linux_alone_is_not_the_project(tmp_path: Path, line: str, *, is_told: bool) -> None:
    readme = f"# t\nRun `install.bat` on Windows 10 or higher.\n{line}"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": readme, "install.bat": "echo\n"}
    assert ("named-systems" in codes(decided(tmp_path, files, ADA))) == is_told


def test_what_a_readme_hides_wants_no_card(tmp_path: Path) -> None:
    line = "Requires an NVIDIA GPU with 20 GB (an A100).\n"
    for words, is_told in ((line, True), (f"<!-- {line.strip()} -->\n", False)):
        files: dict[str, str | bytes] = {"requirements.txt": "torch==2.0.0\n", "README.md": f"# t\n{words}"}
        assert ("named-no-card" in codes(decided(tmp_path / str(is_told), files, NO_CARD))) == is_told
