"""A folder with two wheels, and what a server in front of it is believed by."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme

from tests.install import wheels
from tests.run.checking import LIBRARY
from wizard.run.plan import checked_index
from wizard.sources.model import UserSettings
from wizard.system.paths import HOME_VARIABLE


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(checked_index, "_TIMEOUTS", (4.0, 4.0))
    wheels.build(tmp_path / "root", "torch", "1.0", {"torch/lib.so": LIBRARY})
    wheels.build(tmp_path / "root", "extra", "3.0")
    return tmp_path / "root"


@pytest.fixture(params=["http", "https"])
def pem(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    if request.param == "http":
        return None
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    certificate = tmp_path / "server.pem"
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(certificate))
    return certificate


@pytest.fixture
def settings(tmp_path: Path) -> UserSettings:
    return UserSettings(certificate=str(tmp_path / "ca.pem"))
