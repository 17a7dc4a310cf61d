"""The children that go to the network, for real: uv resolves and rattler builds an environment through proxies."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.servers.index_server import IndexServer
from tests.servers.proxy_server import ProxyServer
from tests.tools import path_of
from tests.transfer.conftest import HOST, Authority, port_of
from tests.transfer.test_through import environment
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.model import Created, Target
from wizard.install.lock import LockRequest, compile_lock
from wizard.model.errors import WizardError
from wizard.model.lock import Lock
from wizard.transfer.proxy.bypass import proxy_url
from wizard.transfer.proxy.relay import Relay, without_socks

pytestmark = pytest.mark.slow

CHANNEL = "channel.example"
MINOR = f"3.{sys.version_info[1]}"


def lock(way: Mapping[str, str], folder: Path) -> Lock:
    request = LockRequest(
        ("alpha",),
        "3.12",
        "linux",
        "x86_64",
        "2.31",
        default_index=f"https://{HOST}/simple",
        environment={**way, "UV_HTTP_RETRIES": "0"},
    )
    folder.mkdir(exist_ok=True)
    return compile_lock(request, folder, lambda line: None, lambda: False)


def refused(way: Mapping[str, str], folder: Path) -> WizardError:
    with pytest.raises(WizardError) as caught:
        lock(way, folder)
    return caught.value


@pytest.mark.parametrize("kind", ["http", "socks"])
def test_uv_goes_through_the_proxy_with_the_labs_certificate(
    kind: str, strict_proxy: ProxyServer, authority: Authority, tmp_path: Path
) -> None:
    way = environment(proxy_url(getattr(strict_proxy, kind)), authority.file)
    assert lock(way, tmp_path / "lock").find("alpha") is not None
    assert set(strict_proxy.asked) == {f"{HOST}:443"}


def test_uv_takes_a_folder_of_certificates(
    proxy: ProxyServer, authority: Authority, tmp_path: Path, certificate_folder: Path
) -> None:
    assert lock(environment(proxy.http, str(certificate_folder)), tmp_path / "lock").find("alpha") is not None


def test_uv_leaves_the_proxy_out_where_it_should(
    monkeypatch: pytest.MonkeyPatch, proxy: ProxyServer, authority: Authority, tmp_path: Path
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.http)
    assert refused(environment(None, authority.file), tmp_path / "lock").code == "lock-network"
    assert refused(environment(proxy.http, authority.file, HOST), tmp_path / "lock").code == "lock-network"
    assert proxy.asked == []


def test_uv_says_what_is_wrong(
    strict_proxy: ProxyServer, proxy: ProxyServer, tmp_path: Path, authority: Authority
) -> None:
    error = refused(environment(proxy.http), tmp_path / "lock")
    assert error.code == "network-tls-issuer"
    assert "Lab Inspection Authority" in str(error.summary.params["issuer"])
    wrong = strict_proxy.http.replace("anna:", "bob:")
    error = refused(environment(wrong, authority.file), tmp_path / "lock")
    assert (error.code, error.params["place"]) == ("network-proxy-login", HOST)
    assert "s3cr" not in f"{error} {error.details} {error.to_json()}"


@pytest.fixture
def certificate_folder(authority: Authority) -> Path:
    """As `openssl rehash` makes it."""
    import subprocess

    folder = authority.folder / "hashed"
    folder.mkdir()
    asked = (path_of("openssl"), "x509", "-hash", "-noout", "-in", authority.file)
    name = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    (folder / f"{name}.0").write_bytes(Path(authority.file).read_bytes())
    return folder


# -- rattler -------------------------------------------------------------------------------------------------


@pytest.fixture
def channel_proxy(conda_channel_folder: Path, authority: Authority) -> Iterator[ProxyServer]:
    certificate = authority.certificate(CHANNEL)
    with (
        IndexServer(conda_channel_folder, certificate=certificate) as server,
        ProxyServer({f"{CHANNEL}:443": port_of(server)}, password="anna:s3cr@t/word") as proxy,
    ):
        yield proxy


def create(way: Mapping[str, str], prefix: Path) -> Created:
    target = Target(prefix, MINOR, "rattler", channels=(f"https://{CHANNEL}",))
    return RattlerEngine(way).create(target, lambda done, total, words: None, lambda: False)


@pytest.mark.parametrize("kind", ["http", "socks"])
def test_rattler_goes_through_the_proxy_with_the_labs_certificate(
    kind: str, channel_proxy: ProxyServer, authority: Authority, tmp_path: Path
) -> None:
    way = environment(proxy_url(getattr(channel_proxy, kind)), authority.file)
    created = create(way, tmp_path / "prefix")
    assert created.python.exists()
    assert set(channel_proxy.asked) == {f"{CHANNEL}:443"}
    assert channel_proxy.bytes_passed > created.bytes_downloaded > 1_000_000
    assert channel_proxy.resolved_here == []


def test_rattler_says_what_is_wrong(channel_proxy: ProxyServer, authority: Authority, tmp_path: Path) -> None:
    with pytest.raises(WizardError) as caught:
        create(environment(channel_proxy.http.replace("anna:", "bob:"), authority.file), tmp_path / "a")
    assert caught.value.code == "network-proxy-login"
    assert "s3cr" not in f"{caught.value} {caught.value.details}"
    with pytest.raises(WizardError) as caught:
        create(environment(channel_proxy.http), tmp_path / "b")
    assert caught.value.code == "network-tls-issuer"


def test_rattler_leaves_the_proxy_out_where_it_should(
    monkeypatch: pytest.MonkeyPatch, channel_proxy: ProxyServer, authority: Authority, tmp_path: Path
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", channel_proxy.http)
    with pytest.raises(WizardError) as caught:
        create(environment(None, authority.file), tmp_path / "prefix")
    assert caught.value.code == "env-channel-unreachable"
    assert channel_proxy.asked == []


# -- the bridge to SOCKS --------------------------------------------------------------------------------------


def test_only_socks_proxies_get_a_bridge() -> None:
    plain = {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "socks.example", "PATH": "/bin"}
    assert without_socks(plain) == {}
    changed = without_socks({**plain, "ALL_PROXY": "socks5h://p:1", "all_proxy": "socks5h://p:1"})
    assert changed.keys() == {"ALL_PROXY", "all_proxy"}
    assert len(set(changed.values())) == 1


def test_a_stranger_cannot_use_the_bridge(proxy: ProxyServer, authority: Authority) -> None:
    from tests.transfer.test_through import failure, read

    relay = Relay(proxy.socks)
    relay.start()
    try:
        assert read(environment(relay.address, authority.file)) == 200
        stranger = "http://" + relay.address.rpartition("@")[2]
        assert failure(environment(stranger, authority.file)).code == "network-proxy-login"
        assert proxy.asked == [f"{HOST}:443"]
    finally:
        relay.close()
