"""Root at work in another user's home: `sudo` keeps HOME on many systems, and what root writes there its owner can no
longer change. Said before the first file is written; whether it is meant is for the person to know.
"""

from __future__ import annotations

from pathlib import Path

from wizard import paths
from wizard.i18n import Message, message
from wizard.system.disk import user_ids, user_name


def foreign_home() -> Message | None:
    """None: not root, or the folders are root's own."""
    ids = user_ids()
    if ids is None or ids[0] != 0:
        return None
    for place in (paths.home(), Path.home()):
        there = next((folder for folder in (place, *place.parents) if folder.exists()), place)
        try:
            if there.stat().st_uid != 0:
                return message("safety.foreign-home", path=str(place), owner=user_name(there.stat().st_uid))
        except OSError:
            continue
    return None
