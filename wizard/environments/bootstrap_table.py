"""Miniforge's installers as rows of `matrices/miniforge.toml`: names, silent command lines, licence. Facts only."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

from wizard.errors import UsageError
from wizard.tables import Date, Https, Row, Words, parse_table, shipped_table


class Licence(Row, frozen=True, kw_only=True):
    name: Words
    url: Https
    note: Words
    source: Words
    as_of: Date


class InstallerRow(Row, frozen=True, kw_only=True):
    """`file` holds {version}; `command` holds {installer} and {prefix}; `conda` lies inside the prefix."""

    KEYS = (("os", "arch"),)

    os: Literal["linux", "windows"]
    arch: Literal["x86_64", "aarch64"]
    file: Words
    command: tuple[Words, ...]
    conda: Words
    exists: Literal["empty", "no"]
    ascii: bool
    source: Words
    as_of: Date

    def __post_init__(self) -> None:
        if "{version}" not in self.file:
            raise ValueError("file: must hold {version}")
        if not {"{installer}", "{prefix}"} <= set(re.findall(r"\{\w+\}", " ".join(self.command))):
            raise ValueError("command: must hold {installer} and {prefix}")

    @property
    def may_exist_empty(self) -> bool:
        return self.exists == "empty"

    def filename(self, version: str) -> str:
        return self.file.format(version=version)

    def argv(self, installer: Path, prefix: Path) -> tuple[str, ...]:
        return tuple(part.format(installer=installer, prefix=prefix) for part in self.command)


class MiniforgeTable(Row, frozen=True, kw_only=True):
    licence: Licence
    installer: tuple[InstallerRow, ...]

    def row(self, os_name: str, arch: str) -> InstallerRow:
        """Raises UsageError `bootstrap-no-installer`."""
        found = next((row for row in self.installer if (row.os, row.arch) == (os_name, arch)), None)
        if found is None:
            raise UsageError("bootstrap-no-installer", os=os_name, arch=arch)
        return found


def parse_miniforge(document: str) -> MiniforgeTable:
    """Raises TableError."""
    return parse_table("miniforge", document, MiniforgeTable)


@lru_cache(maxsize=1)
def miniforge_table() -> MiniforgeTable:
    return shipped_table("miniforge", MiniforgeTable)
