"""Who may read and change an environment: the user's umask, or everybody on the computer.

One environment for everybody on a computer or cluster: all may read and run it, its owner alone may change it.

Whatever the umask says, and whatever modes packages brought. Folders above the environment are opened only where this
setup made them: somebody's home stays as closed as it is, and then the setup is refused before it starts.
"""

from __future__ import annotations

import os
import re
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

from wizard.system.traits import this

# Who may read and change the files of a new environment: what the user's umask says, as for any other file of theirs.
#
# rattler writes its records for the owner alone and its start scripts for the whole group to change. The rest is right
# already: packages carry 644 and 755, folders follow the umask. Where rights are no bits, the folder's own count.

_UMASK = re.compile(r"^Umask:\s*([0-7]+)", re.MULTILINE)
_asking = threading.Lock()


def open_up(prefix: Path) -> None:
    """Let others read conda's records and run its programs. Raises OSError."""
    if not this().rights_are_bits:
        return
    mask = umask()
    for path in (prefix / "conda-meta").iterdir():
        if path.is_file():
            path.chmod(0o666 & ~mask)
    for path in (prefix / "bin").iterdir():
        status = path.lstat()
        is_its_own = stat.S_ISREG(status.st_mode) and status.st_nlink == 1  # another name of it lies in the cache
        if is_its_own and status.st_mode & mask & 0o777:
            path.chmod(stat.S_IMODE(status.st_mode) & ~mask)


def umask() -> int:
    """Return the umask, without setting it where the kernel tells: other threads make files."""
    try:
        found = parse_umask(Path("/proc/self/status").read_text(encoding="ascii", errors="replace"))
    except OSError:
        found = None
    if found is not None:
        return found
    with _asking:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask


def parse_umask(status: str) -> int | None:
    found = _UMASK.search(status)
    return int(found[1], 8) if found else None


_READ, _ENTER, _WRITE_OF_OTHERS = 0o444, 0o111, 0o022


def shared_mode(mode: int, is_folder: bool) -> int:
    """Return the mode with which everybody may run what the owner may run."""
    enter = _ENTER if is_folder or mode & stat.S_IXUSR else 0
    return (mode | _READ | enter) & ~_WRITE_OF_OTHERS


def open_to_all(prefix: Path) -> int:
    """Open files and folders to all, and return how many were changed. Links are left alone: they have no mode of their
    own. Raises OSError."""
    changed = _open(prefix)
    for folder, names, files in os.walk(prefix, onerror=_raise):
        for name in (*names, *files):
            changed += _open(Path(folder, name))
    return changed


def _open(path: Path) -> int:
    """A file of which the package cache holds another name gets its mode there, too: that cache lets nobody else in."""
    found = path.lstat().st_mode
    if stat.S_ISLNK(found):
        return 0
    old = stat.S_IMODE(found)
    new = shared_mode(old, stat.S_ISDIR(found))
    if new != old:
        path.chmod(new)
    return int(new != old)


def _raise(error: OSError) -> None:
    raise error


def closed_to_others(path: Path) -> Path | None:
    """Return the first folder on the way to it that somebody else may not enter, links followed; parts that are not
    there yet are passed over. None: the way is open."""
    if not this().rights_are_bits:
        return None
    return next(_closed(path.resolve()), None)


def _closed(path: Path) -> Iterator[Path]:
    for folder in reversed(path.parents):
        try:
            if not folder.stat().st_mode & stat.S_IXOTH:
                yield folder
        except FileNotFoundError:
            return


def open_way_to(prefix: Path) -> Path | None:
    """Open the folders above that hold nothing but the way to it: this setup made them. The first one that is closed
    and holds more is left and returned. Raises OSError."""
    for folder in _closed(prefix.resolve()):
        if len(os.listdir(folder)) > 1:  # noqa: PTH208 (names are enough)
            return folder
        _open(folder)
    return None
