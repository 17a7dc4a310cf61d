"""What the built-in engine will put into an environment: chosen once, shown with its bytes, then made of just that.

`text` is the channel's own description of the packages (addresses, sizes, SHA-256), for the engine's child: the lock of
this part. It may hold a password.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ChosenPackage:
    """`size` of the archive in bytes; `is_cached`: it was fetched for another environment."""

    name: str
    version: str
    build: str
    size: int | None
    is_cached: bool


@dataclass(frozen=True, slots=True)
class PythonPart:
    packages: tuple[ChosenPackage, ...]
    text: str

    @property
    def bytes_to_fetch(self) -> int:
        return sum(package.size or 0 for package in self.packages if not package.is_cached)


def parse_python_part(records: list[dict[str, Any]], cached: list[bool]) -> PythonPart:
    """From the child's event. Raises KeyError, TypeError, ValueError for anything else."""
    rows = zip(records, cached, strict=True)
    packages = tuple(
        ChosenPackage(
            str(row["name"]), str(row["version"]), str(row["build"]),
            int(row["size"]) if row.get("size") is not None else None, bool(is_cached),
        )
        for row, is_cached in rows
    )  # fmt: skip
    return PythonPart(packages, json.dumps(records))
