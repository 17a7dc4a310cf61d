"""Our own connections through real proxies: the reader of pages and the downloader take the same way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.servers.index_server import IndexServer
from tests.servers.proxy_server import ProxyServer
from tests.transfer.conftest import HOST, Authority
from wizard.transfer.download.model import Fault
from wizard.transfer.download.transport import Transport
from wizard.transfer.http import Client, SourceUnreachable
from wizard.transfer.proxy.bypass import proxy_url
from wizard.transfer.proxy.environment import network_environment
from wizard.transfer.proxy.model import Mode, Network, SystemProxy

PAGE = f"https://{HOST}/simple/alpha/"
FILE = f"https://{HOST}/files/alpha-1.0-py3-none-any.whl"
FAST = (3.0, 5.0)


def environment(proxy: str | None, certificate: str | None = None, *no_proxy: str) -> dict[str, str]:
    wish = Network(Mode.CUSTOM if proxy else Mode.NONE, proxy, no_proxy, certificate)
    return network_environment(wish, SystemProxy(), {})


def read(way: Mapping[str, str], url: str = PAGE) -> int:
    client = Client(timeouts=FAST, environment=way)
    try:
        return client.get(url, "Lab", {}).status
    finally:
        client.close()


def fetch(way: Mapping[str, str], url: str = FILE) -> bytes:
    transport = Transport(stall=5.0, environment=way)
    try:
        reply = transport.get(url, 0, None)
        block = memoryview(bytearray(reply.total or 0))
        at = 0
        while at < len(block) and (count := reply.body.readinto(block[at:])):
            at += count
        return bytes(block[:at])
    finally:
        transport.close()


def failure(way: Mapping[str, str], url: str = PAGE) -> SourceUnreachable:
    with pytest.raises(SourceUnreachable) as caught:
        read(way, url)
    return caught.value


def fault(way: Mapping[str, str], url: str = FILE) -> Fault:
    with pytest.raises(Fault) as caught:
        fetch(way, url)
    return caught.value


def wheel(index: IndexServer) -> bytes:
    return next(index.root.rglob("*.whl")).read_bytes()


@pytest.mark.parametrize("kind", ["http", "socks"])
def test_both_go_through_the_proxy(kind: str, index: IndexServer, proxy: ProxyServer, authority: Authority) -> None:
    way = environment(getattr(proxy, kind), authority.file)
    assert read(way) == 200
    assert fetch(way) == wheel(index)
    assert proxy.asked == [f"{HOST}:443"] * 2
    assert proxy.resolved_here == []  # the name went to the proxy: nobody here could know it


@pytest.mark.parametrize("kind", ["http", "socks"])
def test_with_a_password_of_odd_letters(
    kind: str, index: IndexServer, strict_proxy: ProxyServer, authority: Authority
) -> None:
    way = environment(proxy_url(getattr(strict_proxy, kind)), authority.file)
    assert read(way) == 200
    assert fetch(way) == wheel(index)


def test_a_proxy_that_is_reached_by_tls(index: IndexServer, authority: Authority) -> None:
    port = int(index.url.rpartition(":")[2])
    with ProxyServer({f"{HOST}:443": port}, certificate=authority.certificate("127.0.0.1")) as proxy:
        way = environment(proxy.http, authority.file)
        assert read(way) == 200
        assert fetch(way) == wheel(index)
        assert len(proxy.asked) == 2


def test_socks5_without_h_resolves_here(index: IndexServer, proxy: ProxyServer, authority: Authority) -> None:
    """127.0.0.1 stands for what a resolver says: nobody resolves `files.example` here."""
    way = environment(proxy.socks.replace("socks5h", "socks5"), authority.file)
    assert failure(way).code in ("source-offline", "network-proxy-refused")
    assert proxy.asked == []


def test_hosts_that_go_without_the_proxy(proxy: ProxyServer, authority: Authority) -> None:
    for entry in (HOST, ".example", "*"):
        way = environment(proxy.http, authority.file, entry)
        assert failure(way).code == "source-offline"  # and so nobody can find that name
        assert fault(way).code == "fetch-unreachable"
    assert proxy.asked == []


def test_none_is_none_even_where_the_shell_names_one(
    monkeypatch: pytest.MonkeyPatch, proxy: ProxyServer, authority: Authority
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.http)
    way = environment(None, authority.file)
    assert failure(way).code == "source-offline"
    assert fault(way).code == "fetch-unreachable"
    assert proxy.asked == []


def test_without_a_wish_the_shell_decides(
    monkeypatch: pytest.MonkeyPatch, index: IndexServer, proxy: ProxyServer, authority: Authority
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.http)
    monkeypatch.setenv("SSL_CERT_FILE", authority.file)
    client = Client(timeouts=FAST)
    assert client.get(PAGE, "Lab", {}).status == 200
    client.close()
    assert proxy.asked == [f"{HOST}:443"]


def test_loopback_never(index: IndexServer, proxy: ProxyServer, tmp_path: Path) -> None:
    with IndexServer(index.root) as near:
        way = environment(proxy.http)
        assert read(way, f"{near.simple}/alpha/") == 200
        assert fetch(way, f"{near.url}/files/alpha-1.0-py3-none-any.whl") == wheel(index)
    assert proxy.asked == []
