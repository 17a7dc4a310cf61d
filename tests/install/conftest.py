"""A virtual environment of the running Python, made once per worker and copied by no one: tests clean up; and what a
fetch needs: a server with faults, an empty store."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.install.files import locked
from tests.servers.fault_server import FaultServer
from wizard.install.installer import find_places
from wizard.install.store import PackageStore, StoreEntry
from wizard.install.store.build import StoreBuilder
from wizard.transfer.download import Downloads


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without pip: it takes a tenth of a second."""
    prefix = tmp_path_factory.mktemp("venv") / "demo env"
    venv.create(prefix, with_pip=False, symlinks=sys.platform != "win32")
    return prefix / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


@pytest.fixture
def python(bare_python: Path) -> Iterator[Path]:
    """Empty before and after every test."""
    site_packages = find_places(bare_python).purelib
    yield bare_python
    for path in sorted(site_packages.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


@pytest.fixture
def site_packages(python: Path) -> Path:
    return find_places(python).purelib


def ask(python: Path, code: str) -> str:
    return subprocess.run(
        [str(python), "-B", "-I", "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


def stored_wheel(wheel: Path) -> StoreEntry:
    """Its entry in the store of this test's home."""
    file = locked(wheel.read_bytes(), name=wheel.name.split("-")[0])
    builder = StoreBuilder(PackageStore(), "run")
    try:
        builder.accept(file, wheel)
        while not builder.wait(1.0):
            pass
    finally:
        builder.close()
    entry = PackageStore().find(file)
    assert entry is not None
    return entry


def stored(*wheels: Path) -> list[StoreEntry]:
    return [stored_wheel(wheel) for wheel in wheels]


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture(params=["http", "https"])
def far(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FaultServer]:
    """A server with faults in either scheme; who made its certificate is in `ca.pem` beside the test."""
    certificate = None
    if request.param == "https":
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        certificate = tmp_path / "server.pem"
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(certificate))
    with FaultServer(certificate) as running:
        yield running


@pytest.fixture
def far_environment(far: FaultServer, tmp_path: Path) -> dict[str, str]:
    """In which `far` is believed."""
    ca = tmp_path / "ca.pem"
    return {"SSL_CERT_FILE": str(ca)} if ca.exists() else {}


@pytest.fixture
def store(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path / "downloads")
