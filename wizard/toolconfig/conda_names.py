"""What a name in `channels` stands for: full addresses, by conda's rules and the user's own settings.

And which of them the built-in engine may use. Anaconda's channels are left: their terms need to be accepted,
and that is for the user alone. So are channels that hold no Python, which is all that the engine asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from wizard.sources.address_facts import address_facts, begins_with, channel_name, needs_terms
from wizard.sources.table import FORGE
from wizard.toolconfig.conda_read import CondaValues
from wizard.transfer.address import has_scheme

OFFICIAL_ALIAS = "https://conda.anaconda.org"
_DEFAULTS = ("https://repo.anaconda.com/pkgs/main", "https://repo.anaconda.com/pkgs/r")
_NOT_CHANNELS = ("local", "nodefaults", "<unknown>")
_PATH = re.compile(r"^(?:[/\\]|\.\.?[/\\]|~[/\\]|[A-Za-z]:[/\\])")


def addresses(name: str, values: CondaValues) -> tuple[str, ...]:
    """A name may stand for several channels (`defaults`) or for none (`local`)."""
    if name in _NOT_CHANNELS:
        return ()
    if has_scheme(name):
        return (without_platform(name),)
    if _PATH.match(name):
        return (name,)  # a folder: whoever uses it knows which one it is relative to
    multi = dict(values.multi)
    if name in multi:
        return tuple(url for item in multi[name] for url in _plain(item, values))
    if name == "defaults":
        found = values.default_channels or _DEFAULTS
        return tuple(url for item in found for url in _plain(item, values))
    return _plain(name, values)


def _plain(name: str, values: CondaValues) -> tuple[str, ...]:
    if has_scheme(name):
        return (without_platform(name),)
    name = without_platform(name.strip("/"))
    mirrors = tuple(url.rstrip("/") for url in dict(values.mirrored).get(name, ()) if not url.startswith("oci:"))
    if mirrors:
        return mirrors
    custom = dict(values.custom)
    parts = name.split("/")
    for count in range(len(parts), 0, -1):
        parent = custom.get("/".join(parts[:count]))
        if parent:
            parent = parent if has_scheme(parent) else f"{OFFICIAL_ALIAS}/{parent}"
            return (f"{parent.rstrip('/')}/{name}",)
    return (f"{(values.alias or OFFICIAL_ALIAS).rstrip('/')}/{name}",)


def without_platform(url: str) -> str:
    head, _, last = url.rstrip("/").rpartition("/")
    return head if head and last in address_facts().platforms else url.rstrip("/")


def all_addresses(values: CondaValues) -> tuple[str, ...]:
    """In the order of priority, without repeats."""
    return tuple(dict.fromkeys(url for name in values.channels for url in addresses(name, values)))


def usable(urls: Iterable[str], values: CondaValues) -> tuple[str, ...]:
    """For the built-in engine, in the user's order."""
    kept = (url for url in urls if not needs_terms(url) and channel_name(url) not in address_facts().no_python)
    if values.offline:
        kept = (url for url in kept if url.lower().startswith("file:"))
    return tuple(kept)


def forge_of_settings(values: CondaValues) -> tuple[str, ...]:
    """Where the user's settings move conda-forge to; () where they leave it at its official place."""
    return tuple(url for url in addresses(FORGE, values) if not begins_with(url, f"conda.anaconda.org/{FORGE}"))


def is_closed(values: CondaValues) -> bool:
    """Whether the user's settings forbid to ask any other channel."""
    allowed = {item.rstrip("/") for item in values.allowed}
    return values.offline or bool(allowed and not allowed & {FORGE, f"{OFFICIAL_ALIAS}/{FORGE}"})
