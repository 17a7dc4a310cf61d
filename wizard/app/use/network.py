"""The person's wish about the network: kept in the program's own settings file, laid over what the system says.

What the window saves counts for every command; options of one command line count for that one. The address of a proxy
may hold a password, so the file is for its owner alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wizard.model.errors import WizardError
from wizard.model.messages import message
from wizard.safety.state import read_settings, write_settings
from wizard.sources.model import UserSettings
from wizard.system import paths
from wizard.transfer.proxy.bypass import entries, proxy_url, shown
from wizard.transfer.proxy.environment import network_environment, with_settings
from wizard.transfer.proxy.model import Mode, Network, SystemProxy
from wizard.transfer.proxy.system import system_proxy

_KEY = "network"


def load_network() -> Network:
    """What was saved; by the system where nothing was, or nothing that can be understood."""
    saved = read_settings(paths.settings_file()).get(_KEY)
    return network_from_json(saved) if isinstance(saved, dict) else Network()


def save_network(network: Network, path: Path | None = None) -> None:
    """Beside the window's own keys. Raises WizardError `state-not-writable`."""
    file = path or paths.settings_file()
    known = {**read_settings(file), _KEY: network_to_json(network)}
    try:
        write_settings(file, known)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(file.parent)) from error


def network_to_json(network: Network) -> dict[str, Any]:
    """Return the choice of the network as JSON values, a login within the proxy's address among them."""
    return {
        "mode": network.mode.value,
        "proxy": network.proxy,
        "no_proxy": list(network.no_proxy),
        "certificate": network.certificate,
    }


def network_from_json(saved: Mapping[str, Any]) -> Network:
    """Somebody may have edited the file: what is no value of its kind is left out."""
    proxy, listed, certificate = (saved.get(name) for name in ("proxy", "no_proxy", "certificate"))
    url = proxy_url(proxy) if isinstance(proxy, str) else None
    known = {mode.value: mode for mode in Mode}
    mode = known.get(str(saved.get("mode")), Mode.SYSTEM)
    hosts = [host for host in listed if isinstance(host, str)] if isinstance(listed, list) else []
    return Network(
        mode=Mode.SYSTEM if mode is Mode.CUSTOM and url is None else mode,
        proxy=url,
        no_proxy=entries(hosts),
        certificate=certificate if isinstance(certificate, str) and certificate else None,
    )


def with_network(settings: UserSettings, network: Network, environ: Mapping[str, str] | None = None) -> UserSettings:
    """The settings with the way to the network in them, as every child and our own connections take it."""
    source = os.environ if environ is None else environ
    wished = with_settings(network, settings.proxy, settings.certificate)
    system = SystemProxy()
    if wished.mode is not Mode.NONE:
        system = system_proxy(source, Path.home(), paths.os_name())
    notices = system.notices if wished.mode is Mode.SYSTEM else ()
    if settings.proxy and proxy_url(settings.proxy) is None and network.mode is Mode.SYSTEM:
        notices = (*notices, message("network.notice.settings", address=shown(settings.proxy)))
    return replace(
        settings, environment=network_environment(wished, system, source), notices=(*settings.notices, *notices)
    )
