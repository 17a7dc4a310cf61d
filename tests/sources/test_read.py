"""Reading real servers on 127.0.0.1: layouts, certificates, redirects, and every way to be unreachable."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from tests.servers.index_server import Answer, IndexServer
from tests.servers.trickle import Trickle
from tests.sources.wheels import CPU, CU126, make_wheel
from wizard.model.messages import LANGUAGES, text
from wizard.sources import read as read_module
from wizard.sources.model import Layout, Offer, Origin, Source, UserSettings
from wizard.sources.read import Reader
from wizard.transfer import http as client_module
from wizard.transfer.http import HttpPage, SourceUnreachable

FAST = (2.0, 2.0)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[IndexServer]:
    for name in (CU126, CPU):
        make_wheel(tmp_path / "root", name)
    with IndexServer(tmp_path / "root") as running:
        yield running


@pytest.fixture
def reader() -> Iterator[Reader]:
    with Reader(timeouts=FAST) as made:
        yield made


def simple(url: str | None) -> Source:
    return Source("lab", Layout.SIMPLE, Origin.BY_HAND, url, "Lab")


def failure(reader: Reader, source: Source) -> SourceUnreachable:
    with pytest.raises(SourceUnreachable) as caught:
        reader.offers(source, "torch")
    for language in LANGUAGES:
        assert text(caught.value.summary, language)
        assert text(caught.value.hint, language)
    return caught.value


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_json_is_preferred_and_says_sizes(server: IndexServer, reader: Reader) -> None:
    offers = reader.offers(simple(server.simple), "Torch")
    assert {offer.filename for offer in offers} == {CU126, CPU}
    assert all(offer.size and offer.sha256 and offer.url.startswith(f"{server.url}/files/") for offer in offers)
    assert server.requests[0].headers["User-Agent"].startswith("torch-setup/")


def test_a_page_that_many_threads_want_is_fetched_once(server: IndexServer, reader: Reader) -> None:
    """The list of a flat source is the page of every project in it."""
    server.answers["/flat/"] = Answer(server.html_page(server.files()), delay=0.5)
    flat = replace(simple(server.flat), layout=Layout.FLAT)
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda project: len(reader.offers(flat, project)), ["torch", *(f"p{i}" for i in range(7))])
        )
    assert (found, server.paths()) == ([2] + [0] * 7, ["/flat/"])


def test_html_and_flat_say_the_same_but_the_size(server: IndexServer) -> None:
    server.json = False
    with Reader(timeouts=FAST) as reader:
        by_project = reader.offers(simple(server.simple + "/"), "torch")
        listed = reader.offers(replace(simple(server.flat), layout=Layout.FLAT), "torch")
    assert {(o.filename, o.url, o.sha256) for o in by_project} == {(o.filename, o.url, o.sha256) for o in listed}
    assert all(offer.size is None for offer in by_project)


def test_files_on_another_host(server: IndexServer, reader: Reader, tmp_path: Path) -> None:
    with IndexServer(tmp_path / "root") as other:
        server.file_prefix = f"{other.url}/files"
        offers = reader.offers(simple(server.simple), "torch")
    assert offers
    assert all(offer.url.startswith(other.url) for offer in offers)


def test_a_page_is_asked_for_once(server: IndexServer, reader: Reader) -> None:
    for _ in range(3):
        reader.offers(simple(server.simple), "torch")
        assert reader.offers(simple(server.simple), "numpy") == ()
    assert server.paths() == ["/simple/torch/", "/simple/numpy/"]


def test_a_failure_is_remembered_too(server: IndexServer, reader: Reader) -> None:
    server.answers["/simple/torch/"] = Answer(b"busy", 503)
    for _ in range(2):
        error = failure(reader, simple(server.simple))
        assert (error.code, error.params["status"]) == ("source-status", 503)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(b"no", 403), "source-forbidden"),
        (Answer(b"no", 401), "source-forbidden"),
        (Answer(b"no", 500), "source-status"),
        (Answer(b"no", 429), "source-status"),
        (Answer(b"<html><form>sign in</form></html>"), "source-not-an-index"),
        (Answer(b"\x89PNG", headers={"Content-Type": "image/png"}), "source-not-an-index"),
        (Answer(b'{"error": "sign in"}', headers={"Content-Type": "application/json"}), "source-not-an-index"),
        (Answer(b"", 302, {"Location": "http://portal.example/login"}), "source-insecure"),
        (Answer(b"", 302, {"Location": "file:///etc/hostname"}), "source-insecure"),
        (Answer(b"", 302, {"Location": "/simple/torch/"}), "source-redirects"),
        (Answer(b"<html>" * 99, cut_after=20), "source-offline"),
        (Answer(b"no gzip at all", headers={"Content-Encoding": "gzip"}), "source-offline"),
    ],
)
def test_each_way_to_fail_has_its_own_code(server: IndexServer, reader: Reader, answer: Answer, code: str) -> None:
    server.answers["/simple/torch/"] = answer
    assert failure(reader, simple(server.simple)).code == code


def test_missing_is_no_failure(server: IndexServer, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers["/simple/torch/"] = Answer(b"gone", 410)
    assert reader.offers(simple(server.simple), "torch") == ()
    server.answers["/simple/numpy/"] = Answer(b"no", 403)
    monkeypatch.setattr(read_module, "forbidden_means_missing", lambda url: url == server.simple)
    assert reader.offers(simple(server.simple), "numpy") == ()


def test_nobody_listens(reader: Reader) -> None:
    assert failure(reader, simple(f"http://127.0.0.1:{closed_port()}/simple")).code == "source-offline"


def test_nobody_answers(server: IndexServer) -> None:
    server.answers["/simple/torch/"] = Answer(b"late", delay=1.0)
    with Reader(timeouts=(1.0, 0.1)) as reader:
        assert failure(reader, simple(server.simple)).code == "source-timeout"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("after", [0, 20, 5000], ids=["handshake or status line", "head", "body"])
def test_a_page_that_drips_is_left(tmp_path: Path, scheme: str, after: int) -> None:
    """Each byte begins a socket's time limit anew: nobody would wait for the end of this page."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    pem = tmp_path / "server.pem"
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(pem))
    settings = UserSettings(certificate=str(tmp_path / "ca.pem"))
    with IndexServer(tmp_path, certificate=pem if scheme == "https" else None) as server:
        server.answers["/simple/torch/"] = Answer(b"<html>" + b" " * 20_000)
        with Trickle(server.port, after) as slow, Reader(settings, (0.5, 0.5)) as reader:
            error = failure(reader, simple(f"{scheme}://127.0.0.1:{slow.port}/simple"))
            assert error.code == "source-timeout"
            assert slow.connections > 0


