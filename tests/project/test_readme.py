"""What a README says without a command: lists of what is needed, programs of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, codes, decided
from wizard.machine.model import Machine
from wizard.project.readme.lists import listed_packages


def listed(text: str) -> list[str]:
    return [str(one) for one in listed_packages("README.md", text)]


def test_a_block_below_a_sentence_that_asks_for_it_is_read() -> None:
    text = (
        "Install the following Python dependencies (with `pip install`):\n\n    matplotlib\n    plyfile\n"
        "    'trimesh>=2.35.39,<2.35.40'\n\n## Run\n\n    other\n"
    )
    assert listed(text) == ["matplotlib", "plyfile", "trimesh<2.35.40,>=2.35.39"]


def test_bullets_below_a_heading_of_needs_are_read_with_their_bounds() -> None:
    text = (
        "## Requirements\n- Python 3.6\n- RDKit (version >= 2019.03)\n* networkx\n* numpy >= 1.16\n- scipy, pandas\n"
        "- matplotlib 3.1+ (for plots)\n- `foo` 1.2 or newer\n"
    )
    assert listed(text) == [
        "rdkit>=2019.03",
        "networkx",
        "numpy>=1.16",
        "scipy",
        "pandas",
        "matplotlib>=3.1",
        "foo>=1.2",
    ]


@pytest.mark.parametrize(
    "line",
    ["A CUDA card", "Blender 2.8", "Node.js >= 14", "FFmpeg", "gcc >= 7", "16 GB RAM", "Linux", "PyTorch >= 1.0"],
)
def test_programs_and_words_are_no_packages(line: str) -> None:
    assert listed(f"## Requirements\n- {line}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "## Usage\n- numpy\n",
        "The package includes these modules:\n- numpy\n",
        "Install it:\n```\npip install numpy\n```\n",
        "## Results\nIt needs numpy.\n- numpy\n",
        "## Performance comparison\nIt uses three packages:\n\n1. numpy\n1. dlib\n",
        "## Usage\nThis notebook demonstrates these packages:\n\n1. numpy\n1. dlib\n",
    ],
)
def test_other_lists_are_none_of_needs(text: str) -> None:
    assert listed(text) == []


def test_a_list_binds_nothing_and_is_named_as_a_whole(tmp_path: Path) -> None:
    names = [f"a-package-of-a-long-name-{number}>=1.{number}" for number in range(20)]
    readme = "Install these packages with pip:\n\n" + "".join(f"- {name}\n" for name in names)
    found = decided(tmp_path, {"README.md": readme, "environment.yml": "dependencies:\n- pytorch\n- einops\n"}, AMPERE)
    said = [one for one in found.remarks if one.key.endswith("named-apart")]
    assert [name for one in said for name in str(one.params["packages"]).split(", ")] == names
    assert not any(one.name.startswith("a-package") for one in found.understood.rest)
    (tmp_path / "beside").mkdir()
    assert "named-too" in codes(
        decided(tmp_path / "beside", {"README.md": readme, "requirements.txt": "torch\n"}, AMPERE)
    )


def test_the_release_that_is_read_stands_in_the_quote(tmp_path: Path) -> None:
    words = "Install [Pytorch](https://pytorch.org/) and more, " + "which takes a long while and some space, " * 3
    tested = "The code is tested with Ubuntu 18.04, Pytorch v2.4, CUDA 12.1 and Foo v1.14."
    readme = f"## Installation\n\n{words}. {tested} Well.\n"
    found = decided(tmp_path, {"README.md": readme, "requirements.txt": "torch\n"}, AMPERE)
    said = [one for one in found.remarks if "text" in one.params]
    assert said
    assert all("v2.4, CUDA 12.1 and Foo v1.14" in str(one.params["text"]) for one in said)


@pytest.mark.parametrize(
    "text",
    [
        "- " + "`" * 5_000_000,
        "Requirements:\n" + "- numpy, " * 1_000_000,
        "Requirements:\n" + "- a\n" * 2_000_000,
        "Requirements:\n- " + "[a](" * 1_000_000,
        "packages " * 1_000_000 + ":",
    ],
)
def test_long_texts_are_read_in_their_length(text: str) -> None:
    assert listed(text) == []


def programs(folder: Path, files: dict[str, str | bytes], on: Machine) -> list[tuple[str, str, str]]:
    remarks = decided(folder, {"requirements.txt": "torch\n", **files}, on).remarks
    said = [one for one in remarks if "programs" in one.params]
    places = [f"{one.params.get('file')}:{one.params.get('line')}" for one in said]
    codes = [one.key.rpartition(".")[2] for one in said]
    return list(zip(codes, places, (str(one.params["programs"]) for one in said), strict=True))


FFMPEG = {ADA: "FFmpeg (winget install Gyan.FFmpeg)", AMPERE: "FFmpeg (sudo apt install ffmpeg)"}


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        ("1. Install [ffmpeg](https://ffmpeg.org/). This is necessary for reading audio files.", True),
        ("Assuming that you already have `ffmpeg` installed, install the rest by `conda`:", True),
        ("FFmpeg must be installed.", True),
        ("Make sure that FFmpeg is there.", True),
        ("If you want to cut films, you need to install ffmpeg.", False),
        ("It supports ffmpeg.", False),
        ("It does not need ffmpeg.", False),
        ("Errors of ffmpeg are shown.", False),
    ],
)
def test_a_program_that_a_sentence_asks_for_is_told(tmp_path: Path, words: str, is_told: bool) -> None:
    for number, on in enumerate((ADA, AMPERE)):
        found = programs(tmp_path / str(number), {"README.md": f"# It\n{words}\n"}, on)
        assert found == [("programs-said", "README.md:2", FFMPEG[on])] * is_told


def test_a_program_below_a_heading_of_needs_is_told_and_what_a_package_brings_is_not(tmp_path: Path) -> None:
    readme = "## Requirements\n- FFmpeg\n- MuJoCo\n- ffmpeg-python\n"
    assert [one[2] for one in programs(tmp_path / "a", {"README.md": readme}, AMPERE)] == [
        FFMPEG[AMPERE],
        "MuJoCo (https://github.com/google-deepmind/mujoco/releases/tag/2.1.0)",
    ]
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch\nmujoco\n"}
    assert [one[2] for one in programs(tmp_path / "b", files, AMPERE)] == [FFMPEG[AMPERE]]


def test_recipes_of_images_and_test_runs_name_what_the_system_must_have(tmp_path: Path) -> None:
    image = "FROM a\nRUN apt-get -qq install -y \\\n  # all\n  wget cmake \\\n  # some\n  kalign \\\n  && true\n"
    files: dict[str, str | bytes] = {"README.md": "# It\n", "Dockerfile": image}
    files[".github/workflows/ci.yml"] = "jobs:\n  - run: sudo apt-get install -y kalign libsndfile1\n"
    assert programs(tmp_path / "a", files, AMPERE) == [
        ("programs-here", "Dockerfile:6", "Kalign"),
        ("programs-here", ".github/workflows/ci.yml:2", "libsndfile1"),
    ]
    elsewhere = [("programs-elsewhere", "Dockerfile:6", "Kalign (WSL: sudo apt install kalign)")]
    assert programs(tmp_path / "b", files, ADA) == elsewhere


def test_what_windows_lacks_of_programs_that_code_and_scripts_start_is_told_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "# It\nFor the data, run `./getdata.sh`.\n",
        "getdata.sh": "mkdir a\nwget -c http://a/b.zip\nunzip -q b.zip\n",
        "a.py": "import subprocess\nargs = ['wget', '-O', 'a']\nsubprocess.call(args)\n",
    }
    wget, unzip = "Wget (winget install JernejSimoncic.Wget)", "UnZip (winget install GnuWin32.UnZip)"
    assert programs(tmp_path / "a", files, ADA) == [("shell-script-with", "README.md:2", f"{wget}, {unzip}")]
    assert programs(tmp_path / "b", files, AMPERE) == []
    files["README.md"] = "# It\n"
    assert programs(tmp_path / "c", files, ADA) == [("programs-started", "a.py:2", wget)]


@pytest.mark.parametrize(
    ("pin", "is_told"), [("==0.10.3.post1", True), ("<0.11", True), ("", False), (">=0.12", False)]
)
def test_a_release_whose_wheel_for_linux_has_no_library_is_told_there(tmp_path: Path, pin: str, is_told: bool) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch\nsoundfile{pin}\n"}
    found = [one[0] for one in programs(tmp_path / "a", files, AMPERE)]
    assert found == ["of-the-system"] * is_told
    assert programs(tmp_path / "b", files, ADA) == []
