"""How this computer reaches the network: the wish (*Network*) and what the system says (*SystemProxy*).

A wish is what a person chose: go by the system, one proxy, or none. What the system says is found out anew each
time. Neither is yet what a child gets: `environment.py` makes that of the two. Addresses may hold a password, so
they are not in the printed form of these values; `bypass.shown` is what a person may see.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from wizard.model.messages import Message


class Mode(str, enum.Enum):
    SYSTEM = "system"  # environment variables, then the Windows registry or the desktop's settings
    CUSTOM = "custom"  # `proxy`, for everything but `no_proxy`
    NONE = "none"  # straight to every host, whatever the system says


@dataclass(frozen=True, slots=True)
class Network:
    """`certificate`: a PEM file or a folder of hashed ones in place of the system's store (None: that store)."""

    mode: Mode = Mode.SYSTEM
    proxy: str | None = field(default=None, repr=False)  # normal form, see address.proxy_url
    no_proxy: tuple[str, ...] = ()  # normal form, see bypass.entries
    certificate: str | None = None


@dataclass(frozen=True, slots=True)
class SystemProxy:
    """`other` serves every scheme that has none of its own. `origin`: environment | windows | gnome | kde | ""."""

    http: str | None = field(default=None, repr=False)
    https: str | None = field(default=None, repr=False)
    other: str | None = field(default=None, repr=False)
    no_proxy: tuple[str, ...] = ()
    origin: str = ""
    notices: tuple[Message, ...] = ()

    @property
    def is_set(self) -> bool:
        return bool(self.http or self.https or self.other)
