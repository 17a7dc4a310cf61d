"""What a pack holds, as values; `pack.json` is the list of its files.

The list says where a file lies and makes `pack check` and the server possible. It is no proof of anything: a client
believes a file by the hash in the profile alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from wizard.packages.model import LockedFile
from wizard.profile.conda import CondaPackage
from wizard.profile.signature import ENDING

SCHEMA = 1
LISTING = "pack.json"
PROFILE = "profile.torchlab"
SIGNATURE = PROFILE + ENDING
RESULTS = "results"
SEATS = "seats.json"  # how many computers are expected; not in the list
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
class Entry:
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
class Listing:
    profile_sha256: str
    entries: tuple[Entry, ...]
    title: str = ""
    made: str = ""  # a day
    program: str = ""  # the version that made it
    schema: int = SCHEMA
    unneeded: tuple[str, ...] = ()  # of earlier profiles, and still there: what `--remove` may delete

    def find(self, sha256: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.sha256 == sha256), None)

    @property
    def total_bytes(self) -> int:
        return sum(entry.size for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Wanted:
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
class Problem:
    """`kind`: missing | size | altered | unreadable | not-listed | profile."""

    kind: str
    path: str


@dataclass(frozen=True, slots=True)
class Built:
    """`kept`: files of an earlier profile that nobody needs any more and that are still there."""

    listing: Listing
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
