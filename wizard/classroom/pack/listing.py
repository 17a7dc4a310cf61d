"""What a pack holds, as values; `pack.json` is the list of its files.

The list says where a file lies and makes `pack check` and the server possible. It is no proof of anything: a client
believes a file by the hash in the profile alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import msgspec

from wizard.classroom.profile.model import CondaPackage
from wizard.classroom.profile.signature import ENDING
from wizard.model.errors import ErrorText, WizardError
from wizard.model.lock import LockedFile
from wizard.model.typed import from_json

PACK_NO_FOLDER = ErrorText(
    "pack-no-folder",
    "There is no pack in {path}.",
    "Name the folder that holds pack.json.",
)
PACK_NOT_WRITTEN = ErrorText(
    "pack-not-written",
    "The pack can't be written in {path}.",
    "Check the free space and the permissions there, then run it again: what has been downloaded is kept.",
)
PACK_UNREADABLE = ErrorText(
    "pack-unreadable",
    "The list of the pack {path} is damaged, or is not such a list.",
    "The person who made the pack can mend it[ on the page {page.class}|: torch-wizard pack check, then pack "
    "update]. Nothing was changed.",
)

SCHEMA = 1
LISTING = "pack.json"
PROFILE = "profile.torchlab"
SIGNATURE = PROFILE + ENDING
RESULTS = "results"
SEATS = "seats.json"  # how many computers are expected; not in the list
RESULTS_KEY, REFUSED = "results.key", "refused.jsonl"  # of its server: see `results.proof`; not in the list either
WHEELS = "wheels"
REPODATA = "repodata.json"
CONDA = "conda"  # a channel: what the built-in engine makes Python of


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a file that is too large for the file system of the stick."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PackEntry:
    """`path` is relative, with forward slashes. With `parts` there is no file at `path`: they make it together."""

    path: str
    size: int
    sha256: str
    parts: tuple[Part, ...] = ()

    @property
    def files(self) -> tuple[Part, ...]:
        """What lies on the disk."""
        return self.parts or (Part(self.path, self.size, self.sha256),)


@dataclass(frozen=True, slots=True)
class PackListing:
    profile_sha256: str
    entries: tuple[PackEntry, ...]
    title: str = ""
    made: str = ""  # a day
    program: str = ""  # the version that made it
    schema: int = SCHEMA
    unneeded: tuple[str, ...] = ()  # of earlier profiles, and still there: what `--remove` may delete

    def find(self, sha256: str) -> PackEntry | None:
        return next((entry for entry in self.entries if entry.sha256 == sha256), None)

    @property
    def total_bytes(self) -> int:
        return sum(entry.size for entry in self.entries)


@dataclass(frozen=True, slots=True)
class PackRequest:
    """What a profile asks a pack to hold. `data`: the profile file's own bytes. `files` are all; those of `conda` lie
    in a channel of the pack's own."""

    data: bytes
    sha256: str
    title: str
    files: tuple[LockedFile, ...]
    languages: tuple[str, ...] = ("en", "zh_CN")
    conda: tuple[CondaPackage, ...] = ()
    signature: bytes | None = None

    @property
    def unique(self) -> tuple[LockedFile, ...]:
        """Each file once, however many locks name it."""
        return tuple({file.sha256: file for file in self.files}.values())

    @property
    def wheels(self) -> tuple[LockedFile, ...]:
        packages = {package.file.sha256 for package in self.conda}
        return tuple(file for file in self.unique if file.sha256 not in packages)


@dataclass(frozen=True, slots=True)
class PackProblem:
    """`kind`: missing | size | altered | unreadable | not-listed | profile."""

    kind: str
    path: str


@dataclass(frozen=True, slots=True)
class Built:
    """`kept`: files of an earlier profile that nobody needs any more and that are still there."""

    listing: PackListing
    bytes_fetched: int
    bytes_copied: int
    bytes_present: int
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    split: tuple[str, ...] = field(default=())


def is_package(path: str) -> bool:
    """A file that a profile names, and none of the pages about them."""
    return path.startswith((f"{WHEELS}/", f"{CONDA}/")) and not path.endswith(f"/{REPODATA}")


def is_safe(path: str) -> bool:
    """Stays inside the pack on every system, and is no hidden file."""
    parts = PurePosixPath(path).parts
    if not path or path != "/".join(parts) or len(path) > 400:
        return False
    return all(not part.startswith(".") and not set(part) & set('\\:*?"<>|\0') and part.isprintable() for part in parts)


# `pack.json`, read and written. Whoever wrote it may be a stranger: every path and number is checked.
#
# Fields that this version does not know are passed over; a list of a newer schema is refused by name.

MOST_BYTES = 8 * 1024 * 1024
_MOST_ENTRIES = 20_000
_LONGEST = 200  # of a text that people see
_HASH = re.compile(r"^[0-9a-f]{64}$")


def listing_to_json(listing: PackListing) -> bytes:
    return msgspec.json.format(msgspec.json.encode(listing), indent=1)


def parse_listing(data: bytes, where: str) -> PackListing:
    """Raises WizardError `pack-unreadable`, `pack-newer`."""
    if len(data) > MOST_BYTES:
        raise WizardError(PACK_UNREADABLE, details="too large", path=where)
    try:
        schema = from_json(data, _Schema).schema
        if schema > SCHEMA:
            raise WizardError(
                "pack-newer",
                "The pack {path} was made by a newer version of this program (format {found}; this one knows {known}).",
                "Update this program; the folder “program” in the pack may hold the new one.",
                path=where,
                found=schema,
                known=SCHEMA,
            )
        listing = from_json(data, PackListing)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WizardError(PACK_UNREADABLE, details=str(error), path=where) from error
    wrong = _wrong(listing)
    if wrong:
        raise WizardError(PACK_UNREADABLE, details=wrong, path=where)
    return listing


class _Schema(msgspec.Struct):
    schema: int


def _wrong(listing: PackListing) -> str:
    """What cannot be in a list that we wrote; empty for a good one."""
    if not _HASH.match(listing.profile_sha256):
        return "profile_sha256"
    if not all(text.isprintable() and len(text) <= _LONGEST for text in (listing.title, listing.made, listing.program)):
        return "title, made or program"
    if len(listing.entries) > _MOST_ENTRIES:
        return "too many entries"
    if len(listing.unneeded) > _MOST_ENTRIES or not all(is_safe(path) for path in listing.unneeded):
        return "unneeded"
    seen: set[str] = set()
    for entry in listing.entries:
        wrong = _wrong_entry(entry)
        if wrong:
            return wrong
        for file in entry.files:
            if file.path.lower() in seen:
                return f"{file.path}: twice"
            seen.add(file.path.lower())
    return ""


def _wrong_entry(entry: PackEntry) -> str:
    pieces: tuple[PackEntry | Part, ...] = (entry, *entry.parts)
    for piece in pieces:
        if not is_safe(piece.path):
            return f"{piece.path!r}: no path inside a pack"
        if not _HASH.match(piece.sha256) or piece.size < 0:
            return f"{piece.path}: hash or size"
    if entry.parts and sum(part.size for part in entry.parts) != entry.size:
        return f"{entry.path}: the parts have another size"
    names = [f"{entry.path}.{number:03}" for number in range(1, len(entry.parts) + 1)]
    return "" if [part.path for part in entry.parts] == names else f"{entry.path}: names of the parts"
