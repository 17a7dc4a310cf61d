"""How much room a run needs and on which disk, and whether it is there: before the run is begun, and once more in it.
And where a setup writes, place by place, for who decides and for the log: facts only.

Each disk is asked once, for all that goes onto it: the downloads, the package store, the environment (which shares the
store's files where it can) and the packages of the built-in engine (linked into it, so they are counted with it).
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.compatibility.model import Plan
from wizard.environment.create.package_cache import is_same_volume, package_cache
from wizard.environment.disk import Ground, disk_size, look_at_ground
from wizard.install.store import PackageStore
from wizard.model.errors import WizardError, gigabytes_apart
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, gigabytes, message
from wizard.run.run_folder import RunFolder
from wizard.run.steps.python_files import read_python_files
from wizard.system import paths
from wizard.system.links import long_path
from wizard.transfer.download import Downloads

# Unpacked wheels against their size: measured on torch 2.15.0+cu132 with its companions.
UNPACKED_RATIO = 2.1
PYTHON_BYTES = 300_000_000
# Of an environment that shares its Python and its packages: what was written for it alone. `du` counted 45 MB more for
# the second one with a CPU build (built-in engine, Linux, 2026-11).
OWN_BYTES = 50_000_000
EXISTING = "existing"  # the engine of a plan for an environment that is there


@dataclass(frozen=True, slots=True)
class Demand:
    """So many bytes somewhere below `path`, which need not be there yet."""

    path: Path
    size: int


def files_here(plan: Plan, lock: Lock) -> frozenset[str]:
    """Names of the lock's files that need not be fetched: their wheel is here, or what the store has unpacked of it."""
    store, downloads = PackageStore(), Downloads()
    return frozenset(
        file.filename
        for file in lock.files
        if downloads.path_for(file).is_file() or not (plan.keeps_wheels or store.wheel_of(file) is None)
    )


def download_bytes(plan: Plan, lock: Lock) -> int:
    """Return the bytes of the lock that still have to be fetched."""
    here = files_here(plan, lock)
    return sum(file.size or 0 for file in lock.files if file.filename not in here)


def _python_bytes(plan: Plan) -> int:
    """Return the room of its Python, with what is written for it alone: another one's, or the system's, is shared."""
    return OWN_BYTES if plan.engine == "venv" or _has_linked_python(plan) else PYTHON_BYTES


def _has_linked_python(plan: Plan) -> bool:
    """The built-in engine has this Python for another environment, and links its files."""
    prefix = Path(plan.prefix)
    if plan.engine != "rattler" or plan.choices.copies:
        return False
    with contextlib.suppress(OSError):
        packages = package_cache(prefix).folder
        return is_same_volume(packages, prefix) and any(packages.glob(f"python-{plan.python}[.-]*"))
    return False


def _own(plan: Plan, lock: Lock) -> int:
    """Bytes of the environment's own files, where it shares none with the store: copies, another volume."""
    is_linked = not plan.choices.copies and on_one_volume(paths.store_dir(), Path(plan.prefix))
    return 0 if is_linked else _unpacked(lock.files)


def demands(plan: Plan, lock: Lock) -> tuple[Demand, ...]:
    """(downloads, store, environment), less what is there already.

    An environment that has files of its own (copies, another volume) takes room for all packages. Into an environment
    that is there: what comes anew, beside what it replaces, which is kept.
    """
    downloads = Downloads()
    download = download_bytes(plan, lock)
    python = read_python_files(RunFolder(paths.runs_dir() / plan.id).python_files)
    stored = Demand(paths.store_dir(), _unpacked(_missing(lock)))
    cached = download
    cached += sum(file.size or 0 for file in python if not downloads.path_for(file).is_file())
    prefix = Path(plan.prefix)
    own = _own(plan, lock)
    if plan.engine == EXISTING:
        return Demand(paths.cache_root(), cached), stored, Demand(prefix, own)
    cached += PYTHON_BYTES if _keeps_packages_elsewhere(plan) else 0
    return (
        Demand(paths.cache_root(), cached),
        stored,
        Demand(prefix, max(0, own + _python_bytes(plan) - _used_bytes(prefix))),
    )


