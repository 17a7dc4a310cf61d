"""One wish and what the system says, as the variables that every child gets: uv, rattler, the target's Python.

The set is complete: `process.child_environment` drops what a shell had set of the same kind, so no child meets a
proxy that was not meant for it. Our own connections read the same variables (`bypass.proxy_for`, `tls`), so that
all take the same way. uv reads HTTP(S)_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE, SSL_CERT_DIR and
UV_SYSTEM_CERTS; rattler the same without the last; both verified with uv 0.13 and py-rattler 0.28.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from wizard.system import paths
from wizard.system.traits import this
from wizard.transfer.proxy.bypass import LOCAL, LOOPBACK, is_bypassed, proxy_url
from wizard.transfer.proxy.model import Mode, Network, SystemProxy
from wizard.transfer.proxy.system import system_proxy
from wizard.transfer.tls import store_in_place_of_none

# The order is pip's. Each may name a file or a folder.
BUNDLE_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


def certificate_bundle(configured: str | None, environ: Mapping[str, str]) -> str | None:
    """The file or folder that replaces the system's store, or None."""
    named = (configured, *(environ.get(name) for name in BUNDLE_VARIABLES))
    return next((path for path in named if path), None)


def network_environment(network: Network, system: SystemProxy, environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` is the shell's: certificates that it names count where the wish names none."""
    return {**_proxies(network, system), **_certificates(certificate_bundle(network.certificate, environ))}


def present_environment(network: Network) -> dict[str, str]:
    """`network_environment` with what this computer says now."""
    system = system_proxy(os.environ, Path.home(), paths.os_name()) if network.mode is not Mode.NONE else SystemProxy()
    return network_environment(network, system, os.environ)


def with_settings(network: Network, proxy: str | None, certificate: str | None) -> Network:
    """The proxy and the certificate of the user's own pip settings count where the wish leaves it to the system."""
    url = proxy_url(proxy) if proxy and network.mode is Mode.SYSTEM else None
    wished = replace(network, mode=Mode.CUSTOM, proxy=url) if url else network
    return replace(wished, certificate=network.certificate or certificate)


def with_plain_names(environment: Mapping[str, str], urls: Iterable[str | None]) -> dict[str, str]:
    """No child understands `<local>` (names without a dot): those among `urls` are put in by name."""
    hosts = {urlsplit(url).hostname or "" for url in urls if url}
    names = sorted(host for host in hosts if host and is_bypassed(host, None, (LOCAL,)))
    return {
        key: ",".join((value, *names)) if key.upper() == "NO_PROXY" and LOCAL in value.split(",") else value
        for key, value in environment.items()
    }


def with_direct(environment: Mapping[str, str], urls: Iterable[str]) -> dict[str, str]:
    """The http servers among `urls` stand in the same room: no proxy knows the way to them."""
    hosts = dict.fromkeys(urlsplit(url).hostname or "" for url in urls if urlsplit(url).scheme == "http")
    names = [host for host in hosts if host]
    if not names:
        return dict(environment)
    changed = {
        key: ",".join(filter(None, (value, *names))) if key.upper() == "NO_PROXY" else value
        for key, value in environment.items()
    }
    return (
        changed
        if any(key.upper() == "NO_PROXY" for key in changed)
        else {**changed, **_cased({"NO_PROXY": ",".join(names)})}
    )


def _proxies(network: Network, system: SystemProxy) -> dict[str, str]:
    if network.mode is Mode.NONE:
        return _cased({"NO_PROXY": "*"})  # and no other: on Windows children would ask the registry
    values = {"HTTP_PROXY": system.http, "HTTPS_PROXY": system.https, "ALL_PROXY": system.other}
    theirs = system.no_proxy
    if network.mode is Mode.CUSTOM:
        values = dict.fromkeys(values, network.proxy)
        theirs = tuple(entry for entry in theirs if entry != "*")  # this proxy was asked for
    listed = dict.fromkeys((*LOOPBACK, *network.no_proxy, *theirs))
    return _cased({**{name: url for name, url in values.items() if url}, "NO_PROXY": ",".join(listed)})


def _cased(values: Mapping[str, str]) -> dict[str, str]:
    """Some programs read only one case; some systems have only one."""
    if not this().variables_have_case:
        return dict(values)
    return {**values, **{name.lower(): value for name, value in values.items()}}


def _certificates(named: str | None) -> dict[str, str]:
    path = named or store_in_place_of_none()
    if path is None:
        return {"UV_SYSTEM_CERTS": "true"}  # uv would take the roots that it brings along
    if Path(path).is_dir():
        return {"SSL_CERT_DIR": path, "REQUESTS_CA_BUNDLE": path, "PIP_CERT": path, "CONDA_SSL_VERIFY": path}
    names = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "CONDA_SSL_VERIFY")
    return dict.fromkeys(names, path)
