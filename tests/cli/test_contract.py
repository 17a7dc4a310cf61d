"""The command line's contract: documents on stdout and nothing else, people's text on stderr, exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import wizard
from tests.clone import Call, typed
from wizard.compatibility.model import REASON_CODES
from wizard.model.messages import message, text

LAPTOP = {
    "schema": 1,
    "os": "windows",
    "arch": "x86_64",
    "glibc": None,
    "driver": {"version": "546.33", "cuda": "12.3"},
    "gpus": [
        {
            "vendor": "nvidia",
            "name": "NVIDIA GeForce GTX 1660 Ti",
            "pci_id": "10de:2182",
            "compute_capability": "7.5",
            "memory_bytes": 6442450944,
        }
    ],
}


@pytest.fixture
def call(tmp_path: Path) -> Call:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_"))}
    environment |= {"TORCH_WIZARD_HOME": str(tmp_path / "state"), "TORCH_WIZARD_LANG": "en", "HOME": str(tmp_path)}
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(name, None)

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return typed(*arguments, env={**environment, **more})

    return run


@pytest.fixture
def laptop(tmp_path: Path) -> Path:
    path = tmp_path / "laptop.json"
    path.write_text(json.dumps(LAPTOP), encoding="utf-8")
    return path


def test_version(call: Call) -> None:
    done = call("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(f"torch-wizard {wizard.__version__} (data of 20")
    assert done.stdout.count("\n") == 1


def test_probe_gives_one_machine_document(call: Call) -> None:
    done = call("probe", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    machine = json.loads(done.stdout)
    assert {"schema", "os", "arch", "glibc", "driver", "gpus"} <= machine.keys()
    assert done.stdout.count("\n") == 1


def test_what_probe_says_pick_reads(call: Call, tmp_path: Path) -> None:
    (tmp_path / "machine.json").write_text(call("probe", "--json").stdout, encoding="utf-8")
    assert call("pick", "--machine", str(tmp_path / "machine.json"), "--json").returncode == 0


def test_pick_is_the_contract(call: Call, laptop: Path) -> None:
    done = call("pick", "--machine", str(laptop), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert answer["schema"] == 1
    assert answer["best"] == {
        "torch": "2.14.1",
        "variant": "cu126",
        "python": "3.12",
        "torchvision": "0.29.1",
        "torchaudio": "2.11.0",
    }
    assert answer["after_driver_update"] == {"driver": "580", "torch": "2.15.0", "variant": "cu132"}
    codes = {reason["code"] for candidate in answer["candidates"] for reason in candidate["reasons"]}
    assert codes <= set(REASON_CODES)
    newest = next(c for c in answer["candidates"] if (c["torch"], c["variant"]) == ("2.15.0", "cu132"))
    assert not newest["fits"]
    assert "546.33" in newest["reasons"][0]["text"]


def test_pick_of_a_folder_is_a_line_for_each_machine_by_name(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    for name in ("b.json", "a.json"):
        (folder / name).write_text(json.dumps(LAPTOP), encoding="utf-8")
    done = call("pick", "--machine", str(folder), "--json")
    assert [json.loads(line)["machine"] for line in done.stdout.splitlines()] == ["a.json", "b.json"]


def test_pick_for_people_is_on_stdout_in_the_language_asked(call: Call, laptop: Path) -> None:
    english, chinese = (call("--lang", lang, "pick", "--machine", str(laptop)) for lang in ("en", "zh_CN"))
    assert "2.14.1" in english.stdout
    assert "最佳" in chinese.stdout or "最好" in chinese.stdout
    assert "✓" in english.stdout


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": 1}', '{"schema": 1, "os": 7}', '{"gpus": [[[[]]]]}'])
def test_a_bad_machine_file_is_named(call: Call, tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content, encoding="utf-8")
    done = call("pick", "--machine", str(path), "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "bad.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_display_it_says_so_and_shows_the_line(call: Call, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows always has one")
    done = call()
    assert done.returncode == 1
    assert "torch-wizard setup --yes" in done.stderr
    done = call(str(tmp_path))
    assert done.returncode == 1
    assert f"torch-wizard setup --project {tmp_path}" in done.stderr


@pytest.mark.parametrize("arguments", [("frobnicate",), ("setup", "--engine", "warp"), ("run",), ("verify",)])
def test_wrong_usage_is_2(call: Call, arguments: tuple[str, ...]) -> None:
    assert call(*arguments).returncode == 2


def test_verify_of_no_environment(call: Call, tmp_path: Path) -> None:
    done = call("verify", "--prefix", str(tmp_path / "none"))
    assert done.returncode == 2
    assert "none" in done.stderr


def test_verify_json_of_an_environment_without_torch(call: Call, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    done = call("verify", "--prefix", str(tmp_path / "env"), "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["schema"] == 1
    assert report["status"] == 1
    assert "PyTorch" in call("verify", "--prefix", str(tmp_path / "env")).stdout  # the answer, for a pipe too


def test_no_runs_are_said_in_words(call: Call) -> None:
    done = call("runs")
    assert done.returncode == 0
    assert text(message("cli.runs.none"), "en") in done.stdout + done.stderr


def test_runs_is_empty_at_first(call: Call) -> None:
    done = call("runs", "--json")
    assert (done.returncode, done.stdout) == (0, "")
