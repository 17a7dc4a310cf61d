"""The proxy of the Windows settings ("Internet Settings" in the user's registry).

A script (PAC) is not evaluated: that would take a JavaScript engine. Where one is set and no fixed proxy is, a
notice says what to do.
"""

from __future__ import annotations

from collections.abc import Mapping

from wizard.i18n import message
from wizard.network.address import proxy_url
from wizard.network.bypass import entries
from wizard.network.model import SystemProxy
from wizard.windows.registry import USER, Registry, registry

_KEY = r"Software\Microsoft\Windows\CurrentVersion\Internet Settings"


def parse_internet_settings(values: Mapping[str, object]) -> SystemProxy:
    """From the registry values by name; a missing one is not there."""
    script = str(values.get("AutoConfigURL") or "").strip()
    notices = (message("network.notice.script"),) if script else ()
    server = str(values.get("ProxyServer") or "").strip()
    if not values.get("ProxyEnable") or not server:
        return SystemProxy(origin="windows" if script else "", notices=notices)
    http, https, other = _servers(server)
    exceptions = entries(str(values.get("ProxyOverride") or ""))
    if not (http or https or other):
        notices = (*notices, message("network.notice.system", system="Windows"))
    return SystemProxy(http, https, other, exceptions, "windows", notices)


def _servers(server: str) -> tuple[str | None, str | None, str | None]:
    """`host:port` for all, or `http=host:port;https=…;socks=…`."""
    if "=" not in server.rpartition("@")[2]:
        one = proxy_url(server)
        return one, one, None
    by_scheme = dict(item.strip().partition("=")[::2] for item in server.split(";") if "=" in item)
    socks = by_scheme.get("socks", "").rpartition("://")[2]
    http, https = (proxy_url(by_scheme.get(scheme, "")) for scheme in ("http", "https"))
    return http, https, proxy_url(f"socks5h://{socks}") if socks else None


def read_internet_settings(known: Registry | None = None) -> SystemProxy:
    return parse_internet_settings((known or registry()).values(USER, _KEY))
