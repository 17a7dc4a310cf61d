"""A home, a cache and a base Python that belong to one test."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stand_in.conda import StandInConda
from tests.volumes import another_volume
from wizard.environment.activate.scripts import write_activation
from wizard.environment.inspect.prefix import ask_python
from wizard.environment.model import Target

AWKWARD = "my 环境 folder"
collect_ignore = ["test_conda_engine.py"] if sys.platform == "win32" else []  # knows only Linux' signals


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Linux and Windows both: the user's files are in here."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "wizard-home"))
    return folder


@pytest.fixture
def prefix(home: Path) -> Path:
    """A path with a space and Chinese letters; not there yet."""
    return home / AWKWARD / "torch 测试"


@pytest.fixture(scope="session")
def base_python() -> Path:
    return Path(getattr(sys, "_base_executable", sys.executable))


@pytest.fixture(scope="session")
def minor() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(scope="session")
def base_has_ensurepip(base_python: Path) -> bool:
    return ask_python(base_python).has_ensurepip


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on another volume than the tests' own."""
    with tempfile.TemporaryDirectory(dir=another_volume(tmp_path)) as folder:
        yield Path(folder)


def plain_environment(home: Path) -> dict[str, str]:
    """Nothing of a conda, a venv or this program; a PATH that has no python of its own first."""
    return {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb"}


@pytest.fixture
def place(home: Path) -> Path:
    """Not an environment: a folder with a program called `python` that says where it lies."""
    quoted = "my" if sys.platform == "win32" else '"my"'  # no name there may hold one
    prefix = home / f"it's {quoted} $HOME `环境` & (1)"
    (prefix / "bin").mkdir(parents=True)
    python = prefix / "bin" / "python"
    python.write_text('#!/bin/sh\necho "$0"\n')
    python.chmod(0o755)
    write_activation(prefix, "linux")
    return prefix


@pytest.fixture
def conda(home: Path) -> StandInConda:
    return StandInConda(home / "miniforge3").install()


@pytest.fixture
def conda_place(home: Path) -> Path:
    """A folder with a space and Chinese letters above it; conda bears a space further up only."""
    return home / "my 环境 folder" / "torch测试"


@pytest.fixture
def order(conda: StandInConda, conda_place: Path, minor: str, conda_channel: str) -> Target:
    return Target(conda_place, minor, "conda", channels=(conda_channel,), conda=conda.executable)
