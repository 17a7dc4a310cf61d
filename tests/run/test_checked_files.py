"""Files whose metadata or hash nobody sends: the resolver's index finds them itself, and each comes once."""

from __future__ import annotations

import functools
import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.install import wheels
from tests.run.checking import LIBRARY, failure, links, resolve, source
from tests.servers.index_server import IndexServer
from tests.servers.mirror_server import MirrorServer, Ways
from tests.servers.trickle import Trickle
from wizard.compatibility.model import Choices
from wizard.install.lock import with_hashes
from wizard.run.plan import computed
from wizard.run.plan.computed import Asker
from wizard.sources.model import UserSettings
from wizard.system import paths
from wizard.transfer.download import Downloads, Fetcher, FetchProgress
from wizard.transfer.download.fetcher import Options


def test_without_hashes_only_the_end_of_a_wheel_is_read_and_the_file_comes_once(
    root: Path, tmp_path: Path, pem: Path | None, settings: UserSettings
) -> None:
    with IndexServer(root, hashes=False, metadata=False, sizes=False, json=False, certificate=pem) as server:
        lock = resolve(tmp_path / "w", source(server.simple), source(server.simple), settings=settings)
        torch = lock.find("torch")
        assert torch is not None
        assert (torch.sha256, torch.promised_by) == ("", "")
        assert lock.text.count("hashes = {}") == 2
        assert server.bytes_sent < 200_000
        server.bytes_sent = 0
        found: dict[str, str] = {}
        options = options_of(settings)
        for _ in range(2):  # the second time nothing comes
            Fetcher(Downloads(paths.downloads_dir()), options=options).fetch(
                lock.files, on_file=lambda file, path: found.update({file.filename: file.sha256})
            )
        assert server.bytes_sent == sum(path.stat().st_size for path in root.iterdir())
    whole = with_hashes(lock, found)
    for file in whole.files:
        assert file.sha256 == hashlib.sha256((root / file.filename).read_bytes()).hexdigest()
        assert file.sha256 in whole.text
    assert "hashes = {}" not in whole.text


def options_of(settings: UserSettings) -> Options:
    is_there = Path(settings.certificate or "").exists()
    return Options(backoff=0.05, environment={"SSL_CERT_FILE": settings.certificate or ""} if is_there else {})


def test_a_server_that_sends_no_parts_sends_each_file_once(root: Path, tmp_path: Path) -> None:
    """As Python's own http.server does in many a laboratory. What a socket swallows before it is closed is allowed."""
    wheels.build(root, "torch", "1.0", {"torch/lib.so": LIBRARY * 6}, method=zipfile.ZIP_STORED)
    with MirrorServer(root, Ways(json=False, hashes=False, knows_ranges=False)) as server:
        lock = resolve(tmp_path / "w", source(server.simple), source(server.simple))
        Fetcher(Downloads(paths.downloads_dir())).fetch(lock.files)
        torch = next(root.glob("torch-*"))
        assert server.sent[f"/files/{torch.name}"] < 1.5 * torch.stat().st_size


@pytest.mark.slow
def test_a_wheel_that_drips_where_no_parts_are_sent_is_told_as_that(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is fetched whole, by the downloader: its reason stays, and is no "cannot be reached"."""
    impatient = functools.partial(Options, backoff=0.02, patience=1.0)
    monkeypatch.setattr(computed, "Options", impatient)
    with (
        IndexServer(root) as index,
        MirrorServer(root, Ways(knows_ranges=False)) as server,
        Trickle(int(server.url.rpartition(":")[2]), 4000) as slow,
    ):
        wheel = next(root.glob("torch-*")).name
        index.answers["/simple/torch/"] = links(f"http://127.0.0.1:{slow.port}/files/{wheel}")
        error = failure(tmp_path / "w", source(index.simple), source(index.simple))
    assert error.code == "fetch-slow"
    assert "torch 1.0" in str(error)
    assert wheel in error.details


def test_whole_files_are_seen_and_limited(root: Path, tmp_path: Path) -> None:
    """With promised hashes too, where neither metadata nor ranges are sent; and what is here is not asked for again."""
    told: list[FetchProgress] = []
    asker = Asker(Choices(limit_rate=2_000_000, connections=1), lambda: False, told.append)
    with MirrorServer(root, Ways(knows_ranges=False)) as server:
        lock = resolve(tmp_path / "w", source(server.simple), source(server.simple), asker=asker)
        assert {name for progress in told for name in progress.whole} >= {file.filename for file in lock.files}
        assert "limit" in {progress.limited_by for progress in told}
        told.clear()
        server.forget()
        again = resolve(tmp_path / "w", source(server.simple), source(server.simple), asker=asker)
        assert again == lock
        assert server.paths("/files/") == []
    assert told == []


def test_downloads_that_are_removed_before_they_are_read_come_again(root: Path, tmp_path: Path) -> None:
    removed: list[FetchProgress] = []

    def remove(progress: FetchProgress) -> None:
        if progress.files_done == progress.files_total and not removed:
            removed.append(progress)
            shutil.rmtree(paths.downloads_dir())

    with MirrorServer(root, Ways(knows_ranges=False)) as server:
        own = source(server.simple)
        lock = resolve(tmp_path / "w", own, own, asker=Asker(Choices(), lambda: False, remove))
    assert len(removed) == 1
    assert {file.name for file in lock.files} == {"torch", "extra"}


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_metadata_come_from_the_next_source_where_one_drips(root: Path, tmp_path: Path, knows_ranges: bool) -> None:
    told: list[FetchProgress] = []
    asker = Asker(Choices(), lambda: False, told.append)
    with (
        MirrorServer(root, Ways(hashes=False)) as good,
        MirrorServer(root, Ways(knows_ranges=knows_ranges)) as server,
        Trickle(int(server.url.rpartition(":")[2]), 4000) as slow,
        IndexServer(root) as index,
    ):
        wheel = next(root.glob("torch-*")).name
        index.answers["/simple/torch/"] = links(f"http://127.0.0.1:{slow.port}/files/{wheel}")
        own, further = source(index.simple), {"torch": [source(good.simple)]}
        lock = resolve(tmp_path / "w", own, own, asker=asker, further=further)
        assert good.files_sent() < 200_000
    torch = lock.find("torch")
    assert torch is not None
    assert str(slow.port) in torch.urls[0]
    assert told == []
