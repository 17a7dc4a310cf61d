"""A lab behind a proxy: servers with certificates of the lab's own authority, under names that only the proxy knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme

from tests.line.wheel import build_wheel
from tests.servers.index_server import IndexServer
from tests.servers.proxy_server import ProxyServer

HOST = "files.example"
WORD = "s3cr@t/word"
_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_BUNDLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "XDG_CURRENT_DESKTOP")


@pytest.fixture(autouse=True)
def no_network_of_the_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*_VARIABLES, *(name.lower() for name in _VARIABLES), *_BUNDLES):
        monkeypatch.delenv(name, raising=False)


@dataclass(frozen=True)
class Authority:
    folder: Path
    ca: trustme.CA

    @property
    def file(self) -> str:
        path = self.folder / "authority.pem"
        self.ca.cert_pem.write_to_path(str(path))
        return str(path)

    def certificate(self, *hosts: str, **more: object) -> Path:
        """Key and chain of a server in one file."""
        path = self.folder / f"{'-'.join(hosts)}.pem"
        issued = self.ca.issue_cert(*hosts, **more)  # type: ignore[arg-type]
        issued.private_key_and_cert_chain_pem.write_to_path(str(path))
        return path


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    folder = tmp_path / "authority"
    folder.mkdir()
    return Authority(folder, trustme.CA(organization_name="Lab Inspection Authority"))


def port_of(server: IndexServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.fixture
def index(tmp_path: Path, authority: Authority) -> Iterator[IndexServer]:
    """https://files.example/simple, once somebody leads there."""
    folder = tmp_path / "wheels"
    build_wheel(folder, "alpha", "1.0", {"alpha/__init__.py": b"", "alpha/data.bin": bytes(range(256)) * 4000})
    with IndexServer(folder, certificate=authority.certificate(HOST)) as server:
        yield server


@pytest.fixture
def proxy(index: IndexServer) -> Iterator[ProxyServer]:
    with ProxyServer({f"{HOST}:443": port_of(index)}) as server:
        yield server


@pytest.fixture
def strict_proxy(index: IndexServer) -> Iterator[ProxyServer]:
    """Wants a password, and one that hurts."""
    with ProxyServer({f"{HOST}:443": port_of(index)}, password=f"anna:{WORD}") as server:
        yield server
