"""Starts a process that outlives us: the worker, which goes on when the window closes or crashes; a terminal window.

Not for anything else: every other child belongs to its parent and dies with it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wizard.system import processes
from wizard.system.disk import open_own
from wizard.system.traits import this


def start_detached(
    argv: tuple[str, ...] | str,
    environment: Mapping[str, str],
    log: Path,
    own_window: bool = False,
    cwd: Path | None = None,
) -> int:
    """Return the new process's id. Its output is appended to `log`, never through a link; with `own_window` some
    systems give it a console instead. `argv` as a text is a whole command line, as only Windows has it.

    Raises OSError.
    """
    arguments: dict[str, Any] = {"env": dict(environment), "cwd": cwd}
    if own_window and this().shells_bring_a_window:
        return _let_go(processes.start_apart(argv, own_window, arguments))
    with os.fdopen(open_own(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab") as output:
        arguments |= {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        return _let_go(processes.start_apart(argv, own_window, arguments))


def _let_go(process: subprocess.Popen[bytes]) -> int:
    """Reaps it when it ends, so that a finished worker is no zombie, without anybody waiting."""
    import threading

    threading.Thread(target=process.wait, daemon=True, name=f"reap-{process.pid}").start()
    return process.pid
