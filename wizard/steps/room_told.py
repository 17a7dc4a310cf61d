"""Where a setup writes, named place by place with the room that is there: environment, caches, temporary files.

Before the start for who decides, and in the preflight for the log. Facts only: what is too little is an error there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from wizard import paths
from wizard.environments.ground import Ground, look_at_ground
from wizard.i18n import Message, message
from wizard.packages.model import Lock
from wizard.plan.model import Plan
from wizard.steps.room import demands, gigabytes


def room_told(plan: Plan, lock: Lock) -> Iterator[Message]:
    cache, environment = demands(plan, lock)
    yield _told("environment", Path(plan.prefix), environment.size)
    yield _told("cache", paths.cache_root(), cache.size)
    folder = temp_folder()
    if folder is not None:
        yield _told("temp", folder, 0)


def checked(plan: Plan) -> Message:
    """The places and the room that is left in each, in one line."""
    folder = temp_folder()
    places = {"environment": Path(plan.prefix), "cache": paths.cache_root(), "temp": folder}
    told = {name: str(path or "-") for name, path in places.items()}
    free = {f"{name}_free": _free(path) if path else "?" for name, path in places.items()}
    return message("environments.volume.checked", **told, **free)


def temp_folder() -> Path | None:
    """The chosen one, else what every program here would take; finding that writes a file of no bytes."""
    try:
        return paths.chosen_temp() or Path(tempfile.gettempdir())
    except FileNotFoundError:
        return None


def _told(name: str, path: Path, needed: int) -> Message:
    ground = _ground(path)
    key = f"environments.volume.{name}" + ("-quota" if ground and ground.by_quota else "")
    return message(key, path=str(path), needed=gigabytes(needed), free=_free(path))


def _free(path: Path) -> str:
    ground = _ground(path)
    return f"{gigabytes(ground.free):g}" if ground and ground.free is not None else "?"


def _ground(path: Path) -> Ground | None:
    try:
        return look_at_ground(path)
    except OSError:
        return None
