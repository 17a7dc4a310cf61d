"""Writing into a pack: whole or not at all, under the final name only when the bytes are on the disk."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import psutil

from wizard.classroom.pack.listing import Part
from wizard.model.errors import Cancelled
from wizard.run.report.write import put_whole, unfinished_name
from wizard.system import moving

# How large a file may be on the volume of a folder, and writing one in parts where it is larger.
#
# FAT32, the usual format of USB sticks, ends at 4 GiB - 1. Parts are whole multiples of what the downloader asks for at
# once, so that few of its requests cross from one part into the next.

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


def put_bytes(path: Path, data: bytes) -> None:
    """Raises OSError; what was at `path` is then as before."""
    with contextlib.suppress(OSError):  # Windows refuses to open it while another puts it in place
        if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
            return
    put_whole(path, data)


def copy_into(source: Path, target: Path, sha256: str, is_cancelled: Callable[[], bool]) -> bool:
    """False when the source is not what it should be: then there is no target. Raises OSError, Cancelled."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = unfinished_name(target)
    digest = hashlib.sha256()
    try:
        with source.open("rb") as stream, unfinished.open("xb") as out:
            while block := stream.read(_READ):
                if is_cancelled():
                    raise Cancelled
                out.write(block)
                digest.update(block)
            out.flush()
            os.fsync(out.fileno())
        if digest.hexdigest() != sha256:
            moving.unlink(unfinished)
            return False
        moving.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(OSError):
            moving.unlink(unfinished)
        raise
    return True


def read_file(path: Path, most: int) -> bytes:
    """At most one byte more than `most`. Raises OSError, also for what is no file: a pipe would be waited for."""
    if path.exists() and not path.is_file():
        raise OSError(f"no file: {path}")
    with path.open("rb") as stream:
        return stream.read(most + 1)


def is_inside(folder: Path, relative: str) -> bool:
    """No link on the way leads out of the folder."""
    return Path(os.path.realpath(folder / relative)).is_relative_to(os.path.realpath(folder))


def size_and_hash(path: Path) -> tuple[int, str]:
    """Return a file's bytes and its SHA-256, read once. Raises OSError."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while block := stream.read(_READ):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()
