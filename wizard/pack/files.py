"""Writing into a pack: whole or not at all, under the final name only when the bytes are on the disk."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from wizard.errors import Cancelled

_READ = 1 << 20


def put_bytes(path: Path, data: bytes) -> None:
    """Raises OSError; what was at `path` is then as before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and path.read_bytes() == data:
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def copy_into(source: Path, target: Path, sha256: str, is_cancelled: Callable[[], bool]) -> bool:
    """False when the source is not what it should be: then there is no target. Raises OSError, Cancelled."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    digest = hashlib.sha256()
    try:
        with source.open("rb") as stream, unfinished.open("wb") as out:
            while block := stream.read(_READ):
                if is_cancelled():
                    raise Cancelled
                out.write(block)
                digest.update(block)
            out.flush()
            os.fsync(out.fileno())
        if digest.hexdigest() != sha256:
            unfinished.unlink()
            return False
        unfinished.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    return True


def size_and_hash(path: Path) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while block := stream.read(_READ):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()
