"""Who may read and change the files of a new environment: what the user's umask says, as for any other file of theirs.

rattler writes its records for the owner alone and its start scripts for the whole group to change. The rest is right
already: packages carry 644 and 755, folders follow the umask. Where rights are no bits, the folder's own count.
"""

from __future__ import annotations

import os
import re
import stat
import threading
from pathlib import Path

from wizard.system.traits import this

_UMASK = re.compile(r"^Umask:\s*([0-7]+)", re.MULTILINE)
_asking = threading.Lock()


def open_up(prefix: Path) -> None:
    """Raises OSError."""
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
    """Asked without setting it where the kernel tells: other threads make files."""
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
