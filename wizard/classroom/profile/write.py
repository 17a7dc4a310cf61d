"""A profile as text: the same profile gives the same bytes, so that its SHA-256 names it and a diff means something.

Written by hand instead of by a TOML library, which may change its mind about spaces. What is written can be read back;
secrets in addresses are refused by the reader, and so by who writes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from wizard.classroom.profile.model import (
    CondaPackage,
    Profile,
    ProfileEnvironment,
    ProfileFile,
    ProfileLock,
    ProfileSources,
)
from wizard.classroom.profile.read import parse_profile
from wizard.classroom.profile.rows import row_lines
from wizard.install.lock import quoted
from wizard.model.lock import LockedFile


def profile_file(profile: Profile) -> ProfileFile:
    """Raises UsageError `profile-bad` for a profile that nobody could read back."""
    data = profile_text(profile).encode()
    return ProfileFile(parse_profile(data), data, hashlib.sha256(data).hexdigest())


def profile_text(profile: Profile) -> str:
    """Return the profile as TOML, always in the same order, so that its hash is that of its content."""
    lines = [
        f"schema = {profile.schema}",
        f"title = {quoted(profile.title)}",
        f"made = {quoted(profile.made)}",
        f"made_by = {quoted(profile.made_by)}",
        *_given("language", profile.language),
        f"ask = {_list(profile.ask)}",
        "",
        *_environment(profile.environment),
        *_sources(profile.sources),
    ]
    for lock in profile.locks:
        lines += ["", *_lock(lock)]
    lines += row_lines(profile.rows)
    return "\n".join(lines) + "\n"


def _environment(wish: ProfileEnvironment) -> Iterator[str]:
    yield "[environment]"
    yield f"name = {quoted(wish.name)}"
    yield f"engine = {quoted(wish.engine)}"
    yield from _given("python", wish.python)
    if wish.torch:
        yield f"torch = {quoted(wish.torch[0]) if len(wish.torch) == 1 else _list(wish.torch)}"
    yield f"companions = {_list(wish.companions)}"
    yield f"extras = {_list(wish.extras)}"
    windows, linux = wish.place_windows, wish.place_linux
    if windows and windows == linux:
        yield f"place = {quoted(windows)}"
    elif windows or linux:
        pairs = [f"{name} = {quoted(place)}" for name, place in (("windows", windows), ("linux", linux)) if place]
        yield f"place = {{ {', '.join(pairs)} }}"


def _sources(sources: ProfileSources) -> Iterator[str]:
    if sources == ProfileSources():
        return
    yield from ("", "[sources]")
    yield from _given("index", sources.index)
    yield from _given("torch_index", sources.torch_index)
    yield from _given("conda_channel", sources.conda_channel)
    if sources.share:
        yield f"share = {_list(sources.share)}"
    if sources.only_share:
        yield "only_share = true"


def _lock(lock: ProfileLock) -> Iterator[str]:
    yield "[[lock]]"
    yield f"os = {quoted(lock.os)}"
    yield f"arch = {quoted(lock.arch)}"
    yield from _given("glibc", lock.glibc)
    yield f"python = {quoted(lock.python)}"
    yield f"torch = {quoted(lock.torch)}"
    yield f"variant = {quoted(lock.variant)}"
    for file in lock.files:
        yield from _file(file)
    for package in lock.conda:
        yield from _conda(package)


def _file(file: LockedFile) -> Iterator[str]:
    yield "  [[lock.file]]"
    yield f"  name = {quoted(file.name)}"
    yield f"  version = {quoted(file.version)}"
    yield from _place(file)


def _conda(package: CondaPackage) -> Iterator[str]:
    yield "  [[lock.conda]]"
    yield f"  name = {quoted(package.file.name)}"
    yield f"  version = {quoted(package.file.version)}"
    yield f"  build = {quoted(package.build)}"
    if package.build_number:
        yield f"  build_number = {package.build_number}"
    yield f"  subdir = {quoted(package.subdir)}"
    yield from _place(package.file)
    for name, texts in (("depends", package.depends), ("constrains", package.constrains)):
        if texts:
            yield f"  {name} = {_list(texts)}"
    for name, text in (
        ("noarch", package.noarch),
        ("license", package.license),
        ("site_packages", package.site_packages),
    ):
        yield from (f"  {line}" for line in _given(name, text))
    if package.timestamp:
        yield f"  timestamp = {package.timestamp}"


def _place(file: LockedFile) -> Iterator[str]:
    yield f"  filename = {quoted(file.filename)}"
    yield f"  url = {quoted(file.urls[0])}"
    if file.urls[1:]:
        yield f"  also = {_list(file.urls[1:])}"
    if file.size is not None:
        yield f"  size = {file.size}"
    yield f"  sha256 = {quoted(file.sha256)}"


def _given(name: str, value: str | None) -> Iterator[str]:
    if value is not None:
        yield f"{name} = {quoted(value)}"


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, values))}]"
