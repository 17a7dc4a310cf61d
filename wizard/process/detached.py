"""Starts a process that outlives us: the worker, which goes on when the window closes or crashes; a terminal window.

Not for anything else: every other child belongs to its parent and dies with it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wizard import paths
from wizard.windows import creation


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
    arguments: dict[str, Any] = {"env": dict(environment), "cwd": cwd}
    if own_window and paths.os_name() == "windows":
        return _let_go(_start(argv, own_window, arguments))
    with log.open("ab") as output:
        return _let_go(
            _start(argv, own_window, {**arguments, "stdin": subprocess.DEVNULL, "stdout": output, "stderr": output})
        )


def _start(argv: tuple[str, ...], own_window: bool, arguments: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    if paths.os_name() != "windows":
        return subprocess.Popen(argv, start_new_session=True, **arguments)
    return first_allowed(argv, creation.detached(own_window), arguments)


def first_allowed(
    argv: tuple[str, ...], attempts: tuple[int, ...], arguments: Mapping[str, Any]
) -> subprocess.Popen[bytes]:
    """Windows' way: with the first flags that are not refused. Raises OSError."""
    for flags in attempts[:-1]:
        try:
            return subprocess.Popen(argv, creationflags=flags, **arguments)
        except PermissionError:  # the job that we are in lets nobody out
            continue
    return subprocess.Popen(argv, creationflags=attempts[-1], **arguments)


def _let_go(process: subprocess.Popen[bytes]) -> int:
    """Reaps it when it ends, so that a finished worker is no zombie, without anybody waiting."""
    import threading

    threading.Thread(target=process.wait, daemon=True, name=f"reap-{process.pid}").start()
    return process.pid
