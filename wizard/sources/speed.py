"""Measures how fast a source is, and names the network in which that was.

A network's fingerprint is a short mark that changes when speeds measured elsewhere no longer count.

Made of the default gateway, the local subnets on its way and the proxy, hashed: nothing about the network can be read
from it. It needs no rights and asks nobody. Two homes with the same router type may look alike; a day later what was
measured is asked again in any case.
"""

from __future__ import annotations

import hashlib
import ipaddress
import random
import re
import socket
import struct
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from wizard.model.errors import WizardError
from wizard.process import Request, redact, run
from wizard.sources.model import UserSettings
from wizard.system import paths
from wizard.system.traits import this
from wizard.transfer.concurrently import GoesOn, ask_together
from wizard.transfer.http import Client, file_headers

# How fast does the wanted file come from a source? One request for a part of it, at a random place, then it is over.
#
# Never more than was asked for is read, and nobody is asked twice: the caller measures one source after the other.

_PATIENCE = 1.0  # seconds beyond the limit for the connection itself


@dataclass(slots=True)
class _Count:
    came: int = 0
    ended: float | None = None


def measure(
    url: str,
    size: int | None,
    client: Client,
    most_bytes: int,
    seconds: float,
    is_cancelled: Callable[[], bool],
) -> float | None:
    """Return bytes a second, the connection's making included; None: it could not be measured. Raises Cancelled."""
    if not url.lower().startswith("http"):
        return None
    count, began = _Count(), time.monotonic()

    def ask(goes_on: GoesOn) -> bool:
        return _count(url, size, client, most_bytes, seconds, began, count, goes_on)

    is_good = ask_together({url: ask}, seconds + _PATIENCE, is_cancelled).get(url, True)
    took = (count.ended or time.monotonic()) - began
    return round(count.came / took, 1) if is_good and took > 0 else None


def _count(
    url: str,
    size: int | None,
    client: Client,
    most_bytes: int,
    seconds: float,
    began: float,
    count: _Count,
    goes_on: GoesOn,
) -> bool:
    """Return whether it was a part of a file that came."""
    span = min(most_bytes, size) if size else most_bytes
    first = random.randrange(size - span + 1) if size else 0

    def came(so_far: int) -> bool:
        count.came = min(so_far, span)
        return goes_on() and so_far < span and time.monotonic() - began < seconds

    try:
        page = client.get(url, "", file_headers(first, first + span - 1), span, came)
    except WizardError:
        return False
    count.came = min(len(page.body), span)
    count.ended = time.monotonic()
    return page.status in (200, 206)


_UP = 0x1
_TIMEOUT = 5.0
_WINDOWS_ROUTE = re.compile(r"^\s*0\.0\.0\.0\s+0\.0\.0\.0\s+(?P<gateway>[\d.]+)\s+(?P<own>[\d.]+)\s+\d+", re.MULTILINE)


def network_fingerprint(settings: UserSettings) -> str:
    """Return 16 hexadecimal digits. Never raises: a computer without a network has a mark too."""
    variables = settings.environment if settings.environment is not None else urllib.request.getproxies()
    proxies = sorted(f"{name}={redact(url)}" for name, url in variables.items() if "cert" not in name.lower())
    parts = [*_routes(), *proxies, redact(settings.proxy or "")]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _routes() -> tuple[str, ...]:
    if not this().has_proc:
        answer = run(Request((paths.find_program("route") or "route", "print", "-4", "0.0.0.0"), timeout=_TIMEOUT))
        return parse_windows_routes(answer.stdout, _masks())
    try:
        return parse_linux_routes(Path("/proc/net/route").read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError):
        return ()


def parse_linux_routes(text: str) -> tuple[str, ...]:
    """Return "gateway 192.168.1.1" and "subnet 192.168.1.0/24" of the interfaces that have the default routes."""
    rows = [row for line in text.splitlines()[1:] if (row := _linux_row(line))]
    ways = {interface for interface, _, gateway, mask in rows if mask == 0 and gateway}
    gateways = {f"gateway {_dotted(gateway)}" for _, _, gateway, mask in rows if mask == 0 and gateway}
    subnets = {
        f"subnet {_dotted(target)}/{_dotted(mask)}"
        for interface, target, gateway, mask in rows
        if interface in ways and mask and not gateway
    }
    return tuple(sorted(gateways | subnets))


def _linux_row(line: str) -> tuple[str, int, int, int] | None:
    """Return (interface, target, gateway, mask); numbers stand there in the machine's byte order."""
    fields = line.split()
    try:
        target, gateway, flags, mask = (int(fields[index], 16) for index in (1, 2, 3, 7))
    except (IndexError, ValueError):
        return None
    return (fields[0], target, gateway, mask) if flags & _UP else None


def _dotted(number: int) -> str:
    return socket.inet_ntoa(struct.pack("=I", number))


def parse_windows_routes(text: str, masks: dict[str, str]) -> tuple[str, ...]:
    """Return the same from `route print`, whose headings are in the system's language; `masks`: own address ->
    netmask."""
    found = set()
    for row in _WINDOWS_ROUTE.finditer(text):
        found.add(f"gateway {row['gateway']}")
        mask = masks.get(row["own"])
        if mask:
            network = ipaddress.ip_network(f"{row['own']}/{mask}", strict=False)
            found.add(f"subnet {network.network_address}/{mask}")
    return tuple(sorted(found))


def _masks() -> dict[str, str]:
    own = (address for addresses in psutil.net_if_addrs().values() for address in addresses)
    return {address.address: address.netmask for address in own if address.family == socket.AF_INET and address.netmask}
