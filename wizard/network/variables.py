"""The proxy that environment variables name: `HTTP_PROXY` and its kin, in both cases.

The lower-case form wins, as everywhere. A variable that holds no address we can use is left out and named in a
notice, since most programs would fail on it with words that nobody understands.
"""

from __future__ import annotations

from collections.abc import Mapping

from wizard.i18n import Message, message
from wizard.network.address import proxy_url, shown
from wizard.network.bypass import entries
from wizard.network.model import SystemProxy


def parse_variables(environ: Mapping[str, str]) -> SystemProxy:
    """`origin` is empty where no variable says anything of proxies."""
    notices: list[Message] = []
    found = {name: _proxy(environ, name, notices) for name in ("http_proxy", "https_proxy", "all_proxy")}
    exceptions = _value(environ, "no_proxy")
    return SystemProxy(
        found["http_proxy"], found["https_proxy"], found["all_proxy"], entries(exceptions),
        "environment" if exceptions or any(found.values()) else "", tuple(notices),
    )  # fmt: skip


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
