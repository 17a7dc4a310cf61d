"""The one index that the resolver is given: the real uv behind it, real servers on loopback in front of it."""

from __future__ import annotations

import functools
import hashlib
import json
import random
import shutil
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import trustme

from tests.packages import wheels
from tests.servers.index_server import JSON, Answer, IndexServer
from tests.servers.mirror_server import MirrorServer, Ways
from tests.servers.trickle import Trickle
from wizard import paths
from wizard.errors import WizardError
from wizard.i18n import LANGUAGES, text
from wizard.mirrors.model import Layout, Origin, Source, UserSettings
from wizard.packages import lock as lock_module
from wizard.packages.fetch import Downloads, Fetcher, FetchProgress
from wizard.packages.fetch.fetcher import Options
from wizard.packages.lock import LockRequest, with_hashes
from wizard.packages.model import Lock
from wizard.paths import HOME_VARIABLE
from wizard.plan.model import Choices
from wizard.session import checked_index, computed
from wizard.session.checked_index import CheckedIndex
from wizard.session.computed import Asker

ASKER = Asker(Choices(), lambda: False)
LIBRARY = random.Random(3).randbytes(3_000_000)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(checked_index, "_TIMEOUTS", (1.0, 1.0))
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


def source(url: str, layout: Layout = Layout.SIMPLE) -> Source:
    return Source(url, layout, Origin.BY_HAND, url, "Lab")


