"""Writing into a pack: whole or not at all, under the final name only when the bytes are on the disk."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from wizard.errors import Cancelled
from wizard.report.write import put_whole, unfinished_name
from wizard.system import moving

_READ = 1 << 20


def put_bytes(path: Path, data: bytes) -> None:
    """Raises OSError; what was at `path` is then as before."""
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
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while block := stream.read(_READ):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()
