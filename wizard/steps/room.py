"""How much room a run needs and on which disk, and whether it is there: before the run is begun, and once more in it.

Each disk is asked once, for all that goes onto it: the environment, the downloads, the packages of the built-in engine
(which are linked into the environment, so they are counted with it).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wizard import paths
from wizard.environments.ground import Ground, look_at_ground
from wizard.environments.package_cache import is_same_volume
from wizard.errors import WizardError, gigabytes_apart
from wizard.packages.fetch import Downloads
from wizard.packages.model import Lock
from wizard.plan.model import Plan
from wizard.steps.python_files import read_python_files
from wizard.steps.run_folder import RunFolder

# Unpacked wheels against their size: measured on torch 2.15.0+cu132 with its companions; see docs/architecture.md.
UNPACKED_RATIO = 2.1
PYTHON_BYTES = 300_000_000
EXISTING = "existing"  # the engine of a plan for an environment that is there


@dataclass(frozen=True, slots=True)
class Demand:
    """So many bytes somewhere below `path`, which need not be there yet."""

    path: Path
    size: int


def needed_bytes(lock: Lock) -> tuple[int, int]:
    """(download, environment) in bytes, before anything is there."""
    download = sum(file.size or 0 for file in lock.files)
    return download, int(download * UNPACKED_RATIO) + PYTHON_BYTES


def demands(plan: Plan, lock: Lock) -> tuple[Demand, ...]:
    """Less what is there already: verified downloads, and what an earlier attempt has put into the environment.

    Into an environment that is there: what comes anew, beside what it replaces, which is kept.
    """
    download, unpacked = needed_bytes(lock)
    store = Downloads(paths.downloads_dir())
    download -= sum(file.size or 0 for file in lock.files if store.path_for(file).is_file())
    python = read_python_files(RunFolder(paths.runs_dir() / plan.id).python_files)
    download += sum(file.size or 0 for file in python if not store.path_for(file).is_file())
    prefix = Path(plan.prefix)
    if plan.engine == EXISTING:
        return Demand(paths.downloads_dir(), max(0, download)), Demand(prefix, unpacked - PYTHON_BYTES)
    cached = max(0, download) + (PYTHON_BYTES if _keeps_packages_elsewhere(plan) else 0)
    return Demand(paths.downloads_dir(), cached), Demand(prefix, max(0, unpacked - _used_bytes(prefix)))


def _keeps_packages_elsewhere(plan: Plan) -> bool:
    """The built-in engine's packages lie in a cache that a person chose, on another disk: there, and copied here."""
    if plan.engine != "rattler" or paths.chosen_cache() is None:
        return False
    with contextlib.suppress(OSError):
        return not is_same_volume(paths.cache_root(), Path(plan.prefix))
    return False


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


def gigabytes(size: int) -> float:
    return round(size / 1e9, 2)


def _used_bytes(prefix: Path) -> int:
    total = 0
    for folder, _, names in os.walk(prefix):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 (tens of thousands of files)
    return total
