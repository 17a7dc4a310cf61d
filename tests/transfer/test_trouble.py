"""What goes wrong with certificates and proxies, each with its own words, from real servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import trustme

from tests.install.files import locked
from tests.servers.index_server import IndexServer
from tests.servers.proxy_server import ProxyServer
from tests.transfer.conftest import HOST, WORD, Authority, port_of
from tests.transfer.test_through import FILE, PAGE, environment, failure, fault
from wizard.model.messages import text
from wizard.transfer import trouble
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.hosts import HARD_TRIES
from wizard.transfer.trouble import certificates_in, issuer_name, issuer_of

DAY = timedelta(days=1)
LAB = "Testing CA (Lab Inspection Authority)"


@contextmanager
def behind(certificate: Path, root: Path) -> Iterator[ProxyServer]:
    root.mkdir(exist_ok=True)
    with IndexServer(root, certificate=certificate) as server, ProxyServer({f"{HOST}:443": port_of(server)}) as proxy:
        yield proxy


def test_an_unknown_authority_is_named(proxy: ProxyServer) -> None:
    way = environment(proxy.http)
    error, broken = failure(way), fault(way)
    assert error.code == broken.code == "network-tls-issuer"
    assert broken.hard
    assert "Lab Inspection Authority" in str(error.params["issuer"])
    assert "Lab Inspection Authority" in text(error.summary, "zh_CN")
    assert "--ca-file" in text(error.hint, "en")
    assert broken.params["place"] == HOST


def test_another_authority_than_the_named_one(proxy: ProxyServer, tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    trustme.CA(organization_name="Somebody Else").cert_pem.write_to_path(str(other))
    error = failure(environment(proxy.http, str(other)))
    assert error.code == "network-tls-issuer"
    assert "Lab Inspection" in str(error.params["issuer"])


def test_expired_and_not_yet_valid(authority: Authority, tmp_path: Path) -> None:
    now = datetime.now(timezone.utc)
    old = authority.certificate(HOST, not_before=now - 9 * DAY, not_after=now - DAY)
    with behind(old, tmp_path / "w") as proxy:
        way = environment(proxy.http, authority.file)
        assert failure(way).code == fault(way).code == "network-tls-expired"
    young = authority.certificate(HOST, not_before=now + DAY, not_after=now + 9 * DAY)
    with behind(young, tmp_path / "w") as proxy:
        way = environment(proxy.http, authority.file)
        assert failure(way).code == fault(way).code == "network-tls-clock"


def test_a_clock_from_before_this_program(authority: Authority, tmp_path: Path) -> None:
    now = datetime.now(timezone.utc)
    old = authority.certificate(HOST, not_before=now - 9 * DAY, not_after=now - DAY)
    with behind(old, tmp_path / "w") as proxy:
        way = environment(proxy.http, authority.file)
        cause = failure(way).__cause__
        assert cause is not None
        told = trouble.explain(cause, PAGE, way, now=0.0)
    assert told is not None
    assert told.code == "network-tls-clock"


def test_another_host(authority: Authority, tmp_path: Path) -> None:
    with behind(authority.certificate("portal.example"), tmp_path / "w") as proxy:
        way = environment(proxy.http, authority.file)
        assert failure(way).code == fault(way).code == "network-tls-host"


@pytest.mark.parametrize("kind", ["http", "socks"])
@pytest.mark.parametrize("login", ["", "anna:wrong@"])
def test_a_proxy_that_wants_a_password(kind: str, login: str, strict_proxy: ProxyServer, authority: Authority) -> None:
    scheme, _, place = getattr(strict_proxy, kind).partition("://")
    way = environment(f"{scheme}://{login}{place.rpartition('@')[2]}", authority.file)
    error, broken = failure(way), fault(way)
    assert error.code == broken.code == "network-proxy-login"
    assert error.params["proxy"] == place.rpartition("@")[2]
    assert "wrong" not in f"{error} {error.details} {broken.details} {error.to_json()}"


@pytest.mark.parametrize("kind", ["http", "socks"])
def test_a_proxy_that_does_not_let_us_through(kind: str, proxy: ProxyServer, authority: Authority) -> None:
    proxy.refuses = 403
    way = environment(getattr(proxy, kind), authority.file)
    error, broken = failure(way), fault(way)
    assert error.code == broken.code == "network-proxy-refused"
    assert error.params["status"] == ("HTTP 403" if kind == "http" else "-")


@pytest.mark.parametrize("kind", ["http", "socks"])
def test_a_proxy_that_closes_without_an_answer(kind: str, proxy: ProxyServer, authority: Authority) -> None:
    """It refuses nothing: the way is away, and is tried again as any other that broke off."""
    proxy.closes = 9
    way = environment(getattr(proxy, kind), authority.file)
    error, broken = failure(way), fault(way)
    assert error.code == broken.code == "network-proxy-closed"
    assert not broken.hard
    place = getattr(proxy, kind).rpartition("/")[2]
    assert text(error.summary, "en") == f"The proxy {place} closes connections without an answer."
    assert proxy.asked == []


def test_a_proxy_reached_by_tls_that_closes(index: IndexServer, authority: Authority) -> None:
    with ProxyServer({}, certificate=authority.certificate("127.0.0.1")) as proxy:
        proxy.closes = 9
        way = environment(proxy.http, authority.file)
        assert fault(way).code == "network-proxy-closed"


@pytest.mark.parametrize("kind", ["http", "socks"])
def test_a_download_outlives_a_proxy_that_was_away(
    kind: str, index: IndexServer, proxy: ProxyServer, authority: Authority, tmp_path: Path
) -> None:
    proxy.closes = HARD_TRIES + 2
    wheel = next(index.root.rglob("*.whl"))
    file = locked(wheel.read_bytes(), FILE)
    way = environment(getattr(proxy, kind), authority.file)
    options = Options(backoff=0.05, environment=way)
    (found,) = Fetcher(Downloads(tmp_path / "downloads"), 1, options).fetch([file]).paths
    assert found.read_bytes() == wheel.read_bytes()
    assert proxy.closes == 0


@pytest.mark.parametrize("scheme", ["http", "socks5h"])
def test_a_proxy_that_is_not_there(scheme: str, authority: Authority) -> None:
    with ProxyServer({}) as gone:
        port = gone.http.rpartition(":")[2]
    way = environment(f"{scheme}://anna:{WORD.replace('/', '%2F')}@127.0.0.1:{port}", authority.file)
    error, broken = failure(way), fault(way)
    assert error.code == broken.code == "network-proxy-offline"
    assert not broken.hard  # it may come back
    assert "s3cr" not in f"{error} {error.details} {broken.details}"


def test_a_certificate_file_that_is_not_there(proxy: ProxyServer, tmp_path: Path) -> None:
    way = environment(proxy.http, str(tmp_path / "gone.pem"))
    assert failure(way).code == "source-certificate"
    assert fault(way).code == "fetch-certificates"
    assert proxy.asked == []


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("  cause: invalid peer certificate: UnknownIssuer", "network-tls-authority"),
        ("invalid peer certificate: certificate expired: verification time 1 (UNIX)", "network-tls-expired"),
        ("Caused by: tunnel error: proxy authorization required", "network-proxy-login"),
        ("tunnel error: failed to create underlying connection\n tcp connect error", "network-proxy-offline"),
        ("tunnel error: unsuccessful", "network-proxy-refused"),
        ("tunnel error: unexpected end of file", "network-proxy-closed"),
        ("tunnel error: io error establishing tunnel", "network-proxy-closed"),
        ("SOCKS error: credentials not accepted", "network-proxy-login"),
    ],
)
def test_the_words_of_uv_and_rattler(said: str, code: str) -> None:
    told = trouble.explain_text(f"error: Failed to fetch: https://127.0.0.1:9/x\n{said}", {})
    assert told is not None
    assert (told.code, told.params["place"]) == (code, "127.0.0.1")
    assert trouble.explain_text("error: no solution found", {}) is None


def test_a_look_at_the_issuer_sends_no_request(index: IndexServer, proxy: ProxyServer) -> None:
    found = issuer_of(FILE, environment(proxy.http))
    assert found is not None
    assert "Lab Inspection Authority" in found
    assert index.requests == []
    assert issuer_of("https://127.0.0.1:9/x", environment(None)) is None


@pytest.mark.parametrize("data", [b"", b"\x16\x03\x03", b"\x16\x03\x03\x00\x04\x0b\x00\x00\x09", b"HTTP/1.1 400"])
def test_what_is_no_handshake_has_no_certificates(data: bytes) -> None:
    assert certificates_in(data) in ([], [b""])


def test_an_issuers_name_is_made_harmless() -> None:
    ca = trustme.CA(organization_name="Evil\x1b[31m\nCorp", organization_unit_name="x" * 50)
    der = trustme_der(ca)
    name = issuer_name(der)
    assert name is not None
    assert name.isprintable()
    for cut in (b"", der[:40], der[: len(der) // 2]):
        with pytest.raises((ValueError, IndexError)):
            issuer_name(cut)


def trustme_der(ca: trustme.CA) -> bytes:
    import ssl

    return ssl.PEM_cert_to_DER_cert(ca.cert_pem.bytes().decode())
