"""Taking back an environment that was begun and not finished; never anything else.

`mark_begun` puts a small file with the run's id into the new prefix, before the first other file. Only a
prefix with that file is removed, the way `trash` does it. What was there before (an empty folder) is there afterwards.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from wizard.environment.conda.records import unregister
from wizard.environment.inspect.baseline import NAME
from wizard.environment.model import TARGET_NOT_EMPTY, TARGET_NOT_WRITABLE
from wizard.environment.remove.erase import erase
from wizard.environment.remove.trash import Deletion, clear, held, new_deletion, pending, put_away
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.typed import read_own_json
from wizard.system import moving, paths
from wizard.system.links import is_link, long_path
from wizard.system.places import places

REMOVE_FAILED = ErrorText(
    "remove-failed",
    "The unfinished environment in “{path}” could not be removed completely.",
    "Close programs that use files in it, and try again.",
)

MARKER = ".torch-setup-unfinished.json"


@dataclass(frozen=True, slots=True)
class _UnfinishedMark:
    run: str
    existed: bool  # the empty folder was the user's
    parents: tuple[str, ...]  # folders above that we made, the innermost first


def mark_begun(prefix: Path, run_id: str) -> None:
    """Make the folder and say whose it is. Raises UsageError `target-not-empty` or `target-not-writable`."""
    if is_ours_unfinished(prefix, run_id):
        return
    existed = prefix.exists()
    if prefix.is_symlink() or (existed and not prefix.is_dir()) or (existed and holds_something(prefix)):
        raise UsageError(TARGET_NOT_EMPTY, path=str(prefix))
    parents = tuple(str(place) for place in prefix.parents if not place.exists())
    mark = {"schema": 1, "run": run_id, "existed": existed, "parents": parents}
    try:
        if prefix.parent in places().short_folders(os.environ):
            _make_short(prefix.parent)
        prefix.mkdir(parents=True, exist_ok=True)
        # In one go: a cut mark would make the folder nobody's.
        moving.write_whole(prefix / MARKER, json.dumps(mark).encode())
    except OSError as error:
        _take_back_beginning(prefix, existed, parents)
        raise UsageError(TARGET_NOT_WRITABLE, details=str(error), path=str(prefix)) from error


def _make_short(folder: Path) -> None:
    """At the root of a drive all users may write: it is closed to them, and kept in mind as ours. Raises OSError."""
    try:
        folder.mkdir(0o700, parents=True)
    except FileExistsError:
        return
    note = paths.own_short_folders()
    known = note.read_text("utf-8") if note.is_file() else ""
    note.parent.mkdir(parents=True, exist_ok=True)
    moving.write_whole(note, f"{known}{paths.short_folder_line(folder)}\n".encode())


def holds_something(prefix: Path, but: Collection[str] = ()) -> bool:
    """Tell whether there is anything in the folder; a mark that a kill cut off is nothing. Raises OSError."""
    return any(inside.name not in (f"{MARKER}.new", *but) for inside in prefix.iterdir())


def drop_cut_mark(prefix: Path) -> None:
    """Remove a mark or a note of the good state that a kill cut off. The folder stays: nobody knows whether it was
    there before."""
    for name in (MARKER, NAME):
        with contextlib.suppress(OSError):
            moving.unlink(prefix / f"{name}.new", missing_ok=True)


def _take_back_beginning(prefix: Path, existed: bool, parents: tuple[str, ...]) -> None:
    with contextlib.suppress(OSError):
        moving.unlink(prefix / f"{MARKER}.new", missing_ok=True)
        if not existed:
            prefix.rmdir()
        for parent in parents:
            Path(parent).rmdir()


def mark_complete(prefix: Path) -> None:
    """Take the mark away: from now on it is the user's, and nothing here will remove it."""
    moving.unlink(prefix / MARKER, missing_ok=True)


def is_ours_unfinished(prefix: Path, run_id: str | None = None) -> bool:
    """Tell whether a run of ours began it and did not finish. `run_id` None: any run."""
    mark = _read_mark(prefix)
    return mark is not None and run_id in (None, mark.run)


def unfinished_run(prefix: Path) -> str | None:
    """Return the run of ours that began it and did not finish; None for any other folder."""
    mark = _read_mark(prefix)
    return mark.run if mark else None


def remove_unfinished(prefix: Path, run_id: str | None = None) -> bool:
    """Remove what a run of ours began; True when something was removed. Raises WizardError `remove-not-ours` for a
    folder without our mark."""
    try:
        leftovers = [deletion for deletion in pending() if deletion.prefix == str(prefix) and _clear(deletion)]
        if not os.path.lexists(prefix) or (leftovers and prefix.is_dir() and not any(prefix.iterdir())):
            return bool(leftovers)
        mark = _read_mark(prefix)
        if mark is None or run_id not in (None, mark.run):
            raise WizardError(
                "remove-not-ours",
                "“{path}” was not begun by this program, or is finished; it was not removed.",
                "Delete it yourself if you don't need it.",
                path=str(prefix),
            )
        with contextlib.suppress(OSError, RuntimeError):  # a stale line in conda's list harms nobody
            unregister(prefix)
        _remove_marked(prefix, mark)
    except OSError as error:
        raise WizardError(REMOVE_FAILED, details=str(error), path=str(prefix)) from error
    return True


def _remove_marked(prefix: Path, mark: _UnfinishedMark) -> None:
    deletion = new_deletion(prefix, existed=mark.existed, parents=mark.parents)
    with held(deletion):
        try:
            put_away(deletion)
        except OSError:
            _empty_in_place(prefix, mark)
        else:
            clear(deletion)


def _clear(deletion: Deletion) -> bool:
    with held(deletion) as is_ours:
        if is_ours:
            clear(deletion)
    return is_ours


def _empty_in_place(prefix: Path, mark: _UnfinishedMark) -> None:
    """A mount point, or (Windows) something inside is in use: the marker goes last, so a retry is possible."""
    erase(prefix, keep=(MARKER,))
    moving.unlink(prefix / MARKER)
    if not mark.existed:
        prefix.rmdir()
    for parent in mark.parents:
        with contextlib.suppress(OSError):  # no longer empty: somebody uses it
            Path(parent).rmdir()


def _read_mark(prefix: Path) -> _UnfinishedMark | None:
    """None also for a link: what it points to is not ours to remove."""
    if is_link(prefix):
        return None
    return read_own_json(long_path(prefix) / MARKER, _UnfinishedMark)