def resolve(
    folder: Path, torch: Source, *others: Source, settings: UserSettings | None = None,
    wanted: Sequence[str] = ("torch", "extra"), asker: Asker = ASKER,
    further: Mapping[str, Sequence[Source]] | None = None,
) -> Lock:  # fmt: skip
    simple = [one.url or "" for one in others if one.layout is Layout.SIMPLE]
    request = LockRequest(
        tuple(wanted), "3.12", "linux", "x86_64", "2.36", torch.url, torch.layout.value, simple[0] if simple else None,
        tuple(simple[1:]), tuple(one.url or "" for one in others if one.layout is Layout.FLAT), no_index=not simple,
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    known = settings if settings and Path(settings.certificate or "").exists() else UserSettings()
    with CheckedIndex((torch, *others), known, asker, further) as index:
        return index.lock(request, folder)


def failure(folder: Path, *sources: Source, settings: UserSettings | None = None) -> WizardError:
    with pytest.raises(WizardError) as caught:
        resolve(folder, *sources, settings=settings)
    return caught.value


def links(*hrefs: str) -> Answer:
    return Answer("".join(f'<a href="{href}">x</a>\n' for href in hrefs).encode())


@pytest.mark.parametrize("is_json", [True, False], ids=["json", "html"])
def test_the_lock_names_the_sources_own_addresses_and_who_promised(root: Path, tmp_path: Path, is_json: bool) -> None:
    with IndexServer(root, json=is_json) as server:
        lock = resolve(tmp_path / "w", source(server.simple), source(server.simple))
        assert {file.name for file in lock.files} == {"torch", "extra"}
        for file in lock.files:
            assert file.urls[0].startswith(f"{server.url}/files/")
            assert file.sha256 == hashlib.sha256((root / file.filename).read_bytes()).hexdigest()
            assert (file.promised_by, file.listed_by) == ("127.0.0.1", server.simple)
            assert file.urls[0] in lock.text
            assert file.sha256 in lock.text
        assert lock.text.count("127.0.0.1:") == lock.text.count(server.url)


def test_links_that_may_not_be_followed_never_reach_the_resolver(
    root: Path, tmp_path: Path, pem: Path | None, settings: UserSettings
) -> None:
    """Newer versions wait behind each of them, of torch and of a companion from a further index."""
    trap = wheels.build(tmp_path / "trap", "torch", "8.0")
    wheels.build(tmp_path / "trap", "extra", "9.0")
    with IndexServer(root, certificate=pem) as good, IndexServer(tmp_path / "trap") as plain:
        for project, name in (("torch", "torch-8.0"), ("extra", "extra-9.0")):
            own = f"{good.url}/files/{project}-{'1.0' if project == 'torch' else '3.0'}-py3-none-any.whl"
            bad = [
                trap.parent.as_uri() + f"/{name}-py3-none-any.whl",
                f"file://fileserver/share/{name}-py3-none-any.whl",
                f"\\\\fileserver\\share\\{name}-py3-none-any.whl",
                f"http://192.0.2.1/{name}-py3-none-any.whl",
                f"ftp://127.0.0.1/{name}-py3-none-any.whl",
            ]
            if pem:  # down from https, even to this very computer
                bad.append(f"{plain.url}/files/{name}-py3-none-any.whl")
            good.answers[f"/simple/{project}/"] = links(*bad, own)
        lock = resolve(tmp_path / "w", source(good.simple), source(good.simple), settings=settings)
        assert {file.name: file.version for file in lock.files} == {"torch": "1.0", "extra": "3.0"}
        assert plain.paths() == []


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
    assert wheel in str(error)


def test_metadata_without_end_are_left(root: Path, tmp_path: Path, pem: Path | None, settings: UserSettings) -> None:
    with IndexServer(root, certificate=pem) as server:
        server.answers["/files/extra-3.0-py3-none-any.whl.metadata"] = Answer(b"Name: extra\n" * 5_000_000)
        error = failure(tmp_path / "w", source(server.simple), source(server.simple), settings=settings)
        assert error.code == "metadata-too-large"
        assert "extra-3.0-py3-none-any.whl" in text(error.summary, "en")
        assert "4194304 bytes" in error.details


@pytest.mark.parametrize("is_json", [True, False], ids=["json", "html"])
@pytest.mark.parametrize("start", ["file:///srv/", "file://server/share/", "//server/share/", "\\\\server\\share\\"])
def test_only_links_that_may_not_be_followed_are_named(root: Path, tmp_path: Path, start: str, is_json: bool) -> None:
    name = "extra-9.0-py3-none-any.whl"
    page = json.dumps({"meta": {}, "files": [{"filename": name, "url": start + name, "hashes": {}}]}).encode()
    with IndexServer(root) as server:
        server.answers["/simple/extra/"] = Answer(page, 200, {"Content-Type": JSON}) if is_json else links(start + name)
        error = failure(tmp_path / "w", source(server.simple), source(server.simple))
        assert error.code == "source-links-refused", error.details
        for language in LANGUAGES:
            assert start + name in text(error.summary, language)
            assert server.simple in text(error.summary, language)


def test_a_page_that_drips_does_not_hold_the_resolver(
    root: Path, tmp_path: Path, pem: Path | None, settings: UserSettings
) -> None:
    with IndexServer(root, certificate=pem) as server:
        server.answers["/simple/extra/"] = Answer(b"<html>" + b" " * 50_000)
        with Trickle(server.port, 4000) as slow:
            url = f"{server.url.rpartition(':')[0]}:{slow.port}/simple"
            error = failure(tmp_path / "w", source(server.simple), source(url), settings=settings)
    assert error.code == "source-timeout"


def test_a_loop_of_redirects_is_told_as_one(
    root: Path, tmp_path: Path, pem: Path | None, settings: UserSettings
) -> None:
    with IndexServer(root, certificate=pem) as server:
        server.answers["/simple/extra/"] = Answer(b"", 302, {"Location": "/simple/other/"})
        server.answers["/simple/other/"] = Answer(b"", 302, {"Location": "/simple/extra/"})
        error = failure(tmp_path / "w", source(server.simple), source(server.simple), settings=settings)
    assert error.code == "source-redirects"


def test_a_password_is_used_and_written_nowhere(root: Path, tmp_path: Path) -> None:
    with IndexServer(root, password="me:secret") as server:
        private = source(server.simple.replace("//", "//me:secret@"))
        lock = resolve(tmp_path / "w", private, private)
    assert "secret" not in lock.text + "".join(path.read_text() for path in (tmp_path / "w").iterdir())
    assert all("secret" not in url for file in lock.files for url in file.urls)


def test_folders_and_flat_pages(root: Path, tmp_path: Path) -> None:
    wheels.build(tmp_path / "folder", "torch", "1.5")
    with IndexServer(root) as server:
        flat = source(server.flat, Layout.FLAT)
        lock = resolve(tmp_path / "w", source((tmp_path / "folder").as_uri(), Layout.FLAT), flat)
    assert {file.name: file.version for file in lock.files} == {"torch": "1.5", "extra": "3.0"}
    assert [file.urls[0].partition(":")[0] for file in sorted(lock.files, key=lambda one: one.name)] == ["http", "file"]


def test_nobody_else_on_this_computer_reads_through_it(root: Path) -> None:
    with IndexServer(root) as server, CheckedIndex((source(server.simple),), UserSettings(), ASKER) as index:
        wanted = LockRequest(("torch",), "3.12", "linux", "x86_64", None, server.simple)
        address = index.request(wanted).torch_index or ""
        with urllib.request.urlopen(f"{address}/torch/") as answer:
            assert b"torch-1.0" in answer.read()
        token = address.split("/")[3]
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(address.replace(token, "a" * len(token)) + "/torch/")
        with caught.value as refused:  # it holds the connection
            assert refused.code == 404


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


def test_a_resolver_that_hangs_is_ended(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hung = tmp_path / "uv"
    hung.write_text("#!/bin/sh\nwhile :; do sleep 1000; done\n", encoding="utf-8")
    hung.chmod(0o755)
    monkeypatch.setattr(paths, "uv_executable", lambda: hung)
    monkeypatch.setattr(lock_module, "_SILENCE", 1.0)
    with IndexServer(root) as server:
        error = failure(tmp_path / "w", source(server.simple), source(server.simple))
    assert error.code == "lock-silent"
    for language in LANGUAGES:
        assert text(error.summary, language)
        assert text(error.hint, language)
