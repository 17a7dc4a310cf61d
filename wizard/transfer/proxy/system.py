"""What the system says of proxies: variables, Windows' settings, a Linux desktop's.

The proxy of a Linux desktop's settings: GNOME's (and its relatives'), KDE's.

Browsers follow these; pip, uv and rattler do not, so we read them and hand them on. The parsers take text; the
one child (`gsettings`) has a short time limit, since a broken session bus must not hold anybody up.
"""

from __future__ import annotations

import ast
import configparser
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from wizard.model.messages import Message, message
from wizard.process import Request, run
from wizard.system.traits import of
from wizard.system.windows.registry import USER, Registry, registry
from wizard.transfer.proxy.bypass import entries, proxy_url, shown
from wizard.transfer.proxy.model import SystemProxy

# The proxy that environment variables name: `HTTP_PROXY` and its kin, in both cases.
#
# The lower-case form wins, as everywhere. A variable that holds no address we can use is left out and named in a
# notice, since most programs would fail on it with words that nobody understands.


def parse_variables(environ: Mapping[str, str]) -> SystemProxy:
    """`origin` is empty where no variable says anything of proxies."""
    notices: list[Message] = []
    found = {name: _proxy(environ, name, notices) for name in ("http_proxy", "https_proxy", "all_proxy")}
    exceptions = _value(environ, "no_proxy")
    return SystemProxy(
        found["http_proxy"],
        found["https_proxy"],
        found["all_proxy"],
        entries(exceptions),
        "environment" if exceptions or any(found.values()) else "",
        tuple(notices),
    )


