"""Windows: the drive of a folder. Free bytes as this user's quota has them, the kind of drive, what it can do."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from wizard.system.traits import this
from wizard.windows.calls import DWORD, load
from wizard.windows.registry import MACHINE, Registry, registry

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
    """From what Windows answers; `flags` None: the drive did not say what it can do."""
    return WindowsVolume(
        free, kind, drive_type == _REMOTE, bool(flags and flags & _READ_ONLY),
        flags is None or bool(flags & _HARD_LINKS),
    )  # fmt: skip


def look_at_volume(path: str, library: Any = None) -> WindowsVolume:
    """Raises OSError elsewhere than on Windows."""
    kernel = library or load("kernel32")
    root = ctypes.create_unicode_buffer(_LONGEST)
    if not kernel.GetVolumePathNameW(path, root, _LONGEST):
        root.value = path
    free, flags, kind = ctypes.c_uint64(), DWORD(), ctypes.create_unicode_buffer(_LONGEST)
    # The first number is what this user may write; the others are the whole disk's.
    knows_free = kernel.GetDiskFreeSpaceExW(path, ctypes.byref(free), None, None)
    knows_kind = kernel.GetVolumeInformationW(root.value, None, 0, None, None, ctypes.byref(flags), kind, _LONGEST)
    return volume_of(
        free.value if knows_free else None, kernel.GetDriveTypeW(root.value), kind.value,
        flags.value if knows_kind else None,
    )  # fmt: skip


def takes_long_paths() -> bool:
    """Whether programs that know how may go beyond 260 characters."""
    if not this().dos_paths:
        return True
    return long_paths_are_on(registry())


def long_paths_are_on(known: Registry) -> bool:
    return bool(known.values(MACHINE, r"SYSTEM\CurrentControlSet\Control\FileSystem").get("LongPathsEnabled"))
