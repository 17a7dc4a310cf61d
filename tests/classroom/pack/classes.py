"""A class for tests: a true profile whose wheels are a few kilobytes of noise, on a server that tells what it sent.

Two builds, for Linux and for Windows, that share most of their files, as true locks do.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace
from pathlib import Path

from tests.servers.fault_server import Faults, FaultServer
from wizard.classroom.profile.model import CondaPackage, Profile, ProfileEnvironment, ProfileFile, ProfileLock
from wizard.classroom.profile.write import profile_file
from wizard.model.lock import LockedFile
from wizard.sources.channel import channel_subdir

SHARED = (("numpy", "2.3.0", 40), ("filelock", "3.20.0", 3), ("sympy", "1.14.0", 60))
TORCH = "2.13.0"
_PLATFORMS = {"linux": "manylinux_2_28_x86_64", "windows": "win_amd64"}


@dataclass(frozen=True)
class Class:
    file: ProfileFile
    data: dict[str, bytes]  # sha256 -> bytes

    @property
    def union(self) -> int:
        return sum(len(self.data[file.sha256]) for file in self.file.profile.files)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.file.data)
        return path


def make_class(
    origin: str,
    builds: tuple[tuple[str, str], ...] = (("linux", "cu126"), ("windows", "cu126")),
    kilobytes: int = 300,
    title: str = "Deep learning 101",
    seed: int = 1,
) -> Class:
    """`origin`: where the official source is, without a last slash."""
    data: dict[str, bytes] = {}
    shared = tuple(_wheel(origin, data, name, version, "py3-none-any", size, 1) for name, version, size in SHARED)
    locks = []
    for os_name, variant in builds:
        tag = f"cp312-cp312-{_PLATFORMS[os_name]}"
        torch = _wheel(origin, data, "torch", f"{TORCH}+{variant}", tag, kilobytes, seed)
        glibc = None if os_name == "windows" else "2.28"
        locks.append(ProfileLock(os_name, "x86_64", "3.12", TORCH, variant, (torch, *shared), glibc))
    profile = Profile(title, "2026-11-21", "0.1.0", ProfileEnvironment("class"), tuple(locks))
    return Class(profile_file(profile), data)


def _wheel(
    origin: str, data: dict[str, bytes], name: str, version: str, tag: str, kilobytes: int, seed: int
) -> LockedFile:
    filename = f"{name}-{version}-{tag}.whl"
    content = b"PK\3\4" + random.Random(f"{filename} {seed}").randbytes(kilobytes * 1000)
    sha256 = hashlib.sha256(content).hexdigest()
    data[sha256] = content
    return LockedFile(name, version, filename, (f"{origin}/{filename}",), sha256, len(content))


def with_python(origin: str, some: Class) -> Class:
    """Each entry with a Python of the built-in engine: one package for all systems, one for each."""
    data = dict(some.data)
    pip = _conda(origin, data, "pip", "25.1", "noarch", ("python >=3.9",))
    locks = []
    for lock in some.file.profile.locks:
        subdir = channel_subdir(lock.os, lock.arch)
        python = _conda(origin, data, "python", f"{lock.python}.11", subdir)
        locks.append(replace(lock, conda=(pip, python)))
    return Class(profile_file(replace(some.file.profile, locks=tuple(locks))), data)


def _conda(
    origin: str, data: dict[str, bytes], name: str, version: str, subdir: str, depends: tuple[str, ...] = ()
) -> CondaPackage:
    filename = f"{name}-{version}-h1_0.conda"
    content = random.Random(f"{subdir} {filename}").randbytes(200_000)
    sha256 = hashlib.sha256(content).hexdigest()
    data[sha256] = content
    file = LockedFile(name, version, filename, (f"{origin}/{subdir}/{filename}",), sha256, len(content))
    return CondaPackage(file, subdir, "h1_0", depends=depends)


def publish(server: FaultServer, some: Class, faults: Faults | None = None) -> None:
    """All files at the official source."""
    for file in some.file.profile.files:
        server.add(file.urls[0].removeprefix(server.root), some.data[file.sha256], faults or Faults())


def with_share(some: Class, *addresses: str, only: bool = False) -> Class:
    profile = some.file.profile
    sources = replace(profile.sources, share=addresses, only_share=only)
    return Class(profile_file(replace(profile, sources=sources)), some.data)