def test_a_page_without_end_is_left(server: IndexServer, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_MOST_BYTES", 1000)
    server.answers["/simple/torch/"] = Answer(b"<html>" * 1000)
    error = failure(reader, simple(server.simple))
    assert error.code == "source-too-large"
    assert "MB" in text(error.summary, "en")


def test_redirects_are_followed_and_links_counted_from_there(server: IndexServer, reader: Reader) -> None:
    server.answers["/old/torch/"] = Answer(b"", 301, {"Location": "/simple/torch/"})
    assert reader.offers(simple(f"{server.url}/old"), "torch")[0].url.startswith(f"{server.url}/files/")


def test_a_password_goes_to_its_own_host_only(server: IndexServer, tmp_path: Path) -> None:
    server.password = "me:word"
    secret = server.simple.replace("://", "://me:word@")
    server.answers["/moved/torch/"] = Answer(b"", 302, {"Location": server.simple + "/torch/"})
    with Reader(timeouts=FAST) as reader, IndexServer(tmp_path / "root") as other:
        assert reader.offers(simple(secret), "torch")
        assert reader.offers(simple(secret.replace("/simple", "/moved")), "torch")
        server.answers["/away/torch/"] = Answer(b"", 302, {"Location": other.simple + "/torch/"})
        assert reader.offers(simple(secret.replace("/simple", "/away")), "torch")
        assert "Authorization" not in other.requests[0].headers
        error = failure(reader, simple(server.simple.replace("://", "://me:wrong@")))
    assert error.code == "source-forbidden"
    assert "wrong" not in error.details + str(error)


def test_a_login_may_be_a_name_alone(server: IndexServer, reader: Reader) -> None:
    """As pip sends it; some hosts give out such a token."""
    server.password = "t%ken/1:"
    assert reader.offers(simple(server.simple.replace("://", "://t%25ken%2F1@")), "torch")
    error = failure(reader, simple(server.simple.replace("://", "://m1ne@")))
    assert error.code == "source-forbidden"
    assert "m1ne" not in error.details + str(error)


def test_a_proxy_from_pip_settings_is_used_but_not_for_this_computer(server: IndexServer) -> None:
    proxy = f"127.0.0.1:{closed_port()}"
    with Reader(UserSettings(proxy=proxy), FAST) as reader:
        assert reader.offers(simple(server.simple), "torch")
        error = failure(reader, simple("https://mirror.invalid/simple"))
    assert error.code == "network-proxy-offline"
    assert "proxy" in error.details.lower()


def test_no_tls_where_https_was_asked(server: IndexServer, reader: Reader) -> None:
    assert failure(reader, simple(server.simple.replace("http:", "https:"))).code == "source-tls"


def test_certificates_are_checked_and_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = trustme.CA(organization_name="Campus")
    pem, both = tmp_path / "own.pem", tmp_path / "both.pem"
    authority.cert_pem.write_to_path(str(pem))
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(both))
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    make_wheel(tmp_path / "root", CPU)
    with IndexServer(tmp_path / "root", certificate=both) as secure:
        with Reader(timeouts=FAST) as reader:
            error = failure(reader, simple(secure.simple))
            assert (error.code, error.params["issuer"]) == ("network-tls-issuer", "Campus")
        with Reader(UserSettings(certificate=str(pem)), FAST) as reader:
            assert reader.offers(simple(secure.simple), "torch")
        with Reader(UserSettings(certificate=str(tmp_path / "gone.pem")), FAST) as reader:
            assert failure(reader, simple(secure.simple)).code == "source-certificate"
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        with Reader(timeouts=FAST) as reader:
            assert reader.offers(simple(secure.simple), "torch")


