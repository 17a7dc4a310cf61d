"""How large a file may be on the volume of a folder, and writing one in parts where it is larger.

FAT32, the usual format of USB sticks, ends at 4 GiB - 1. Parts are whole multiples of what the downloader asks for at
once, so that few of its requests cross from one part into the next.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import psutil

from wizard.pack.model import Part
from wizard.system import moving

FAT32_MOST = 4 * 1024**3 - 1
PART_BYTES = 4 * 1024**3 - 16 * 1024**2
_FAT = ("vfat", "fat32", "fat", "msdos")
_READ = 1 << 20


def part_bytes(folder: Path, wanted: bool = False) -> int | None:
    """The size of a part where files have to be split; None where they need not."""
    return PART_BYTES if wanted or file_system(folder).lower() in _FAT else None


def file_system(folder: Path) -> str:
    """Its name as the system says it; empty when it does not."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    found = ""
    longest = -1
    for volume in psutil.disk_partitions(all=True):
        mount = Path(volume.mountpoint)
        if len(mount.parts) > longest and (mount == place or mount in place.parents):
            found, longest = volume.fstype, len(mount.parts)
    return found


def split(source: Path, target: Path, relative: str, size: int) -> tuple[Part, ...]:
    """Writes `target.001` … of at most `size` bytes each. Raises OSError."""
    parts: list[Part] = []
    with source.open("rb") as stream:
        while True:
            number = f".{len(parts) + 1:03}"
            written, digest = _copy(stream, target.with_name(target.name + number), size)
            if not written and parts:
                moving.unlink(target.with_name(target.name + number))
                return tuple(parts)
            parts.append(Part(relative + number, written, digest))


def _copy(stream: object, target: Path, most: int) -> tuple[int, str]:
    digest, left = hashlib.sha256(), most
    moving.unlink(target, missing_ok=True)  # of an earlier build, or a link
    with target.open("xb") as out:
        while left and (block := stream.read(min(_READ, left))):  # type: ignore[attr-defined]
            out.write(block)
            digest.update(block)
            left -= len(block)
        out.flush()
        os.fsync(out.fileno())
    return most - left, digest.hexdigest()
