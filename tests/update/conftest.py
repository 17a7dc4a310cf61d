"""A maker of updates with a key of its own, and the server that hands them out, well or badly."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import trustme

from tests.servers.fault_server import Faults, FaultServer
from wizard.app.update.offer import VARIABLE, UpdateSource, update_source
from wizard.app.use import tables as use_of_tables
from wizard.classroom.profile.signature import SecretKey, new_key, sign
from wizard.model import table_update
from wizard.system import paths
from wizard.transfer.http import Client

MAKER = Path(__file__).resolve().parents[2] / "resources" / "tables" / "update.py"
DOCUMENT, SIGNATURE = "/update.json", "/update.json.minisig"
Change = Callable[[Path], None]
READ = {name: cache(parse) for name, parse in use_of_tables.PARSERS.items()}  # by all that stands in the file


def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("update_maker", MAKER)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class Maker:
    """`publish` makes an update with the maintainers' own script and puts it onto the server."""

    folder: Path
    server: FaultServer
    authority: Path
    key: SecretKey = field(default_factory=new_key)
    signer: SecretKey | None = None  # another one than the program knows

    def publish(self, number: int, change: Change | None = None, **more: object) -> None:
        tables = self.folder / f"tables-{number}"
        shutil.rmtree(tables, ignore_errors=True)
        shutil.copytree(paths.matrices_dir(), tables)
        (change or say("policy.toml", "# of an update\n"))(tables)
        out = self.folder / "out"
        _maker().make(out, tables, self.signer or self.key, number, **more)
        for path in (out / DOCUMENT[1:], out / SIGNATURE[1:], *(out / str(number)).iterdir()):
            self.server.add("/" + path.relative_to(out).as_posix(), path.read_bytes())

    def publish_document(self, **fields: object) -> None:
        """Sign what the maintainers' script would refuse to make."""
        document = {**json.loads((self.folder / "out" / DOCUMENT[1:]).read_bytes()), **fields}
        self.publish_bytes(json.dumps(document).encode())

    def publish_bytes(self, data: bytes) -> None:
        self.server.add(DOCUMENT, data)
        self.server.add(SIGNATURE, sign(data, self.signer or self.key, "a test's"))

    def faulty(self, path: str, faults: Faults, data: bytes | None = None) -> None:
        self.server.add(path, self.served(path) if data is None else data, faults)

    def served(self, path: str) -> bytes:
        return (self.folder / "out" / path[1:]).read_bytes()

    def source(self, tables: int = 1, addresses: tuple[str, ...] = ()) -> UpdateSource:
        """What a copy of the program has that was made with this key, written down and read."""
        text = (
            f"tables = {tables}\naddresses = {json.dumps(addresses or (self.server.root + DOCUMENT,))}\n"
            f"keys = {json.dumps([self.key.public.text])}\n"
        )
        (self.folder / "source.toml").write_text(text, encoding="utf-8")
        return update_source()

    def client(self, timeouts: tuple[float, float] = (30.0, 60.0)) -> Client:
        return Client(certificate=str(self.authority), proxy=None, timeouts=timeouts)


def say(table: str, words: str) -> Change:
    """Add words at the end of a table."""

    def change(folder: Path) -> None:
        path = folder / table
        path.write_text(path.read_text(encoding="utf-8") + words, encoding="utf-8", newline="")

    return change


@pytest.fixture(autouse=True)
def as_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program's own tables, no way to the network but the straight one. Each change is checked with all other
    tables: those that are as before are read once."""
    monkeypatch.setattr(use_of_tables, "PARSERS", READ)
    monkeypatch.delenv(paths.MATRICES_VARIABLE)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "source.toml"))


@pytest.fixture
def maker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Maker]:
    authority = trustme.CA()
    ca, certificate = tmp_path / "authority.pem", tmp_path / "server.pem"
    authority.cert_pem.write_to_path(str(ca))
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(certificate))
    monkeypatch.setenv("PIP_CERT", str(ca))
    with FaultServer(certificate) as server:
        made = Maker(tmp_path, server, ca)
        made.source()
        yield made


def next_start() -> table_update.TablesInUse:
    """Which tables the next start reads."""
    return table_update.decide(paths.matrices_dir(), table_update.updates_dir())
