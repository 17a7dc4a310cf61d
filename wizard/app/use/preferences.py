"""What the person wishes of every run: the network, and the folders for downloads and temporary files.

Where downloads and package caches go, and where temporary files: a choice of its own each, beside the environment.

What an option says counts for its run (it is in the plan) and, after a yes, for later starts; it is kept in the
program's settings file. In force is what stands in two variables of this process, which its children inherit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import message
from wizard.safety.state import read_settings, write_settings
from wizard.sources.model import UserSettings
from wizard.system import paths
from wizard.transfer.proxy.bypass import entries, proxy_url, shown
from wizard.transfer.proxy.environment import network_environment, with_settings
from wizard.transfer.proxy.model import Mode, Network, SystemProxy
from wizard.transfer.proxy.system import system_proxy

if TYPE_CHECKING:
    from wizard.compatibility.model import Choices


# The person's wish about the network: kept in the program's own settings file, laid over what the system says.
#
# What the window saves counts for every command; options of one command line count for that one. The address of a proxy
# may hold a password, so the file is for its owner alone.

_NETWORK_KEY = "network"


def load_network(path: Path | None = None) -> Network:
    """What was saved; by the system where nothing was, or nothing that can be understood."""
    saved = read_settings(path or paths.settings_file()).get(_NETWORK_KEY)
    return network_from_json(saved) if isinstance(saved, dict) else Network()


def save_network(network: Network, path: Path | None = None) -> None:
    """Beside the window's own keys. Raises WizardError `state-not-writable`."""
    file = path or paths.settings_file()
    known = {**read_settings(file), _NETWORK_KEY: network_to_json(network)}
    try:
        write_settings(file, known)
    except OSError as error:
        raise WizardError("state-not-writable", str(error), path=str(file.parent)) from error


def network_to_json(network: Network) -> dict[str, Any]:
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


DEFAULT = "default"  # the word that takes a choice back
_KEY = "volumes"
_VARIABLES = {"cache": paths.CACHE_VARIABLE, "temp": paths.TEMP_VARIABLE, "store": paths.STORE_VARIABLE}


def take_saved() -> None:
    """For this start and its children; what the shell says goes before."""
    saved = read_settings(paths.settings_file()).get(_KEY)
    for name, variable in _VARIABLES.items():
        place = saved.get(name) if isinstance(saved, dict) else None
        if isinstance(place, str) and Path(place).is_absolute() and "\0" not in place:
            os.environ.setdefault(variable, place)


def with_volumes(choices: Choices) -> Choices:
    """Puts the wishes in force; the choices then name what is in force, so that a resumed run takes the same."""
    for variable, wish in ((paths.CACHE_VARIABLE, choices.cache_dir), (paths.TEMP_VARIABLE, choices.temp_dir)):
        if wish == DEFAULT:
            os.environ.pop(variable, None)
        elif wish is not None:
            os.environ[variable] = absolute(wish)
    cache, temp = paths.chosen_cache(), paths.chosen_temp()
    return replace(choices, cache_dir=str(cache) if cache else None, temp_dir=str(temp) if temp else None)


def absolute(wish: str) -> str:
    """Raises UsageError `bad-prefix`."""
    if not wish.strip() or "\0" in wish:
        raise UsageError("bad-prefix", path=wish)
    return os.path.normpath(Path(wish).expanduser().absolute())


def prepare(choices: Choices) -> None:
    """Right before the work: in force, and there. Raises WizardError `cache-dir-not-writable`, `temp-dir-…`."""
    with_volumes(choices)
    for name, folder in (("cache-dir", paths.chosen_cache()), ("temp-dir", paths.chosen_temp())):
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WizardError(f"{name}-not-writable", details=str(error), path=str(folder)) from error


def remember(wished: Choices) -> None:
    """What was asked for, for later starts; nothing where nothing was. Raises WizardError `state-not-writable`."""
    wishes = {"cache": wished.cache_dir, "temp": wished.temp_dir}
    if not any(wishes.values()):
        return
    every = read_settings(paths.settings_file())
    saved = every.get(_KEY)
    known = dict(saved) if isinstance(saved, dict) else {}
    for name, wish in wishes.items():
        if wish == DEFAULT:
            known.pop(name, None)
        elif wish:
            known[name] = absolute(wish)
    _save({**every, _KEY: known})


def save_place(name: str, place: Path) -> None:
    """Put one place in force, for this process and for later starts. Raises WizardError `state-not-writable`."""
    every = read_settings(paths.settings_file())
    saved = every.get(_KEY)
    _save({**every, _KEY: {**(saved if isinstance(saved, dict) else {}), name: str(place)}})
    os.environ[_VARIABLES[name]] = str(place)


def _save(settings: dict[str, Any]) -> None:
    try:
        write_settings(paths.settings_file(), settings)
    except OSError as error:
        raise WizardError("state-not-writable", str(error), path=str(paths.home())) from error
