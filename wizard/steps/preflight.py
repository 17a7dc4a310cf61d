"""The last look before anything is changed: the place, the room, the tools, nobody else at work there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from filelock import FileLock

from wizard import paths
from wizard.environments.ground import look_at_ground
from wizard.environments.naming import check_prefix
from wizard.environments.remove import is_ours_unfinished
from wizard.errors import UsageError
from wizard.i18n import Message, message
from wizard.steps.context import Context
from wizard.steps.room import check_room, demands


def prefix_lock(prefix: str) -> FileLock:
    """One run at a time and prefix, also across two starts of the program."""
    name = hashlib.sha256(os.path.realpath(prefix).encode()).hexdigest()[:16]
    folder = paths.home() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / f"{name}.lock", timeout=0)


def check_ground(prefix: Path) -> None:
    """Raises UsageError `target-noexec`, `target-not-writable` for a disk on which no environment can live."""
    try:
        ground = look_at_ground(prefix)
    except OSError as error:
        raise UsageError("target-not-writable", details=str(error), path=str(prefix)) from error
    if ground.is_read_only:
        raise UsageError("target-not-writable", details=f"{ground.kind} ro", path=str(prefix))
    if ground.is_noexec:
        raise UsageError("target-noexec", path=str(prefix))


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
        check_ground(prefix)
        check_room(demands(plan, context.lock))
        return message("step.preflight.done")
