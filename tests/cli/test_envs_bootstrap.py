"""`torch-wizard envs bootstrap` as a person meets it. A lab's own mirror file leads it to releases on loopback."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clone import ROOT, Call, typed
from tests.environment.miniforge import NAME, VERSION, Releases, installer, publish
from tests.servers.fault_server import FaultServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the installer is a shell script")
_ROW = '[[mirror]]\nkind = "miniforge-installers"\nid = "{id}"\nlayout = "files"\nurl = "{url}"\n'
_OTHERS = ("CONDA_EXE", "CONDA_PREFIX", "MAMBA_EXE", "MAMBA_ROOT_PREFIX", "SUDO_UID")


@pytest.fixture
def releases(tmp_path: Path) -> Iterator[Releases]:
    with FaultServer() as server:
        found = publish(server, installer())
        (tmp_path / "state").mkdir()
        rows = _ROW.format(id="official", url=found.places.latest) + _ROW.format(id="lab", url=found.places.mirrors[0])
        (tmp_path / "state" / "mirrors.toml").write_text(f"only_these = true\n{rows}", encoding="utf-8")
        yield found


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    kept = {key: value for key, value in os.environ.items() if key not in _OTHERS}
    return {
        **kept,
        "HOME": str(tmp_path / "home"),
        "TORCH_WIZARD_HOME": str(tmp_path / "state"),
        "TORCH_WIZARD_LANG": "en",
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture
def call(tmp_path: Path, environment: dict[str, str]) -> Call:
    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return typed("envs", "bootstrap", *arguments, env={**environment, **more}, cwd=tmp_path)

    return run


def test_without_a_yes_it_only_shows(call: Call, releases: Releases, tmp_path: Path) -> None:
    done = call()
    assert done.returncode == 2
    for words in (str(tmp_path / "home" / "miniforge3"), VERSION, "BSD-3-Clause", "/LICENSE", "3 MB"):
        assert words in done.stderr
    assert releases.server.sent[releases.file] < 100, "one byte was asked, for the size"
    assert list((tmp_path / "home").iterdir()) == []
    assert "许可证" in call(TORCH_WIZARD_LANG="zh_CN").stderr


def test_with_a_yes_it_installs(call: Call, releases: Releases, tmp_path: Path) -> None:
    done = call("--yes", "--mirror", "lab")
    assert (done.returncode, done.stdout) == (0, "")
    root = tmp_path / "home" / "miniforge3"
    assert (root / "bin" / "conda").is_file()
    assert f"--conda {root}" in done.stderr
    assert releases.server.sent[releases.mirrored] >= len(releases.data)
    again = call("--yes", "--prefix", str(root))
    assert again.returncode == 2
    assert "is there already" in again.stderr


def test_the_bytes_may_come_from_a_folder_of_the_lab(call: Call, releases: Releases, tmp_path: Path) -> None:
    """As one that was put into a pack. What is altered there is not taken, and the official place gives it."""
    folder, root = tmp_path / "a pack" / "program", tmp_path / "home" / "conda"
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(releases.data)
    releases.server.sent.clear()
    done = call("--yes", "--from", str(folder), "--release", VERSION, "--prefix", str(root))
    assert done.returncode == 0, done.stderr
    assert str(folder) in done.stderr
    assert (root / "bin" / "conda").is_file()
    assert releases.server.sent.get(releases.file, 0) == 0
    shutil.rmtree(tmp_path / "state" / "downloads")
    (folder / NAME).write_bytes(releases.data[:-1] + b"?")
    done = call("--yes", "--from", str(folder), "--prefix", str(tmp_path / "home" / "second"))
    assert done.returncode == 0, done.stderr
    assert releases.server.sent[releases.file] >= len(releases.data)


def test_a_no_at_the_terminal_fetches_nothing(releases: Releases, environment: dict[str, str], tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    try:
        os.write(leader, b"n\n")
        done = subprocess.run(
            [sys.executable, "-m", "wizard", "envs", "bootstrap"],
            cwd=tmp_path,
            env=environment,
            stdin=follower,
            capture_output=True,
            timeout=120,
            check=False,
        )
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 130
    assert b"agree" in done.stderr
    assert releases.server.sent[releases.file] < 100
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--mirror", "elsewhere"), "lab"),
        (("--prefix", "my conda/miniforge3"), "space"),
        (("--prefix", ""), "✗"),
        (("--from", "no/such/folder"), "neither a folder nor"),
        (("--from", "ftp://127.0.0.1:9/"), "neither a folder nor"),
        (("--release", "../../etc"), "is not a release"),
        (("--proxy", "ftp://127.0.0.1:9"), "✗"),
    ],
)
def test_what_cannot_be_is_said_at_once(call: Call, releases: Releases, arguments: tuple[str, ...], words: str) -> None:
    done = call(*arguments, "--yes")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert releases.server.requests("/releases/latest") == 0
