"""One look through a whole environment before it is deleted: how much goes, what no package owns, what forbids it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from wizard.environment.inspect.owned import OwnershipFilter, Unowned, owned_files
from wizard.environment.inspect.sizes import Folder, Sizes, Tally, walk
from wizard.environment.layout import all_site_packages
from wizard.system.disk import user_ids
from wizard.system.traits import this

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Survey:
    """`nested`: environments further inside; `denied`: folders that we may not empty; `volumes`: mounted inside, or the
    prefix itself. Relative paths with "/"."""

    sizes: Sizes
    unowned: tuple[Unowned, ...]
    nested: tuple[str, ...]
    denied: tuple[str, ...]
    volumes: tuple[str, ...]


@dataclass(slots=True)
class _Looker:
    prefix: Path
    sieve: OwnershipFilter
    tally: Tally = field(default_factory=Tally)
    nested: list[str] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    volumes: list[str] = field(default_factory=list)

    def visit(self, folder: Folder) -> None:
        if folder.is_other_volume:
            self.volumes.append(folder.path)
            return
        self.tally.add(folder)
        self.sieve.add(folder)
        if inner := inner_environment(folder, self.sieve.owned):
            self.nested.append(inner)
        if not _may_empty(self.prefix / folder.path, folder.owner):
            self.denied.append(folder.path)


def survey(prefix: Path, is_cancelled: Callable[[], bool] = lambda: False) -> Survey:
    """Walk through an environment once. Raises Cancelled; OSError when nothing is there."""
    sites = site_folders(prefix)
    looker = _Looker(prefix, OwnershipFilter(owned_files(prefix, sites), sites))
    walk(prefix, looker.visit, is_cancelled)
    volumes = {*looker.volumes, *mounted_in(prefix)}
    return Survey(
        looker.tally.sizes,
        looker.sieve.unowned,
        tuple(sorted(looker.nested)),
        tuple(sorted(looker.denied)[:_MOST_NAMED]),
        tuple(sorted(volumes)),
    )


def site_folders(prefix: Path) -> tuple[str, ...]:
    """Return the folders of packages, relative, with "/"."""
    return tuple(place.relative_to(prefix).as_posix() for place in all_site_packages(prefix))


def inner_environment(folder: Folder, owned: frozenset[str]) -> str | None:
    """Return the environment that this folder betrays; None for the walk's own root and for what a package brings."""
    names = {name for name, _ in folder.files}
    if folder.path.endswith("/conda-meta") and "history" in names:
        return folder.path.removesuffix("/conda-meta")
    if folder.path and "pyvenv.cfg" in names and {"bin", "Scripts"} & set(folder.folders):
        return None if f"{folder.path}/pyvenv.cfg" in owned else folder.path
    return None


def mounted_in(prefix: Path) -> tuple[str, ...]:
    """Return what is mounted inside, also those of the same disk (a bind mount), which no device number betrays. "" is
    the prefix itself."""
    if not this().has_proc:
        return ("",) if os.path.ismount(prefix) else ()
    real = os.path.realpath(prefix)
    found = []
    for partition in psutil.disk_partitions(all=True):
        if partition.mountpoint == real:
            found.append("")
        elif partition.mountpoint.startswith(real + os.sep):
            found.append(partition.mountpoint[len(real) + 1 :])
    return tuple(found)


def _may_empty(folder: Path, owner: int) -> bool:
    """What is ours can be opened up; what is another's must be open already. True where rights are no bits."""
    ids = user_ids()
    return ids is None or ids[0] in (0, owner) or os.access(folder, os.R_OK | os.W_OK | os.X_OK)
