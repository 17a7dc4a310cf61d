"""A look at our own folder when the program starts: what stands in the way is set aside, with a sentence for each.

Set aside is renamed, never deleted. Only what is plainly ours and plainly unusable: our settings file with something
else in it, a file where a folder of ours must be, or the reverse. A link may lead to a disk that is not plugged in, so
it stays.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

from wizard import paths
from wizard.i18n import Message, message
from wizard.safety.settings_file import Garbled, read_strictly
from wizard.system import moving
from wizard.system.traits import this

FOLDERS = (
    "runs", "undo", "logs", "cache", "downloads", "deletions", "matrices-overlay", "profiles", "locks", "bootstrap",
)  # fmt: skip
FILES = ("class-machine-id",)


def set_right(home: Path | None = None) -> tuple[Message, ...]:
    """Never raises; what could not be done is a sentence too."""
    place = home or paths.home()
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
        return (message("safety.home-unreadable", path=str(place), why=error.strerror or type(error).__name__),)


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
        return message("safety.in-the-way", path=str(path), why=error.strerror or type(error).__name__)
    return message("safety.set-aside", name=path.name, kept=kept.name)


def _free_name(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (path.with_name(f"{path.name}.broken-{stamp}{more}") for more in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(name for name in names if not os.path.lexists(name))
