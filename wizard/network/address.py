"""The address of a proxy, as a person or a settings file writes it, in one normal form.

`host:port` means http; `socks://` (what desktops write) means SOCKS5 with names resolved by the proxy, which is
what every local proxy program understands. The port is always written out: programs have different ideas of a
default. A user name and a password are percent-encoded, however they were typed.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

from wizard.errors import UsageError

SCHEMES = ("http", "https", "socks5", "socks5h")
_MEANT = {"": "http", "socks": "socks5h"}
_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_HOST = re.compile(r"^(?:\[[0-9a-fA-F:.]+\]|[^\s\[\]:/?#@\\'\"]+)$")
_ENCODED = re.compile(r"%[0-9a-fA-F]{2}")


def proxy_url(text: str) -> str | None:
    """`http://user:word@host:port`, or None for what is no address of a proxy that we can use."""
    parts = _split(text)
    if parts is None or parts[0] not in SCHEMES:
        return None
    scheme, login, place = parts
    host, number = _host_and_port(place)
    port = number or str(_PORTS[scheme])
    if not _HOST.match(host) or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        return None
    return f"{scheme}://{_login(login)}{host}:{int(port)}"


def _split(text: str) -> tuple[str, str, str] | None:
    """(scheme, login, host and port). A password may hold any character: the last @ ends it."""
    text = text.strip()
    scheme, sign, rest = text.partition("://")
    if not sign or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
        scheme, rest = "", text
    login, _, place = rest.rpartition("@")
    place = place.rstrip("/")
    scheme = scheme.lower()
    return (_MEANT.get(scheme, scheme), login, place) if place else None


def _host_and_port(place: str) -> tuple[str, str]:
    if place.startswith("["):
        host, end, port = place.partition("]")
        return host + end, port.removeprefix(":")
    host, _, port = place.partition(":")
    return host, port


def _login(login: str) -> str:
    if not login:
        return ""
    user, colon, word = login.partition(":")
    return f"{_encoded(user)}{colon}{_encoded(word)}@"


def _encoded(text: str) -> str:
    """Percent-encoded, unless it already is."""
    plain = unquote(text) if len(_ENCODED.findall(text)) == text.count("%") else text
    return quote(plain, safe="")


def checked_proxy(text: str, option: str) -> str:
    """For what a person typed. Raises UsageError: network-bad-proxy, network-proxy-scheme."""
    parts = _split(text)
    if parts and parts[0] not in SCHEMES:
        raise UsageError("network-proxy-scheme", scheme=parts[0], option=option)
    url = proxy_url(text)
    if url is None:
        raise UsageError("network-bad-proxy", address=shown(text), option=option)
    return url


def shown(text: str) -> str:
    """For people and logs: without what stands before the last @."""
    scheme, sign, rest = text.partition("://")
    if not sign:
        scheme, rest = "", text
    _, at, place = rest.rpartition("@")
    return f"{scheme}{sign}{'***@' if at else ''}{place}"


def login_of(proxy: str) -> tuple[str, str] | None:
    """(user, password) of an address in normal form."""
    parts = urlsplit(proxy)
    return (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
