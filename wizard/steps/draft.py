"""A run that somebody is still deciding about: shown, not started. The mark in its folder says which process that is.

It goes with a yes, a no, or the wish to keep the plan. Where the process was killed before, nobody will ever say: the
next start takes such a run away. Nothing was begun by it. What another computer of a shared home shows is left alone.
"""

from __future__ import annotations

import contextlib
import json
import platform
from pathlib import Path

import psutil

from wizard.system import moving

_NAME = "draft.json"
_SAME_START = 2.0  # seconds: a process's own start is told in ticks of a clock that may be set


def mark_draft(folder: Path) -> None:
    """This process is deciding. A folder that takes no mark is none the worse."""
    with contextlib.suppress(OSError, psutil.Error):
        me = psutil.Process()
        mark = {"host": platform.node(), "pid": me.pid, "since": me.create_time()}
        (folder / _NAME).write_text(json.dumps(mark), encoding="utf-8")


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
    if mark.is_symlink() or mark.parent.is_symlink():
        return False
    if any((mark.parent / begun).exists() for begun in ("journal.jsonl", "events.jsonl")):
        return False
    try:
        data = json.loads(mark.read_text(encoding="utf-8"))
        host, pid, since = str(data["host"]), int(data["pid"]), float(data["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return False  # cut in the writing, a moment ago or by a kill: `runs --remove` can have it
    return host == platform.node() and not _lives(pid, since)


def _lives(pid: int, since: float) -> bool:
    try:
        return abs(psutil.Process(pid).create_time() - since) < _SAME_START
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
