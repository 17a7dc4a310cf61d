"""Looks into wheels, remembered: what a wheel holds never changes, so it is read once and kept with its date.

The memory lies in the cache folder and may be deleted at any time. A look that failed is not remembered.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wizard import paths
from wizard.mirrors.client import Client
from wizard.mirrors.model import Offer
from wizard.mirrors.remote_wheel import WheelContents, read_wheel
from wizard.typed import from_json

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Look:
    """`as_of`: the day on which the wheel was read."""

    contents: WheelContents
    as_of: str
    schema: int = SCHEMA


def looks_dir() -> Path:
    return paths.cache_dir() / "wheel-looks"


def look(client: Client, offer: Offer) -> Look:
    """Raises SourceUnreachable as `read_wheel`."""
    path = looks_dir() / f"{_key(offer)}.json"
    known = _remembered(path)
    if known:
        return known
    fresh = Look(read_wheel(client, offer), datetime.date.today().isoformat())
    with contextlib.suppress(OSError):  # a look that cannot be kept is still a look
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(fresh))
    return fresh


def _key(offer: Offer) -> str:
    """By content where the page names it; else by place and size, as a file may be replaced under its name."""
    if offer.sha256:
        return offer.sha256
    return hashlib.sha256(f"{offer.url} {offer.size}".encode()).hexdigest()


def _remembered(path: Path) -> Look | None:
    try:
        found = from_json(path.read_bytes(), Look)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.schema == SCHEMA else None
