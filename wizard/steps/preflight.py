"""The last look before anything is changed: the place, the room, the tools, nobody else at work there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

from filelock import FileLock

from wizard import paths
from wizard.environments.naming import check_prefix, nearest_existing
from wizard.environments.remove import is_ours_unfinished
from wizard.errors import WizardError
from wizard.i18n import Message, message
from wizard.packages.fetch import Store
from wizard.packages.model import Lock
from wizard.steps.context import Context

# Unpacked wheels against their size: measured on torch 2.15.0+cu132 with its companions; see docs/architecture.md.
UNPACKED_RATIO = 2.1
PYTHON_BYTES = 300_000_000


def needed_bytes(lock: Lock) -> tuple[int, int]:
    """(download, environment) in bytes, before anything is there."""
    download = sum(file.size or 0 for file in lock.files)
    return download, int(download * UNPACKED_RATIO) + PYTHON_BYTES


def prefix_lock(prefix: str) -> FileLock:
    """One run at a time and prefix, also across two starts of the program."""
    name = hashlib.sha256(os.path.realpath(prefix).encode()).hexdigest()[:16]
    folder = paths.home() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / f"{name}.lock", timeout=0)


class Preflight:
    name = "preflight"
    weight = 1

    def announce(self, context: Context) -> Message:
        return message("step.preflight.will")

    def run(self, context: Context) -> Message:
        plan = context.plan
        prefix = Path(plan.prefix)
        ours = is_ours_unfinished(prefix, context.folder.id) or "check" in context.history.done
        if not ours:
            check_prefix(prefix, paths.os_name())
        self._check_space(context, prefix)
        return message("step.preflight.done")

    def _check_space(self, context: Context, prefix: Path) -> None:
        download, unpacked = needed_bytes(context.lock)
        store = Store(paths.downloads_dir())
        download -= sum(file.size or 0 for file in context.lock.files if store.path_for(file).is_file())
        unpacked -= _used_bytes(prefix)
        wanted: dict[int, tuple[str, int]] = {}
        for place, size in ((paths.downloads_dir(), download), (prefix, unpacked)):
            parent = nearest_existing(place)
            device = parent.stat().st_dev
            path, sum_so_far = wanted.get(device, (str(parent), 0))
            wanted[device] = (path, sum_so_far + max(0, size))
        for path, size in wanted.values():
            free = shutil.disk_usage(path).free
            if free < size:
                raise WizardError("no-space", path=path, needed=_gb(size), free=_gb(free))


def _used_bytes(prefix: Path) -> int:
    """What an earlier attempt has put there already."""
    total = 0
    for folder, _, names in os.walk(prefix):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 (tens of thousands of files)
    return total


def _gb(size: int) -> float:
    return round(size / 1e9, 2)
