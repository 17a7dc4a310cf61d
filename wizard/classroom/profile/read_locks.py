"""The locks of a profile, read with suspicion: conda's packages, and whether the wheels hold together.

`[[lock.conda]]`: read with the same suspicion as the rest of a profile, and held against its entry.

A file's name follows from the package's name, version and build, and its address from the channel and that name, so
that nothing leads out of a folder and nothing is called what it is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache

from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from wizard.classroom.profile.fields import Problems, ProfileTable, is_wheel_at
from wizard.classroom.profile.model import NOARCH, CondaPackage, Profile, ProfileLock
from wizard.model.lock import LockedFile
from wizard.sources.channel import channel_subdir
from wizard.sources.wanted import platform_tags

# Do the entries of a profile hold together? Each wheel is what it is called and fits its system and Python.
#
# Looked at when every field by itself is right. A lock whose file is called one package and installs another, or that
# is for another system, would only be found out on the students' machines.

_MOST_TAGS = 200


def check_locks(profile: Profile, problems: Problems) -> None:
    """Note what is wrong among the locks: none, two for one system, wheels that do not fit, sizes that contradict."""
    if not profile.locks:
        problems.add("lock", "missing")
    seen: dict[tuple[str, ...], int] = {}
    sizes: dict[str, tuple[str, int]] = {}
    for number, lock in enumerate(profile.locks):
        path = f"lock[{number}]"
        if lock.key in seen:
            problems.add(path, "twice", other=f"lock[{seen[lock.key]}]")
        seen.setdefault(lock.key, number)
        _check_wheels_of_lock(profile, lock, path, problems)
        _check_sizes(profile, lock, path, problems)
        placed = [(f"{path}.file[{place}]", file) for place, file in enumerate(lock.files)]
        placed += [(f"{path}.conda[{place}]", package.file) for place, package in enumerate(lock.conda)]
        for at, file in placed:
            known = sizes.setdefault(file.sha256, (at, file.size)) if file.size is not None else None
            if known and known[1] != file.size:
                problems.add(f"{at}.size", "size", other=known[0])


def _check_sizes(profile: Profile, lock: ProfileLock, path: str, problems: Problems) -> None:
    """What is taken from a class server has one: the server is not believed, and could send without end."""
    for number, file in enumerate(lock.files if profile.sources.only_share else ()):
        if file.size is None:
            problems.add(f"{path}.file[{number}].size", "missing")


def _check_wheels_of_lock(profile: Profile, lock: ProfileLock, path: str, problems: Problems) -> None:
    wish = profile.environment
    if wish.torch and lock.torch not in wish.torch:
        problems.add(f"{path}.torch", "not-allowed", found=lock.torch, allowed=", ".join(wish.torch))
    if wish.python and lock.python != wish.python and "python" not in profile.ask:
        problems.add(f"{path}.python", "not-allowed", found=lock.python, allowed=wish.python)
    for name in wish.companions:
        if lock.version_of(name) is None:
            problems.add(f"{path}.file", "lacks", name=name)
    torch = lock.version_of("torch")
    if torch is None:
        problems.add(f"{path}.file", "lacks", name="torch")
    names: dict[str, int] = {}
    for number, file in enumerate(lock.files):
        at = f"{path}.file[{number}]"
        if file.name in names:
            problems.add(at, "twice", other=f"{path}.file[{names[file.name]}]")
        names.setdefault(file.name, number)
        _check_file(file, lock, at, problems)


def _check_file(file: LockedFile, lock: ProfileLock, at: str, problems: Problems) -> None:
    flaw = _flaw(file, lock)
    if flaw:
        problems.add(f"{at}.{flaw[0]}", flaw[1], found=file.filename if flaw[0] == "filename" else file.version)
        return
    for number, url in enumerate(file.urls):
        if not is_wheel_at(url, file.filename):
            problems.add(f"{at}.{f'also[{number - 1}]' if number else 'url'}", "wheel-place", found=file.filename)


def _flaw(file: LockedFile, lock: ProfileLock) -> tuple[str, str] | None:
    """The field and the problem."""
    # What a name lists with dots is multiplied when it is read: 200 signs would make tens of thousands of tags.
    if math.prod(part.count(".") + 1 for part in file.filename.split("-")[-3:]) > _MOST_TAGS:
        return "filename", "wheel"
    try:
        name, version, _, tags = parse_wheel_filename(file.filename)
        stated = Version(file.version)
    except InvalidWheelFilename:
        return "filename", "wheel"
    except InvalidVersion:
        return "version", "version"
    if canonicalize_name(name) != file.name:
        return "filename", "wheel-name"
    if version != stated:
        return "filename", "wheel-version"
    if file.name == "torch" and (stated.public != _public(lock.torch) or stated.local not in (None, lock.variant)):
        return "version", "wheel-torch"
    return None if tags & _tags(lock.python, lock.os, lock.arch, lock.glibc) else ("filename", "wheel-platform")


def _public(version: str) -> str:
    return Version(version).public


@lru_cache(maxsize=64)
def _tags(python: str, os_name: str, arch: str, glibc: str | None) -> frozenset[Tag]:
    return frozenset(platform_tags(python, os_name, arch, glibc))


MOST = 200  # packages of one entry; Python and pip are some thirty
_MOST_TEXTS = 200
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,98}[a-z0-9_])?")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_]{0,99}")
_BUILD = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_.+]{0,99}")
_FILE = re.compile(r"[0-9A-Za-z_][0-9A-Za-z._!+-]{0,299}\.(conda|tar\.bz2)")
_SUBDIR = re.compile(r"noarch|(linux|win)-[0-9a-z]{1,12}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SPEC = re.compile(r"[ -~]{1,300}")
_LICENSE = re.compile(r"[^<>]{1,300}")
_NOARCH = re.compile("python|generic")
_FOLDER = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+){0,5}")
_KEYS = (
    "name",
    "version",
    "build",
    "build_number",
    "subdir",
    "filename",
    "url",
    "also",
    "size",
    "sha256",
    "depends",
    "constrains",
    "noarch",
    "license",
    "timestamp",
    "site_packages",
)
CheckAddress = Callable[[ProfileTable, str, str], None]


def read_conda(table: ProfileTable, check_address: CheckAddress) -> CondaPackage:
    """Return one conda package of a lock; what is wrong is noted among the problems."""
    table.know(*_KEYS)
    url, also = table.text("url"), table.texts("also", 16)
    if "url" in table.value:
        check_address(table, "url", url)
    for number, other in enumerate(also):
        check_address(table, f"also[{number}]", other)
    if "size" not in table.value:
        table.fail("size", "missing")
    file = LockedFile(
        name=table.text("name", _NAME, "python"),
        version=table.text("version", _VERSION, "3.12.11"),
        filename=table.text("filename", _FILE, "name-1.0-build_0.conda"),
        urls=(url, *also),
        sha256=table.text("sha256", _SHA256, "0-9a-f × 64"),
        size=table.number_or_none("size"),
    )
    return CondaPackage(
        file=file,
        subdir=table.text("subdir", _SUBDIR, "linux-64, win-64, noarch"),
        build=table.text("build", _BUILD, "h12345_0"),
        build_number=table.number_or_none("build_number") or 0,
        depends=table.texts("depends", _MOST_TEXTS, _SPEC, "python >=3.12,<3.13.0a0"),
        constrains=table.texts("constrains", _MOST_TEXTS, _SPEC, "python >=3.12,<3.13.0a0"),
        noarch=table.text_or_none("noarch", _NOARCH, "python, generic"),
        license=table.text_or_none("license", _LICENSE, "MIT"),
        timestamp=table.number_or_none("timestamp"),
        site_packages=_folder(table),
    )


def _folder(table: ProfileTable) -> str | None:
    folder = table.text_or_none("site_packages", _FOLDER, "lib/python3.13t/site-packages")
    if folder and ".." in folder.split("/"):
        table.fail("site_packages", "form", found=folder, example="lib/python3.13t/site-packages")
    return folder


def check_conda(profile: Profile, problems: Problems) -> None:
    """One file of a channel has one hash, in all entries: a pack keeps them in one folder."""
    known: dict[str, tuple[str, str]] = {}
    for number, lock in enumerate(profile.locks):
        if lock.conda:
            _check_lock(lock, f"lock[{number}]", problems)
        for place, package in enumerate(lock.conda):
            at = f"lock[{number}].conda[{place}]"
            other = known.setdefault(package.path.lower(), (at, package.file.sha256))
            if other[1] != package.file.sha256:
                problems.add(f"{at}.sha256", "conda-differs", other=other[0])


def _check_lock(lock: ProfileLock, path: str, problems: Problems) -> None:
    names: dict[str, int] = {}
    for number, package in enumerate(lock.conda):
        at = f"{path}.conda[{number}]"
        if package.file.name in names:
            problems.add(at, "twice", other=f"{path}.conda[{names[package.file.name]}]")
        names.setdefault(package.file.name, number)
        _check_package(package, lock, at, problems)
    for name in ("python", "pip"):
        if name not in names:
            problems.add(f"{path}.conda", "lacks", name=name)


def _check_package(package: CondaPackage, lock: ProfileLock, at: str, problems: Problems) -> None:
    file = package.file
    stem = f"{file.name}-{file.version}-{package.build}"
    if file.filename not in (f"{stem}.conda", f"{stem}.tar.bz2"):
        problems.add(f"{at}.filename", "conda-file", found=file.filename)
    if package.subdir not in (NOARCH, channel_subdir(lock.os, lock.arch)):
        problems.add(f"{at}.subdir", "conda-subdir", found=package.subdir)
    for number, url in enumerate(file.urls):
        if not package.is_at(url):
            problems.add(f"{at}.{f'also[{number - 1}]' if number else 'url'}", "conda-place", found=package.path)
    if file.name == "python" and not f"{file.version}.".startswith(f"{lock.python}."):
        problems.add(f"{at}.version", "not-allowed", found=file.version, allowed=lock.python)
