"""What counts as a link, and paths beyond 260 characters: two things in which Windows' folders differ.

A junction is a folder to `stat` and to `os.scandir`, but it leads elsewhere: whoever walks into one deletes somebody
else's files. Windows says so in the reparse tag, by one bit. A file kept in the cloud has a tag too, without that bit.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from wizard.system.traits import this

_NAME_SURROGATE = 0x2000_0000  # winnt.h, IsReparseTagNameSurrogate: "this stands for another file or folder"
_EXTENDED = "\\\\?\\"


def is_true_folder(mode: int, reparse_tag: int = 0) -> bool:
    """A folder whose contents lie in it: no symbolic link, no junction, no volume mounted in a folder."""
    return stat.S_ISDIR(mode) and not reparse_tag & _NAME_SURROGATE


def reparse_tag_of(status: os.stat_result) -> int:
    """0 outside Windows; `status` is an lstat."""
    return int(getattr(status, "st_reparse_tag", 0))


def is_link(path: str | os.PathLike[str]) -> bool:
    """A symbolic link, a junction or a mounted volume. False when nothing is there."""
    try:
        status = os.lstat(extended(os.fspath(path)))
    except OSError:
        return False
    tag = reparse_tag_of(status)
    return stat.S_ISLNK(status.st_mode) or (stat.S_ISDIR(status.st_mode) and not is_true_folder(status.st_mode, tag))


def extended(path: str, is_windows: bool | None = None) -> str:
    """Windows: `C:\\x` becomes `\\\\?\\C:\\x`, which may be longer than 260; a share becomes `\\\\?\\UNC\\…`.

    The path is absolute and normal; elsewhere, and where it names no drive or share, it stays as it is.
    """
    if not (this().dos_paths if is_windows is None else is_windows) or path.startswith((_EXTENDED, "\\\\.\\")):
        return path
    if path.startswith("\\\\"):
        return f"{_EXTENDED}UNC\\{path[2:]}"
    return _EXTENDED + path if path[1:2] == ":" else path


def long_path(path: Path) -> Path:
    """Return it as Windows opens it, and all below it, beyond 260 characters. Not to be shown, nor compared."""
    return Path(extended(str(path)))
