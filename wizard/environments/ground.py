"""What a folder stands on, before anything is put there: free room, quota, the kind of disk and what it forbids.

Read on the nearest existing parent. Facts only; what they mean for a setup is judged in `session/place.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wizard.environments.mounts import mount_of, read_mounts
from wizard.environments.naming import nearest_existing
from wizard.environments.quota import quota_left
from wizard.environments.windows_volume import look_at_volume
from wizard.system.disk import room_of
from wizard.system.room import Room


@dataclass(frozen=True, slots=True)
class Ground:
    """`free`: bytes that this user can write; `by_quota` when that is less than the disk has. None: not known.

    `kind` is the file system's name, "" where it is not known. `files_left`: how many new files it takes.
    """

    path: Path
    volume: int
    free: int | None
    by_quota: bool = False
    files_left: int | None = None
    kind: str = ""
    is_network: bool = False
    is_read_only: bool = False
    is_noexec: bool = False
    has_links: bool = True


def _seen(path: Path, place: Path, volume: int) -> Ground:
    room = room_of(place)
    return _by_drive(path, place, volume) if room is None else _by_mount(path, place, volume, room)


def _by_drive(path: Path, place: Path, volume: int) -> Ground:
    seen = look_at_volume(str(place))
    return Ground(
        path, volume, seen.free, kind=seen.kind, is_network=seen.is_network, is_read_only=seen.is_read_only,
        has_links=seen.has_links,
    )  # fmt: skip


def _by_mount(path: Path, place: Path, volume: int, room: Room) -> Ground:
    mount = mount_of(place, read_mounts())
    if mount is None:
        return Ground(path, volume, room.free)
    allowed = quota_left(mount.device)
    by_quota = allowed is not None and allowed < room.free
    return Ground(
        path, volume, allowed if by_quota else room.free, by_quota=by_quota, files_left=room.files_left,
        kind=mount.kind, is_network=mount.is_network, is_read_only=mount.is_read_only, is_noexec=mount.is_noexec,
        has_links=mount.has_links,
    )  # fmt: skip


def look_at_ground(path: Path) -> Ground:
    """Raises OSError for a drive that is not there."""
    place = nearest_existing(path).resolve()
    return _seen(path, place, place.stat().st_dev)
