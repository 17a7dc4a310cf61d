"""The one index that the resolver is given: the real uv behind it, real servers on loopback in front of it."""

from __future__ import annotations

import hashlib
import json
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from tests.install import wheels
from tests.run.checking import ASKER, failure, links, resolve, source
from tests.servers.index_server import JSON, Answer, IndexServer
from tests.servers.trickle import Trickle
from wizard.install import lock as lock_module
from wizard.install.lock import LockRequest
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.run.plan.checked_index import CheckedIndex
from wizard.sources.model import Layout, UserSettings
from wizard.system import paths


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


@pytest.mark.parametrize("is_json", [True, False], ids=["json", "html"])
def test_a_good_link_beside_a_refused_one_does_not_hide_it(root: Path, tmp_path: Path, is_json: bool) -> None:
    """The version that is needed lies where nobody may be sent; an older one does not."""
    good, bad = "/files/extra-3.0-py3-none-any.whl", "http://192.0.2.1/extra-9.0-py3-none-any.whl"
    entries = [{"filename": url.rpartition("/")[2], "url": url, "hashes": {}} for url in (bad, good)]
    page = json.dumps({"meta": {}, "files": entries}).encode()
    with IndexServer(root) as server:
        server.answers["/simple/extra/"] = Answer(page, 200, {"Content-Type": JSON}) if is_json else links(bad, good)
        own = source(server.simple)
        with pytest.raises(WizardError) as caught:
            resolve(tmp_path / "w", own, own, wanted=("torch", "extra>=9"))
        assert caught.value.code == "lock-links-refused", caught.value.details
        for language in LANGUAGES:
            assert bad in text(caught.value.summary, language)
        with pytest.raises(WizardError) as caught:  # what fails elsewhere is told as ever
            resolve(tmp_path / "v", own, own, wanted=("torch>=5", "extra"))
        assert caught.value.code == "lock-no-solution"


def test_one_address_for_two_options(root: Path, tmp_path: Path) -> None:
    """Each is read in its own way and told by its own name."""
    with IndexServer(root) as server:
        lock = resolve(
            tmp_path / "w",
            source(server.simple),
            source(server.flat),
            source(server.flat, Layout.FLAT),
        )
        assert {file.name for file in lock.files} == {"torch", "extra"}
        server.answers["/simple/extra/"] = Answer(status=500)
        torch, packages = (replace(source(server.simple), name=name) for name in ("--torch-index", "--index"))
        assert failure(tmp_path / "v", torch, packages).params["source"] == "--index"


@pytest.mark.slow
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
