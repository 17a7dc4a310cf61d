"""The options, what is saved, and the whole job through a proxy: no password is left anywhere."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.line.world import PYTHON, World
from tests.servers.index_server import IndexServer
from tests.servers.proxy_server import ProxyServer
from tests.transfer.conftest import WORD, Authority, port_of
from wizard.app.use.network import load_network, network_from_json, save_network, with_network
from wizard.cli.options import network_from
from wizard.cli.root import parse
from wizard.cli.terminal import Terminal
from wizard.gui.startup.preferences import Preferences
from wizard.model.errors import UsageError
from wizard.sources.model import UserSettings
from wizard.system import paths
from wizard.transfer.proxy.bypass import proxy_url
from wizard.transfer.proxy.model import Mode, Network


def asked(*arguments: str) -> Network:
    return network_from(parse(["pick", *arguments], Terminal("en")).arguments)


def test_the_options(authority: Authority) -> None:
    assert asked() == Network()
    assert asked("--proxy", "none") == Network(Mode.NONE)
    wish = asked("--proxy", "anna:w@h:1", "--no-proxy", "mirror.example,.lab.example", "--ca-file", authority.file)
    assert wish == Network(Mode.CUSTOM, "http://anna:w@h:1", ("mirror.example", ".lab.example"), authority.file)


def test_an_option_goes_over_what_was_saved_and_leaves_the_rest() -> None:
    save_network(Network(Mode.CUSTOM, "http://h:1", ("mirror.example",), None))
    assert asked() == load_network() == Network(Mode.CUSTOM, "http://h:1", ("mirror.example",), None)
    assert asked("--proxy", "system") == Network(Mode.SYSTEM, None, ("mirror.example",))
    assert asked("--no-proxy", "").no_proxy == ()


def test_bad_certificate_files_are_usage_errors(tmp_path: Path) -> None:
    (tmp_path / "text.pem").write_text("hello")
    (tmp_path / "empty").mkdir()
    cases = {"gone.pem": "network-ca-unreadable", "text.pem": "network-ca-not-pem", "empty": "network-ca-folder"}
    for name, code in cases.items():
        with pytest.raises(UsageError) as caught:
            asked("--ca-file", str(tmp_path / name))
        assert caught.value.code == code


def test_saved_beside_the_windows_own_keys_for_the_owner_alone() -> None:
    preferences = Preferences()
    preferences.put(language="zh_CN", theme="dark")
    wish = Network(Mode.CUSTOM, "http://anna:word@h:1", (".lab.example",), "/lab.pem")
    save_network(wish)
    assert stat.S_IMODE(paths.settings_file().stat().st_mode) == 0o600
    assert (Preferences().wishes.theme, load_network()) == ("dark", wish)
    Preferences().put(theme="light")
    assert load_network() == wish
    assert stat.S_IMODE(paths.settings_file().stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "saved",
    [
        {},
        {"mode": "odd", "proxy": 7, "no_proxy": "x", "certificate": []},
        {"mode": "custom", "proxy": "ftp://h"},
        {"mode": None, "no_proxy": [1, "*"]},
    ],
)
def test_a_damaged_wish_is_left_to_the_system(saved: dict[str, object]) -> None:
    assert network_from_json(saved).mode is Mode.SYSTEM
    paths.settings_file().parent.mkdir(parents=True)
    paths.settings_file().write_text(json.dumps({"network": saved}))
    assert load_network().mode is Mode.SYSTEM
    paths.settings_file().write_text("{")
    assert load_network() == Network()


def test_pips_proxy_counts_unless_something_is_wished() -> None:
    settings = UserSettings(proxy="pip.example:1")
    by_system = with_network(settings, Network(), {}).environment
    by_wish = with_network(settings, Network(Mode.NONE), {}).environment
    assert by_system is not None
    assert by_wish is not None
    assert by_system["HTTPS_PROXY"] == "http://pip.example:1"
    assert "HTTPS_PROXY" not in by_wish
    bad = with_network(UserSettings(proxy="ftp://anna:word@h"), Network(), {})
    assert [notice.key for notice in bad.notices] == ["network.notice.settings"]
    assert "word" not in str(bad.notices)


# -- the whole job -------------------------------------------------------------------------------------------


@pytest.fixture
def lab(world: World, conda_channel_folder: Path, authority: Authority) -> Iterator[ProxyServer]:
    """Everything that `setup` needs stands behind a proxy with a password, certified by the lab's authority."""
    with (
        IndexServer(world.packages.root, certificate=authority.certificate("packages.example")) as packages,
        IndexServer(world.torch.root, certificate=authority.certificate("torch.example")) as torch,
        IndexServer(conda_channel_folder, certificate=authority.certificate("channel.example")) as channel,
    ):
        servers = {"packages.example": packages, "torch.example": torch, "channel.example": channel}
        routes = {f"{host}:443": port_of(server) for host, server in servers.items()}
        with ProxyServer(routes, password=f"anna:{WORD}") as proxy:
            yield proxy


SOURCES = (
    "--index",
    "https://packages.example/simple",
    "--torch-index",
    "https://torch.example/simple",
    "--channel",
    "https://channel.example",
    "--python",
    PYTHON,
    "--variant",
    "cpu",
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["http", "socks"])
def test_setup_through_the_proxy_leaves_no_password_behind(
    kind: str, lab: ProxyServer, world: World, authority: Authority
) -> None:
    proxy = proxy_url(getattr(lab, kind))
    assert proxy is not None
    prefix = world.home / "env"
    done = world.run(
        "setup",
        "--prefix",
        str(prefix),
        *SOURCES,
        "--proxy",
        proxy,
        "--ca-file",
        authority.file,
        "--yes",
        "--events",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert world.import_check(prefix, "import torch; print(torch.__version__)") == "2.13.0+cpu"
    assert {place.partition(":")[0] for place in lab.asked} == {"packages.example", "torch.example", "channel.example"}
    words = (WORD, proxy.partition("://")[2].partition("@")[0].partition(":")[2])
    heard = {"stdout": done.stdout, "stderr": done.stderr}
    for path in (world.home / "state").rglob("*"):
        if path.is_file() and "downloads" not in path.parts and path.stat().st_size < 1_000_000:
            heard[str(path)] = path.read_text(encoding="utf-8", errors="replace")
    leaking = [place for place, text in heard.items() if any(word in text for word in words)]
    assert [Path(place).name for place in leaking] == ["plan.json"]
    assert stat.S_IMODE(Path(leaking[0]).stat().st_mode) == 0o600


def test_a_password_typed_in_a_wrong_address_is_not_repeated(world: World) -> None:
    done = world.run("setup", "--prefix", str(world.home / "env"), "--proxy", "anna:s3cret@h:nine", "--yes")
    assert done.returncode == 2
    assert "--proxy" in done.stderr
    assert "s3cret" not in done.stderr + done.stdout
    log = world.home / "state" / "logs" / "torch-wizard.log"
    assert "network-bad-proxy" in log.read_text()
    assert "s3cret" not in log.read_text()


def test_setup_says_whose_certificate_it_does_not_know(lab: ProxyServer, world: World) -> None:
    proxy = proxy_url(lab.http)
    done = world.run("setup", "--prefix", str(world.home / "env"), *SOURCES, "--proxy", str(proxy), "--yes")
    assert done.returncode == 1
    assert "Lab Inspection Authority" in done.stderr
    assert "--ca-file" in done.stderr