def _missing(lock: Lock) -> tuple[LockedFile, ...]:
    store = PackageStore()
    return tuple(file for file in lock.files if store.wheel_of(file) is None)


def _unpacked(files: Iterable[LockedFile]) -> int:
    return int(sum(file.size or 0 for file in files) * UNPACKED_RATIO)


def on_one_volume(one: Path, other: Path) -> bool:
    with contextlib.suppress(OSError):
        return is_same_volume(one, other)
    return False


def _keeps_packages_elsewhere(plan: Plan) -> bool:
    """The built-in engine's packages lie in a cache that a person chose, on another disk: there, and copied here."""
    if plan.engine != "rattler" or paths.chosen_cache() is None:
        return False
    return not on_one_volume(paths.cache_root(), Path(plan.prefix))


def check_room(wanted: Iterable[Demand]) -> None:
    """Raises WizardError `no-space`, `no-space-quota`; a disk that does not say how much it has is let be."""
    grounds: dict[int, tuple[Ground, int]] = {}
    for demand in wanted:
        try:
            ground = look_at_ground(demand.path)
        except OSError:
            continue
        first, so_far = grounds.get(ground.volume, (ground, 0))
        grounds[ground.volume] = (first, so_far + demand.size)
    for ground, size in grounds.values():
        if ground.free is not None and ground.free < size:
            code = "no-space-quota" if ground.by_quota else "no-space"
            needed, free = gigabytes_apart(size, ground.free)
            raise WizardError(code, path=str(ground.path), needed=needed, free=free)


def _used_bytes(prefix: Path) -> int:
    total = 0
    for folder, _, names in os.walk(long_path(prefix)):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 (tens of thousands of files)
    return total


def room_told(plan: Plan, lock: Lock) -> Iterator[Message]:
    """Yield what each place will hold in the end (environment, caches, store, temporary files), then what the
    download takes in between: for the log, and for who decides."""
    cache, store, environment = demands(plan, lock)
    passing = 0 if plan.keeps_wheels else download_bytes(plan, lock)
    cache = Demand(cache.path, cache.size - passing)
    yield _told("environment", Path(plan.prefix), environment.size)
    if paths.chosen_store():
        yield _told("cache", paths.cache_root(), cache.size)
        yield _told("store", store.path, store.size)
    else:
        yield _told("cache", paths.cache_root(), cache.size + store.size)
    folder = temp_folder()
    if folder is not None:
        yield _told("temp", folder, 0)
    if passing:
        yield message(
            "change.in-between",
            "While it installs, what is downloaded takes up to {needed} GB more: each file is deleted once it is "
            "unpacked.",
            needed=gigabytes(passing),
        )


def checked(plan: Plan) -> Message:
    """The room that is left, in one short line; where the places are is in the log (`room_told`)."""
    prefix = Path(plan.prefix)
    places = {"environment": prefix, "cache": paths.cache_root(), "temp": temp_folder() or prefix}
    free = {f"{name}_free": _free(path) for name, path in places.items()}
    is_one_disk = all(on_one_volume(prefix, path) for path in places.values())
    return message(f"environments.volume.{'room' if is_one_disk else 'checked'}", **free)


def temp_folder() -> Path | None:
    """The chosen one, else what every program here would take; finding that writes a file of no bytes."""
    try:
        return paths.chosen_temp() or Path(tempfile.gettempdir())
    except FileNotFoundError:
        return None


def _told(name: str, path: Path, needed: int) -> Message:
    ground = _ground(path)
    key = f"environments.volume.{name}" + ("-quota" if ground and ground.by_quota else "")
    size = disk_size(path)
    total = {} if size is None else {"total": gigabytes(size)}  # no sentence says it: Review draws it
    return message(key, path=str(path), needed=gigabytes(needed), free=_free(path), **total)


def _free(path: Path) -> str:
    ground = _ground(path)
    return f"{gigabytes(ground.free)}" if ground and ground.free is not None else "?"


def _ground(path: Path) -> Ground | None:
    try:
        return look_at_ground(path)
    except OSError:
        return None
