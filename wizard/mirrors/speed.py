"""How fast does the wanted file come from a source? One request for a part of it, at a random place, then it is over.

Never more than was asked for is read, and nobody is asked twice: the caller measures one source after the other.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from wizard.errors import WizardError
from wizard.mirrors.client import Client
from wizard.mirrors.installing_client import file_headers
from wizard.mirrors.together import GoesOn, ask_together

_PATIENCE = 1.0  # seconds beyond the limit for the connection itself


@dataclass(slots=True)
class _Count:
    came: int = 0
    ended: float | None = None


def measure(
    url: str, size: int | None, client: Client, most_bytes: int, seconds: float,
    is_cancelled: Callable[[], bool],
) -> float | None:  # fmt: skip
    """Bytes a second, the connection's making included. None: it could not be measured. Raises Cancelled."""
    if not url.lower().startswith("http"):
        return None
    count, began = _Count(), time.monotonic()

    def ask(goes_on: GoesOn) -> bool:
        return _count(url, size, client, most_bytes, seconds, began, count, goes_on)

    is_good = ask_together({url: ask}, seconds + _PATIENCE, is_cancelled).get(url, True)
    took = (count.ended or time.monotonic()) - began
    return round(count.came / took, 1) if is_good and took > 0 else None


def _count(
    url: str, size: int | None, client: Client, most_bytes: int, seconds: float, began: float, count: _Count,
    goes_on: GoesOn,
) -> bool:  # fmt: skip
    """Whether it was a part of a file that came."""
    span = min(most_bytes, size) if size else most_bytes
    first = random.randrange(size - span + 1) if size else 0

    def came(so_far: int) -> bool:
        count.came = min(so_far, span)
        return goes_on() and so_far < span and time.monotonic() - began < seconds

    try:
        page = client.get(url, "", file_headers(first, first + span - 1), span, came)
    except WizardError:
        return False
    count.came = min(len(page.body), span)
    count.ended = time.monotonic()
    return page.status in (200, 206)
