"""The package store as use cases: what it holds, pruning, verifying, moving it to another place."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.app.use.environments import is_measured, list_environments
from wizard.app.use.volumes import absolute, save_place
from wizard.environment.inspect.sizes import Folder, walk
from wizard.install.store import PackageStore, space
from wizard.install.store.space import Damaged, Stored, Usage
from wizard.model.errors import UsageError, WizardError
from wizard.run.run_folder import run_folders
from wizard.run.runs import run_info
from wizard.system import paths

IsCancelled = Callable[[], bool]
OnBytes = Callable[[int], None]


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Verified:
    """`others`: files of environments that are the damaged ones under another name; (prefix, file)."""

    damaged: tuple[Damaged, ...]
    others: tuple[tuple[Path, Path], ...]


def usage(is_cancelled: IsCancelled = _never) -> Usage:
    """Raises Cancelled."""
    return space.usage(PackageStore(), needed(), is_cancelled)


def prune(is_cancelled: IsCancelled = _never) -> tuple[Stored, ...]:
    """Take out what no environment uses and no unfinished run needs.

    Raises WizardError `store-not-writable`, Cancelled.
    """
    with _telling():
        return space.prune(PackageStore(), needed(), is_cancelled)


def verify(on_bytes: OnBytes = lambda size: None, is_cancelled: IsCancelled = _never) -> Verified:
    """Hash everything; what is damaged is taken out and comes anew with the next setup that needs it.

    Raises WizardError `store-not-writable`, Cancelled.
    """
    with _telling():
        damaged = tuple(space.verify(PackageStore(), on_bytes, is_cancelled))
    inodes = frozenset(inode for each in damaged for inode in each.inodes)
    return Verified(damaged, tuple(_names_of(inodes, is_cancelled)) if inodes else ())


def move(target: str, on_bytes: OnBytes = lambda size: None, is_cancelled: IsCancelled = _never) -> Path:
    """Move it to a folder, and use it there from now on. Raises UsageError `bad-prefix`, `store-…`, WizardError
    `store-not-writable`, `no-space`, Cancelled."""
    place = Path(absolute(target))
    running = next((folder.id for folder in run_folders() if folder.is_running()), None)
    if running is not None:
        raise UsageError(
            "store-busy",
            "The setup {run} is at work and needs the package store where it is.",
            "Wait until it has ended, then move the store.",
            run=running,
        )
    store = PackageStore()
    if place == store.root or place.is_relative_to(store.root):
        raise UsageError(
            "store-inside",
            "{path} is the package store itself, or a folder in it.",
            "Name a folder outside of it.",
            path=str(place),
        )
    if space.foreign_names(place):
        raise UsageError(
            "store-folder-taken",
            "{path} holds other things than a package store.",
            "Name a new or empty folder.",
            path=str(place),
        )
    with _telling():
        space.move(store, place, on_bytes, is_cancelled)
        save_place("store", place)
    return place


def needed() -> frozenset[str]:
    """Hashes of the wheels that unfinished runs are still to install."""
    from wizard.app.worker import read_run_lock

    found: set[str] = set()
    for folder in run_folders():
        with contextlib.suppress(WizardError):
            if run_info(folder).state != "finished":
                found.update(file.sha256.lower() for file in read_run_lock(folder).files)
    return frozenset(found)


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WizardError(
            "store-not-writable",
            "The package store {path} cannot be changed.",
            "Make the folder writable for you, or choose another place: [{page.environments}|torch-wizard store "
            "move DIR].",
            details=str(error),
            path=str(paths.store_dir()),
        ) from error


def _names_of(inodes: Collection[tuple[int, int]], is_cancelled: IsCancelled) -> Iterable[tuple[Path, Path]]:
    found: list[tuple[Path, Path]] = []
    for one in list_environments(is_cancelled):
        if not is_measured(one):
            continue

        def visit(folder: Folder, prefix: Path = one.prefix) -> None:
            for name, status in folder.files:
                if (status.st_dev, status.st_ino) in inodes:
                    found.append((prefix, prefix / folder.path / name))

        with contextlib.suppress(OSError):
            walk(one.prefix, visit, is_cancelled)
    return found
