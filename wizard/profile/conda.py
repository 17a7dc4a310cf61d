"""The conda packages of an entry's Python, for the built-in engine: exact files, with the channel's own words on each.

What a package needs and how it is laid out (`depends`, `noarch`) stands here and not only in the channel's index: so no
channel has to be asked on a student's machine, and a pack can hand out an index whose every word was in the profile.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from wizard.packages.model import LockedFile

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
            "constrains": list(self.constrains), "noarch": self.noarch, "license": self.license,
            "timestamp": self.timestamp, "python_site_packages_path": self.site_packages,
        }  # fmt: skip
        return {**said, **{name: value for name, value in given.items() if value}}

    def chosen_record(self) -> dict[str, Any]:
        """As the built-in engine keeps a package that was chosen before."""
        return {
            **self.index_record(), "fn": self.file.filename, "url": self.file.urls[0], "channel": self.channel,
        }  # fmt: skip


def chosen_text(packages: Iterable[CondaPackage]) -> str:
    """For the engine: see `environments.python_part`."""
    return json.dumps([package.chosen_record() for package in packages])


def from_record(record: Mapping[str, Any], urls: tuple[str, ...]) -> CondaPackage:
    """What the engine has chosen. Raises KeyError, TypeError, ValueError where a channel leaves out what it must say.

    Without a size or a SHA-256 a package is not locked."""
    file = LockedFile(
        str(record["name"]), str(record["version"]), str(record["fn"]), urls, str(record["sha256"]).lower(),
        int(record["size"]),
    )  # fmt: skip
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
