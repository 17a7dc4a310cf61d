"""Room and right to write, for a folder that need not exist yet: its nearest existing parent is asked.

On Linux the kernel's answer is right; where rights are no bits it is not, so there a file is really made.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from wizard.machine.model import Volume
from wizard.system.traits import this


def nearest_existing(path: Path) -> Path | None:
    """The folder itself or the first parent that is there; None for a drive that is not."""
    whole = path.expanduser().absolute()
    for place in (whole, *whole.parents):
        try:
            if place.exists():
                return place
        except OSError:  # no right to look below a parent, or a name too long
            continue
    return None


def _is_writable(place: Path) -> bool:
    if not place.is_dir():
        return False
    if this().rights_are_bits:
        return os.access(place, os.W_OK | os.X_OK)
    try:
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False


def volume(path: Path) -> Volume:
    """Creates nothing. `writable` is False where a file stands in the way."""
    try:
        place = nearest_existing(path)
        if place is None:
            return Volume(str(path), None, False)
        return Volume(str(path), shutil.disk_usage(place).free, _is_writable(place))
    except (OSError, ValueError, RuntimeError):  # a NUL in the name, no home folder, a share that went away
        return Volume(str(path), None, None)
