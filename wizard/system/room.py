"""How much a disk still takes, as a value that both sides of `disk` speak of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Room:
    """`free`: bytes that this user can write, quotas apart. `files_left`: None where nobody counts."""

    free: int
    files_left: int | None