def _value(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _proxy(environ: Mapping[str, str], name: str, notices: list[Message]) -> str | None:
    if name == "http_proxy" and "REQUEST_METHOD" in environ:
        return environ.get(name) or None  # a CGI script: a visitor could have set the upper-case one
    text = _value(environ, name)
    url = proxy_url(text) if text else None
    if text and url is None:
        notices.append(message("network.notice.variable", name=name.upper(), address=shown(text)))
    return url


# The proxy of the Windows settings ("Internet Settings" in the user's registry).
#
# A script (PAC) is not evaluated: that would take a JavaScript engine. Where one is set and no fixed proxy is, a notice
# says what to do.

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


_GSETTINGS = ("gsettings", "list-recursively", "org.gnome.system.proxy")
_SECONDS = 2.0
# XDG_CURRENT_DESKTOP: those that keep their proxy in org.gnome.system.proxy.
_GNOMES = frozenset({"gnome", "unity", "ubuntu", "x-cinnamon", "cinnamon", "budgie", "pantheon", "mate", "ukui"})
_PLAIN = SystemProxy()


def desktop_proxy(environ: Mapping[str, str], home: Path, ask: Callable[[], str | None] | None = None) -> SystemProxy:
    """Of the running desktop; nothing where there is none. `ask` gives gsettings' words."""
    names = {name.lower() for name in environ.get("XDG_CURRENT_DESKTOP", "").split(":")}
    if "kde" in names:
        return _read_kde(environ, home)
    if names & _GNOMES:
        said = (ask or _ask_gsettings)()
        return parse_gsettings(said) if said else _PLAIN
    return _PLAIN


def _ask_gsettings() -> str | None:
    outcome = run(Request(_GSETTINGS, timeout=_SECONDS))
    return outcome.stdout if outcome.ok else None


def parse_gsettings(text: str) -> SystemProxy:
    """`org.gnome.system.proxy.http host 'proxy.lab.example'`, one key a line."""
    values: dict[str, object] = {}
    for line in text.splitlines():
        schema, _, rest = line.strip().partition(" ")
        key, _, value = rest.partition(" ")
        values[f"{schema.removeprefix('org.gnome.system.proxy').lstrip('.')}/{key}"] = _variant(value)
    mode = values.get("/mode")
    if mode == "auto":
        return SystemProxy(origin="gnome", notices=(message("network.notice.script"),))
    if mode != "manual":
        return _PLAIN
    login = _gnome_login(values)
    http = _gnome_proxy(values, "http", "http", login)
    https = _gnome_proxy(values, "https", "http", "")
    socks = _gnome_proxy(values, "socks", "socks5h", "")
    if http and not https and values.get("/use-same-proxy") is True:
        https = http
    ignored = values.get("/ignore-hosts")
    hosts = [str(host) for host in ignored] if isinstance(ignored, list) else []
    return _checked(SystemProxy(http, https, socks, entries(hosts), "gnome"), "GNOME")


def _variant(text: str) -> object:
    """GVariant's text form of the few types that are used here."""
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("@as "):
        text = text[4:]
    try:
        value: object = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def _gnome_login(values: Mapping[str, object]) -> str:
    user = str(values.get("http/authentication-user") or "")
    if values.get("http/use-authentication") is not True or not user:
        return ""
    return f"{user}:{values.get('http/authentication-password') or ''}@"


def _gnome_proxy(values: Mapping[str, object], name: str, scheme: str, login: str) -> str | None:
    host = str(values.get(f"{name}/host") or "").strip()
    port = values.get(f"{name}/port")
    # Only with a port: a host alone is what is left of an earlier setting.
    return proxy_url(f"{scheme}://{login}{host}:{port}") if host and isinstance(port, int) and port else None


def _read_kde(environ: Mapping[str, str], home: Path) -> SystemProxy:
    folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    try:
        return parse_kioslaverc((folder / "kioslaverc").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return _PLAIN


def parse_kioslaverc(text: str) -> SystemProxy:
    """KDE's `ProxyType`: 0 none, 1 by hand, 2 a script, 3 found by itself, 4 variables (which we read anyway)."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return _PLAIN
    section = dict(parser.items("Proxy Settings")) if parser.has_section("Proxy Settings") else {}
    kind = section.get("proxytype", "0").strip()
    if kind in ("2", "3"):
        return SystemProxy(origin="kde", notices=(message("network.notice.script"),))
    if kind != "1" or section.get("reversedexception", "").strip() == "true":
        return _PLAIN
    http, https, socks = (_kde_proxy(section.get(f"{name}proxy", "")) for name in ("http", "https", "socks"))
    return _checked(SystemProxy(http, https, socks, entries(section.get("noproxyfor", "")), "kde"), "KDE")


def _kde_proxy(value: str) -> str | None:
    """`http://proxy.lab.example 8080`: KDE puts a space before the port."""
    address, _, port = value.strip().partition(" ")
    return proxy_url(f"{address}:{port.strip()}" if port.strip() else address) if address else None


def _checked(found: SystemProxy, desktop: str) -> SystemProxy:
    if found.is_set:
        return found
    notice: tuple[Message, ...] = (message("network.notice.system", system=desktop),)
    return SystemProxy(origin=found.origin, notices=notice)


# What the system says of proxies: the variables if there are any, else the Windows settings or the desktop's.
#
# Looked at when it is needed, never kept: a laptop changes its network.


def system_proxy(
    environ: Mapping[str, str], home: Path, os_name: str, look: Callable[[], SystemProxy] | None = None
) -> SystemProxy:
    """`os_name`: "windows" or "linux". `look` stands in for the registry or the desktop."""
    named = parse_variables(environ)
    if named.is_set:
        return named
    found = (look or _look(environ, home, os_name))()
    # A list of exceptions alone counts beside the proxy that the system names.
    return replace(
        found,
        no_proxy=tuple(dict.fromkeys((*named.no_proxy, *found.no_proxy))),
        notices=(*named.notices, *found.notices),
        origin=found.origin or named.origin,
    )


def _look(environ: Mapping[str, str], home: Path, os_name: str) -> Callable[[], SystemProxy]:
    if of(os_name).has_registry:
        return read_internet_settings
    return lambda: desktop_proxy(environ, home)
