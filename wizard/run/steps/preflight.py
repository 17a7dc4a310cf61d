"""The last look before anything is changed: the place, the room, the tools, nobody else at work there."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from filelock import FileLock, Timeout

from wizard.environment.disk import check_volumes, look_at_ground
from wizard.environment.model import TARGET_NOT_WRITABLE
from wizard.environment.naming import check_prefix
from wizard.environment.remove.unfinished import is_ours_unfinished
from wizard.model.errors import UsageError
from wizard.model.messages import Message, message
from wizard.run.context import Context, Step
from wizard.run.steps.disk_space import check_room, checked, demands, room_told
from wizard.system import paths

_LOCK_SECONDS = 1.0  # who only looks whether somebody is at work holds the lock for a moment
_LOOKS = 4


def prefix_lock(prefix: str) -> FileLock:
    """One run at a time and prefix, also across two starts of the program."""
    path = _lock_path(prefix)
    path.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(path, timeout=_LOCK_SECONDS)


def _lock_path(prefix: str) -> Path:
    name = hashlib.sha256(os.path.realpath(prefix).encode(errors="surrogateescape")).hexdigest()[:16]
    return paths.home() / "locks" / f"{name}.lock"


def is_busy(prefix: Path) -> bool:
    """A setup, a repair or a copy is at work there now; the lock goes with its process, however that ends."""
    path = _lock_path(str(prefix))
    for attempt in range(_LOOKS if path.exists() else 0):
        try:
            with FileLock(path, timeout=0):
                return False
        except Timeout:
            time.sleep(0.02 * attempt)  # another one that only looks
        except OSError:
            return False
    return path.exists()


def check_ground(prefix: Path) -> None:
    """Raises UsageError `target-noexec`, `target-not-writable` for a disk on which no environment can live."""
    try:
        ground = look_at_ground(prefix)
    except OSError as error:
        raise UsageError(TARGET_NOT_WRITABLE, details=str(error), path=str(prefix)) from error
    if ground.is_read_only:
        raise UsageError(TARGET_NOT_WRITABLE, details=f"{ground.kind} ro", path=str(prefix))
    if ground.is_noexec:
        raise UsageError(
            "target-noexec",
            "No program may be started from the disk of “{path}” (its setting “noexec” forbids it).",
            "Choose a folder on another disk, for example in your home folder.",
            path=str(prefix),
        )


class Preflight(Step):
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
        check_ground(prefix)
        check_volumes(prefix)
        check_room(demands(plan, context.lock))
        for told in room_told(plan, context.lock):
            context.emitter.log(self.name, told)
        return checked(plan)
