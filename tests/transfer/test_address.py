"""How proxies are written, and what becomes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.model.errors import UsageError
from wizard.transfer.proxy.bypass import checked_proxy, login_of, proxy_url, shown
from wizard.transfer.proxy.model import Network, SystemProxy


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("proxy.lab.example:3128", "http://proxy.lab.example:3128"),
        ("http://h", "http://h:80"),
        ("HTTPS://h:8443/", "https://h:8443"),
        ("https://h", "https://h:443"),
        ("socks5://h", "socks5://h:1080"),
        ("socks5h://h:7891", "socks5h://h:7891"),
        ("socks://127.0.0.1:7891/", "socks5h://127.0.0.1:7891"),
        ("[::1]:8080", "http://[::1]:8080"),
        (" h:1 ", "http://h:1"),
        ("anna:word@h:1", "http://anna:word@h:1"),
        ("http://anna:p@ss/w#rd@h:1", "http://anna:p%40ss%2Fw%23rd@h:1"),
        ("http://anna:p%40ss@h:1", "http://anna:p%40ss@h:1"),
        ("http://anna:100%@h:1", "http://anna:100%25@h:1"),
        ("http://anna@h:1", "http://anna@h:1"),
    ],
)
def test_the_normal_form(text: str, url: str) -> None:
    assert proxy_url(text) == url
    assert proxy_url(url) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://",
        "h:port",
        "h:0",
        "h:70000",
        "ftp://h:1",
        "socks4://h:1",
        "http://h:1/path",
        "a b:1",
        "http://h:1?x=1",
        "[::1:8080",
        "http://anna:word@",
        "h:٣",
    ],
)
def test_no_proxy_of_ours(text: str) -> None:
    assert proxy_url(text) is None


@given(user=st.text(min_size=1).filter(lambda text: ":" not in text and text.strip() == text), word=st.text())
def test_any_login_survives(user: str, word: str) -> None:
    from urllib.parse import quote

    url = proxy_url(f"http://{quote(user, safe='')}:{quote(word, safe='')}@h:1")
    assert url is not None
    assert login_of(url) == (user, word)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ftp://h:1", "network-proxy-scheme"),
        ("socks4://h:1", "network-proxy-scheme"),
        ("anna:s3cret@h:nine", "network-bad-proxy"),
        ("nonsense here", "network-bad-proxy"),
    ],
)
def test_what_was_typed_wrong_is_said_without_the_password(text: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_proxy(text, "--proxy")
    assert caught.value.code == code
    assert "s3cret" not in f"{caught.value} {caught.value.details} {caught.value.to_json()}"


def test_a_person_sees_no_password() -> None:
    assert shown("http://anna:p@ss@h:1") == "http://***@h:1"
    assert shown("anna:word@h:1") == "***@h:1"
    assert shown("h:1") == "h:1"
    values = (Network(proxy="http://a:word@h:1"), SystemProxy(https="http://a:word@h:1"))
    assert "word" not in repr(values)
