"""Where a setup writes, named place by place with the room that is there: environment, caches, temporary files.

Before the start for who decides, and in the preflight for the log. Facts only: what is too little is an error there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from wizard.compatibility.model import Plan
from wizard.environment.disk import Ground, look_at_ground
from wizard.model.lock import Lock
from wizard.model.messages import Message, message
from wizard.run.steps.disk_space import demands, gigabytes, on_one_volume
from wizard.system import paths


def room_told(plan: Plan, lock: Lock) -> Iterator[Message]:
    """Yield for the log what each disk will hold: environment, caches, store, temporary files."""
    cache, store, environment = demands(plan, lock)
    yield _told("environment", Path(plan.prefix), environment.size)
    if paths.chosen_store():
        yield _told("cache", paths.cache_root(), cache.size)
        yield _told("store", store.path, store.size)
    else:
        yield _told("cache", paths.cache_root(), cache.size + store.size)
    folder = temp_folder()
    if folder is not None:
        yield _told("temp", folder, 0)


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
    return message(key, path=str(path), needed=gigabytes(needed), free=_free(path))


def _free(path: Path) -> str:
    ground = _ground(path)
    return f"{gigabytes(ground.free):g}" if ground and ground.free is not None else "?"


def _ground(path: Path) -> Ground | None:
    try:
        return look_at_ground(path)
    except OSError:
        return None
