"""What an install script does: the words that it sets, the files that it fetches.

One file: each a few lines of a script, and what is decided by them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, ANY, BLACKWELL, NO_CARD, PASCAL, build, codes, decided, relaxed
from tests.project.test_read import asked, project_of
from wizard.compatibility.data.load import load_matrix
from wizard.machine.model import Machine
from wizard.model.errors import UsageError
from wizard.model.messages import text
from wizard.project.decide import ProjectDecision, decide
from wizard.project.read import read_project


def test_words_that_a_script_sets_before_are_read(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"install.sh": 'EXTRA="einops==0.8.0 timm>=1.0"\npip install torch $EXTRA\n'})
    assert [asked(project, name)[0][0] for name in ("einops", "timm")] == ["==0.8.0", ">=1.0"]


@pytest.mark.parametrize("place", ["", "./", "wheels/"])
def test_a_wheel_that_a_script_fetched_is_what_it_installs(tmp_path: Path, place: str) -> None:
    page, end = "https://download.pytorch.org/whl", "cp310-cp310-linux_x86_64.whl"
    words = "if nvidia-smi; then\n"
    words += f"  wget {page}/cu121/torch-2.1.2%2Bcu121-{end}\n  pip3 install {place}torch-2.1.2+cu121-{end} --no-deps\n"
    words += f"else\n  pip3 install ./torch-2.1.2+cpu-{end}\nfi\npip install torchvision==0.16.2\n"
    files: dict[str, str | bytes] = {"setup/setup-gpu.sh": words, "README.md": "* PyTorch 1.9+\n"}
    for on in (AMPERE, NO_CARD):
        found = decided(tmp_path, files, on)
        assert (build(found)[0], build(found)[2], relaxed(found)) == ("2.1.2", "3.10", {})
    named = {one.name for one in project_of(tmp_path, files).statements}
    assert not [name for name in named if name[:1] == "-" or "/" in name]


def test_a_script_is_found_below_where_a_readme_does_not_say_in_which_folder(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "```\nbash env.sh\n./train.sh\n```\n",
        "stereo/env.sh": "pip install torch==1.12.1+cu113 torchvision==0.13.1+cu113\npip install timm==0.5.4\n",
        "third_party/env.sh": "pip install torch==1.8.0\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[:2] == ("1.12.1", "cu113")
    assert not codes(found) & {"undeclared", "include-missing"}
    several = {**files, "other/env.sh": "pip install torch==2.0.1\n", "requirements.txt": "torch\n"}
    assert "several-named" in codes(decided(tmp_path / "several", several, AMPERE))
    words = "bash env.sh\nsource /opt/ros/setup.bash\npip install numpy\n"
    gone = decided(tmp_path / "gone", {"README.md": words}, AMPERE)
    assert [one.params["name"] for one in gone.remarks if one.key.endswith("include-missing")] == ["env.sh"]


def test_of_two_scripts_the_one_that_is_followed_is_named(tmp_path: Path) -> None:
    pins = {"a": "torch==1.12.1+cu113", "b": "torch==2.0.1"}
    found = decided(tmp_path, {f"env_{name}.sh": f"pip install {pin}\n" for name, pin in pins.items()}, AMPERE)
    [said] = [one for one in found.remarks if one.key == "project.remark.recommended"]
    assert (build(found)[0], said.params["file"]) == ("2.0.1", "env_b.sh")


def test_a_script_is_started_in_the_folder_that_the_line_before_went_to(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "```\ncd b\nbash env.sh\n```\n",
        "a/env.sh": "pip install torch==2.0.1\n",
        "b/env.sh": "pip install torch==2.1.1\n",
    }
    assert build(decided(tmp_path, files, AMPERE))[0] == "2.1.1"


def contradictions(found: ProjectDecision) -> list[str]:
    return [text(one) for one in found.remarks if "contradiction" in one.key]


def test_another_torch_of_a_script_is_told_and_the_declared_one_counts(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "install.sh": "pip install torch==2.1.1 torchvision==0.16.1\npip install einops==0.8.0\n",
        "requirements.txt": "torch==1.13.1\ntorchvision==0.14.1\neinops==0.7.0\n",
        "README.md": "`pip install torch==2.1.1`\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[0] == "1.13.1"
    told = [one.params for one in found.remarks if one.key == "project.remark.contradiction"]
    places = [(one["file"], one["other_file"], one["other"]) for one in told]
    assert places == [
        ("requirements.txt", "README.md", "torch==2.1.1"),
        ("requirements.txt", "install.sh", "einops==0.8.0"),
    ]


def test_one_of_several_lines_of_a_readme_may_go_with_what_is_declared(tmp_path: Path) -> None:
    words = "pip install torch==2.1.1\npip install torch==1.13.1+cu116\n"
    files: dict[str, str | bytes] = {"README.md": words, "requirements.txt": "torch==1.13.1\n"}
    assert contradictions(decided(tmp_path, files, AMPERE)) == []


def test_how_many_more_lines_stand_against_each_other_is_told(tmp_path: Path) -> None:
    pins = {f"p{number}": ("1", "2") for number in range(9)}
    lists = ["".join(f"{name}=={pin[at]}\n" for name, pin in pins.items()) for at in (0, 1)]
    files: dict[str, str | bytes] = {"requirements.txt": f"torch\n{lists[0]}", "setup.cfg": ""}
    files["pyproject.toml"] = f"[project]\nname = 'x'\ndependencies = {lists[1].split()}\n"
    told = contradictions(decided(tmp_path, files, NO_CARD))
    assert (len(told), told[-1][:12]) == (7, "3 more lines")


def test_an_image_whose_torch_is_upgraded_pins_none(tmp_path: Path) -> None:
    words = "FROM pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel\nRUN pip install torch torchvision -U\n"
    words += "RUN pip install unsloth -U\n"
    for on in (BLACKWELL, AMPERE):
        found = decided(tmp_path / "folder", {"Dockerfile": words}, on)
        assert "torch" not in relaxed(found)
        assert "upgraded" in codes(found)
        assert [one.params["packages"] for one in found.remarks if one.key.endswith("beside-taken")] == ["unsloth"]
    taken = decide(read_project(tmp_path / "folder" / "Dockerfile"), AMPERE, load_matrix(), ANY)
    assert [one.name for one in taken.understood.rest] == ["unsloth"]


def test_a_folder_that_a_script_builds_is_no_pin_that_moves(tmp_path: Path) -> None:
    words = "pip install torch==2.0.1\npip install ./submodules/simple-knn\n"
    found = decided(tmp_path, {"install.sh": words}, BLACKWELL)
    assert (list(relaxed(found)), [one.name for one in found.understood.native]) == (["torch"], ["simple-knn"])


def test_a_cpu_index_that_is_only_recommended_is_told_where_a_card_is_used(tmp_path: Path) -> None:
    page = "https://download.pytorch.org/whl"
    words = f"pip install torch torchvision --index-url {page}/cpu\n"
    found = decided(tmp_path, {"setup.sh": words}, AMPERE)
    [said] = [one.params for one in found.remarks if one.key.endswith("cpu-recommended")]
    assert (said["file"], said["line"], build(found)[1] != "cpu") == ("setup.sh", 1, True)
    assert "cpu-recommended" not in codes(decided(tmp_path / "no", {"setup.sh": words}, NO_CARD))
    both = f"{words}pip install torch torchvision --index-url {page}/cu126\n"
    assert "cpu-recommended" not in codes(decided(tmp_path / "both", {"setup.sh": both}, AMPERE))


@pytest.mark.parametrize("label", ["## Mac\n", "macOS (Apple Silicon):\n", "**Mac OS**\n\n", "1. 苹果电脑：\n"])
def test_what_a_readme_has_for_a_mac_does_not_count_here(tmp_path: Path, label: str) -> None:
    here = "```bash\nconda install pytorch=2.0.0 torchvision\n```\n\n"
    there = f"{label}```bash\n# first\nconda install pytorch=2.0.1 torchaudio\n```\n\n"
    for number, readme in enumerate((f"Windows:\n{here}{there}", f"## Setup\n\n{there}## Linux\n{here}")):
        found = decided(tmp_path / str(number), {"README.md": readme}, AMPERE)
        assert (build(found)[0], list(found.understood.pairs)) == ("2.0.0", ["torchvision"])
        assert "recommended-others" not in codes(found)
    alone = decided(tmp_path / "alone", {"README.md": there}, AMPERE)
    assert build(alone)[0] == "2.0.1"
    comment = "```\n# macOS\npip install torch==2.0.1\n# Linux\npip install torch==2.0.0\n```\n"
    assert build(decided(tmp_path / "comment", {"README.md": comment}, AMPERE))[0] == "2.0.0"


def test_another_torch_that_is_recommended_is_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"README.md": "pip install torch==2.0.1\n", "run.sh": "pip install torch==2.0.0\n"}
    files["README.md"] = "bash run.sh\npip install torch==2.0.1\n"
    [said] = [one for one in decided(tmp_path, files, AMPERE).remarks if one.key.endswith("recommended-others")]
    assert (said.params["torch"], said.params["others"]) == ("2.0.1", "torch==2.0.0 (run.sh:1)")


@pytest.mark.parametrize(
    "words",
    [
        "RUN apt update && apt-get install -y \\\n    git \\\n    python3.9 \\\n    python3.9-distutils\n",
        "RUN update-alternatives --install /usr/bin/python3 python3 /usr/bin/python3.9 1\n",
        "FROM python:3.9.17-slim\n",
    ],
)
def test_the_python_that_a_dockerfile_puts_in_is_the_one_it_works_with(tmp_path: Path, words: str) -> None:
    found = decided(tmp_path, {"Dockerfile": f"{words}RUN pip install torch==1.13.1\n"}, AMPERE)
    assert (build(found)[2], found.relaxed) == ("3.9", ())


def test_a_list_that_stands_elsewhere_is_not_said_to_be_missing(tmp_path: Path) -> None:
    readme = "conda env create -f environment_*.yml\n"
    files: dict[str, str | bytes] = {"README.md": readme, "environment_linux.yml": "dependencies: [pytorch=2.0.0]\n"}
    assert not codes(decided(tmp_path, files, AMPERE)) & {"include-missing", "named-elsewhere"}
    words = {
        "requirements.txt": "torch\n",
        "Dockerfile": "RUN pip install -r lists/extra.txt\n",
        "a/lists/extra.txt": "x\n",
    }
    [said] = [one for one in decided(tmp_path / "b", {**words}, AMPERE).remarks if one.key.endswith("named-elsewhere")]
    assert said.params["files"] == "a/lists/extra.txt"
    gone = {"requirements.txt": "torch\n", "README.md": "pip install -r lists/*.txt\n"}
    assert "include-missing" in codes(decided(tmp_path / "gone", {**gone}, AMPERE))


def test_folders_that_a_script_or_a_readme_builds_are_named(tmp_path: Path) -> None:
    readme = "```\ncd Mine\npip install -e .\n```\n```\ncd models/ops && python setup.py build install\n```\n"
    readme += "`cd lib && pip install ./nms[gpu]`\n`cd tools && python3 setup.py develop`\n`cd b && sh make.sh`\n"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.0.1\n",
        "README.md": readme,
        "install.sh": "python nets/_cdht/setup.py install\npython setup.py develop\npython train.py build\n",
        "b/make.sh": "python setup.py build_ext --inplace\n",
        "b/setup.py": "",
        "setup.py": "",
        "tools/train.py": "",
    }
    found = decided(tmp_path, files, AMPERE)
    told = {one.params["file"]: one.params["packages"] for one in found.remarks if one.key.endswith("folders-too")}
    assert told == {"README.md": "./models/ops, ./lib/nms", "b/make.sh": "./b", "install.sh": "./nets/_cdht"}
    alone = decide(read_project(tmp_path / "install.sh"), AMPERE, load_matrix(), ANY)
    assert [one.url for one in alone.understood.rest] == ["./nets/_cdht"]


@pytest.mark.parametrize(
    "program", ['"%~dp0micromamba.exe"', "conda.exe", '"%~dp0\\tools\\conda.exe"', "call condabin\\mamba.bat", "conda"]
)
def test_conda_is_started_as_windows_does(tmp_path: Path, program: str) -> None:
    project = project_of(tmp_path, {"install.bat": f"{program} create -n x python==3.10.14 git -y\n"})
    assert asked(project, "python") == [("==3.10.14", "install.bat:1")]


def test_mim_installs_as_pip_does(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": 'pip install -U openmim\nmim install "mmcv>=2.0.0"\nbash setup/ops.sh\n'
    }
    project = project_of(tmp_path, {**files, "setup/ops.sh": "mim install mmengine\n"})
    assert [asked(project, name)[0][0] for name in ("openmim", "mmcv", "mmengine")] == ["", ">=2.0.0", ""]


@pytest.mark.parametrize(
    ("file", "readme"),
    [
        ("install_libraries.py", ""),
        ("install.bash", ""),
        ("my_installs", "Main installs in `my_installs`.\n"),
        ("setup_env.py", "```\npython setup_env.py\n```\n"),
        ("deps-install", "```\n./deps-install\n```\n"),
    ],
)
def test_a_file_of_the_root_that_installs_is_read(tmp_path: Path, file: str, readme: str) -> None:
    files: dict[str, str | bytes] = {file: "pip install torch==2.0.1\n", "README.md": f"# X\n{readme}"}
    assert asked(project_of(tmp_path, files), "torch") == [("==2.0.1", f"{file}:1")]


def test_where_nothing_else_says_it_the_one_notebook_that_installs_torch_is_read(tmp_path: Path) -> None:
    lines = ['!pip install -q torch==2.1.0 "einops>=0.7"\n', 'x = "pip install y"\n']
    cell = json.dumps({"cells": [{"source": lines}]}, indent=1)
    files: dict[str, str | bytes] = {"train.ipynb": cell, "other.ipynb": '{"cells": []}'}
    project = project_of(tmp_path, files)
    assert asked(project, "torch") == [("==2.1.0", "train.ipynb:5")]
    assert {one.name for one in project.statements} == {"torch", "einops"}
    with pytest.raises(UsageError, match=r"again\.ipynb, train\.ipynb"):
        project_of(tmp_path / "b", {**files, "again.ipynb": cell})


def test_where_nothing_else_says_it_the_one_script_below_that_installs_torch_is_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"README.md": "# X\n", "two/install_deps.sh": "pip install torch==2.0.1 einops\n"}
    files["two/install_tools.sh"] = "pip install black\n"
    project = project_of(tmp_path, files)
    assert asked(project, "torch") == [("==2.0.1", "two/install_deps.sh:1")]
    [said] = [one.params["file"] for one in project.remarks if one.key.endswith("script-below")]
    assert said == "two/install_deps.sh"
    declares = project_of(tmp_path / "b", {**files, "requirements.txt": "einops\n"})
    assert asked(declares, "torch") == [("==2.0.1", "two/install_deps.sh:1")]
    assert [one.name for one in declares.statements if one.origin.file.endswith(".sh")] == ["torch"]
    two = {**files, "requirements.txt": "einops\n", "two/install_deps.bat": "pip install torch==2.0.1\n"}
    assert {each for each, _ in asked(project_of(tmp_path / "e", two), "torch")} == {"==2.0.1"}
    two["two/install_deps.bat"] = "pip install torch==2.1.0\n"
    assert asked(project_of(tmp_path / "f", two), "torch") == []
    files["one/install.bat"] = "pip install torch==2.1.0\n"
    with pytest.raises(UsageError, match=r"one/install\.bat, two/install_deps\.sh"):
        project_of(tmp_path / "c", files)
    told = project_of(tmp_path / "d", {**files, "README.md": "pip install einops\n"})
    assert [one.key.rpartition(".")[2] for one in told.remarks] == ["torch-in-parts", "recommended-too"]


def test_a_script_that_a_readme_starts_goes_before_a_list_of_a_part(tmp_path: Path) -> None:
    words = "```\nconda create -n a\nbash env.sh\n```\n```\nconda create -n b\ncd part\npip install -e .\n```\n"
    files: dict[str, str | bytes] = {
        "README.md": words,
        "env.sh": "pip install torch==2.1.0 einops\n",
        "part/requirements.txt": "torch==2.3.0\nvllm\n",
        "part/setup.py": "from setuptools import setup\nsetup(install_requires=['torch'])\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.1.0", ["einops"])
    [said] = [one.params for one in found.remarks if one.key.endswith("other-lists")]
    assert (said["file"], said["files"]) == ("env.sh", "part/requirements.txt, part/setup.py")
    named = {**files, "README.md": f"{words}pip install -r part/requirements.txt\n"}
    assert build(decided(tmp_path / "b", named, AMPERE))[0] == "2.3.0"
    one = {**files, "README.md": words.replace("conda create -n b\n", "")}
    assert build(decided(tmp_path / "one", one, AMPERE))[0] == "2.3.0"
    only = {**files, "env.sh": "pip install einops\n"}
    assert build(decided(tmp_path / "c", only, AMPERE))[0] == "2.3.0"


def test_a_wheel_that_is_left_out_without_a_card_chooses_nothing(tmp_path: Path) -> None:
    wheel = "flash_attn-2.5.8+cu122torch2.3cxx11abiFALSE-cp310-cp310-linux_x86_64.whl"
    files: dict[str, str | bytes] = {"README.md": f"pip install torch\n`pip install https://files.example/{wheel}`\n"}
    assert build(decided(tmp_path, files, AMPERE))[::2] == ("2.3.1", "3.10")
    assert build(decided(tmp_path, files, NO_CARD))[::2] not in {("2.3.1", "3.10"), ("2.3.0", "3.10")}


def test_a_script_of_the_root_that_installs_torch_is_read_whatever_its_name(tmp_path: Path) -> None:
    script = "conda create --name agent python=3.10 -y\npip install torch==2.3.1 torchvision==0.18.1\n"
    pyproject = '[project]\nname = "agent"\nversion = "1"\ndependencies = ["einops"]\n'
    found = decided(tmp_path, {"pyproject.toml": pyproject, "run.sh": script, "train.sh": "python -m agent\n"}, AMPERE)
    assert (build(found)[0], build(found)[2]) == ("2.3.1", "3.10")
    beside = {"requirements.txt": "torch==2.1.0\n", "run.sh": script}
    assert build(decided(tmp_path / "beside", {**beside}, AMPERE))[0] == "2.1.0"


@pytest.mark.parametrize("words", ['PYTHON_VERSION="3.11.7"\n', "uv venv --python 3.11\n", "uv venv -p python3.11 x\n"])
def test_the_python_that_a_script_sets_is_recommended(tmp_path: Path, words: str) -> None:
    found = decided(tmp_path, {"setup.sh": f"{words}pip install torch==2.6.0\n"}, AMPERE)
    assert build(found)[::2] == ("2.6.0", "3.11")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "install_linux.sh",
            "PYTHON_VERSION=3.10.\nif ! python3 --version | grep -q $PYTHON_VERSION; then exit 1; fi\n",
        ),
        ("install_linux.sh", 'if ! python3 --version | grep -q "3.10"; then\n    exit 1\nfi\n'),
        ("install_windows.bat", "SET PYTHON_VERSION=3.10.2\npython -m venv venv\n"),
        ("install_windows.bat", 'python --version | findstr /C:"Python 3.10" >nul || exit /b 1\n'),
    ],
)
def test_the_python_that_an_installer_insists_on_is_taken(tmp_path: Path, name: str, words: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.2.1\nscipy==1.12.0\n"}
    files[name] = f"{words}pip install -r requirements.txt\n"
    assert build(decided(tmp_path, files, ADA if name.endswith(".bat") else AMPERE))[2] == "3.10"


def test_a_document_of_the_root_that_installs_torch_is_read_whatever_its_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "einops\n",
        "environment.md": "```\nconda create -n a python=3.10\npip install torch==2.3.1\n```\n",
        "CHANGELOG.md": "```\npip install torch==1.13.1\n```\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], build(found)[2]) == ("2.3.1", "3.10")
    assert "undeclared" not in codes(found)


def test_a_script_below_that_installs_what_follows_torch_is_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "setup.py": "from setuptools import setup\nsetup(name='a', python_requires='>=3.9')\n",
        "scripts/uv_install.sh": "uv pip install vllm==0.11.0\n",
    }
    assert build(decided(tmp_path, files, AMPERE))[0] == "2.8.0"


@pytest.mark.parametrize("other", ["requirements.py", "requirements", "Requirement.list"])
def test_a_list_of_another_ending_is_read_for_the_one_that_is_named(tmp_path: Path, other: str) -> None:
    words = "pip install -r requirements.txt\n"
    files: dict[str, str | bytes] = {"README.md": f"```\n{words}```\n", other: "torch==2.4.1\neinops>=0.7\n"}
    found = decided(tmp_path / "a", files, AMPERE)
    assert build(found)[0] == "2.4.1"
    assert [one.name for one in found.understood.rest] == ["einops"]
    assert "named-alike" in codes(found)
    files = {"README.md": f"```\n{words}```\npip install torch", other: "import torch\n"}
    assert "include-missing" in codes(decided(tmp_path / "b", files, AMPERE)), "it is no list"


def test_a_script_that_installs_another_torch_than_the_list_is_told(tmp_path: Path) -> None:
    script = "pip install torch==2.7.0 torchvision==0.22.0\n"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.3.1\n",
        "README.md": "A\n",
        "scripts/setup.sh": script,
    }
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], codes(found) & {"script-other"}) == ("2.3.1", {"script-other"})
    same: dict[str, str | bytes] = {"requirements.txt": "torch>=2.3\n", "scripts/setup.sh": script}
    assert "script-other" not in codes(decided(tmp_path / "same", same, AMPERE))


def test_the_python_that_a_script_below_installs_is_what_the_project_works_with(tmp_path: Path) -> None:
    script = 'PYTHON_VERSION="3.10.7"\n'
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\n",
        "README.md": "A\n",
        "scripts/setup_python.sh": script,
    }
    assert build(decided(tmp_path, files, AMPERE))[2] == "3.10"
    pinned: dict[str, str | bytes] = {**files, "scripts/setup_python.sh": 'PYTHON_VERSION="3.6.7"\n'}
    assert "python-left" in codes(decided(tmp_path / "left", pinned, AMPERE))
    asked: dict[str, str | bytes] = {**files, "README.md": "Requires Python 3.11.\n"}
    assert build(decided(tmp_path / "asked", asked, AMPERE))[2] == "3.11"


def test_a_folder_of_a_written_line_ends_before_its_line_end(tmp_path: Path) -> None:
    words = "RUN echo 'git clone https://x.example/sparse.git\\n\\\ncd sparse\\n\\\npip install .\\n' > /install.sh\n"
    found = project_of(tmp_path, {"requirements.txt": "torch\n", "Dockerfile": words})
    assert not [one for one in found.statements if "sparse/n" in one.url or "sparse/n" in one.name]
    assert "sparse/n" not in str(found.remarks)


def test_a_script_of_requirements_and_a_quoted_pip_are_read(tmp_path: Path) -> None:
    words = '"%cd%\\venv\\Scripts\\pip.exe" install torch==2.6.0 torchvision\n'
    for number, name in enumerate(("requirements.sh", "scripts/requirements.sh", "install.bat")):
        found = decided(tmp_path / str(number), {name: words, "README.md": "A project.\n"}, AMPERE)
        assert (build(found)[0], "undeclared" in codes(found)) == ("2.6.0", False), name


def test_a_torch_of_the_readme_within_what_is_declared_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch>=1.10\nnumpy==1.26.4\n",
        "README.md": "```\npip install torch==2.1.2\n```\n",
    }
    found = decided(tmp_path, files, AMPERE)
    [said] = [one.params for one in found.remarks if one.key == "project.remark.recommended-others"]
    assert (build(found)[0], said["others"]) == ("2.14.1", "torch==2.1.2 (README.md:2)")


@pytest.mark.parametrize(
    ("fetching", "is_told"),
    [
        ("RUN curl -sL https://deb.example/setup_23.x -o node_setup.sh && \\\n    bash node_setup.sh\n", False),
        ("RUN wget https://deb.example/x/node_setup.sh\nRUN bash node_setup.sh\n", False),
        ("RUN bash node_setup.sh\n", True),
    ],
)
def test_a_script_that_was_downloaded_is_none_that_is_missing(tmp_path: Path, fetching: str, is_told: bool) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "Dockerfile": fetching}
    assert ("include-missing" in codes(decided(tmp_path / "a", files, AMPERE))) == is_told
    files["below/node_setup.sh"] = "pip install einops\n"  # it lies here, too
    assert "below/node_setup.sh" in project_of(tmp_path / "b", files).files


def test_a_program_that_the_readme_starts_and_that_installs_torch_is_read(tmp_path: Path) -> None:
    page = "https://download.pytorch.org/whl/cu118"
    program = f"import os\ncmd = os.environ.get('T', \"pip install torch==2.2.2 --index-url {page}\")\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "launch.py": program}
    for readme, torch in (("```\n$ python3 launch.py\n```\n", "2.2.2"), ("See launch.py\n", "2.14.1")):
        assert build(decided(tmp_path, {**files, "README.md": readme}, AMPERE))[0] == torch
    plain = {**files, "README.md": "`python launch.py`\n", "launch.py": "import torch\n"}
    assert "launch.py" not in project_of(tmp_path, plain).files


def test_a_manual_below_the_documents_is_read_and_says_its_systems(tmp_path: Path) -> None:
    manual = (
        "Installation\n====\n\nOnly supported on Linux.\n\n.. code-block:: bash\n\n   conda create -n p python=3.9\n"
    )
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.4.1\n"}
    for folder, python in (("docs/user", "3.9"), ("doc/source", "3.9"), ("docs/old", "3.12")):
        found = decided(tmp_path / folder, {**files, f"{folder}/installation.rst": manual}, PASCAL)
        assert (build(found)[2], "named-systems" in codes(found)) == (python, python == "3.9")


@pytest.mark.parametrize(
    ("on", "torch", "moved"),
    [
        (AMPERE, "2.2.1", set()),
        (NO_CARD, "2.2.1", set()),
        (ADA, "2.2.2", set()),  # by the script for Windows
        (BLACKWELL, "2.15.0", {"sympy", "typing-extensions"}),  # no torch that old runs there
    ],
)
def test_the_torch_of_the_installer_keeps_the_pins_of_an_open_list(
    tmp_path: Path, on: Machine, torch: str, moved: set[str]
) -> None:
    page = "--extra-index-url https://download.pytorch.org/whl/cu121"
    install = "torch=={0}+cu121 torchaudio=={0}+cu121 " + page + "\npip install -r requirements.txt\n"
    files = {
        "requirements.txt": "torch>=2.2.0\ntorchaudio>=2.2.0\nsympy==1.12\ntyping_extensions==4.10.0\n",
        "setup.sh": "conda create -y -n x python=3.11\npip install " + install.format("2.2.1"),
        "setup.bat": "pip install " + install.format("2.2.2"),
    }
    found = decided(tmp_path / "pinned", files, on)
    assert (build(found)[0], set(relaxed(found)), "installer-torch" in codes(found)) == (torch, moved, not moved)
    assert not codes(found) & {"recommended-others", "contradiction"}
    files["requirements.txt"] = "torch>=2.2.0\nsympy\n"  # nothing moves: the newest
    assert build(decided(tmp_path / "open", files, on))[0] in ("2.14.1", "2.15.0")


def test_a_command_within_a_text_that_a_script_writes_ends_with_that(tmp_path: Path) -> None:
    script = (
        "#!/bin/bash\ncd docker\nsudo sed -i '$ a RUN apt-get update \\\n"
        "RUN pip install --upgrade pip \\\nRUN pip install numpy -I \\\nRUN pip install cffi ipython' Dockerfile\n"
    )
    found = project_of(tmp_path, {"requirements.txt": "torch\n", "get_models.sh": script})
    [said] = [one for one in found.remarks if one.key.endswith("not-read-too")]
    assert said.params["packages"] == "numpy, cffi, ipython"


def test_a_file_that_an_image_is_given_is_there_and_its_root_is_no_part_of_the_project(tmp_path: Path) -> None:
    docker = "FROM ubuntu\nCOPY lists/server.txt /app/\nRUN pip install -r server.txt\nCOPY . /app\n"
    docker += "RUN pip install /app && pip install --force-reinstall /tmp/demo-*-cp312-*.whl\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ntqdm\n", "Dockerfile": docker}
    files |= {"lists/server.txt": "einops\n", "app/setup.py": "from setuptools import setup\nsetup(name='app')\n"}
    found = codes(decided(tmp_path / "a", files, AMPERE))
    assert not found & {"include-missing", "named-elsewhere", "folders-too"}
    files["Dockerfile"] = docker.replace("COPY lists/server.txt /app/\n", "")
    assert "named-elsewhere" in codes(decided(tmp_path / "b", files, AMPERE))
