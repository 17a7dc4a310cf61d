"""What a README has for one system alone: another branch or repository, and the programs of its commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, codes, decided
from wizard.machine.model import Machine

TORCH: dict[str, str | bytes] = {"requirements.txt": "torch\n"}


def told(folder: Path, code: str, files: dict[str, str | bytes], on: Machine) -> list[tuple[str, str]]:
    found = decided(folder / "it", {**TORCH, **files}, on)
    said = [one.params for one in found.remarks if one.key == f"project.remark.{code}"]
    return [(f"{one['file']}:{one['line']}", str(one.get("programs", ""))) for one in said]


@pytest.mark.parametrize(
    "words",
    [
        "Made on Linux. For Windows, please use the [main-windows](https://github.com/a/b/tree/main-windows) branch.",
        "**Windows users**: check out the `windows` branch.",
        "Windows: see https://github.com/somebody/it-windows",
        "```\ngit checkout main-windows\n```",
        "```\ngit clone -b windows https://github.com/a/it\n```",
    ],
)
def test_another_branch_for_windows_is_told_there_alone(tmp_path: Path, words: str) -> None:
    files: dict[str, str | bytes] = {"README.md": f"# It\n{words}\n"}
    [(place, _)] = told(tmp_path / "a", "other-branch", files, ADA)
    assert place == ("README.md:3" if words.startswith("```") else "README.md:2")
    assert told(tmp_path / "b", "other-branch", files, AMPERE) == []


@pytest.mark.parametrize(
    "words",
    [
        "Windows is not supported in this branch.",
        "For Windows, install [git](https://github.com/git-for-windows/git).",
        "For Windows, use the triton branch of https://github.com/woct0rdho/triton-windows.",
        "On Windows use the windows branch of [other](https://github.com/a/other/tree/windows).",
        "We fixed the bug for Windows users in the main branch.",
        "Works on Windows and on Linux, see the main branch.",
        "```\ngit checkout main\ngit clone https://github.com/a/windows-tools\n```",
        "On Windows use `set` instead of export, see the main branch.",
        "The sliding windows branch of the network uses attention.",
    ],
)
def test_what_is_no_other_branch_of_the_project_is_not_told(tmp_path: Path, words: str) -> None:
    files: dict[str, str | bytes] = {"README.md": f"# It\n{words}\n"}
    for number, on in enumerate((ADA, AMPERE)):
        assert told(tmp_path / str(number), "other-branch", files, on) == []


def test_programs_are_told_in_the_words_of_the_system(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"README.md": "```\nsudo apt-get install -y espeak-ng ffmpeg libgl1\n```\n"}
    words = "FFmpeg (winget install Gyan.FFmpeg), eSpeak NG (winget install eSpeak-NG.eSpeak-NG)"
    assert told(tmp_path / "a", "programs-elsewhere", files, ADA) == [("README.md:2", words)]
    assert told(tmp_path / "b", "programs-elsewhere", files, AMPERE) == []
    files = {"README.md": "```\nchoco install ffmpeg\n```\n"}
    assert told(tmp_path / "c", "programs-elsewhere", files, ADA) == []
    linux = [("README.md:2", "FFmpeg (sudo apt install ffmpeg)")]
    assert told(tmp_path / "d", "programs-elsewhere", files, AMPERE) == linux


def test_programs_that_a_readme_installs_in_the_way_of_this_system_are_told_too(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "- ffmpeg: `sudo apt-get install git ffmpeg libgl1`\n\nyum install ffmpeg\n"
    }
    files["cut.py"] = "import subprocess\nsubprocess.run(['ffmpeg', '-i', 'a'])\n"
    assert told(tmp_path / "a", "programs-here", files, AMPERE) == [("README.md:1", "FFmpeg, libgl1")]
    assert told(tmp_path / "b", "programs-here", files, ADA) == []
    files = {"README.md": "```\nwinget install ffmpeg\n```\n", "requirements.txt": "torch\npydub\n"}
    assert told(tmp_path / "c", "programs-here", files, ADA) == [("README.md:2", "FFmpeg")]
    assert told(tmp_path / "d", "of-the-system", files, ADA) == []
    assert told(tmp_path / "e", "programs-here", {"README.md": "brew install ffmpeg\n"}, AMPERE) == []


def test_a_command_over_several_lines_is_read_to_its_end(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "```\nsudo apt-get install -y \\\n  libgl1 \\\n  ffmpeg\ngit-lfs\n```\n"
    }
    said = [("README.md:2", "FFmpeg (winget install Gyan.FFmpeg)")]
    assert told(tmp_path, "programs-elsewhere", files, ADA) == said


def test_a_system_that_has_a_line_of_its_own_is_told_nothing(tmp_path: Path) -> None:
    for number, words in enumerate(
        ("apt install ffmpeg\nwinget install ffmpeg", "apt install ffmpeg\n# Windows: get ffmpeg from its page")
    ):
        files: dict[str, str | bytes] = {"README.md": f"```\n{words}\n```\n"}
        assert told(tmp_path / str(number), "programs-elsewhere", files, ADA) == []


def test_a_program_that_code_starts_is_told_where_no_readme_has_it(tmp_path: Path) -> None:
    code = "import subprocess\n\n\ndef cut(path):\n    subprocess.run(['ffmpeg', '-i', path])\n"
    files: dict[str, str | bytes] = {"README.md": "# It\n", "cut.py": code}
    assert told(tmp_path / "a", "programs-started", files, ADA) == [("cut.py:5", "FFmpeg (winget install Gyan.FFmpeg)")]
    assert told(tmp_path / "b", "programs-started", {**files, "README.md": "apt install ffmpeg\n"}, ADA) == []
    other = "import subprocess\n# run('ffmpeg')\nname = 'ffmpeg'\nsubprocess.run(['ffmpeg-tool'])\n"
    assert told(tmp_path / "c", "programs-started", {**files, "cut.py": other}, ADA) == []


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [
        ("**Windows + WSL.** Follow this guide.", True),
        ("On Windows, it's recommended to use [Windows Subsystem for Linux (WSL)](https://a.b) here.", True),
        ("### A note for Windows users\n\nWe recommend running the code in WSL2:", True),
        ("On Windows, WSL2 is an alternative that you can also use.", False),
        ("### Linux\n\nWe recommend running the code in WSL2:", False),
        ("Tested on Windows and WSL2.", False),
    ],
)  # fmt: skip
def test_who_is_sent_to_wsl_on_windows_is_told_so_there(tmp_path: Path, lines: str, is_told: bool) -> None:
    files: dict[str, str | bytes] = {"README.md": f"# It\n\n{lines}\n", "requirements.txt": "torch\n"}
    assert ("named-wsl" in codes(decided(tmp_path / "a", files, ADA))) == is_told
    assert "named-wsl" not in codes(decided(tmp_path / "b", files, AMPERE))
