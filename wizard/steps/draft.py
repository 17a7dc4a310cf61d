"""A run that somebody is still deciding about: shown, not started. The mark in its folder says which process that is.

It goes with a yes, a no, or the wish to keep the plan. Where the process was killed before, nobody will ever say: the
next start takes such a run away. Nothing was begun by it. What another computer of a shared home shows is left alone.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import psutil

from wizard.steps.owner import owner_lives, write_owner
from wizard.system import moving

_NAME = "draft.json"


def mark_draft(folder: Path) -> None:
    """This process is deciding. A folder that takes no mark is none the worse."""
    with contextlib.suppress(OSError, psutil.Error):
        write_owner(folder / _NAME)


def keep(folder: Path) -> None:
    """Somebody will start it later, or has."""
    moving.unlink(folder / _NAME, missing_ok=True)


def clear_left_behind(runs: Path) -> tuple[str, ...]:
    """Removes the drafts of processes that are gone; their names. A run that was started is no draft any more."""
    gone = []
    with contextlib.suppress(OSError):
        for mark in sorted(runs.glob(f"*/{_NAME}")):
            if _is_left_behind(mark):
                moving.remove_tree(mark.parent)
                gone.append(mark.parent.name)
    return tuple(gone)


def _is_left_behind(mark: Path) -> bool:
    """A mark that was cut in the writing, a moment ago or by a kill, is left alone: `runs --remove` can have it."""
    if mark.is_symlink() or mark.parent.is_symlink():
        return False
    if any((mark.parent / begun).exists() for begun in ("journal.jsonl", "events.jsonl")):
        return False
    return owner_lives(mark) is False
