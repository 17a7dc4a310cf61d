"""The address of a proxy, and which hosts are reached without it.

Which hosts are reached without the proxy, and so which proxy an address takes.

Everybody writes such lists in their own way (`*.lab.example`, `.lab.example`, `192.168.*`, `<local>`); here they
get the one form that uv, rattler and requests all understand, and one reading for our own connections. This very
computer is never behind a proxy.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote, urlsplit

from wizard.model.errors import UsageError
from wizard.transfer.address import is_loopback

# The address of a proxy, as a person or a settings file writes it, in one normal form.
#
# `host:port` means http; `socks://` (what desktops write) means SOCKS5 with names resolved by the proxy, which is what
# every local proxy program understands. The port is always written out: programs have different ideas of a default. A
# user name and a password are percent-encoded, however they were typed.

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
        raise UsageError(
            "network-proxy-scheme",
            "A proxy of the kind {scheme}://[| ({option})] can't be used.",
            "Use an http, https, socks5 or socks5h proxy; most proxy programs offer http and socks5 side by side.",
            scheme=parts[0],
            option=option,
        )
    url = proxy_url(text)
    if url is None:
        raise UsageError(
            "network-bad-proxy",
            "“{address}”[| ({option})] is not the address of a proxy.",
            "Write it as http://host:port or socks5h://host:port, or use the words system or none.",
            address=shown(text),
            option=option,
        )
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


LOOPBACK = ("localhost", "127.0.0.0/8", "127.0.0.1", "::1")  # some programs know no networks
LOCAL = "<local>"  # Windows: names without a dot
_ENTRY = re.compile(r"^(?:\*|<local>|[\w.\-]+(?::\d+)?|[0-9a-fA-F:.]+(?:/\d+)?|\[[0-9a-fA-F:.]+\](?::\d+)?)$")
_STARRED = re.compile(r"^(\d{1,3})(?:\.(\d{1,3}))?(?:\.(\d{1,3}))?(?:\.\*)+$")


def is_link_local(url: str) -> bool:
    """Whether an address leads, by its name or by what the name stands for now, to one that every network has anew
    (169.254.0.0/16, fe80::/10): a machine's own services answer there."""
    host = urlsplit(url).hostname or ""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # nobody's: whoever goes there is told so
        found = []
    return any(is_link_local_address(str(name)) for name in (host, *(entry[4][0] for entry in found)))


def is_link_local_address(host: str) -> bool:
    """By the text alone; a name is none."""
    try:
        address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return False
    inside = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (inside or address).is_link_local


def entries(text: str | Iterable[str]) -> tuple[str, ...]:
    """The usable entries of a list as settings hold it, in normal form; what no program understands is left out."""
    items = re.split(r"[\s,;|]+", text) if isinstance(text, str) else text
    found = (normal(item) for item in items)
    return tuple(dict.fromkeys(entry for entry in found if entry))


def normal(item: str) -> str | None:
    """`https://*.Lab.example/` is `.lab.example`, `192.168.*` is `192.168.0.0/16`. None: no host."""
    item = item.strip().lower().rpartition("://")[2]
    if "/" in item and not _is_network(item):
        item = item.partition("/")[0]
    starred = _STARRED.match(item)
    if starred:
        numbers = [part for part in starred.groups() if part is not None]
        item = ".".join([*numbers, *["0"] * (4 - len(numbers))]) + f"/{8 * len(numbers)}"
    elif item.startswith("*") and item != "*":
        item = "." + item.lstrip("*").lstrip(".")
    return item if _ENTRY.match(item) and item.strip(".") else None


def checked_entries(text: str, option: str) -> tuple[str, ...]:
    """For what a person typed: a comma-separated list. Raises UsageError network-bad-host."""
    for item in text.split(","):
        if item.strip() and normal(item) is None:
            raise UsageError(
                "network-bad-host",
                "“{host}”[| ({option})] is neither a host name nor an address.",
                "Give host names, domains like .lab.example, or networks like 10.0.0.0/8, with commas between them.",
                host=item.strip(),
                option=option,
            )
    return entries(text)


def _is_network(item: str) -> bool:
    try:
        ipaddress.ip_network(item, strict=False)
    except ValueError:
        return False
    return True


def is_bypassed(host: str, port: int | None, listed: Iterable[str]) -> bool:
    host = host.lower().rstrip(".")
    return any(_matches(host, port, entry) for entry in listed)


def _matches(host: str, port: int | None, entry: str) -> bool:
    if entry == "*":
        return True
    address = _address(host)
    if entry == LOCAL:
        return address is None and "." not in host
    if _is_network(entry.strip("[]")):
        return address is not None and address in ipaddress.ip_network(entry.strip("[]"), strict=False)
    name, colon, number = entry.rpartition(":")
    if colon and number.isdigit():
        if int(number) != port:
            return False
        entry = name.strip("[]")
    domain = entry.removeprefix("*").removeprefix(".")
    return host == domain or host.endswith("." + domain)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """The proxy that an address takes under these variables (see `environment.py`); None: straight there."""
    parts = urlsplit(url)
    host, scheme = parts.hostname or "", parts.scheme.lower()
    if scheme not in ("http", "https") or is_loopback(host):
        return None
    values = {name.lower(): value for name, value in environment.items() if value}
    port = parts.port or {"http": 80, "https": 443}[scheme]
    if is_bypassed(host, port, entries(values.get("no_proxy", ""))):
        return None
    return values.get(f"{scheme}_proxy") or values.get("all_proxy")
