"""What systems say of their proxy, read from recorded words."""

from __future__ import annotations

from pathlib import Path

import pytest

from wizard.transfer.proxy.model import SystemProxy
from wizard.transfer.proxy.system import (
    desktop_proxy,
    parse_gsettings,
    parse_internet_settings,
    parse_kioslaverc,
    parse_variables,
    system_proxy,
)

DATA = Path(__file__).resolve().parents[1] / "data" / "network"


def recorded(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def keys(found: SystemProxy) -> list[str]:
    return [notice.key for notice in found.notices]


def test_variables_in_both_cases_the_small_one_first() -> None:
    found = parse_variables(
        {"HTTPS_PROXY": "http://big:1", "https_proxy": "http://small:2", "ALL_PROXY": "socks://s:3/"}
    )
    assert (found.http, found.https, found.other) == (None, "http://small:2", "socks5h://s:3")
    assert found.origin == "environment"
    assert parse_variables({}) == SystemProxy()
    assert parse_variables({"HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"}).http is None


def test_a_variable_that_is_no_proxy_is_named_without_its_password() -> None:
    found = parse_variables({"HTTPS_PROXY": "ftp://anna:word@h:1"})
    assert (found.is_set, keys(found)) == (False, ["network.notice.variable"])
    assert "word" not in str(found.notices)


@pytest.mark.parametrize(
    ("server", "http", "https", "other"),
    [
        ("10.0.0.5:8080", "http://10.0.0.5:8080", "http://10.0.0.5:8080", None),
        ("http://proxy.lab.example:80", "http://proxy.lab.example:80", "http://proxy.lab.example:80", None),
        ("http=a:1;https=b:2;ftp=c:3;socks=d:4", "http://a:1", "http://b:2", "socks5h://d:4"),
        ("socks=127.0.0.1:7891", None, None, "socks5h://127.0.0.1:7891"),
        ("https=http://b:2", None, "http://b:2", None),
    ],
)
def test_windows(server: str, http: str | None, https: str | None, other: str | None) -> None:
    values = {"ProxyEnable": 1, "ProxyServer": server, "ProxyOverride": "*.lab.example;192.168.*;<local>"}
    found = parse_internet_settings(values)
    assert (found.http, found.https, found.other, found.origin) == (http, https, other, "windows")
    assert found.no_proxy == (".lab.example", "192.168.0.0/16", "<local>")
    assert not parse_internet_settings({**values, "ProxyEnable": 0}).is_set


def test_windows_with_a_script_says_what_to_do() -> None:
    found = parse_internet_settings({"ProxyEnable": 0, "AutoConfigURL": "http://wpad.lab.example/proxy.pac"})
    assert (found.is_set, keys(found)) == (False, ["network.notice.script"])
    assert parse_internet_settings({}) == SystemProxy()


def test_gnome() -> None:
    found = parse_gsettings(recorded("gsettings-manual.txt"))
    assert found.http == "http://anna:w%20ord@10.0.0.5:8080"
    assert (found.https, found.other) == ("http://10.0.0.6:8443", "socks5h://127.0.0.1:7891")
    assert found.no_proxy == ("localhost", "127.0.0.0/8", "::1", ".lab.example")
    assert not parse_gsettings(recorded("gsettings-none.txt")).is_set
    assert keys(parse_gsettings(recorded("gsettings-auto.txt"))) == ["network.notice.script"]
    assert parse_gsettings("No such schema “org.gnome.system.proxy”") == SystemProxy()
    assert keys(parse_gsettings("org.gnome.system.proxy mode 'manual'")) == ["network.notice.system"]


def test_kde() -> None:
    found = parse_kioslaverc(recorded("kioslaverc-manual.txt"))
    assert (found.http, found.https) == ("http://10.0.0.5:8080", "http://10.0.0.6:8443")
    assert (found.other, found.no_proxy) == ("socks5h://127.0.0.1:7891", ("localhost", ".lab.example"))
    script = recorded("kioslaverc-manual.txt").replace("ProxyType=1", "ProxyType=2")
    assert keys(parse_kioslaverc(script)) == ["network.notice.script"]
    assert parse_kioslaverc(script.replace("ProxyType=2", "ProxyType=0")) == SystemProxy()
    assert parse_kioslaverc("broken [") == SystemProxy()


def test_which_desktop_is_asked(tmp_path: Path) -> None:
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config" / "kioslaverc").write_text(recorded("kioslaverc-manual.txt"), encoding="utf-8")

    def gnome() -> str:
        return recorded("gsettings-manual.txt")

    def nobody() -> str:
        raise AssertionError("asked a desktop that does not run")

    assert desktop_proxy({"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}, tmp_path, gnome).origin == "gnome"
    assert desktop_proxy({"XDG_CURRENT_DESKTOP": "KDE"}, tmp_path, nobody).origin == "kde"
    assert desktop_proxy({}, tmp_path, nobody) == SystemProxy()


def test_gsettings_is_really_asked_and_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {"XDG_CURRENT_DESKTOP": "GNOME"}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert desktop_proxy(environ, tmp_path) == SystemProxy()
    tool = tmp_path / "gsettings"
    said = DATA / "gsettings-manual.txt"
    tool.write_text(f'#!/bin/sh\n[ "$*" = "list-recursively org.gnome.system.proxy" ] && /bin/cat "{said}"\n')
    tool.chmod(0o755)
    assert desktop_proxy(environ, tmp_path).https == "http://10.0.0.6:8443"


def test_variables_come_before_the_system_and_their_exceptions_beside_it() -> None:
    windows = SystemProxy(https="http://w:1", no_proxy=(".w.example",), origin="windows")

    def not_asked() -> SystemProxy:
        raise AssertionError("the variables decide")

    named = {"HTTPS_PROXY": "http://e:1"}
    assert system_proxy(named, Path(), "windows", not_asked).origin == "environment"
    found = system_proxy({"NO_PROXY": "mirror.example"}, Path(), "windows", lambda: windows)
    assert (found.https, found.no_proxy) == ("http://w:1", ("mirror.example", ".w.example"))
