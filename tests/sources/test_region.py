"""Where this computer seems to be, and in which network: from recorded answers, and from this system's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from wizard.sources.benchmark_policy import benchmark_policy, language_name, region, region_of, time_zone, zone_of_path
from wizard.sources.model import UserSettings
from wizard.sources.speed import network_fingerprint, parse_linux_routes, parse_windows_routes


@pytest.mark.parametrize(
    ("language", "zone", "expected"),
    [
        ("zh_CN.UTF-8", "Europe/Berlin", "cn"),
        ("zh-CN", "", "cn"),
        ("zh_CN.GB18030@x", "", "cn"),
        ("en_US.UTF-8", "Asia/Shanghai", "cn"),
        ("", "Asia/Urumqi", "cn"),
        ("de_DE", "China Standard Time", "cn"),
        ("zh_TW.UTF-8", "Asia/Taipei", "world"),
        ("zh_HK", "Asia/Hong_Kong", "world"),
        ("zh_SG", "Asia/Singapore", "world"),
        ("C", "", "world"),
    ],
)
def test_the_region_by_language_or_time_zone(language: str, zone: str, expected: str) -> None:
    assert region_of(language, zone, benchmark_policy()) == expected


def test_the_persons_word_counts_first() -> None:
    chinese = {"LANG": "zh_CN.UTF-8", "TZ": "Asia/Shanghai"}
    assert region("auto", chinese) == "cn"
    assert region("world", chinese) == "world"
    assert region("auto", {**chinese, "TORCH_WIZARD_REGION": "world"}) == "world"
    assert region("cn", {"LANG": "C", "TZ": "UTC", "TORCH_WIZARD_REGION": "world"}) == "cn"
    assert region("auto", {"LANG": "de_DE", "TZ": "UTC"}) == "world"
    assert language_name({"LC_ALL": "zh_CN", "LANG": "de_DE"}) == "zh_CN"


def test_the_time_zone_of_a_linux_system(tmp_path: Path) -> None:
    etc = tmp_path / "etc"
    etc.mkdir()
    assert time_zone({}, tmp_path) == ""
    (etc / "timezone").write_text("Asia/Harbin\n", encoding="utf-8")
    assert time_zone({}, tmp_path) == "Asia/Harbin"
    (etc / "localtime").symlink_to("/usr/share/zoneinfo/Asia/Shanghai")
    assert time_zone({}, tmp_path) == "Asia/Shanghai"
    assert time_zone({"TZ": ":/usr/share/zoneinfo/posix/PRC"}, tmp_path) == "PRC"
    assert time_zone({"TZ": "UTC"}, tmp_path) == "UTC"
    assert zone_of_path("../usr/share/zoneinfo/Europe/Berlin") == "Europe/Berlin"
    assert zone_of_path("/etc/somewhere") == ""


# As /proc/net/route of a computer with a wire, a bridge of containers and a way into a VPN (byte order of x86).
ROUTES = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
wlan0\t00000000\t0100000A\t0002\t0\t0\t600\t00000000\t0\t0\t0
broken line
"""
# As Chinese Windows prints `route print -4 0.0.0.0`.
WINDOWS_ROUTES = """===========================================================================
IPv4 路由表
===========================================================================
活动路由:
网络目标        网络掩码          网关       接口   跃点数
          0.0.0.0          0.0.0.0      192.168.1.1    192.168.1.57     35
===========================================================================
"""


def test_the_network_is_its_gateway_and_subnet() -> None:
    assert parse_linux_routes(ROUTES) == ("gateway 192.168.1.1", "subnet 192.168.1.0/255.255.255.0")
    assert parse_linux_routes("") == ()
    seen = parse_windows_routes(WINDOWS_ROUTES, {"192.168.1.57": "255.255.255.0"})
    assert seen == ("gateway 192.168.1.1", "subnet 192.168.1.0/255.255.255.0")
    assert parse_windows_routes(WINDOWS_ROUTES, {}) == ("gateway 192.168.1.1",)


def test_the_mark_tells_nothing_and_follows_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    plain = network_fingerprint(UserSettings())
    assert len(plain) == 16
    assert plain == network_fingerprint(UserSettings())
    assert network_fingerprint(UserSettings(proxy="http://proxy.example:3128")) != plain
    environment = {"HTTPS_PROXY": "http://me:one@proxy.example:3128"}
    known = network_fingerprint(UserSettings(environment=environment))
    assert known != plain
    other_password = {"HTTPS_PROXY": "http://me:two@proxy.example:3128"}
    assert network_fingerprint(UserSettings(environment=other_password)) == known
