"""Which hosts go without the proxy."""

from __future__ import annotations

import pytest

from wizard.model.errors import UsageError
from wizard.transfer.proxy.bypass import checked_entries, entries, is_bypassed, proxy_for

PROXY = {"HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://p:2", "ALL_PROXY": "socks5h://p:3"}


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("*.Lab.example, mirror.example;10.*", (".lab.example", "mirror.example", "10.0.0.0/8")),
        ("192.168.*.*|172.16.1.*", ("192.168.0.0/16", "172.16.1.0/24")),
        ("<local>", ("<local>",)),
        ("*", ("*",)),
        ("https://mirror.example/simple", ("mirror.example",)),
        ("*lab.example", (".lab.example",)),
        ("fe80::/10 ::1 mirror.example:8443", ("fe80::/10", "::1", "mirror.example:8443")),
        ("a*b, , .", ()),
        ("x,x", ("x",)),
    ],
)
def test_lists_in_every_dialect(text: str, listed: tuple[str, ...]) -> None:
    assert entries(text) == listed


@pytest.mark.parametrize(
    ("host", "port", "entry", "expected"),
    [
        ("lab.example", 443, "lab.example", True),
        ("www.lab.example", 443, "lab.example", True),
        ("notlab.example", 443, "lab.example", False),
        ("lab.example", 443, ".lab.example", True),
        ("LAB.example.", 443, "lab.example", True),
        ("lab.example", 8443, "lab.example:8443", True),
        ("lab.example", 443, "lab.example:8443", False),
        ("10.1.2.3", 443, "10.0.0.0/8", True),
        ("11.1.2.3", 443, "10.0.0.0/8", False),
        ("10.example", 443, "10.0.0.0/8", False),
        ("10.1.2.3", 443, "10.1.2.3", True),
        ("fe80::1", 443, "fe80::/10", True),
        ("labserver", 443, "<local>", True),
        ("lab.server", 443, "<local>", False),
        ("10.1.2.3", 443, "<local>", False),
        ("any.example", 1, "*", True),
    ],
)
def test_matching(host: str, port: int, entry: str, expected: bool) -> None:
    assert is_bypassed(host, port, (entry,)) is expected


def test_which_proxy_an_address_takes() -> None:
    assert proxy_for("https://a.example/x", PROXY) == "http://p:1"
    assert proxy_for("http://a.example/x", PROXY) == "http://p:2"
    assert proxy_for("https://a.example/x", {"all_proxy": "socks5h://p:3"}) == "socks5h://p:3"
    assert proxy_for("https://a.example/x", {**PROXY, "NO_PROXY": ".example"}) is None
    assert proxy_for("file:///x", PROXY) is None


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "[::1]"])
def test_this_computer_is_never_behind_a_proxy(host: str) -> None:
    assert proxy_for(f"https://{host}:8080/x", PROXY) is None


def test_what_is_no_host_is_a_usage_error() -> None:
    assert checked_entries("mirror.example, .lab.example", "--no-proxy") == ("mirror.example", ".lab.example")
    with pytest.raises(UsageError) as caught:
        checked_entries("mirror.example, what is this", "--no-proxy")
    assert caught.value.code == "network-bad-host"
