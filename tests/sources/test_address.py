"""Addresses typed by hand: what is taken, what is refused, and that nothing slips through."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest

from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import LANGUAGES, text
from wizard.transfer.address import (
    address_problem,
    check_address,
    file_path,
    folder_url,
    is_loopback,
    join_path,
    may_follow,
    resolve_link,
    with_http,
)


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("127.0.0.1:9", "http://127.0.0.1:9"),
        ("room-3.lab.example:8765/", "http://room-3.lab.example:8765/"),
        ("[::1]:8765/x", "http://[::1]:8765/x"),
        ("http://h:1/", "http://h:1/"),
        ("D:1", "D:1"),
        ("class:pack", "class:pack"),
        ("/media/stick:8", "/media/stick:8"),
    ],
)
def test_a_server_needs_no_scheme_and_a_folder_stays_one(typed: str, url: str) -> None:
    assert with_http(typed) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://mirror.example/simple",
        "https://user:word@mirror.example/simple/?token=abc",
        "HTTPS://MIRROR.EXAMPLE/",
        "http://127.0.0.1:8080/simple",
        "http://127.8.9.1/",
        "http://localhost/x",
        "http://[::1]:3141/root/",
    ],
)
def test_good_addresses_are_kept_to_the_letter(url: str) -> None:
    assert check_address(url, "--index") == url


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://mirror.example/simple", "address-not-secure"),
        ("http://127.0.0.1@evil.example/", "address-not-secure"),
        ("http://localhost.evil.example/", "address-not-secure"),
        ("http://10.0.0.5/simple", "address-not-secure"),
        ("ftp://mirror.example/", "bad-address"),
        ("https://", "bad-address"),
        ("https:///simple", "bad-address"),
        ("https://mirror.example:port/", "bad-address"),
        ("https://[::1/", "bad-address"),
        (" https://mirror.example/simple", "bad-address"),
        ("https://mirror.example/simple ", "bad-address"),
        ("https://mirror.example/a b", "bad-address"),
        ("https://mirror.example\\@127.0.0.1/", "bad-address"),
        ("https://mirror.example/\n", "bad-address"),
        ("mirror.example/simple", "bad-address"),
        ("", "bad-address"),
        ("  ", "bad-address"),
        ("nul\0byte", "bad-address"),
        ("/no/such/folder", "bad-address"),
        ("file:///no/such/folder", "address-no-folder"),
        ("file:relative", "address-no-folder"),
    ],
)
def test_bad_addresses_are_wrong_usage_with_a_sentence(url: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_address(url, "--torch-index")
    assert caught.value.code == code
    assert caught.value.exit_status is ExitStatus.USAGE
    for language in LANGUAGES:
        assert "--torch-index" in text(caught.value.summary, language)
        assert text(caught.value.hint, language)


def test_a_password_is_kept_in_the_value_and_not_said() -> None:
    with pytest.raises(UsageError) as caught:
        check_address("http://me:topsecret@mirror.example/", "--index")
    assert "topsecret" not in str(caught.value)
    assert "topsecret" not in str(caught.value.to_json("zh_CN"))


def test_a_folder_becomes_a_file_url_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "my wheels 轮子 #1 100%"
    folder.mkdir()
    url = check_address(str(folder), "--find-links")
    assert url.startswith("file:///")
    assert file_path(url) == folder
    assert check_address(url, "--find-links") == url


def test_a_windows_folder_keeps_its_drive() -> None:
    base = PureWindowsPath("C:\\Users\\me")
    assert folder_url("D:\\wheels", base) == "file:///D:/wheels"
    assert folder_url("wheels", base) == "file:///C:/Users/me/wheels"
    assert folder_url("\\\\server\\share\\wheels", base) == "file://server/share/wheels"


def test_links_never_lead_from_the_network_to_a_file_or_down_to_http() -> None:
    assert may_follow("https://a.example/", "https://b.example/x")
    assert not may_follow("https://a.example/", "http://b.example/x")
    assert not may_follow("https://a.example/", "http://127.0.0.1/x")
    assert not may_follow("https://a.example/", "file:///etc/passwd")
    assert not may_follow("http://127.0.0.1/", "file:///etc/passwd")
    assert may_follow("http://127.0.0.1:1/", "http://127.0.0.1:2/x")
    assert not may_follow("https://127.0.0.1:1/", "http://127.0.0.1:2/x")
    assert may_follow("file:///srv/index.html", "file:///srv/x.whl")
    assert may_follow("file://server/share/index.html", "file://SERVER/share/x.whl")
    assert not may_follow("file:///srv/index.html", "file://server/share/x.whl")
    assert not may_follow("file:///srv/index.html", "file:////server/share/x.whl")
    assert not may_follow("file://server/share/index.html", "file://other/share/x.whl")
    assert resolve_link("https://a.example/simple/torch/", "../../x.whl#sha256=1") == "https://a.example/x.whl#sha256=1"
    assert resolve_link("https://a.example/", "//[bad") is None


def test_small_things() -> None:
    assert not is_loopback(None)
    assert not is_loopback("2130706433")
    assert address_problem("file:///srv/x?y") == "bad-address"
    assert join_path("https://a.example/s/?token=1", "torch", "") == "https://a.example/s/torch/?token=1"
