"""What packages of the index work with and do not bring, and what is none of that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, codes, decided
from wizard.machine.model import Machine


def said(folder: Path, code: str, lines: str, on: Machine, **files: str) -> list[str]:
    others: dict[str, str | bytes] = {name.replace("_", "."): text for name, text in files.items()}
    found = decided(folder, {"requirements.txt": f"torch\n{lines}", **others}, on)
    told = [one.params for one in found.remarks if one.key == f"project.remark.{code}"]
    return [str(one.get("programs") or one.get("command")) for one in told]


@pytest.mark.parametrize(
    ("lines", "on", "told"),
    [
        ("phonemizer==3.2.1\n", AMPERE, ["phonemizer: eSpeak NG (sudo apt install espeak-ng)"]),
        ("phonemizer\n", ADA, ["phonemizer: eSpeak NG (winget install eSpeak-NG.eSpeak-NG)"]),
        ("phonemizer\nespeakng-loader\n", AMPERE, []),
        ("phonemizer; sys_platform == 'win32'\n", AMPERE, []),
        ("pyaudio\n", AMPERE, ["pyaudio: PortAudio (sudo apt install portaudio19-dev libasound2-dev)"]),
        ("pyaudio\n", ADA, []),
        ("mpi4py>=3.0.0\n", AMPERE, ["mpi4py: an MPI runtime (sudo apt install libopenmpi-dev openmpi-bin)"]),
        ("einops\nimageio-ffmpeg\nsoundfile\n", AMPERE, []),
    ],
)
def test_what_packages_need_of_the_system_is_told(tmp_path: Path, lines: str, on: Machine, told: list[str]) -> None:
    assert said(tmp_path, "of-the-system", lines, on) == told


def test_what_packages_need_of_the_system_is_told_once_and_of_a_readme_too(tmp_path: Path) -> None:
    told = said(tmp_path / "a", "of-the-system", "mpi4py\nphonemizer\npydub\n", AMPERE)
    assert [[each.partition(":")[0] for each in one.split("; ")] for one in told] == [["pydub", "phonemizer", "mpi4py"]]
    assert said(tmp_path / "b", "of-the-system", "einops\n", AMPERE, README_md="pip install pytesseract\n")
    code = {"run_py": "import subprocess\nsubprocess.run(['ffmpeg', '-i', 'x'])\n", "README_md": "# t\n"}
    assert said(tmp_path / "c", "of-the-system", "pydub\n", AMPERE, **code) == []
    assert "programs-started" in codes(decided(tmp_path / "c", {}, AMPERE))


def test_a_command_that_makes_a_package_whole_is_told(tmp_path: Path) -> None:
    assert said(tmp_path / "a", "after-install", "unidic==1.1.0\n", ADA) == ["python -m unidic download"]
    assert said(tmp_path / "b", "after-install", "unidic-lite\nmecab-python3\n", ADA) == []
