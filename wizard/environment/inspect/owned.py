"""Which files of an environment came with a package, and which somebody put there: those would be missed.

Conda's records name every file of their packages, the RECORD of a wheel those of its own. Compiled modules follow from
their sources, and what makes an environment one (activation, `pyvenv.cfg`) belongs to it. The rest is nobody's: notes,
data, trained models, a whole project in the folder.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from wizard.environment.conda.records import read_record_file
from wizard.environment.inspect.sizes import Folder
from wizard.model.distributions import read_record
from wizard.system.links import long_path
from wizard.system.traits import this

# Made with the environment, by venv, virtualenv, uv or conda; Scripts is Windows' bin. Ours: `activation_files`.
_FRAME = re.compile(
    r"""(?x)
    pyvenv\.cfg | \.gitignore | \.lock | CACHEDIR\.TAG | lib64 | \.nonadmin | pythonw?[\d.]*\.exe
    | (?:bin|Scripts)/(?: activate(?:_this)?(?:\.\w+)? | Activate\.ps1 | deactivate(?:\.\w+)? | pydoc\.bat )
    | (?:bin|Scripts)/(?: python|pythonw|𝜋thon )[\d.]*t?(?:\.exe)?  # 3.14 makes the Greek one, too
    | (?:lib|Lib)/(?:python[\d.]+t?/)?site-packages/_virtualenv\.(?:py|pth)
    | conda-meta/.* | \.torch-setup\.json | \.torch-setup-[^/]*(?:/.*)?
    """
)
# Where wheels put what does not go to site-packages: scripts, headers, data by the folders that have a meaning.
_SCHEMES = ("bin", "Scripts", "include", "Include", "share", "etc", "man", "lib", "lib64", "Lib", "Library", "libexec")
_METADATA = re.compile(r"^[^/]+\.(?:dist-info|egg-info)(?:/|$)")
_CACHE = "__pycache__"


@dataclass(frozen=True, slots=True)
class Unowned:
    """`path` is relative, with "/". A folder in which nothing belongs to a package is one entry, with all in it; one
    that cannot be looked into counts as one file."""

    path: str
    files: int
    size: int
    is_folder: bool


def may_record(path: str) -> bool:
    """Tell whether a wheel's RECORD is believed about that file: `path` relative to the prefix, normal, with "/".

    Anybody may write a RECORD. Outside the prefix, in folders of the user's own and in what makes the environment one,
    nothing is a package's.
    """
    top, below, _ = path.partition("/")
    return bool(below) and top in _SCHEMES and not _is_frame(path)


def _is_frame(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return bool(_FRAME.fullmatch(path)) or (folder == this().scripts and name in this().activation_files)


def owned_files(prefix: Path, sites: Iterable[str]) -> frozenset[str]:
    """Return the files of packages: relative paths with "/", in the system's case. `sites`: site-packages folders,
    relative to the prefix."""
    found: set[str] = set()
    prefix = long_path(prefix)
    for path in (prefix / "conda-meta").glob("*.json"):
        if conda := read_record_file(path):
            found.update(conda.files)
    for site in sites:
        for record in (prefix / site).glob("*.dist-info/RECORD"):
            listed_there = (posixpath.normpath(f"{site}/{entry.path}") for entry in read_record(record.parent))
            found.update(filter(may_record, listed_there))
        for listed in (prefix / site).glob("*.egg-info/installed-files.txt"):
            found.update(_old_list(listed, f"{site}/{listed.parent.name}"))
    return frozenset(_normal(path) for path in found)


def _old_list(listed: Path, folder: str) -> list[str]:
    try:
        lines = listed.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [posixpath.normpath(f"{folder}/{line}") for line in lines if line]


def _normal(path: str) -> str:
    return os.path.normcase(path).replace("\\", "/")


@dataclass(slots=True)
class OwnershipFilter:
    """Takes the folders of a walk; afterwards `unowned` says what belongs to no package."""

    owned: frozenset[str]
    sites: tuple[str, ...]
    _loose: list[tuple[str, int]] = field(default_factory=list)
    _closed: list[str] = field(default_factory=list)
    _shared: set[str] = field(default_factory=set)  # folders with something in them that is a package's

    def add(self, folder: Folder) -> None:
        """Take in one folder: what belongs to no package is kept apart, caches beside their sources are not."""
        if folder.path.rpartition("/")[2] == _CACHE:
            return  # follows from the sources beside it
        if not folder.is_readable:  # its owner can still have it removed: it must not go unseen
            self._closed.append(folder.path)
        for name, status in folder.files:
            path = f"{folder.path}/{name}" if folder.path else name
            if self._belongs(path):
                self._share(folder.path)
            else:
                self._loose.append((path, status.st_size))

    def _belongs(self, path: str) -> bool:
        if _normal(path) in self.owned or _is_frame(path):
            return True
        return any(path.startswith(f"{site}/") and _METADATA.match(path[len(site) + 1 :]) for site in self.sites)

    def _share(self, folder: str) -> None:
        while folder not in self._shared:
            self._shared.add(folder)
            folder = folder.rpartition("/")[0]

    @property
    def unowned(self) -> tuple[Unowned, ...]:
        """Return what no package owns, by path. Folders are as high as they can be without a package's file in them;
        the root is never one."""
        entries: dict[str, list[int]] = {}
        folders: set[str] = set()
        for path, size in self._loose:
            top = self._highest(path)
            if top != path:
                folders.add(top)
            entries.setdefault(top, []).append(size)
        for path in self._closed:
            top = self._highest(f"{path}/?")
            folders.add(top)
            entries.setdefault(top, []).append(0)
        rows = (Unowned(path, len(sizes), sum(sizes), path in folders) for path, sizes in entries.items())
        return tuple(sorted(rows, key=lambda row: row.path))

    def _highest(self, path: str) -> str:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in self._shared:
                return folder
        return path
