"""The user's file itself, and its bytes replaced in one go.

The user's file itself: found behind its link, looked at before it is written, put, removed.

Each trouble with it becomes a sentence: read-only, no room, somebody else's, changed in the meantime.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from wizard.model.errors import ErrorText, WizardError
from wizard.system import moving
from wizard.system.disk import BINARY, sync_folder, take_owner
from wizard.undo.model import FileChange, Write

UNDO_NOT_READABLE = ErrorText(
    "undo-not-readable",
    "{path} could not be read.",
    "Check that it is a file, and that you may read it.",
)
UNDO_NOT_WRITABLE = ErrorText(
    "undo-not-writable",
    "{path} could not be written, and nothing was changed in it.",
    "Check that its folder is there and writable, and that the disk is not full.",
)

# A file's bytes replaced in one go: a temporary file beside it, flushed to the disk, then put in its place.
#
# A reader sees the old bytes or the new ones, whatever happens. Mode, owner and extended attributes stay; the caller
# says which file (never a link: the link would be replaced).

_NEW_FILE = 0o666  # less what the user's umask says


class NotKept(OSError):
    """The file cannot be replaced and stay the same owner's."""


def read_file(path: Path) -> bytes:
    """Return the bytes of an ordinary file, or a device that ends at once; a pipe would be waited for without end.
    Raises OSError."""
    if stat.S_ISFIFO(path.stat().st_mode) or stat.S_ISSOCK(path.stat().st_mode):
        raise OSError(errno.EINVAL, "no ordinary file", str(path))
    return path.read_bytes()


def temporary_name(target: Path) -> Path:
    """Return the name, always the same one, so that what a kill left there is found again."""
    return target.with_name(f".{target.name}.torch-setup-new")


def replace_file(target: Path, content: bytes, mode: int | None = None) -> None:
    """Replace a file in one go. `mode` is for a file that is not there yet. Raises OSError; then nothing has
    changed."""
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


_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def read(path: Path) -> bytes | None:
    """Return a file's bytes; None: there is no such file. Raises WizardError `undo-not-readable`, `undo-not-a-file`."""
    try:
        if _is_device(path.stat().st_mode):  # a read may never end, a write would put a file in its place
            raise WizardError(
                "undo-not-a-file",
                "{path} leads to something that is not an ordinary file, so it was left alone.",
                "Remove that link or device if a file of settings is wanted there, then try again.",
                path=str(path),
            )
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WizardError(UNDO_NOT_READABLE, details=str(error), path=str(path)) from error


def _is_device(mode: int) -> bool:
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def read_target(file: FileChange) -> bytes | None:
    return read(Path(file.target))


def check(write: Write) -> None:
    """Refuse what cannot be written. Raises WizardError `undo-read-only`, `undo-changed-meanwhile`, `undo-not-…`."""
    if read(write.path) != write.base:
        raise WizardError(
            "undo-changed-meanwhile",
            "{path} was changed by another program in the meantime, so it was left alone.",
            "Try again and look at the difference anew.",
            path=str(write.path),
        )
    if write.base is not None and not write.path.stat().st_mode & _WRITABLE:  # root could, and must not
        raise WizardError(
            "undo-read-only",
            "{path} is marked read-only, so it was left alone.",
            "If you want it changed, make it writable first; if somebody else looks after it, ask them.",
            path=str(write.path),
        )


def file_change(write: Write, digest: Callable[[bytes], str]) -> FileChange:
    """Return the record of what is about to be written: hashes of before and after, mode, folders made for it."""
    target = _behind_link(write.path)
    return FileChange(
        path=str(write.path),
        target=str(target),
        tool=write.tool,
        ours=write.ours,
        before_sha256=None if write.base is None else digest(write.base),
        after_sha256=None if write.content is None else digest(write.content),
        mode=None if write.base is None else stat.S_IMODE(target.stat().st_mode),
        made=tuple(str(folder) for folder in _missing_folders(target)),
    )


def _behind_link(path: Path) -> Path:
    """The link stays and what it points to is written, also where that is not there yet."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # a ring of links
        raise WizardError(UNDO_NOT_READABLE, details=str(error), path=str(path)) from error


def _missing_folders(target: Path) -> list[Path]:
    missing = []
    for folder in target.parents:
        if folder.is_dir():
            break
        missing.append(folder)
    return missing[::-1]


def put(file: FileChange, content: bytes) -> None:
    """Put the bytes in the place of the file. Raises WizardError `undo-not-writable`, `undo-not-yours`."""
    target = Path(file.target)
    try:
        for folder in file.made:
            Path(folder).mkdir(exist_ok=True)
        replace_file(target, content, file.mode)
    except NotKept as error:
        raise WizardError(
            "undo-not-yours",
            "{path} belongs to somebody else, and would become yours if this program wrote it.",
            "Ask its owner, or change it from that account.",
            details=str(error),
            path=file.path,
        ) from error
    except OSError as error:
        raise WizardError(UNDO_NOT_WRITABLE, details=str(error), path=file.path) from error


def remove(file: FileChange) -> None:
    """Remove a file; one that is gone is no error. Raises WizardError."""
    try:
        moving.unlink(Path(file.target), missing_ok=True)
    except OSError as error:
        raise WizardError(UNDO_NOT_WRITABLE, details=str(error), path=file.path) from error


def remove_folders(file: FileChange) -> None:
    """Remove the folders that were made for this file, if nothing else came into them."""
    for folder in reversed(file.made):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()
