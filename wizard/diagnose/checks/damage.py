"""Are a distribution's files what its RECORD says: there, of the right size, whole, unchanged?

Sizes of all, the ELF header of each shared library, and SHA-256 of a sample of small files (of all with `deep`).
Compiled Python files and scripts are passed over: they are made on the spot. Looks only; mends nothing.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterable, Set
from dataclasses import dataclass
from pathlib import Path

from wizard.model.distributions import (
    FAMILY,
    REWRITTEN,
    Distribution,
    Recorded,
    changed_files,
    is_inside,
    promised_by_any,
)
from wizard.system.links import long_path

_SAMPLE = 40
_SMALL = 256 * 1024
_SAME_MOMENT = 2.0  # seconds; an installer writes the RECORD last
_ELF_64 = b"\x7fELF\x02"
_LIBRARY_PARTS = (".so",)


@dataclass(frozen=True, slots=True)
class Damage:
    """`kind`: missing | size | cut (a library that ends before its own header says) | content."""

    kind: str
    path: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}"


def damage_of(distribution: Distribution, deep: bool = False, of_conda: Set[str] | None = None) -> tuple[Damage, ...]:
    """Empty for a distribution without a RECORD: nothing says what it should be.

    `of_conda`: the files that conda's own records list, for a package that conda brought. Its recipes take files
    out and write into others after the RECORD was made: then only what conda lists counts, and no size.
    """
    record = distribution.record()
    lists_itself = any(entry.path.startswith(f"{distribution.info.name}/") for entry in record)
    if not lists_itself and (long_path(distribution.info) / "RECORD").is_file():
        # No list any more, but whatever a broken disk left there.
        return (Damage("content", f"{distribution.info.name}/RECORD"),)
    entries = [_as_promised(entry) for entry in record if _is_watched(entry)]
    site = long_path(distribution.site)
    if of_conda is not None:
        kept = (entry._replace(size=None) for entry in entries if entry.path in of_conda)
        return tuple(damage for entry in kept if (damage := _look(site, entry)))
    found = [damage for entry in entries if (damage := _look(site, entry))]
    if any(damage.kind == "size" for damage in found) and distribution.name not in FAMILY:
        shared = _of_another(site, entries)
        found = [damage for entry in entries if entry.path not in shared and (damage := _look(site, entry))]
    if not found or deep:
        changed = changed_files(site, _sample(distribution, entries, deep), distribution.name)
        found += [Damage("content", path) for path in changed]
    return tuple(found)


def _of_another(site: Path, entries: Iterable[Recorded]) -> frozenset[str]:
    """Return the files that are there in the length in which another package brings them, too: of both one stays."""
    lengths: dict[str, int] = {}
    for entry in entries:
        with contextlib.suppress(OSError):
            size = (site / entry.path).stat().st_size
            lengths |= {entry.path: size} if size != entry.size else {}
    promised = promised_by_any(site, lengths)
    return frozenset(path for path, size in lengths.items() if size in {one.size for one in promised[path]})


def _is_watched(entry: Recorded) -> bool:
    name = entry.path.rsplit("/", 1)[-1]
    made_here = name.endswith(".pyc") or (".dist-info/" in entry.path and name in REWRITTEN)
    return is_inside(entry.path) and not made_here


def _as_promised(entry: Recorded) -> Recorded:
    """Of METADATA only that it is there: torch 1.10's makers wrote into it after they had made the RECORD."""
    return entry._replace(size=None, digest="") if entry.path.endswith(".dist-info/METADATA") else entry


def _look(site: Path, entry: Recorded) -> Damage | None:
    path = site / entry.path
    try:
        size = path.stat().st_size
    except OSError:
        return Damage("missing", entry.path)
    if entry.size is not None and size != entry.size:
        return Damage("size", f"{entry.path} ({size} of {entry.size} bytes)")
    if _is_library(entry.path) and is_cut(path, size):
        return Damage("cut", entry.path)
    return None


def _is_library(path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return any(part in name for part in _LIBRARY_PARTS) and not name.endswith((".py", ".txt", ".pyi"))


def is_cut(path: Path, size: int) -> bool:
    """An ELF file whose section table or a segment lies beyond its end, or which has lost its first bytes to zeros."""
    try:
        with path.open("rb") as file:
            head = file.read(64)
            if head[:4] != _ELF_64[:4]:
                return bool(head) and not head.strip(b"\0")
            if head[:5] != _ELF_64 or len(head) < 64:
                return len(head) < (64 if head[:5] == _ELF_64 else 52)
            segments, sections = struct.unpack_from("<QQ", head, 32)
            width, count, section_width, section_count = struct.unpack_from("<HHHH", head, 54)
            if sections and sections + section_width * section_count > size:
                return True
            file.seek(segments)
            table = file.read(width * count)
    except OSError:
        return False
    return _reaches_beyond(table, width, count, size)


def _reaches_beyond(table: bytes, width: int, count: int, size: int) -> bool:
    if width < 40 or len(table) < width * count:
        return bool(count)
    for index in range(count):
        offset = struct.unpack_from("<Q", table, index * width + 8)[0]
        length = struct.unpack_from("<Q", table, index * width + 32)[0]
        if offset + length > size:
            return True
    return False


def _sample(distribution: Distribution, entries: Iterable[Recorded], deep: bool) -> list[Recorded]:
    """With `deep` everything that has a digest; else what was written after its RECORD (a file that environments share
    may be edited in any of them), and small files, evenly over the list, `__init__.py` first."""
    able = [entry for entry in entries if entry.digest.startswith("sha256=")]
    if deep:
        return able
    later = [entry for entry in able if _is_later(distribution, entry)]
    small = [entry for entry in able if (entry.size or 0) <= _SMALL]
    first = [entry for entry in small if entry.path.count("/") == 1 and entry.path.endswith(".py")]
    step = max(1, len(small) // _SAMPLE)
    return list({entry.path: entry for entry in (*later, *first, *small[::step])}.values())


def _is_later(distribution: Distribution, entry: Recorded) -> bool:
    try:
        listed = (long_path(distribution.info) / "RECORD").stat().st_mtime
        return (long_path(distribution.site) / entry.path).stat().st_mtime > listed + _SAME_MOMENT
    except OSError:
        return False
