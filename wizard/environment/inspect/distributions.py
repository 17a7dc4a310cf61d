"""Installed distributions by their metadata, and whether their files are what RECORD says.

Installed distributions as their metadata folders tell: name, version, who installed them, what they want.

Files only: nothing is imported and no Python is run, so a broken environment can be read too. Conda's own
records are read by `wizard/environment/conda/records`; here is what pip and uv leave in site-packages.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import InvalidMarker, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from wizard.install.record import changed_files
from wizard.install.wheel import Recorded, is_inside, parse_record

FAMILY = ("torch", "torchvision", "torchaudio")
_FOLDER = re.compile(r"^(?P<name>[A-Za-z0-9._]+?)-(?P<version>[^-]+)(?:-py\d\.\d+)?\.(?P<kind>dist-info|egg-info)$")
_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Distribution:
    """`info`: its metadata folder. `requires`: raw Requires-Dist lines. `tags`: of its wheel, `cp312-cp312-linux…`."""

    name: str
    version: str
    info: Path
    installer: str
    requires: tuple[str, ...]
    tags: tuple[str, ...]
    has_metadata: bool
    has_record: bool

    @property
    def site(self) -> Path:
        return self.info.parent

    @property
    def local(self) -> str | None:
        """`cu126` of 2.14.1+cu126."""
        return self.version.partition("+")[2] or None

    @property
    def release(self) -> str:
        return self.version.partition("+")[0]

    def record(self) -> tuple[Recorded, ...]:
        return parse_record(_text(self.info / "RECORD"))

    def wanted(self, environment: Mapping[str, str]) -> Iterator[Requirement]:
        """What it needs on this Python, without extras."""
        for line in self.requires:
            requirement = parse_requirement(line)
            if requirement and _applies(requirement, environment):
                yield requirement


def parse_requirement(line: str) -> Requirement | None:
    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _applies(requirement: Requirement, environment: Mapping[str, str]) -> bool:
    if requirement.marker is None:
        return True
    try:
        return requirement.marker.evaluate({**environment, "extra": ""})
    except (UndefinedEnvironmentName, InvalidMarker, ValueError):
        return False


def _text(path: Path) -> str:
    """Empty for what is not there or cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST * 4).decode("utf-8", "replace")
    except OSError:
        return ""


def parse_headers(text: str, name: str) -> tuple[str, ...]:
    """Of METADATA or WHEEL: every value of that header, up to the first empty line."""
    head = text.replace("\r\n", "\n").split("\n\n", 1)[0]
    start = f"{name.lower()}:"
    return tuple(line[len(start) :].strip() for line in head.splitlines() if line.lower().startswith(start))


def read_distribution(info: Path) -> Distribution | None:
    """None for a folder whose name is none of a distribution's."""
    match = _FOLDER.match(info.name)
    if match is None:
        return None
    metadata = _text(info if info.is_file() else info / "METADATA") or _text(info / "PKG-INFO")
    name = next(iter(parse_headers(metadata, "Name")), match["name"])
    return Distribution(
        name=canonicalize_name(name),
        version=next(iter(parse_headers(metadata, "Version")), match["version"]),
        info=info,
        installer=_text(info / "INSTALLER").strip() or ("conda" if match["kind"] == "egg-info" else ""),
        requires=parse_headers(metadata, "Requires-Dist"),
        tags=parse_headers(_text(info / "WHEEL"), "Tag"),
        has_metadata=bool(metadata),
        has_record=(info / "RECORD").is_file() or match["kind"] == "egg-info",
    )


def info_folders(site: Path) -> tuple[Path, ...]:
    try:
        return tuple(sorted(path for path in site.iterdir() if _FOLDER.match(path.name)))
    except OSError:
        return ()


def folder_name(info: Path) -> str:
    """The normal name of the distribution that such a folder is of; without reading anything."""
    match = _FOLDER.match(info.name)
    return canonicalize_name(match["name"]) if match else ""


def read_distributions(sites: Iterable[Path]) -> tuple[Distribution, ...]:
    """In the order of the folders, which is the order in which Python looks."""
    return tuple(
        found for site in dict.fromkeys(sites) for info in info_folders(site) if (found := read_distribution(info))
    )


def leftovers(site: Path) -> tuple[Path, ...]:
    """`~orch` and such: what pip moved out of the way and did not get to delete."""
    try:
        return tuple(sorted(path for path in site.iterdir() if path.name.startswith("~")))
    except OSError:
        return ()


# Are a distribution's files what its RECORD says: there, of the right size, whole, unchanged?
#
# Sizes of all, the ELF header of each shared library, and SHA-256 of a sample of small files (of all with `deep`).
# Compiled Python files and scripts are passed over: they are made on the spot. Looks only; mends nothing.

_SAMPLE = 40
_SMALL = 256 * 1024
_SAME_MOMENT = 2.0  # seconds; an installer writes the RECORD last
_ELF_64 = b"\x7fELF\x02"
_LIBRARY_PARTS = (".so",)
_REWRITTEN = ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD")


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
    if not lists_itself and (distribution.info / "RECORD").is_file():
        # No list any more, but whatever a broken disk left there.
        return (Damage("content", f"{distribution.info.name}/RECORD"),)
    entries = [_as_promised(entry) for entry in record if _is_watched(entry)]
    if of_conda is not None:
        kept = (entry._replace(size=None) for entry in entries if entry.path in of_conda)
        return tuple(damage for entry in kept if (damage := _look(distribution.site, entry)))
    found = [damage for entry in entries if (damage := _look(distribution.site, entry))]
    if not found or deep:
        changed = changed_files(distribution.site, _sample(distribution, entries, deep), distribution.name)
        found += [Damage("content", path) for path in changed]
    return tuple(found)


def _is_watched(entry: Recorded) -> bool:
    name = entry.path.rsplit("/", 1)[-1]
    made_here = name.endswith(".pyc") or (".dist-info/" in entry.path and name in _REWRITTEN)
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
        listed = (distribution.info / "RECORD").stat().st_mtime
        return (distribution.site / entry.path).stat().st_mtime > listed + _SAME_MOMENT
    except OSError:
        return False
