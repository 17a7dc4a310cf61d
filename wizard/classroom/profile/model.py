"""A class profile (`*.torchlab`) as values: what thirty machines are to get, and the exact files for each kind of them.

An *entry* (`ProfileLock`) is one build for one system and one Python with all its files by SHA-256: what is installed
comes from it and nothing is resolved again. Not a plan: that is made on each machine, from the entry that fits it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from wizard.model.lock import LockedFile

# The conda packages of an entry's Python, for the built-in engine: exact files, with the channel's own words on each.
#
# What a package needs and how it is laid out (`depends`, `noarch`) stands here and not only in the channel's index: so
# no channel has to be asked on a student's machine, and a pack can hand out an index whose every word was in the
# profile.

NOARCH = "noarch"
_LONGEST_LICENSE = 300


@dataclass(frozen=True, slots=True)
class CondaPackage:
    """`file.urls` end with `/<subdir>/<filename>`. `timestamp` in milliseconds. `site_packages`: where this Python
    keeps its packages, if not in the usual place."""

    file: LockedFile
    subdir: str  # "linux-64", "noarch"
    build: str
    build_number: int = 0
    depends: tuple[str, ...] = ()
    constrains: tuple[str, ...] = ()
    noarch: str | None = None  # "python", "generic"
    license: str | None = None
    timestamp: int | None = None
    site_packages: str | None = None

    @property
    def path(self) -> str:
        """Inside a channel."""
        return f"{self.subdir}/{self.file.filename}"

    @property
    def channel(self) -> str:
        return self.file.urls[0].rpartition("/")[0].removesuffix(f"/{self.subdir}")

    def is_at(self, url: str) -> bool:
        """Is that its place in a channel?"""
        parts = urlsplit(url)
        folder, _, name = parts.path.rpartition("/")
        return folder.endswith(f"/{self.subdir}") and unquote(name) == self.file.filename and not parts.query

    def index_record(self) -> dict[str, Any]:
        """As a channel's index says it."""
        said: dict[str, Any] = {
            "name": self.file.name,
            "version": self.file.version,
            "build": self.build,
            "build_number": self.build_number,
            "subdir": self.subdir,
            "depends": list(self.depends),
            "sha256": self.file.sha256,
            "size": self.file.size,
        }
        given = {
            "constrains": list(self.constrains),
            "noarch": self.noarch,
            "license": self.license,
            "timestamp": self.timestamp,
            "python_site_packages_path": self.site_packages,
        }
        return {**said, **{name: value for name, value in given.items() if value}}

    def chosen_record(self) -> dict[str, Any]:
        """As the built-in engine keeps a package that was chosen before."""
        return {
            **self.index_record(),
            "fn": self.file.filename,
            "url": self.file.urls[0],
            "channel": self.channel,
        }


def chosen_text(packages: Iterable[CondaPackage]) -> str:
    """For the engine: see `environment.create.python_part`."""
    return json.dumps([package.chosen_record() for package in packages])


def from_record(record: Mapping[str, Any], urls: tuple[str, ...]) -> CondaPackage:
    """What the engine has chosen. Raises KeyError, TypeError, ValueError where a channel leaves out what it must say.

    Without a size or a SHA-256 a package is not locked."""
    file = LockedFile(
        str(record["name"]),
        str(record["version"]),
        str(record["fn"]),
        urls,
        str(record["sha256"]).lower(),
        int(record["size"]),
    )
    return CondaPackage(
        file=file,
        subdir=str(record["subdir"]),
        build=str(record["build"]),
        build_number=int(record.get("build_number") or 0),
        depends=tuple(map(str, record.get("depends") or ())),
        constrains=tuple(map(str, record.get("constrains") or ())),
        noarch=_noarch(record.get("noarch")),
        license=_plain(record.get("license")),
        timestamp=int(record.get("timestamp") or 0) or None,
        site_packages=record.get("python_site_packages_path") or None,
    )


def _noarch(said: object) -> str | None:
    """Old packages say `true`."""
    return "generic" if said is True else str(said) if said else None


def _plain(license_name: object) -> str | None:
    """Left out where it is no short line of text: nothing depends on it."""
    said = str(license_name or "")
    return said if 0 < len(said) <= _LONGEST_LICENSE and said.isprintable() and not set(said) & set("<>") else None


