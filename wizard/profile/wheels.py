"""Do the entries of a profile hold together? Each wheel is what it is called and fits its system and Python.

Looked at when every field by itself is right. A lock whose file is called one package and installs another, or that is
for another system, would only be found out on the students' machines.
"""

from __future__ import annotations

import math
from functools import lru_cache

from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from wizard.mirrors.platform_tags import platform_tags
from wizard.packages.model import LockedFile
from wizard.profile.fields import Problems
from wizard.profile.model import Profile, ProfileLock
from wizard.profile.sound import is_wheel_at

_MOST_TAGS = 200


def check_locks(profile: Profile, problems: Problems) -> None:
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
