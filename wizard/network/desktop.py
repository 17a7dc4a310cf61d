"""The proxy of a Linux desktop's settings: GNOME's (and its relatives'), KDE's.

Browsers follow these; pip, uv and rattler do not, so we read them and hand them on. The parsers take text; the
one child (`gsettings`) has a short time limit, since a broken session bus must not hold anybody up.
"""

from __future__ import annotations

import ast
import configparser
from collections.abc import Callable, Mapping
from pathlib import Path

from wizard.i18n import Message, message
from wizard.network.address import proxy_url
from wizard.network.bypass import entries
from wizard.network.model import SystemProxy
from wizard.process import Request, run

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
