"""A class profile (`*.torchlab`) as values: what thirty machines are to get, and the exact files for each kind of them.

An *entry* (`ProfileLock`) is one build for one system and one Python with all its files by SHA-256: what is installed
comes from it and nothing is resolved again. Not a plan: that is made on each machine, from the entry that fits it.
"""

from __future__ import annotations

from dataclasses import dataclass

from wizard.packages.model import LockedFile
from wizard.profile.conda import CondaPackage

# 2 where entries hold conda packages, else 1: a program that reads 1 alone says that it is too old for the file, and
# not that a key in it is wrong.
SCHEMA = 2
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

    `only_share`: the official addresses in the locks are not asked, even where no class server answers.
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

    @property
    def schema(self) -> int:
        return SCHEMA if any(lock.conda for lock in self.locks) else 1

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
