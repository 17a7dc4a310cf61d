"""What a wheel file says about itself: its central directory, its RECORD, and which members are *bulk*.

A bulk member is a large plain file of the package itself (a shared library): its place follows from its name
alone, so it can be unpacked without an installer. Scripts, metadata and `.data` folders are never bulk.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.errors import WizardError

BULK_BYTES = 1 << 20
_SYMLINK = 0o120000
_UNSAFE = re.compile(r"[\\:\x00]")
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line of a RECORD: a path relative to site-packages, its size where it is known, `sha256=…`."""

    path: str
    size: int | None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Wheel:
    path: Path
    name: str  # normalised
    version: str
    dist_info: str  # "torch-2.15.0.dist-info"
    is_pure: bool  # goes to purelib, else to platlib
    members: tuple[zipfile.ZipInfo, ...]
    record: tuple[Recorded, ...]

    bulk: tuple[zipfile.ZipInfo, ...]

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


def _is_bulk(member: zipfile.ZipInfo) -> bool:
    return (
        member.file_size >= BULK_BYTES
        and not member.flag_bits & 1  # encrypted
        and member.compress_type in _PLAIN_METHODS
        and (member.external_attr >> 16) & 0o170000 != _SYMLINK
        and is_inside(member.filename)
        and not member.filename.split("/", 1)[0].endswith((".dist-info", ".data"))
    )


def is_inside(name: str) -> bool:
    """A relative path that cannot leave its folder on any system."""
    return bool(name) and name[0] != "/" and not _UNSAFE.search(name) and ".." not in name.split("/")


def parse_record(text: str) -> tuple[Recorded, ...]:
    """Of a file that is no table any more: what was read before that."""
    found = []
    with contextlib.suppress(csv.Error):
        for row in csv.reader(io.StringIO(text, newline="")):
            if row and row[0] and "\0" not in row[0]:
                digest, size = (*row[1:3], "", "")[:2]
                known = int(size) if size.isascii() and size.isdigit() else None
                found.append(Recorded(row[0].replace("\\", "/"), known, digest))
    return tuple(found)


def read_wheel(path: Path) -> Wheel:
    """Raises WizardError `install-bad-wheel`."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = tuple(member for member in archive.infolist() if not member.is_dir())
            dist_info = next(
                name for member in members if (name := member.filename.split("/")[0]).endswith(".dist-info")
            )
            about = archive.read(f"{dist_info}/WHEEL").decode("utf-8", "replace")
            record = parse_record(archive.read(f"{dist_info}/RECORD").decode("utf-8"))
    except (OSError, KeyError, StopIteration, ValueError, zipfile.BadZipFile, NotImplementedError) as error:
        raise WizardError("install-bad-wheel", f"{path}: {error!r}", file=path.name) from error
    name, version = path.name.split("-")[:2]
    is_pure = "root-is-purelib: true" in about.lower()
    listed = {entry.path for entry in record}
    bulk = tuple(member for member in members if _is_bulk(member) and member.filename in listed)
    return Wheel(path, canonicalize_name(name), version, dist_info, is_pure, members, record, bulk)
