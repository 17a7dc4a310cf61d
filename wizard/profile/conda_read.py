"""`[[lock.conda]]`: read with the same suspicion as the rest of a profile, and held against its entry.

A file's name follows from the package's name, version and build, and its address from the channel and that name, so
that nothing leads out of a folder and nothing is called what it is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from wizard.mirrors.channel import channel_subdir
from wizard.packages.model import LockedFile
from wizard.profile.conda import NOARCH, CondaPackage
from wizard.profile.fields import Problems, Table
from wizard.profile.model import Profile, ProfileLock

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
    "name", "version", "build", "build_number", "subdir", "filename", "url", "also", "size", "sha256", "depends",
    "constrains", "noarch", "license", "timestamp", "site_packages",
)  # fmt: skip
CheckAddress = Callable[[Table, str, str], None]


def read_conda(table: Table, check_address: CheckAddress) -> CondaPackage:
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


def _folder(table: Table) -> str | None:
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
