"""What packages of the index work with and do not bring, and what is none of that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, NO_CARD, PASCAL, build, codes, decided
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
        ("mpi4py>=3.0.0\n", PASCAL, ["mpi4py: an MPI runtime (winget install Microsoft.msmpi)"]),
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


LOADS = "import torchaudio\n\n\ndef f(file):\n    return torchaudio.load(file)\n"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("torchaudio\n", [("main.py", 5, "torchaudio.load", "torchcodec")]),
        ("torchaudio\ntorchcodec\n", []),
        ("torchaudio==2.8.0\n", []),
    ],
)
def test_a_call_that_newer_torch_has_beside_another_package_alone_is_told(
    tmp_path: Path, lines: str, told: list[tuple[object, ...]]
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch\n{lines}", "main.py": LOADS}, AMPERE)
    said = [one.params for one in found.remarks if one.key == "project.remark.beside-code"]
    assert [(one["file"], one["line"], one["used"], one["package"]) for one in said] == told
    assert ("FFmpeg" in str([one.params for one in found.remarks])) == ("codec" in lines or bool(told))
    assert found.is_exact


def test_a_call_that_needs_another_package_moves_no_torch(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ntorchaudio\n"}
    alone = build(decided(tmp_path / "alone", files, AMPERE))
    assert build(decided(tmp_path / "a", {**files, "main.py": LOADS}, AMPERE)) == alone
    guarded = LOADS.replace("    return", "    try:\n        return") + "    except ImportError:\n        return None\n"
    assert "beside-code" not in codes(decided(tmp_path / "b", {**files, "main.py": guarded}, AMPERE))


@pytest.mark.parametrize(
    ("on", "way"), [(ADA, "winget install Gyan.FFmpeg.Shared"), (AMPERE, "sudo apt install ffmpeg")]
)
def test_what_opens_the_libraries_of_ffmpeg_needs_a_build_that_has_them(tmp_path: Path, on: Machine, way: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\ntorchcodec\n"}, on)
    [said] = [str(one.params["programs"]) for one in found.remarks if one.key.endswith(".of-the-system")]
    assert said == f"torchcodec: FFmpeg with its libraries ({way})"


def test_two_packages_of_one_module_are_told_with_the_one_that_is_installed(tmp_path: Path) -> None:
    lines = "torch\nonnxruntime==1.15.1\nonnxruntime-gpu==1.18.0\nopencv-python\nopencv-python-headless\n"
    for on, stays in ((AMPERE, ["opencv-python", "onnxruntime-gpu"]), (NO_CARD, ["opencv-python"])):
        found = decided(tmp_path / str(len(stays)), {"requirements.txt": lines}, on)
        assert [one.params["stays"] for one in found.remarks if one.key == "project.remark.same-files"] == stays


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [
        ("bpy==4.0\n", True),
        ("bpy==4.2.0\n", False),
        ("bpy\n", False),
        ("--extra-index-url https://download.blender.org/pypi/\nbpy==4.0\n", False),
    ],
)
def test_a_release_that_only_its_makers_index_has_is_told(tmp_path: Path, lines: str, is_told: bool) -> None:
    found = decided(tmp_path, {"requirements.txt": f"{lines}torch\n"}, AMPERE)
    assert ("own-index" in codes(found)) == is_told
