"""Files renamed, replaced, removed and written in one go: the only place for it (tests/windows/test_moving.py reads the
sources).

Windows refuses all three while anybody has the file open, a virus scanner or our own window that reads the events, so
each is tried again for a moment (`disk.insist`). Not for folders that must be empty: `rmdir` says at once that they
are not. Paths of any length. Removing an environment is `environment.remove.erase`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil

from wizard.system import disk
from wizard.system.links import extended
from wizard.system.traits import this

StrPath = str | os.PathLike[str]
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
NO_ROOM = (*DISK_FULL, errno.EFBIG)  # also where a process may write no larger file


def _long(path: StrPath) -> str:
    return extended(os.path.abspath(path)) if this().dos_paths else os.fspath(path)  # noqa: PTH100


def replace(source: StrPath, target: StrPath) -> None:
    """Put a file in the place of another, whole or not at all. Raises OSError."""
    disk.insist(lambda: os.replace(_long(source), _long(target)))  # noqa: PTH105


def write_whole(
    path: StrPath, data: bytes, mode: int | None = None, *, unfinished: StrPath | None = None, sync: bool = True
) -> None:
    """Write a file in one go: whole, and on the disk unless `sync` is off, or as it was before.

    `mode`: whatever the umask says. `unfinished`: its name until then, by default `path` with ".new"; what a kill left
    there is removed, and a link there is never followed. Raises OSError.
    """
    fresh = f"{os.fspath(path)}.new" if unfinished is None else unfinished
    unlink(fresh, missing_ok=True)
    made = os.open(_long(fresh), os.O_WRONLY | os.O_CREAT | os.O_EXCL | disk.BINARY, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(made, "wb") as out:
            if mode is not None:
                os.chmod(_long(fresh), mode)  # noqa: PTH101
            out.write(data)
            if sync:
                out.flush()
                os.fsync(out.fileno())
        replace(fresh, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unlink(fresh)
        raise


def rename(source: StrPath, target: StrPath) -> None:
    """Give a file or folder a name that nobody has. Raises OSError."""
    disk.insist(lambda: os.rename(_long(source), _long(target)))  # noqa: PTH104


def unlink(path: StrPath, missing_ok: bool = False) -> None:
    """Remove a file or a link. Raises OSError."""
    with contextlib.suppress(*((FileNotFoundError,) if missing_ok else ())):
        disk.insist(lambda: os.unlink(_long(path)))  # noqa: PTH108


def remove_tree(path: StrPath) -> None:
    """Remove what can be removed of a folder. Raises nothing."""
    with contextlib.suppress(OSError):
        disk.insist(lambda: shutil.rmtree(_long(path)))
    shutil.rmtree(_long(path), ignore_errors=True)  # the rest, where something stays
