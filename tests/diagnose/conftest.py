"""`patient`: a healthy environment with the CUDA build and a machine with a card; tests break it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.diagnose.world import HEALTHY, Patient, build_all
from tests.line.world import World
from tests.servers.index_server import IndexServer


@pytest.fixture(scope="session")
def doctor_wheels(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "doctor-wheels"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            build_all(folder)
    return folder


@pytest.fixture
def bare(doctor_wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Patient]:
    """No environment yet: the test makes it."""
    (tmp_path / "user").mkdir()
    for name in ("LD_LIBRARY_PATH", "PYTHONPATH", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "state"))
    with IndexServer(doctor_wheels / "packages") as packages, IndexServer(doctor_wheels / "torch") as torch:
        yield Patient(World(tmp_path, packages, torch), doctor_wheels, tmp_path / "an environment")


@pytest.fixture
def patient(bare: Patient) -> Patient:
    bare.make(*HEALTHY)
    return bare
