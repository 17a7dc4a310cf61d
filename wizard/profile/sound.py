"""What a profile may name: addresses, places, requirements. Each rule answers with the key of a problem, or None.

A profile comes from somebody else and is opened by double click. It cannot run anything, leave its folders, name a
secret, or send a machine to an address that is not secure; and even the bytes of a secure one count by SHA-256 alone.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, unquote, urlsplit

from wizard.environments.component import find_flaw
from wizard.environments.naming import check_name, check_place
from wizard.errors import UsageError
from wizard.network.bypass import is_link_local_address, is_loopback
from wizard.plan.wishes import check_extras
from wizard.process import redact
from wizard.system.places import places
from wizard.system.traits import of

_ADDRESS = re.compile(r"[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]+")
_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|[0-9a-f:.]+", re.IGNORECASE)
_NUMBER = re.compile(r"(0x[0-9a-f]*|\d+)", re.IGNORECASE)
_LONGEST_REQUIREMENT = 200
_SYSTEMS = ("windows", "linux")


def address_flaw(url: str, is_share: bool = False) -> str | None:
    """`is_share`: a class server in the local network may speak http. Every byte from there is held against the
    profile's own SHA-256 before it is used, so who listens in between can at worst be in the way."""
    parts = _parts(url)
    if parts is None or not _HOST.fullmatch(parts.hostname or ""):
        return "address"
    if parts.username is not None or "@" in parts.netloc or redact(url) != url:
        return "secret"
    if _is_disguised(parts.hostname or "") or is_link_local_address(parts.hostname or ""):
        return "host"
    if parts.scheme == "https" or (parts.scheme == "http" and (is_share or is_loopback(parts.hostname))):
        return "address" if parts.fragment or (is_share and parts.query) else None
    return "insecure"


def _is_disguised(host: str) -> bool:
    """`2852039166` and `0xA9.254.43518` are 169.254.169.254 to whoever opens a connection, and to nobody who reads."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return bool(_NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]))
    return False


def is_wheel_at(url: str, filename: str) -> bool:
    """As PEP 503 has it: the last part of a wheel's address is its name. Else a file of that name on an official host
    might be any other one there."""
    return unquote(urlsplit(url).path.rpartition("/")[2]) == filename


def _parts(url: str) -> SplitResult | None:
    if not _ADDRESS.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        return parts if parts.scheme and parts.netloc and parts.port != 0 else None
    except ValueError:
        return None


def name_flaw(name: str) -> str | None:
    """One folder's name on both systems, since a class may have both."""
    if name.startswith("."):
        return "name"
    try:
        for system in _SYSTEMS:
            check_name(name, system)
    except UsageError:
        return "name"
    return None


def place_flaw(place: str, os_name: str) -> str | None:
    if place.startswith("~/"):
        parts: tuple[str, ...] = tuple(place[2:].replace("\\", "/").split("/"))
        is_open = places(os_name).is_open_to_files(of(os_name).path(*parts))
        return "place" if not is_open or any(find_flaw(part, os_name) for part in parts) else None
    path = of(os_name).path(place)
    # A place on a server, or in Windows' own name space: opening it would log on there.
    if place.replace("\\", "/").startswith("//") or any(find_flaw(part, os_name) for part in path.parts[1:]):
        return "place"
    if not places(os_name).is_open_to_files(path):
        return "place"
    try:
        check_place(path / "environment", os_name)
    except UsageError:
        return "place"
    return None


def requirement_flaw(requirement: str) -> str | None:
    """`name>=1` with extras and markers; no address and no option. The locks decide; this is what is said of them."""
    if len(requirement) > _LONGEST_REQUIREMENT or "@" in requirement:
        return "requirement"
    try:
        check_extras((requirement,))
    except UsageError:
        return "requirement"
    return None
