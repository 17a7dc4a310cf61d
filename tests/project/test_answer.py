"""`pick --project` as people and programs call it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.clone import typed
from tests.compatibility.machines import FOLDER

NEW_CARD, OLD_CARD = FOLDER / "rtx-5070-ti-windows-581.json", FOLDER / "a100-linux-470.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "项目 one"
    folder.mkdir()
    (folder / "requirements.txt").write_text("torch==1.13.1+cu117\ntorchvision==0.14.1\nxformers==0.0.16\neinops\n")
    return folder


def pick(state: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"TORCH_WIZARD_HOME": str(state), "TORCH_WIZARD_LANG": "en", "HOME": str(state)}
    return typed("pick", *arguments, env=environment)


@pytest.mark.slow
def test_the_lines_name_the_files_and_what_was_not_looked_up(project: Path, tmp_path: Path) -> None:
    said = pick(tmp_path / "s", "--project", project, "--machine", OLD_CARD).stdout
    assert "Read from: requirements.txt\n" in said
    assert "Not looked up: whether the project's packages go together" in said
    document = json.loads(pick(tmp_path / "s", "--project", project, "--machine", OLD_CARD, "--json").stdout)
    assert document["not_looked_up"] in said
    (project / "requirements.txt").write_text("torch\n")
    said = pick(tmp_path / "s", "--project", project, "--machine", OLD_CARD).stdout
    assert "Read from" in said
    assert "Not looked up" not in said
    document = json.loads(pick(tmp_path / "s", "--project", project, "--machine", OLD_CARD, "--json").stdout)
    assert document["not_looked_up"] is None
    (project / "requirements.txt").write_text("torch\neinops\n")
    (project / "uv.lock").write_text('version = 1\n[[package]]\nname = "einops"\nversion = "0.8.0"\n')
    assert "Not looked up" not in pick(tmp_path / "s", "--project", project, "--machine", OLD_CARD).stdout
    code = tmp_path / "code alone"
    code.mkdir()
    (code / "train.py").write_text("import torch\n")
    assert "Read from" not in pick(tmp_path / "s", "--project", code, "--machine", OLD_CARD).stdout


def test_a_document_for_each_machine(project: Path, tmp_path: Path) -> None:
    done = pick(tmp_path / "s", "--project", project, "--machine", OLD_CARD, NEW_CARD, "--json")
    assert done.returncode == 0, done.stderr
    kept, moved = map(json.loads, done.stdout.splitlines())
    assert (kept["machine"], kept["torch"], kept["variant"]) == (OLD_CARD.name, "1.13.1", "cu117")
    assert (kept["relaxed"], kept["numpy"], kept["torchaudio"]) == ([], "<2", None)
    assert kept["torchvision"] == "0.14.1"
    assert (kept["native"], kept["rest"]) == (["xformers"], ["xformers", "einops"])
    assert (moved["torch"], moved["variant"], moved["torchvision"]) == ("2.7.1", "cu128", "0.22.1")
    torch, *others = moved["relaxed"]
    assert (torch["name"], torch["asked"], torch["given"]) == ("torch", "==1.13.1", "2.7.1")
    assert torch["reason"]["code"] == "translated"
    assert torch["lines"] == [{"file": "requirements.txt", "line": 1, "text": "torch==1.13.1+cu117"}]
    assert [one["name"] for one in others] == ["cuda", "torchvision", "xformers"]


def test_strict_is_exactly_or_not_at_all(project: Path, tmp_path: Path) -> None:
    assert pick(tmp_path / "s", "--project", project, "--machine", OLD_CARD, "--strict").returncode == 0
    done = pick(tmp_path / "s", "--project", project, "--machine", NEW_CARD, "--strict")
    assert done.returncode == 1
    assert "torch, cuda, torchvision, xformers" in done.stderr


@pytest.mark.parametrize(
    ("file", "words", "status"),
    [
        ("setup.py", "from setuptools import setup\nsetup(install_requires=['torch'] + found())\n", 1),
        (
            "setup.py",
            "from setuptools import setup\nsetup(install_requires=['torch'], extras_require={'x': found()})\n",
            0,
        ),
        ("requirements.txt", "torch\n??? 1\n", 1),
        ("requirements.txt", "torch\n-r gone.txt\n", 1),
        ("requirements.txt", "torch\n", 0),
    ],
)
def test_strict_passes_over_nothing_that_cannot_be_read(tmp_path: Path, file: str, words: str, status: int) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / file).write_text(words)
    done = pick(tmp_path / "s", "--project", folder, "--machine", OLD_CARD, "--strict")
    assert done.returncode == status, done.stderr
    assert status == 0 or f"{file}, line 2" in done.stderr


def test_strict_names_all_reasons_at_once(project: Path, tmp_path: Path) -> None:
    """Who mended the first was refused again, for the next one."""
    with (project / "requirements.txt").open("a", encoding="utf-8") as file:
        file.write("??? 1\nrich==13.0.0\nrich==12.0.0\n-r gone.txt\n")
    done = pick(tmp_path / "s", "--project", project, "--machine", NEW_CARD, "--strict")
    assert done.returncode == 1
    lines = len((project / "requirements.txt").read_text(encoding="utf-8").splitlines())
    for words in ("xformers", "against each other", f"txt, line {lines - 3},", f"txt, line {lines}, could"):
        assert words in done.stderr.split("The project cannot be had")[1]


def test_people_see_the_line_and_the_reason(project: Path, tmp_path: Path) -> None:
    said = pick(tmp_path / "s", "--project", project / "requirements.txt", "--machine", NEW_CARD).stdout
    assert "torch 2.7.1 (CUDA 12.8)" in said
    assert "requirements.txt:1: torch==1.13.1+cu117" in said


def test_a_project_that_is_not_there(tmp_path: Path) -> None:
    done = pick(tmp_path / "s", "--project", tmp_path / "nowhere", "--offline", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no project" in done.stderr
