"""How much a user may still write on a Linux disk with quotas: one system call, nothing is started and nobody asked.

Counts for disks of this machine (ext4, XFS, btrfs without subvolumes). What a file server allows is known to the server
only: there the number of free bytes has to do.
"""

from __future__ import annotations

import ctypes
import os
import struct
from dataclasses import dataclass

from wizard.system.disk import user_ids

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
    """Bytes that this user or their group may still write; None where nothing is limited or nobody can tell."""
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
    """None without a limit. Of two limits the soft one is told first by the system, the hard one stops a write."""
    hard, _soft, used, *_, valid = struct.unpack(_FORMAT, answer)
    if not hard or not valid & _HAS_LIMITS or not valid & _HAS_SPACE:
        return None
    return Quota(hard * _BLOCK, used)