def test_the_default_index_is_asked_for_when_it_is_read(server: IndexServer) -> None:
    with Reader(timeouts=FAST, default_index=lambda: server.simple) as reader:
        assert reader.offers(replace(simple(None), origin=Origin.OFFICIAL), "torch")


def test_a_folder_is_read_without_a_server(tmp_path: Path, reader: Reader) -> None:
    make_wheel(tmp_path, CPU)
    source = simple(tmp_path.as_uri())
    assert reader.offers(source, "torch") == ()
    assert reader.with_layout(source, "torch").layout is Layout.FLAT


def test_the_layout_of_a_typed_address_is_found_out(server: IndexServer, reader: Reader) -> None:
    assert reader.with_layout(simple(server.simple), "torch").layout is Layout.SIMPLE
    assert reader.with_layout(simple(server.flat), "torch").layout is Layout.FLAT
    assert reader.with_layout(simple(server.flat), "nothing").layout is Layout.SIMPLE
    server.answers["/simple/numpy/"] = server.answers["/simple"] = Answer(b"no", 403)
    with pytest.raises(SourceUnreachable):
        reader.with_layout(simple(server.simple), "numpy")
    with pytest.raises(SourceUnreachable):
        reader.with_layout(simple(f"http://127.0.0.1:{closed_port()}/"), "torch")
    own = replace(simple("https://mirror.invalid/"), origin=Origin.USER_SETTINGS)
    assert reader.with_layout(own, "torch") is own


def test_a_page_is_parsed_once_however_often_it_is_asked_for(
    server: IndexServer, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    parse = read_module._parse

    def counted(page: HttpPage, source: Source, project: str) -> tuple[Offer, ...]:
        parsed.append(project)
        return parse(page, source, project)

    monkeypatch.setattr(read_module, "_parse", counted)
    flat = Source("flat", Layout.FLAT, Origin.BY_HAND, server.flat, "Lab")
    for _ in range(3):
        assert len(reader.offers(flat, "torch")) == 2
        assert reader.offers(flat, "torchvision") == ()
        assert len(reader.offers(simple(server.simple), "torch")) == 2
    assert parsed == ["torch", "torchvision", "torch"]


def test_a_page_that_is_no_list_is_parsed_once_too(
    server: IndexServer, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers["/flat/"] = Answer(b"<form>")
    flat = Source("flat", Layout.FLAT, Origin.BY_HAND, server.flat, "Lab")
    assert failure(reader, flat).code == "source-not-an-index"
    monkeypatch.setattr(read_module, "_parse", None)
    assert failure(reader, flat).code == "source-not-an-index"
