"""Tells the local network that a pack is served here, and finds who does: mDNS, by the zeroconf library.

An announcement is a hint and no more: what a server is, its profile's hash says. The library is loaded only when it is
asked for; a network that lets no multicast through (many campus networks) leaves the typed address.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from wizard.classroom.code import CODE_SIGNS
from wizard.model.errors import ErrorText, WizardError

SHARE_NO_MDNS = ErrorText(
    "share-no-mdns",
    "This network lets no announcements through, by which computers find each other.",
    "Share without announcing it[| (leave out --announce)], and let the students type the address[| (--pack "
    "http://ADDRESS:PORT/)].",
)

SERVICE = "_torch-setup._tcp.local."
_SEARCH_SECONDS = 3.0
_ENOUGH_AFTER = 1.0  # once one was found, others have this long to answer too
_ASK_MILLISECONDS = 1500
_CONNECT_SECONDS = 0.7
_AT_ONCE = 16  # announcements looked at; one that leads nowhere is not to hide the others
_MOST_ADDRESSES = 8  # of one server


@dataclass(frozen=True, slots=True)
class Announced:
    """`code`: the first 16 signs of the profile's hash, as in all versions of the program."""

    base: str
    code: str
    title: str


@contextlib.contextmanager
def announcing(port: int, sha256: str, title: str, addresses: Sequence[str] = ()) -> Iterator[None]:
    """`addresses`: of this computer; () is all that others could reach. Raises WizardError `share-no-mdns`."""
    from zeroconf import ServiceInfo, Zeroconf

    own = list(addresses) or own_addresses()
    packed = [ipaddress.ip_address(address).packed for address in own]
    # A name that tells nothing about this computer, and that two servers of one pack do not share.
    name = f"{sha256[:CODE_SIGNS]}-{port}-{packed[0].hex() if packed else '0'}"
    info = ServiceInfo(
        SERVICE,
        f"{name}.{SERVICE}",
        addresses=packed,
        port=port,
        server=f"torch-setup-{name}.local.",
        properties={"code": sha256[:CODE_SIGNS], "title": title.encode()[:150].decode(errors="ignore"), "schema": "1"},
    )
    try:
        zeroconf = Zeroconf(interfaces=own)
    except OSError as error:
        raise WizardError(SHARE_NO_MDNS, details=str(error)) from error
    try:
        zeroconf.register_service(info)
        yield
    except OSError as error:
        raise WizardError(SHARE_NO_MDNS, details=str(error)) from error
    finally:
        with contextlib.suppress(OSError, RuntimeError):
            zeroconf.close()


def search(code: str, seconds: float = _SEARCH_SECONDS, interfaces: Sequence[str] = ()) -> tuple[Announced, ...]:
    """Servers whose announced hash begins with the hexadecimal digits of `code`; of an empty one all. Raises
    WizardError `share-no-mdns`."""
    from zeroconf import ServiceBrowser, ServiceListener, Zeroconf

    wanted = code[:CODE_SIGNS]
    found: dict[str, Announced] = {}
    first = threading.Event()
    pool = ThreadPoolExecutor(_AT_ONCE)

    class Listener(ServiceListener):
        def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
            with contextlib.suppress(RuntimeError):  # the search is over
                pool.submit(self._look_at, zc, type_, name)

        def _look_at(self, zc: Zeroconf, type_: str, name: str) -> None:
            info = zc.get_service_info(type_, name, _ASK_MILLISECONDS)
            if info is None or not info.port:
                return
            said = {key: value or b"" for key, value in info.properties.items()}
            own = said.get(b"code", b"").decode(errors="replace")
            if wanted and own != wanted:
                return
            address = _answering(info.parsed_addresses()[:_MOST_ADDRESSES], info.port)
            if address is None:
                return
            host = f"[{address}]" if ":" in address else address
            title = said.get(b"title", b"").decode(errors="replace")
            found[name] = Announced(f"http://{host}:{info.port}/", own, title[:150])
            first.set()

        def update_service(self, zc: Zeroconf, type_: str, name: str) -> None: ...

        def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None: ...

    try:
        zeroconf = Zeroconf(interfaces=list(interfaces)) if interfaces else Zeroconf()
    except OSError as error:
        raise WizardError(SHARE_NO_MDNS, details=str(error)) from error
    try:
        browser = ServiceBrowser(zeroconf, SERVICE, listener=Listener())
        if first.wait(seconds):
            time.sleep(min(_ENOUGH_AFTER, seconds))
        browser.cancel()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        zeroconf.close()
    return tuple(sorted(found.copy().values(), key=lambda each: each.base))


def _answering(addresses: Sequence[str], port: int) -> str | None:
    """Of a computer with several (a second card, a virtual machine's bridge) the first at which it can be reached from
    here; of one with a single address that one, and whoever wants it will see."""
    if len(addresses) < 2:
        return addresses[0] if addresses else None
    for address in addresses:
        with contextlib.suppress(OSError), socket.create_connection((address, port), _CONNECT_SECONDS):
            return address
    return None


def own_addresses() -> list[str]:
    """Under which others in the network reach this computer, IPv4 first; loopback where there is nothing else."""
    import psutil

    up = {name for name, stats in psutil.net_if_stats().items() if stats.isup}
    found = [
        address.address
        for name, listed in psutil.net_if_addrs().items()
        if name in up
        for address in listed
        if address.family == socket.AF_INET and not ipaddress.ip_address(address.address).is_loopback
    ]
    return found or ["127.0.0.1"]
