"""A process, written down in a file: its computer, its number and its start, for a number alone is soon another's."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import psutil

from wizard.system import moving

_SAME_START = 2.0  # seconds: a process's own start is told in ticks of a clock that may be set


def write_owner(path: Path, pid: int | None = None) -> None:
    """Write down a process, by default this one. Raises OSError, psutil.Error."""
    process = psutil.Process(pid)
    mark = {"host": platform.node(), "pid": process.pid, "since": process.create_time()}
    path.write_text(json.dumps(mark), encoding="utf-8")


def forget_owner(path: Path) -> None:
    """Take the mark away. Raises OSError."""
    moving.unlink(path, missing_ok=True)


def owner_lives(path: Path) -> bool | None:
    """Say whether that process is there; None: the file is missing or cut short, or names another computer."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        host, pid, since = str(data["host"]), int(data["pid"]), float(data["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if host != platform.node():
        return None
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and abs(process.create_time() - since) < _SAME_START
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
