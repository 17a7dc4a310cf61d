"""What the built-in engine will put into an environment: chosen once, shown with its bytes, then made of just that.

`text` is the channel's own description of the packages (addresses, sizes, SHA-256), for the engine's child: the lock of
this part. It may hold a password.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ChosenPackage:
    """`size` of the archive in bytes; `is_cached`: it was fetched for another environment. `is_python`: a package that
    pip would call installed."""

    name: str
    version: str
    build: str
    size: int | None
    is_cached: bool
    is_python: bool = False


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
            str(row["name"]),
            str(row["version"]),
            str(row["build"]),
            int(row["size"]) if row.get("size") is not None else None,
            bool(is_cached),
            is_python_package(row),
        )
        for row, is_cached in rows
    )
    return PythonPart(packages, json.dumps(records))


def is_python_package(record: Mapping[str, Any]) -> bool:
    """By the channel's description: only those that are made for a Python depend on one. tzdata, say, does not, and is
    no Python package although the index has one of that name."""
    return record.get("noarch") == "python" or any(
        str(each).split()[:1] == ["python"] for each in record.get("depends") or ()
    )
