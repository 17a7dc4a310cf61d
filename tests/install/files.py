"""Bytes to fetch, locked files that name them, and the bytes of a whole folder."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

from wizard.model.lock import LockedFile


def some_bytes(size: int, seed: int = 1) -> bytes:
    """Begins as a zip file does."""
    return b"PK\3\4" + random.Random(seed).randbytes(size - 4) if size > 4 else b"PK\3\4"[:size]


def locked(data: bytes, *urls: str, name: str = "a", sized: bool = True) -> LockedFile:
    digest = hashlib.sha256(data).hexdigest()
    return LockedFile(name, "1.0", f"{name}-1.0-py3-none-any.whl", urls, digest, len(data) if sized else None)


def tree(folder: Path) -> dict[str, bytes]:
    """Everything but what names this very install."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and path.name not in ("direct_url.json", "uv_cache.json", "REQUESTED")
    }
