"""Addresses of sources: what a person typed or a settings file says, as a checked URL.

https everywhere; http only for this very computer; folders become file:// URLs. Nothing is repaired in
silence, and credentials stay in the value: whoever prints an address redacts it.
"""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path, PurePath
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from wizard.model.errors import UsageError
from wizard.process import redact

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: `C:` is a drive
_PORTS = {"http": 80, "https": 443}
_SERVER = re.compile(r"^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]+):[0-9]{1,5}(/|$)")
_UNFIT = re.compile(r"[\s\\\x00-\x1f\x7f]")


def has_scheme(text: str) -> bool:
    return bool(_SCHEME.match(text))


def with_http(text: str) -> str:
    """`192.168.1.20:8765` as people type it, as an address; a folder, and what has a scheme, stay as they are."""
    return f"http://{text}" if _SERVER.match(text) and not Path(text).exists() else text


def is_loopback(host: str | None) -> bool:
    """Return whether the host is this computer by its name or its number; nothing is looked up."""
    if host is None:
        return False
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address_problem(url: str) -> str | None:
    """The error code for a URL that we do not go to, or None. Does not look whether anything is there."""
    if _UNFIT.search(url):
        return "bad-address"
    try:
        parts = urlsplit(url)
        _ = parts.port  # a property that raises for a port that is no number
    except ValueError:
        return "bad-address"
    scheme = parts.scheme.lower()
    if scheme == "file":
        return None if parts.path and not parts.query else "bad-address"
    if scheme not in ("http", "https") or not parts.hostname:
        return "bad-address"
    return None if scheme == "https" or is_loopback(parts.hostname) else "address-not-secure"


def host_of(url: str) -> str:
    """In small letters, with the port where it is not the scheme's own; "" for a folder. Raises ValueError."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    shown = f"[{host}]" if ":" in host else host
    return shown if parts.port in (None, _PORTS.get(parts.scheme)) else f"{shown}:{parts.port}"


def may_follow(start: str, target: str) -> bool:
    """Whether a page at `start` may send us to `target`: never down to http, never from the network to a file, never
    to another computer's files, which would be told who we are."""
    if address_problem(target):
        return False
    scheme = urlsplit(target).scheme.lower()
    if scheme == "https":
        return True
    origin = urlsplit(start)
    if scheme == "file":
        return origin.scheme.lower() == "file" and file_host(target) in ("", file_host(start))
    return origin.scheme.lower() == "file" or (origin.scheme.lower() == "http" and is_loopback(origin.hostname))


def resolve_link(base: str, href: str) -> str | None:
    """The absolute form of a link on a page, with the page's login where it leads to the very same place; None where it
    leads nowhere we go."""
    try:
        target = urljoin(base, href.strip())
    except ValueError:
        return None
    return with_login_of(base, target) if may_follow(base, target) else None


def with_login_of(url: str, target: str) -> str:
    """Give the target this address's login, where it has none and is at the same scheme, host and port, as pip does;
    never another host."""
    old, new = urlsplit(url), urlsplit(target)
    is_same = (old.scheme, old.netloc.rpartition("@")[2]) == (new.scheme, new.netloc)
    return urlunsplit(new._replace(netloc=old.netloc)) if "@" in old.netloc and is_same else target


def folder_url(text: str, base: PurePath) -> str:
    """`/srv/wheels`, `wheels` or `D:\\wheels` as a file:// URL; `base` is the folder that relative ones are in."""
    return (base / text).as_uri()


def file_host(url: str) -> str:
    """Of a file:// URL: the computer whose share it is on, "" for this one. Both spellings of a share count."""
    parts = urlsplit(url)
    host = parts.netloc.lower()
    if host in ("", "localhost") and parts.path.startswith("//"):  # file:////server/share
        host = parts.path.lstrip("/").partition("/")[0].lower()
    return "" if host == "localhost" else host


def file_path(url: str) -> Path:
    """The folder or file behind a file:// URL."""
    from urllib.request import url2pathname  # with all of http and TLS

    parts = urlsplit(url)
    host = "" if parts.netloc.lower() in ("", "localhost") else f"//{parts.netloc}"
    return Path(url2pathname(host + parts.path))


def check_address(text: str, option: str) -> str:
    """What was typed for `option` as a URL. Raises UsageError: bad-address, address-not-secure, address-no-folder."""
    if not has_scheme(text):
        folder = Path(text).expanduser()
        if not text.strip() or "\0" in text or not folder.is_dir():
            raise UsageError("bad-address", address=redact(text), option=option)
        return folder.absolute().as_uri()
    problem = address_problem(text)
    if problem:
        raise UsageError(problem, address=redact(text), option=option)
    if text.lower().startswith("file:") and not file_path(text).exists():
        raise UsageError(
            "address-no-folder",
            "There is no folder at “{address}”[| ({option})].",
            "Check the path, and that the drive or network share is connected.",
            address=redact(text),
            option=option,
        )
    return text


def join_path(url: str, *names: str) -> str:
    """`<url>/<names>`, put before a query string; an empty last name gives a trailing slash."""
    parts = urlsplit(url)
    path = "/".join((parts.path.rstrip("/"), *names))
    return urlunsplit(SplitResult(parts.scheme, parts.netloc, path, parts.query, ""))
