"""Starts a process that outlives us: the worker, which goes on when the window closes or crashes; a terminal window.

Not for anything else: every other child belongs to its parent and dies with it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def start_detached(
    argv: tuple[str, ...],
    environment: Mapping[str, str],
    log: Path,
    own_window: bool = False,
    cwd: Path | None = None,
) -> int:
    """The new process's id. Its output is appended to `log`; with `own_window` Windows gives it a console instead.

    Raises OSError.
    """
    arguments: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        arguments = {
            "creationflags": (subprocess.CREATE_NEW_CONSOLE if own_window else subprocess.CREATE_NO_WINDOW)
            | subprocess.CREATE_NEW_PROCESS_GROUP
            | subprocess.CREATE_BREAKAWAY_FROM_JOB
        }
    if own_window and sys.platform == "win32":
        process = subprocess.Popen(argv, env=dict(environment), cwd=cwd, **arguments)
        _let_go(process)
        return process.pid
    with log.open("ab") as output:
        process = subprocess.Popen(
            argv, env=dict(environment), cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **arguments
        )
    _let_go(process)
    return process.pid


def _let_go(process: subprocess.Popen[bytes]) -> None:
    """Reaps it when it ends, so that a finished worker is no zombie, without anybody waiting."""
    import threading

    threading.Thread(target=process.wait, daemon=True, name=f"reap-{process.pid}").start()
