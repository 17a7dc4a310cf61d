"""What a wheel file says about itself: its central directory, its RECORD, and which members are *plain*.

A plain member is a file of the package itself: its place follows from its name alone, so it can be put there without
an installer. Scripts, metadata and `.data` folders are never plain. A *thin* wheel lacks its plain members.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.model.distributions import Recorded, is_inside, parse_record
from wizard.model.errors import ErrorText, WizardError

INSTALL_BAD_WHEEL = ErrorText(
    "install-bad-wheel",
    "The package file {file} is damaged or is not a package file.",
    "Delete it from the downloads folder, then resume: it is then downloaded anew.",
)
INSTALL_PERMISSION = ErrorText(
    "install-permission",
    "Files in {folder} can't be written.",
    "Close programs that use this environment, check the permissions of the folder, then resume.",
)
INSTALL_WHEEL_GONE = ErrorText(
    "install-wheel-gone",
    "The downloaded file {file} was removed before it was installed.",
    "Resume: it is downloaded anew, and what is installed stays. See what removed it from {folder}.",
)

_MOST_METADATA = 64 << 20  # of one file; the largest known list of files takes 2 MB
THIN = b"thin"  # the comment of the zip file; only the store writes such wheels
_SYMLINK = 0o120000
# What zipfile raises of an archive that is damaged, encrypted, or packed in a way that it does not know.
UNREADABLE = (OSError, KeyError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Wheel:
    path: Path
    name: str  # normalised
    version: str
    dist_info: str  # "torch-2.15.0.dist-info"
    is_pure: bool  # goes to purelib, else to platlib
    members: tuple[zipfile.ZipInfo, ...]
    record: tuple[Recorded, ...]
    left_out: tuple[str, ...]  # of a thin wheel: the plain files, which its RECORD lists and the wheel file lacks

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


def is_plain(name: str) -> bool:
    return is_inside(name) and not name.partition("/")[0].endswith((".dist-info", ".data"))


def plain_members(wheel: Wheel) -> dict[str, zipfile.ZipInfo]:
    """Return them by name; none where one is odd (a link, encrypted, twice) or the RECORD names others: such a wheel is
    for the installer."""
    listed = {entry.path for entry in wheel.record if is_plain(entry.path) and entry.digest.startswith("sha256=")}
    plain = [member for member in wheel.members if is_plain(member.filename)]
    found = {member.filename: member for member in plain}
    is_other = len(found) < len(plain) or listed != found.keys() or any(map(is_odd, plain))
    return {} if is_other else found


def is_odd(member: zipfile.ZipInfo) -> bool:
    """Tell whether it is a link, encrypted, or packed in a way of its own: for the installer."""
    is_link = (member.external_attr >> 16) & 0o170000 == _SYMLINK
    return bool(member.flag_bits & 1) or is_link or member.compress_type not in _PLAIN_METHODS


def leads_out(name: str) -> bool:
    """Tell whether a name, or the part of it below a `.data` folder, is or may become a path outside its folder."""
    return name.startswith("/") or "//" in name or ".." in re.split(r"[/\\]", name)


def _check_metadata(members: Iterable[zipfile.ZipInfo], dist_info: str) -> None:
    """Before any of it is unpacked, by us or by an installer: gigabytes of it fit into a small wheel. zipfile gives
    no more of a member than it says here. Raises ValueError."""
    for member in members:
        if member.filename.startswith(f"{dist_info}/") and member.file_size > _MOST_METADATA:
            raise ValueError(f"{member.filename}: {member.file_size} bytes of metadata")


def read_wheel(path: Path) -> Wheel:
    """Read what a wheel says of itself. Raises WizardError `install-bad-wheel`."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = tuple(member for member in archive.infolist() if not member.is_dir())
            dist_info = next(
                name for member in members if (name := member.filename.split("/")[0]).endswith(".dist-info")
            )
            _check_metadata(members, dist_info)
            about = archive.read(f"{dist_info}/WHEEL").decode("utf-8", "replace")
            record = parse_record(archive.read(f"{dist_info}/RECORD").decode("utf-8"))
            is_thin = archive.comment == THIN
    except (*UNREADABLE, StopIteration) as error:
        raise WizardError(INSTALL_BAD_WHEEL, details=f"{path}: {error!r}", file=path.name) from error
    name, version = path.name.split("-")[:2]
    is_pure = "root-is-purelib: true" in about.lower()
    present = {member.filename for member in members}
    missing = (entry.path for entry in record if is_thin and entry.path not in present)
    left_out = tuple(path for path in missing if is_plain(path))
    return Wheel(path, canonicalize_name(name), version, dist_info, is_pure, members, record, left_out)
