"""Linux: what is mounted where, from `/proc/self/mountinfo`; of what kind it is, and what it forbids.

Asking the mount table costs nothing and never hangs, also where a server behind a folder has gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

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
    """() where there is no such table."""
    try:
        return parse_mounts(Path("/proc/self/mountinfo").read_bytes().decode(errors="surrogateescape"))
    except OSError:
        return ()


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """proc(5): `36 35 98:0 /root /mnt/a\\040b rw,noexec shared:1 - ext4 /dev/sda1 rw`; a cut line is passed over."""
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
    """Of an existing folder with its links resolved; the last one mounted there is the one that is seen."""
    text = str(path)
    found: Mount | None = None
    for mount in mounts:
        is_above = text == mount.point or text.startswith(mount.point.rstrip("/") + "/")
        if is_above and (found is None or len(mount.point) >= len(found.point)):
            found = mount
    return found
