"""A home, a cache and a base Python that belong to one test."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.volumes import another_volume
from wizard.environments.inspect_prefix import ask_python

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
