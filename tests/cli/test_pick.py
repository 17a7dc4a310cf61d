"""`pick` for a lab and for people, `pick` live, and `matrices`: the command line as a child, on a loopback index."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clone import ROOT, Call, typed
from tests.compatibility.machines import FOLDER
from tests.servers.index_server import Answer, IndexServer
from tests.sources.torch_wheels import torch_wheel

TAGS = f"cp3{sys.version_info[1]}-cp3{sys.version_info[1]}"


@pytest.fixture
def call(tmp_path: Path) -> Call:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_"))}
    environment |= {"TORCH_WIZARD_HOME": str(tmp_path / "state"), "TORCH_WIZARD_LANG": "en", "HOME": str(tmp_path)}
    environment |= {"PIP_CONFIG_FILE": os.devnull, "XDG_CONFIG_HOME": str(tmp_path / "config")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return typed(*arguments, env=environment)

    return run


@pytest.fixture
def server(tmp_path: Path) -> Iterator[IndexServer]:
    (tmp_path / "root").mkdir()
    with IndexServer(tmp_path / "root") as running:
        torch_wheel(running.root, f"torch-2.16.0+cu132-{TAGS}-manylinux_2_28_x86_64.whl", "13.2", ballast=1000)
        torch_wheel(running.root, f"torch-2.15.0+cpu-{TAGS}-manylinux_2_28_x86_64.whl", None, ballast=1000)
        torch_wheel(running.root, f"torch-2.16.0+cu132-{TAGS}-win_amd64.whl", "13.2", ballast=1000)
        torch_wheel(running.root, f"torch-2.15.0+cpu-{TAGS}-win_amd64.whl", None, ballast=1000)
        yield running


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    for name in ("k40-linux-470", "gtx-970-windows-552"):
        shutil.copyfile(FOLDER / f"{name}.json", folder / f"{name}.json")
    return folder


@pytest.mark.parametrize(
    "content",
    [
        "{",
        '{"schema": 1}',
        '{"os": "beos", "arch": "x86_64", "gpus": []}',
        "[" * 100_000,
        '{"os": "linux", "arch": "x86_64", "gpus": [{"pci_id": "10de:../../etc"}]}',
    ],
)
def test_a_bad_file_in_a_lab_is_named_and_the_others_are_answered(call: Call, lab: Path, content: str) -> None:
    (lab / "h-bad.json").write_text(content, encoding="utf-8")
    done = call("pick", "--machine", str(lab), "--json")
    assert done.returncode == 2
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["machine"] for one in answers] == ["gtx-970-windows-552.json", "k40-linux-470.json"]
    assert answers[0]["best"]["variant"] == "cu126"
    assert "h-bad.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_file_among_several_and_an_empty_folder(call: Call, lab: Path, tmp_path: Path) -> None:
    done = call("pick", "--machine", str(lab / "gone.json"), str(lab / "k40-linux-470.json"), "--json")
    assert (done.returncode, len(done.stdout.splitlines())) == (2, 1)
    assert "gone.json" in done.stderr
    (tmp_path / "empty").mkdir()
    done = call("pick", "--machine", str(tmp_path / "empty"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "empty" in done.stderr


def test_a_wrong_wish_is_said_once_for_the_whole_lab(call: Call, lab: Path) -> None:
    done = call("pick", "--machine", str(lab), "--torch", "9.9.9")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("9.9.9") == 1


def test_sources_by_hand_are_not_asked_for_a_machine_file_and_that_is_said(call: Call, lab: Path) -> None:
    done = call("pick", "--machine", str(lab), "--torch-index", "https://mirror.invalid/whl", "--json")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)
    assert "the addresses that you gave are not used" in done.stderr
    assert "not used" not in call("pick", "--machine", str(lab), "--json").stderr


def test_a_page_that_is_no_list_is_named_live(call: Call, server: IndexServer) -> None:
    for path in ("/simple/torch/", "/simple/", "/simple"):
        server.answers[path] = Answer(b"<form><input></form>")
    sources = ("--torch-index", server.simple, "--index", server.simple, "--engine", "venv")
    assert "not with a package list" in call("pick", *sources).stdout
    done = call("matrices", "refresh", "--torch-index", server.simple)
    assert done.returncode == 1
    assert "not with a package list" in done.stderr


def test_other_spellings_of_a_wish(call: Call, lab: Path) -> None:
    done = call("pick", "--machine", str(lab), "--json", "--torch", "2.10", "--variant", "CU126", "--python", "3.12.4")
    candidates = [json.loads(line)["candidates"] for line in done.stdout.splitlines()]
    assert {(one["torch"], one["variant"]) for lines in candidates for one in lines} == {("2.10.0", "cu126")}


def test_explained_in_both_languages(call: Call) -> None:
    file = str(FOLDER / "gtx-970-windows-552.json")
    told = call("pick", "--machine", file, "--explain").stdout
    for words in (
        "Code for sm_50 is in the package",
        "528.33 or newer",
        "[certain] NVIDIA CUDA Toolkit Release Notes",
        "2.15.0+cu132  has no code for the GeForce GTX 970",
        "works with drivers up to series 580",
        "PyTorch 2.14.1+cu126 is the last version for the GeForce GTX 970",
        "The driver says CUDA 12.4",
        "fits, but 2.14.1 is newer",
    ):
        assert words in told
    chinese = call("--lang", "zh_CN", "pick", "--machine", file, "--explain").stdout
    assert "为什么不选其他" in chinese
    assert "最后一个版本" in chinese


@pytest.mark.slow
def test_live_news_stand_beside_the_answer(call: Call, server: IndexServer) -> None:
    sources = ("--torch-index", server.simple, "--index", server.simple, "--engine", "venv")
    answer = json.loads(call("pick", "--json", *sources).stdout)
    (new,) = answer["new"]
    assert (new["torch"], new["variant"], new["fits"]) == ("2.16.0", "cu132", False)
    assert new["architectures"][-1] == "sm_120"
    assert "2.16.0" not in {candidate["torch"] for candidate in answer["candidates"]}
    told = call("pick", *sources).stdout
    assert "torch 2.16.0+cu132. Its file holds code for sm_75 to sm_120" in told
    offline = json.loads(call("pick", "--json", "--offline", *sources).stdout)
    assert not {"new", "carried"} & offline.keys()


def test_pythons_and_driver_floors_stand_in_one_table(call: Call) -> None:
    row = next(line for line in call("matrices", "show").stdout.splitlines() if line.startswith("2.14.1"))
    assert "3.10 … 3.14" in row
    assert row.endswith("cu132 580/580, cu130 580/580, cu126 525/528, cpu")
    builds = call("matrices", "show", "2.14.1").stdout.splitlines()
    of_linux = next(line for line in builds if line.startswith("2.14.1+cu126  linux_x86_64"))
    assert of_linux.split()[:7] == ["2.14.1+cu126", "linux_x86_64", "3.10", "…", "3.14", "(3.15)", "525.60.13"]


def test_experimental_pythons_are_shown_as_such(call: Call) -> None:
    rows = {line.split()[0]: line for line in call("matrices", "show").stdout.splitlines() if line}
    assert "3.9 … 3.12 (3.13)" in rows["2.5.1"]
    assert "3.9 … 3.13  " in rows["2.6.0"]
    of_arm = next(line for line in call("matrices", "show", "2.5.1").stdout.splitlines() if "linux_aarch64" in line)
    assert "(3.13)" not in of_arm


@pytest.mark.slow
def test_refresh_learns_and_forgets(call: Call, server: IndexServer) -> None:
    first = json.loads(call("matrices", "refresh", "--torch-index", server.simple, "--json").stdout)
    assert [one["torch"] for one in first["new"]] == ["2.16.0"]
    shown = json.loads(call("matrices", "show", "2.16.0", "--json").stdout)
    assert shown["releases"][0]["builds"][0]["architectures"][0] == "sm_75"
    assert "2.16.0" in call("matrices", "show").stdout
    checked = json.loads(call("matrices", "check", "--json").stdout)
    assert checked["problems"] == []
    assert checked["pins"]["best"] >= 100  # 2.16.0+cu132 is one of them now
    assert call("matrices", "refresh", "--remove").returncode == 0
    assert call("matrices", "show", "2.16.0").returncode == 2


@pytest.mark.slow
def test_a_damaged_overlay_is_named_and_the_shipped_data_answer(call: Call, lab: Path, tmp_path: Path) -> None:
    overlay = tmp_path / "state" / "matrices-overlay"
    overlay.mkdir(parents=True)
    (overlay / "builds.csv").write_text("nonsense\n", encoding="utf-8")
    done = call("pick", "--machine", str(lab), "--json")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)
    assert "builds.1" in done.stderr
    checked = call("matrices", "check", "--json")
    assert checked.returncode == 1
    assert json.loads(checked.stdout)["problems"][0].startswith("matrices-overlay/builds.1")
    assert "forgotten" in call("matrices", "refresh", "--remove").stderr
    assert call("matrices", "check").returncode == 0


def test_check_of_tables_elsewhere(call: Call, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "matrices", tmp_path / "tables")
    path = tmp_path / "tables" / "releases.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("2020-10-27", "soon", 1), encoding="utf-8")
    done = call("matrices", "check", str(tmp_path / "tables"))
    assert done.returncode == 1
    assert done.stdout.startswith("releases.2.released: 'soon'")
    assert call("matrices", "check", str(tmp_path / "nowhere")).returncode == 2


def test_refresh_where_nothing_answers(call: Call) -> None:
    done = call("matrices", "refresh", "--torch-index", "http://127.0.0.1:9/simple")
    assert done.returncode == 1
    assert "could be reached" in done.stderr
