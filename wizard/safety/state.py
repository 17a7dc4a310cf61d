"""Our own folder when the program starts, our settings file, and a home that is somebody else's.

A look at our own folder when the program starts: what stands in the way is set aside, with a sentence for each.

Set aside is renamed, never deleted. Only what is plainly ours and plainly unusable: our settings file with something
else in it, a file where a folder of ours must be, or the reverse. A link may lead to a disk that is not plugged in, so
it stays.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wizard.model.messages import Message, message
from wizard.system import moving, paths
from wizard.system.disk import user_ids, user_name
from wizard.system.traits import this

# Root at work in another user's home: `sudo` keeps HOME on many systems, and what root writes there its owner can no
# longer change. Said before the first file is written; whether it is meant is for the person to know.


def foreign_home() -> Message | None:
    """None: not root, or the folders are root's own."""
    ids = user_ids()
    if ids is None or ids[0] != 0:
        return None
    for place in (paths.home(), Path.home()):
        there = next((folder for folder in (place, *place.parents) if folder.exists()), place)
        try:
            if there.stat().st_uid != 0:
                return message(
                    "safety.foreign-home",
                    "This runs as root, but in the home folder of {owner} ({path}): what it writes there, "
                    "{owner} can no longer change. Run it without sudo, or with “sudo -H” for root's own "
                    "folder.",
                    path=str(place),
                    owner=user_name(there.stat().st_uid),
                )
        except OSError:
            continue
    return None


# Our own settings.json, read without trust: somebody may have edited it, a disk may have torn it.
#
# Two parts of the program keep keys in it (the window's wishes, the way to the network); what a key means is theirs.

_MOST_BYTES = 1_000_000


class Garbled(Exception):
    """There is a file, and nobody can read settings from it."""


def read_settings(path: Path) -> dict[str, Any]:
    """Nothing where nothing can be read."""
    try:
        return read_strictly(path)
    except (Garbled, OSError):
        return {}


def read_strictly(path: Path) -> dict[str, Any]:
    """{} where there is no file. Raises Garbled; OSError for one that this user may not read."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return {}
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
        raise Garbled("no file of settings")  # a pipe would keep us waiting
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Garbled(str(error)) from error
    if not isinstance(data, dict):
        raise Garbled("no object")
    return data


def write_settings(path: Path, data: dict[str, Any]) -> None:
    """Whole or not at all, and for its owner alone: it may hold a proxy's password. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    moving.write_whole(path, (json.dumps(data, indent=1) + "\n").encode(), 0o600, unfinished=fresh)


FOLDERS = (
    "runs",
    "undo",
    "logs",
    "cache",
    "downloads",
    "deletions",
    "matrices-overlay",
    "table-updates",
    "profiles",
    "locks",
    "bootstrap",
)
FILES = ("class-machine-id",)


def set_right() -> tuple[Message, ...]:
    """Never raises; what could not be done is a sentence too."""
    place = paths.home()
    try:
        if trouble := _trouble_with(place):
            return (trouble,)
        wrong = [name for name in FOLDERS if _is_in_the_way(place / name, stat.S_ISDIR)]
        wrong += [name for name in FILES if _is_in_the_way(place / name, stat.S_ISREG)]
        found = [_set_aside(place / name) for name in wrong]
        if _is_garbled(place / "settings.json"):
            found.append(_set_aside(place / "settings.json"))
        return tuple(each for each in found if each)
    except OSError as error:
        return (
            message(
                "safety.home-unreadable",
                "The program's folder “{path}” cannot be read ({why}). Allow it, or set the variable "
                "TORCH_WIZARD_HOME to another folder.",
                path=str(place),
                why=error.strerror or type(error).__name__,
            ),
        )


def _trouble_with(home: Path) -> Message | None:
    nearest = next((place for place in (home, *home.parents) if os.path.lexists(place)), home)
    if not nearest.is_dir():
        return message("safety.home-is-file", path=str(nearest))
    # Where its rights are no bits, the first write tells.
    if this().rights_are_bits and not os.access(nearest, os.W_OK | os.X_OK):
        return message("safety.home-not-writable", path=str(home))
    return None


def _is_in_the_way(path: Path, is_right: Callable[[int], bool]) -> bool:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return not is_right(mode) and not stat.S_ISLNK(mode)


def _is_garbled(path: Path) -> bool:
    try:
        read_strictly(path)
    except Garbled:
        return not path.is_symlink()
    except OSError:  # not for this user: then it is not for us to move either
        return False
    return False


def _set_aside(path: Path) -> Message | None:
    kept = _free_name(path)
    try:
        moving.rename(path, kept)
    except FileNotFoundError:  # another start was faster
        return None
    except OSError as error:
        return message(
            "safety.in-the-way",
            "“{path}” cannot be used and cannot be moved ({why}). Remove it yourself; until then a "
            "part of the program does not work.",
            path=str(path),
            why=error.strerror or type(error).__name__,
        )
    return message("safety.set-aside", name=path.name, kept=kept.name)


def _free_name(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (path.with_name(f"{path.name}.broken-{stamp}{more}") for more in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(name for name in names if not os.path.lexists(name))
