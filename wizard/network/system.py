"""What the system says of proxies: the variables if there are any, else the Windows settings or the desktop's.

Looked at when it is needed, never kept: a laptop changes its network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from wizard.network.desktop import desktop_proxy
from wizard.network.model import SystemProxy
from wizard.network.variables import parse_variables
from wizard.network.windows import read_internet_settings
from wizard.system.traits import of


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
