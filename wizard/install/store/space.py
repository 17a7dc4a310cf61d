"""What the package store holds, what no environment uses, and taking that out; looking it over; moving it.

An environment's use is seen by the names that a file has on the disk. Where environments have shared blocks or copies
they do not need the store's own files, so those count as unused there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import Timeout

from wizard.install.store.folder import BUILDING, LOCKS, PackageStore, StoredFile, StoreEntry, altered_files, is_hash
from wizard.model.errors import Cancelled, WizardError, gigabytes_apart
from wizard.system import moving

IsCancelled = Callable[[], bool]
_BLOCK = 512  # st_blocks counts these, whatever the disk's own block is


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Stored:
    """One entry as it is on the disk. `size` in bytes; `is_used`: some environment has a file of it."""

    entry: StoreEntry
    size: int
    is_used: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """`unused`: what pruning takes out."""

    stored: tuple[Stored, ...]
    unused: tuple[Stored, ...]

    @property
    def size(self) -> int:
        return sum(each.size for each in self.stored)

    @property
    def freed(self) -> int:
        """Return bytes that pruning gives back."""
        return sum(each.size for each in self.unused)


def usage(store: PackageStore, needed: Collection[str] = (), is_cancelled: IsCancelled = _never) -> Usage:
    """Look at every file's names. `needed`: hashes of wheels that an unfinished run is to install. Raises Cancelled."""
    stored = []
    for entry in store.entries():
        if is_cancelled():
            raise Cancelled
        stored.append(_stored(entry))
    return Usage(tuple(stored), tuple(one for one in stored if not one.is_used and one.entry.sha256 not in needed))


def prune(store: PackageStore, needed: Collection[str] = (), is_cancelled: IsCancelled = _never) -> tuple[Stored, ...]:
    """Take out what no environment uses and no unfinished run needs. Returns what went. Raises OSError, Cancelled."""
    gone = []
    for folder in store.broken():
        with contextlib.suppress(Timeout), store.lock_for(folder.name).acquire(timeout=0):
            store.remove(folder)
    for one in usage(store, needed, is_cancelled).unused:
        if is_cancelled():
            raise Cancelled
        with contextlib.suppress(Timeout), store.lock_for(one.entry.sha256).acquire(timeout=0):
            if not _stored(one.entry).is_used:  # time has passed
                store.remove(one.entry.folder)
                gone.append(one)
    return tuple(gone)


@dataclass(frozen=True, slots=True)
class Damaged:
    """`others`: one file's further names are not known here; its inode tells them (`inodes`)."""

    entry: StoreEntry
    files: tuple[StoredFile, ...]
    inodes: tuple[tuple[int, int], ...]


def verify(
    store: PackageStore, on_bytes: Callable[[int], None] = lambda size: None, is_cancelled: IsCancelled = _never
) -> Iterator[Damaged]:
    """Hash every file of every entry, and take out the entries that are damaged. Raises OSError, Cancelled."""
    for folder in store.broken():
        with store.lock_for(folder.name):
            store.remove(folder)
    for entry in store.entries():
        if is_cancelled():
            raise Cancelled
        wrong = altered_files(entry, deep=True)
        on_bytes(entry.size)
        if wrong:
            inodes = tuple(_inodes(entry, wrong))
            with store.lock_for(entry.sha256):
                store.remove(entry.folder)
            yield Damaged(entry, wrong, inodes)


def move(
    store: PackageStore,
    target: Path,
    on_bytes: Callable[[int], None] = lambda size: None,
    is_cancelled: IsCancelled = _never,
) -> PackageStore:
    """Put every entry into another folder, on any volume; may be interrupted and called again.

    Environments keep their files; on another volume they share nothing with it any more. Raises WizardError `no-space`,
    OSError, Cancelled.
    """
    fresh = PackageStore(target)
    fresh.create()
    if os.stat(store.root).st_dev != os.stat(fresh.root).st_dev:  # noqa: PTH116
        size, free = sum(entry.size for entry in store.entries()), shutil.disk_usage(fresh.root).free
        if free < size:
            needed, left = gigabytes_apart(size, free)
            raise WizardError("no-space", path=str(target), needed=needed, free=left)
    for entry in store.entries():
        if is_cancelled():
            raise Cancelled
        with store.lock_for(entry.sha256), fresh.lock_for(entry.sha256):
            _move(entry, fresh)
            store.remove(entry.folder)
        on_bytes(entry.size)
    for name in (BUILDING, LOCKS):
        moving.remove_tree(store.root / name)
    with contextlib.suppress(OSError):  # somebody else's file is in it
        store.root.rmdir()
    return fresh


def foreign_names(folder: Path) -> tuple[str, ...]:
    """Return what lies in a folder and is no part of a package store."""
    with contextlib.suppress(OSError):
        names = (path.name for path in folder.iterdir())
        return tuple(sorted(name for name in names if name not in (BUILDING, LOCKS) and not is_hash(name)))
    return ()


def _move(entry: StoreEntry, fresh: PackageStore) -> None:
    place, building = fresh.folder_for(entry.sha256), fresh.root / BUILDING / f"{entry.sha256}.moved"
    if place.exists():
        return
    moving.remove_tree(building)
    try:
        moving.rename(entry.folder, place)
    except OSError:  # another volume
        shutil.copytree(entry.folder, building)
        moving.rename(building, place)


def _stored(entry: StoreEntry) -> Stored:
    size, is_used = 0, False
    for path in (*map(entry.path_of, entry.files), str(entry.wheel)):
        with contextlib.suppress(OSError):
            status = os.lstat(path)
            blocks = getattr(status, "st_blocks", None)  # Windows has none
            size += status.st_size if blocks is None else _BLOCK * int(blocks)
            is_used = is_used or status.st_nlink > 1
    return Stored(entry, size, is_used)


def _inodes(entry: StoreEntry, files: tuple[StoredFile, ...]) -> Iterator[tuple[int, int]]:
    for file in files:
        with contextlib.suppress(OSError):
            status = os.lstat(entry.path_of(file))
            yield status.st_dev, status.st_ino