def channels_of(packages: Iterable[CondaPackage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(package.channel for package in packages))


# 3 where rows of the tables are carried, 2 where entries hold conda packages, else 1: a program that reads 1 alone says
# that it is too old for the file, and not that a key in it is wrong.
SCHEMA = 3
Rows = Mapping[str, tuple[Mapping[str, str], ...]]  # by table, each cell by its column
LARGEST_BYTES = 4 * 1024 * 1024  # 12 entries of 260 files, each with two mirrors, are 2.3 MB
# What a student may still choose where the profile's `ask` names it; all else is as the profile says.
ASKABLE = ("name", "place", "engine", "python", "torch", "variant")
ENGINES = ("auto", "rattler", "conda", "venv")


@dataclass(frozen=True, slots=True)
class ProfileEnvironment:
    """`place_…`: the folder that holds the environment, absolute or `~/…`; None: the usual one."""

    name: str
    engine: str = "auto"
    python: str | None = None  # "3.12"
    torch: tuple[str, ...] = ()  # the releases that the entries may have, best first; () = as they are
    companions: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    place_windows: str | None = None
    place_linux: str | None = None

    def place(self, os_name: str) -> str | None:
        return {"windows": self.place_windows, "linux": self.place_linux}[os_name]


@dataclass(frozen=True, slots=True)
class ProfileSources:
    """Where bytes may come from beside the addresses in the locks. None of them is believed: SHA-256 decides.

    `only_share`: the addresses in the locks are not asked, even where no class server answers.
    """

    index: str | None = None
    torch_index: str | None = None
    conda_channel: str | None = None
    share: tuple[str, ...] = ()
    only_share: bool = False


@dataclass(frozen=True, slots=True)
class ProfileLock:
    """One entry. `glibc` is the floor that the files were chosen for; None on Windows. `conda`: the Python of the
    built-in engine, or () where that is chosen on each machine."""

    os: str
    arch: str
    python: str  # "3.12"
    torch: str  # "2.13.0", without the tag
    variant: str  # "cu126", "cpu"
    files: tuple[LockedFile, ...]
    glibc: str | None = None
    conda: tuple[CondaPackage, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        return self.os, self.arch, self.python, self.torch, self.variant

    @property
    def label(self) -> str:
        """For people and for sorting, never parsed: `windows x86_64, torch 2.13.0+cu126, Python 3.12`."""
        return f"{self.os} {self.arch}, torch {self.torch}+{self.variant}, Python {self.python}"

    @property
    def total_bytes(self) -> int | None:
        """None when a size is unknown."""
        sizes = [file.size for file in self.files]
        return None if any(size is None for size in sizes) else sum(size or 0 for size in sizes)

    @property
    def conda_bytes(self) -> int:
        return sum(package.file.size or 0 for package in self.conda)

    def version_of(self, name: str) -> str | None:
        return next((file.version for file in self.files if file.name == name), None)


@dataclass(frozen=True, slots=True)
class Profile:
    title: str
    made: str  # "2026-11-21"
    made_by: str  # version of the program that wrote it
    environment: ProfileEnvironment
    locks: tuple[ProfileLock, ...]
    sources: ProfileSources = ProfileSources()
    ask: tuple[str, ...] = ()
    language: str | None = None
    rows: Rows = field(default_factory=dict)

    @property
    def schema(self) -> int:
        return 3 if self.rows else 2 if any(lock.conda for lock in self.locks) else 1

    @property
    def conda(self) -> tuple[CondaPackage, ...]:
        """Every conda package that some machine may need, each once."""
        return tuple({package.file.sha256: package for lock in self.locks for package in lock.conda}.values())

    @property
    def files(self) -> tuple[LockedFile, ...]:
        """Every file that some machine needs, each SHA-256 once, in the order of the entries; the conda packages
        last."""
        wheels = {file.sha256: file for lock in reversed(self.locks) for file in reversed(lock.files)}
        return (*tuple(wheels.values())[::-1], *(package.file for package in self.conda))


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """A profile with the bytes that it came from: `sha256` is of those bytes, and names the profile to others.
    `signature`: the file that came with it (see `signature`), not looked at yet."""

    profile: Profile
    data: bytes
    sha256: str
    signature: bytes | None = None
