"""Miniforge: its installers as rows, and where one may be installed.

Where a Miniforge may be installed: its installers refuse spaces, on Windows other letters too, and folders in use.

Refused places come with a proposal. Nothing is created here, and nothing is ever installed as another user.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Literal

from wizard.environment.naming import check_place, nearest_existing
from wizard.model.errors import ErrorText, UsageError
from wizard.model.tables import Date, Https, Row, Words, parse_table, shipped_table
from wizard.system.disk import user_ids
from wizard.system.places import places

BOOTSTRAP_TAKEN = ErrorText(
    "bootstrap-taken",
    "“{path}” is there already; nothing was changed.",
    "Choose another folder. If it is a conda that you want to use, name it [on the page {page.place}|with --conda].",
)

# Miniforge's installers as rows of `matrices/miniforge.toml`: names, silent command lines, licence. Facts only.


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
        """Return the installer for a system. Raises UsageError `bootstrap-no-installer`."""
        found = next((row for row in self.installer if (row.os, row.arch) == (os_name, arch)), None)
        if found is None:
            raise UsageError(
                "bootstrap-no-installer",
                "Miniforge has no installer for this system ({os}, {arch}).",
                "Take the built-in engine, which needs no conda.",
                os=os_name,
                arch=arch,
            )
        return found


def parse_miniforge(document: str) -> MiniforgeTable:
    """Return the table. Raises TableError."""
    return parse_table("miniforge", document, MiniforgeTable)


@lru_cache(maxsize=1)
def miniforge_table() -> MiniforgeTable:
    return shipped_table("miniforge", MiniforgeTable)


_NAME = "miniforge3"
_EXAMPLES = {"linux": "/data/miniforge3", "windows": "D:\\miniforge3"}  # where no usual place would do


def check_root(prefix: Path, row: InstallerRow, environment: Mapping[str, str] | None = None) -> None:
    """Refuse a folder that will not do. Raises UsageError: bootstrap-space, -letters, -taken, -not-writable, -root, and
    what `check_place` refuses."""
    known = os.environ if environment is None else environment
    _check_user(known)
    check_place(prefix, row.os, Path.home())
    proposal = str(propose_root(row, known) or _EXAMPLES[row.os])
    if problem := spelling_problem(prefix, row):
        raise UsageError(problem, path=str(prefix), proposal=proposal)
    if is_taken(prefix, row):
        raise UsageError(BOOTSTRAP_TAKEN, path=str(prefix))
    if not os.access(nearest_existing(prefix), os.W_OK):
        raise UsageError(
            "bootstrap-not-writable",
            "“{path}” can't be written to.",
            "Choose a folder of your own, such as {proposal}. Nothing is installed as administrator.",
            path=str(prefix),
            proposal=proposal,
        )


def spelling_problem(prefix: PurePath, row: InstallerRow) -> str | None:
    """Return the code for a path that the installer itself refuses, or None."""
    if any(letter.isspace() for letter in str(prefix)):
        return "bootstrap-space"
    return "bootstrap-letters" if row.ascii and not str(prefix).isascii() else None


def is_taken(prefix: Path, row: InstallerRow) -> bool:
    if not os.path.lexists(prefix):
        return False
    is_empty = prefix.is_dir() and not prefix.is_symlink() and not any(prefix.iterdir())
    return not (is_empty and row.may_exist_empty)


def propose_root(row: InstallerRow, environment: Mapping[str, str]) -> Path | None:
    """Return the first usual place that would do; None when none does (then the person has to name one)."""
    for place in _usual(row, environment):
        if not (spelling_problem(place, row) or is_taken(place, row)) and os.access(nearest_existing(place), os.W_OK):
            return place
    return None


def no_place(row: InstallerRow, environment: Mapping[str, str]) -> UsageError:
    """Return why `propose_root` gave None: the first place is there already, or none can be."""
    usual = tuple(_usual(row, environment))
    if is_taken(usual[0], row):
        return UsageError(BOOTSTRAP_TAKEN, path=str(usual[0]))
    return UsageError(
        "bootstrap-no-place",
        "None of the usual places for Miniforge will do: {places} can't be written to, or have a space in their path.",
        "Name a folder of your own [on the page {page.place}|with --prefix], without a space in its path.",
        places=", ".join(map(str, usual)),
    )


def _usual(row: InstallerRow, environment: Mapping[str, str]) -> Iterator[Path]:
    yield Path.home() / _NAME
    # A user name with a space or other letters is in the home folder's path.
    yield from (folder / _NAME for folder in places(row.os).beside_home(environment))


def _check_user(environment: Mapping[str, str]) -> None:
    """Under sudo the files would be root's in the user's home."""
    ids = user_ids()
    if ids and ids[0] == 0 and environment.get("SUDO_UID", "0") != "0":
        raise UsageError(
            "bootstrap-root",
            "This was started with another user's rights (sudo); Miniforge would belong to root.",
            "Start it again as yourself, without sudo.",
        )
