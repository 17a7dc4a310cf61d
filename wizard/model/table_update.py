"""Tables that came as an update, and which tables count: those, or the program's own.

Decided once for a process, so an update counts from the next start. It is believed while every file is as it was when
it was checked, by this version of the program: a newer one brings tables of its own. How one comes: `app/update`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from wizard import __version__
from wizard.model.typed import from_json, read_own_json
from wizard.system import paths

DOCUMENT = "update.json"
MOST_FILE_BYTES = 8 * 1024 * 1024
MOST_TABLES = 100
Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
Day = Annotated[str, msgspec.Meta(pattern=r"^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$")]
Number = Annotated[int, msgspec.Meta(gt=0)]
Release = Annotated[str, msgspec.Meta(pattern=r"^\d{1,4}(\.\d{1,4}){1,3}$")]
TableName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z_]{0,40}\.(csv|toml)$")]
Size = Annotated[int, msgspec.Meta(ge=0, le=MOST_FILE_BYTES)]


class TableFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sha256: Sha256
    bytes: Size


class NewestProgram(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Release
    page: Annotated[str, msgspec.Meta(pattern=r"^https://[!-~]{4,300}$")]


class UpdateDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is signed. `version`: the tables' number, which only rises. `program`: the oldest that may take them.

    Tables that it does not name are those of the program. Each lies at `<version>/<name>` beside the document.
    """

    kind: Literal["torch-setup-tables"]
    schema: Literal[1]
    version: Number
    date: Day
    expires: Day
    program: Release
    newest: NewestProgram | None = None
    tables: Annotated[dict[TableName, TableFile], msgspec.Meta(max_length=MOST_TABLES)]


class InUse(msgspec.Struct, frozen=True):
    """The file that names the update in use. `files`: every table of the folder and its SHA-256. `program`: the version
    that has checked them."""

    version: Number
    date: Day
    program: str
    files: dict[TableName, Sha256]


@dataclass(frozen=True, slots=True)
class TablesInUse:
    """`update`: what was taken; `left_out`: why its tables do not count ("program", "damaged"), "" where they do."""

    folder: Path
    update: InUse | None = None
    left_out: Literal["", "program", "damaged"] = ""

    @property
    def version(self) -> int | None:
        """Of an update that counts."""
        return self.update.version if self.update and not self.left_out else None


def updates_dir() -> Path:
    return paths.home() / "table-updates"


def in_use_file() -> Path:
    return updates_dir() / "in-use.json"


def parse_document(data: bytes) -> UpdateDocument:
    """Raises ValueError (msgspec's errors are such), RecursionError."""
    return from_json(data, UpdateDocument)


def tables_dir() -> Path:
    """The tables that count in this process; rows learnt on this computer are laid over them."""
    return tables_in_use().folder


def tables_in_use() -> TablesInUse:
    moved = bool(os.environ.get(paths.MATRICES_VARIABLE))
    return TablesInUse(paths.matrices_dir()) if moved else _decided(paths.matrices_dir(), updates_dir())


@lru_cache(maxsize=4)
def _decided(shipped: Path, updates: Path) -> TablesInUse:
    return decide(shipped, updates)


def decide(shipped: Path, updates: Path) -> TablesInUse:
    """Look anew, as the next start will."""
    update = read_own_json(updates / "in-use.json", InUse)
    if update is None:
        return TablesInUse(shipped)
    if update.program != __version__:
        return TablesInUse(shipped, update, "program")
    folder = updates / str(update.version)
    sound = set(update.files) == table_names(shipped) and update.files == hashes(folder)
    return TablesInUse(folder, update) if sound else TablesInUse(shipped, update, "damaged")


def table_names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.*") if path.suffix in (".csv", ".toml")}


def hashes(folder: Path) -> Mapping[str, str] | None:
    """The SHA-256 of each table; None where one cannot be read."""
    try:
        return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in table_names(folder)}
    except OSError:
        return None
