"""How many computers the admin of a class expects: a number in a small file in the pack, beside its results.

It is not in the pack's list, so it is never handed out; `pack update` leaves it alone.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from wizard.pack.files import put_bytes
from wizard.pack.model import SEATS
from wizard.system import moving

MOST_SEATS = 5000
_MOST_BYTES = 1000


def read_seats(folder: Path) -> int | None:
    """None: nobody has said it, or what lies there is none of ours."""
    with contextlib.suppress(OSError, ValueError, AttributeError, RecursionError):
        with (folder / SEATS).open("rb") as stream:
            found = json.loads(stream.read(_MOST_BYTES)).get("seats")
        if isinstance(found, int) and not isinstance(found, bool) and 0 < found <= MOST_SEATS:
            return found
    return None


def write_seats(folder: Path, count: int) -> None:
    """0: nobody knows. Raises OSError."""
    if count:
        put_bytes(folder / SEATS, json.dumps({"schema": 1, "seats": min(count, MOST_SEATS)}).encode() + b"\n")
    else:
        moving.unlink(folder / SEATS, missing_ok=True)
