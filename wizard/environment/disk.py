"""The disk below a folder: mounts, quota, Windows' drives, what it forbids; and the folders for caches.

Linux: what is mounted where, from `/proc/self/mountinfo`; of what kind it is, and what it forbids.

Asking the mount table costs nothing and never hangs, also where a server behind a folder has gone.

One file: each system's answers make one value.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import struct
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.environment.naming import nearest_existing
from wizard.model.errors import UsageError
from wizard.system import paths
from wizard.system.disk import room_of, user_ids
from wizard.system.facts import DiskSpace
from wizard.system.traits import this
from wizard.system.windows.calls import DWORD, load
from wizard.system.windows.registry import MACHINE, Registry, registry

# The folders for caches and for temporary files that a person named: can they be there, and may we write in them?
#
# Not inside the environment: what lies in it goes with it. Nothing is left behind by the look.


def check_volumes(prefix: Path) -> None:
    """Refuse folders for packages and temporary files that will not do. Raises UsageError `cache-dir-…`, `temp-dir-…`:
    `not-writable`, `inside`."""
    for name, folder in (("cache-dir", paths.chosen_cache()), ("temp-dir", paths.chosen_temp())):
        if folder is None:
            continue
        if folder == prefix or prefix in folder.parents:
            raise UsageError(f"{name}-inside", path=str(folder), prefix=str(prefix))
        _check_writable(name, folder)


def _check_writable(name: str, folder: Path) -> None:
    parent = nearest_existing(folder)
    try:
        if not parent.is_dir():
            raise NotADirectoryError(str(parent))
        if not os.access(parent, os.W_OK | os.X_OK):
            raise PermissionError(str(parent))
        # As root the bits allow everything, and Windows' bits say nothing: only trying tells.
        Path(tempfile.mkdtemp(prefix=".torch-setup-", dir=parent)).rmdir()
    except OSError as error:
        raise UsageError(f"{name}-not-writable", details=str(error), path=str(folder)) from error


# Windows: the drive of a folder. Free bytes as this user's quota has them, the kind of drive, what it can do.

_REMOTE = 4  # GetDriveTypeW: DRIVE_REMOTE
_READ_ONLY = 0x0008_0000  # FILE_READ_ONLY_VOLUME
_HARD_LINKS = 0x0040_0000  # FILE_SUPPORTS_HARD_LINKS
_LONGEST = 261


@dataclass(frozen=True, slots=True)
class WindowsVolume:
    free: int | None
    kind: str  # "NTFS", "exFAT"
    is_network: bool
    is_read_only: bool
    has_links: bool


def volume_of(free: int | None, drive_type: int, kind: str, flags: int | None) -> WindowsVolume:
    """Return a volume from what Windows answers; `flags` None: the drive did not say what it can do."""
    return WindowsVolume(
        free,
        kind,
        drive_type == _REMOTE,
        bool(flags and flags & _READ_ONLY),
        flags is None or bool(flags & _HARD_LINKS),
    )


def look_at_volume(path: str, library: Any = None) -> WindowsVolume:
    """Return the volume of a folder. Raises OSError elsewhere than on Windows."""
    kernel = library or load("kernel32")
    root = ctypes.create_unicode_buffer(_LONGEST)
    if not kernel.GetVolumePathNameW(path, root, _LONGEST):
        root.value = path
    free, flags, kind = ctypes.c_uint64(), DWORD(), ctypes.create_unicode_buffer(_LONGEST)
    # The first number is what this user may write; the others are the whole disk's.
    knows_free = kernel.GetDiskFreeSpaceExW(path, ctypes.byref(free), None, None)
    knows_kind = kernel.GetVolumeInformationW(root.value, None, 0, None, None, ctypes.byref(flags), kind, _LONGEST)
    return volume_of(
        free.value if knows_free else None,
        kernel.GetDriveTypeW(root.value),
        kind.value,
        flags.value if knows_kind else None,
    )


def takes_long_paths() -> bool:
    """Tell whether programs that know how may go beyond 260 characters."""
    if not this().dos_paths:
        return True
    return long_paths_are_on(registry())


def long_paths_are_on(known: Registry) -> bool:
    return bool(known.values(MACHINE, r"SYSTEM\CurrentControlSet\Control\FileSystem").get("LongPathsEnabled"))


# How much a user may still write on a Linux disk with quotas: one system call, nothing is started and nobody asked.
#
# Counts for disks of this machine (ext4, XFS, btrfs without subvolumes). What a file server allows is known to the
# server only: there the number of free bytes has to do.

_GET_QUOTA = 0x800007  # linux/quota.h: Q_GETQUOTA, for users and for groups
_USER, _GROUP = 0, 1
_BLOCK = 1024  # QIF_DQBLKSIZE: limits are counted in these, use in bytes
# struct if_dqblk: hard and soft limit, use, the same for files, two times of grace, which of them are valid
_FORMAT = "=8QI4x"
_SIZE = struct.calcsize(_FORMAT)
_HAS_LIMITS, _HAS_SPACE = 1, 2


@dataclass(frozen=True, slots=True)
class Quota:
    """`limit` and `used` in bytes."""

    limit: int
    used: int

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)


def quota_left(device: str) -> int | None:
    """Return bytes that this user or their group may still write; None where nothing is limited or nobody can tell."""
    ids = user_ids()
    if ids is None or not device.startswith("/dev/"):
        return None
    asked = (_ask(device, _USER, ids[0]), _ask(device, _GROUP, ids[1]))
    return min((quota.left for quota in asked if quota), default=None)


def _ask(device: str, kind: int, number: int) -> Quota | None:
    answer = ctypes.create_string_buffer(_SIZE)
    try:
        library = ctypes.CDLL(None)
        failed = library.quotactl((_GET_QUOTA << 8) | kind, os.fsencode(device), number, answer)
    except (OSError, AttributeError):
        return None
    return None if failed else parse_quota(answer.raw)


def parse_quota(answer: bytes) -> Quota | None:
    """Return a quota; None without a limit. Of two limits the soft one is told first by the system, the hard one stops
    a write."""
    hard, _soft, used, *_, valid = struct.unpack(_FORMAT, answer)
    if not hard or not valid & _HAS_LIMITS or not valid & _HAS_SPACE:
        return None
    return Quota(hard * _BLOCK, used)


# A server's disk: tens of thousands of small files are slow there, and locks are not always kept.
_NETWORK = re.compile(
    r"(?:nfs4?|cifs|smb3?|smbfs|ncpfs|afs|9p|ceph|lustre|gpfs|beegfs|glusterfs|orangefs|davfs|vboxsf|prl_fs|vmhgfs|drvfs"
    r"|fuse\.(?:sshfs|rclone|s3fs|glusterfs|davfs2?|vmhgfs-fuse|cephfs|mount\.cifs|juicefs|gcsfuse|moosefs))"
)
# No links of either kind: an environment is full of them.
_WITHOUT_LINKS = frozenset({"vfat", "msdos", "exfat"})
_ESCAPE = re.compile(rb"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """`device` is what was mounted: `/dev/sda1`, `server:/home`."""

    point: str
    kind: str
    device: str
    options: frozenset[str]

    @property
    def is_network(self) -> bool:
        return bool(_NETWORK.fullmatch(self.kind))

    @property
    def is_read_only(self) -> bool:
        return "ro" in self.options

    @property
    def is_noexec(self) -> bool:
        return "noexec" in self.options

    @property
    def has_links(self) -> bool:
        return self.kind not in _WITHOUT_LINKS


def read_mounts() -> tuple[Mount, ...]:
    """Return what is mounted; () where there is no such table."""
    try:
        return parse_mounts(Path("/proc/self/mountinfo").read_bytes().decode(errors="surrogateescape"))
    except OSError:
        return ()


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """Return the mounts of proc(5): `36 35 98:0 /root /mnt/a\\040b rw,noexec shared:1 - ext4 /dev/sda1 rw`; a cut line
    is passed over."""
    found = []
    for line in text.split("\n"):
        left, dash, right = line.partition(" - ")
        fields, rest = left.split(" "), right.split(" ")
        if dash and len(fields) >= 6 and len(rest) >= 2:
            # What holds for this mount, and what for the whole file system: a disk that fails turns itself read-only.
            options = {*fields[5].split(","), *(rest[2].split(",") if len(rest) > 2 else ())}
            found.append(Mount(_plain(fields[4]), rest[0], _plain(rest[1]), frozenset(options)))
    return tuple(found)


def _plain(field: str) -> str:
    """Spaces and the like stand there as octal numbers, one for each byte."""
    written = field.encode(errors="surrogateescape")
    return _ESCAPE.sub(lambda match: bytes((int(match[1], 8) & 0xFF,)), written).decode(errors="surrogateescape")


def mount_of(path: Path, mounts: Iterable[Mount]) -> Mount | None:
    """Return the mount of an existing folder with its links resolved; the last one mounted there is the one that is
    seen."""
    text = str(path)
    found: Mount | None = None
    for mount in mounts:
        is_above = text == mount.point or text.startswith(mount.point.rstrip("/") + "/")
        if is_above and (found is None or len(mount.point) >= len(found.point)):
            found = mount
    return found


# What a folder stands on, before anything is put there: free room, quota, the kind of disk and what it forbids.
#
# Read on the nearest existing parent. Facts only; what they mean for a setup is judged in `run/plan/place.py`.


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
        path,
        volume,
        seen.free,
        kind=seen.kind,
        is_network=seen.is_network,
        is_read_only=seen.is_read_only,
        has_links=seen.has_links,
    )


def _by_mount(path: Path, place: Path, volume: int, room: DiskSpace) -> Ground:
    mount = mount_of(place, read_mounts())
    if mount is None:
        return Ground(path, volume, room.free)
    allowed = quota_left(mount.device)
    by_quota = allowed is not None and allowed < room.free
    return Ground(
        path,
        volume,
        allowed if by_quota else room.free,
        by_quota=by_quota,
        files_left=room.files_left,
        kind=mount.kind,
        is_network=mount.is_network,
        is_read_only=mount.is_read_only,
        is_noexec=mount.is_noexec,
        has_links=mount.has_links,
    )


def look_at_ground(path: Path) -> Ground:
    """Return what a folder lies on. Raises OSError for a drive that is not there."""
    place = nearest_existing(path).resolve()
    return _seen(path, place, place.stat().st_dev)


def disk_size(path: Path) -> int | None:
    """Return how many bytes the disk of a folder holds in all; None where it does not say."""
    try:
        return shutil.disk_usage(nearest_existing(path)).total
    except OSError:
        return None


def disk_room(path: Path) -> tuple[int, int] | None:
    """Return the free and all bytes of the disk of a folder; None where it does not say."""
    try:
        free, total = look_at_ground(path).free, disk_size(path)
    except OSError:
        return None
    return None if free is None or total is None else (free, total)
