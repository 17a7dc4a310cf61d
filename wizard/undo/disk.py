"""A file's bytes replaced in one go: a temporary file beside it, flushed to the disk, then put in its place.

A reader sees the old bytes or the new ones, whatever happens. Mode, owner and extended attributes stay; the
caller says which file (never a link: the link would be replaced).
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from pathlib import Path

from wizard.system import moving
from wizard.system.disk import BINARY, sync_folder, take_owner

_NEW_FILE = 0o666  # less what the user's umask says


class NotKept(OSError):
    """The file cannot be replaced and stay the same owner's."""


def read_file(path: Path) -> bytes:
    """Of an ordinary file, or a device that ends at once; a pipe would be waited for without end. Raises OSError."""
    if stat.S_ISFIFO(path.stat().st_mode) or stat.S_ISSOCK(path.stat().st_mode):
        raise OSError(errno.EINVAL, "no ordinary file", str(path))
    return path.read_bytes()


def temporary_name(target: Path) -> Path:
    """Always the same one, so that what a kill left there is found again."""
    return target.with_name(f".{target.name}.torch-setup-new")


def replace_file(target: Path, content: bytes, mode: int | None = None) -> None:
    """`mode` is for a file that is not there yet. Raises OSError; then nothing has changed."""
    temporary = temporary_name(target)
    moving.unlink(temporary, missing_ok=True)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
        with os.fdopen(os.open(temporary, flags, _NEW_FILE if mode is None else mode), "wb") as file:
            _take_over(target, temporary)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        moving.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            moving.unlink(temporary, missing_ok=True)
        raise
    sync_folder(target.parent)


def _take_over(target: Path, temporary: Path) -> None:
    """Owner, mode, attributes of the file that is going to be replaced."""
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(old.st_mode):  # root could put a file in place of /dev/null
        raise OSError(errno.EINVAL, "no ordinary file", str(target))
    new = temporary.stat()
    try:
        take_owner(temporary, old, new)
    except PermissionError as error:
        raise NotKept(*error.args) from error
    shutil.copystat(target, temporary)  # mode and attributes; after chown, which clears bits
    os.utime(temporary)
