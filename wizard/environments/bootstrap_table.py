"""Miniforge's installers as rows of `matrices/miniforge.toml`: names, silent command lines, licence. Facts only."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wizard import paths
from wizard.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class Licence:
    name: str
    url: str
    note: str


@dataclass(frozen=True, slots=True)
class InstallerRow:
    """`file` holds {version}; `command` holds {installer} and {prefix}; `conda` lies inside the prefix."""

    os: str
    arch: str
    file: str
    command: tuple[str, ...]
    conda: str
    may_exist_empty: bool
    ascii_only: bool

    def filename(self, version: str) -> str:
        return self.file.format(version=version)

    def argv(self, installer: Path, prefix: Path) -> tuple[str, ...]:
        return tuple(part.format(installer=installer, prefix=prefix) for part in self.command)


@dataclass(frozen=True, slots=True)
class MiniforgeTable:
    licence: Licence
    installers: tuple[InstallerRow, ...]

    def row(self, os_name: str, arch: str) -> InstallerRow:
        """Raises UsageError `bootstrap-no-installer`."""
        found = next((row for row in self.installers if (row.os, row.arch) == (os_name, arch)), None)
        if found is None:
            raise UsageError("bootstrap-no-installer", os=os_name, arch=arch)
        return found


def parse_table(document: str) -> MiniforgeTable:
    data = tomllib.loads(document)
    licence = data["licence"]
    rows = tuple(
        InstallerRow(
            row["os"], row["arch"], row["file"], tuple(row["command"]), row["conda"],
            row["exists"] == "empty", row["ascii"],
        )
        for row in data["installer"]
    )  # fmt: skip
    return MiniforgeTable(Licence(licence["name"], licence["url"], licence["note"]), rows)


@lru_cache(maxsize=1)
def miniforge_table() -> MiniforgeTable:
    return parse_table((paths.matrices_dir() / "miniforge.toml").read_text(encoding="utf-8"))
