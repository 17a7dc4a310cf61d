"""Windows: a child and what it starts are in a job, which ends with us; CTRL_BREAK is the polite rung.

Reaches Windows only through `wizard.windows`, so that it runs anywhere with a library of the tests' own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

from wizard.windows import creation
from wizard.windows.calls import load
from wizard.windows.job import Job

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, creation.SIGBREAK)
_CONTINUOUS, _SYSTEM_REQUIRED = 0x80000000, 0x00000001


def child_arguments() -> dict[str, Any]:
    return {"creationflags": creation.CHILD}


class Family:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._job = Job()
        self._job.assign(process.pid)

    def stop(self, interrupt: float, terminate: float, kill: float) -> None:
        """Interrupt, then kill: Windows has no rung between."""
        with contextlib.suppress(OSError):
            self._process.send_signal(creation.CTRL_BREAK_EVENT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(interrupt)
        self.kill()

    def kill(self) -> None:
        self._job.terminate()


def join_own_family() -> bool:
    """What a child starts before it is put into a job of its own is then in ours. The job is never closed by us, for
    that would end us too; it goes with the process."""
    with contextlib.suppress(OSError):
        Job().assign(os.getpid())
    return True


def start_apart(argv: tuple[str, ...], own_window: bool, arguments: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    """With the first flags that are not refused."""
    return first_allowed(argv, creation.detached(own_window), arguments)


def first_allowed(
    argv: tuple[str, ...], attempts: tuple[int, ...], arguments: Mapping[str, Any]
) -> subprocess.Popen[bytes]:
    """Raises OSError."""
    for flags in attempts[:-1]:
        try:
            return subprocess.Popen(argv, creationflags=flags, **arguments)
        except PermissionError:  # the job that we are in lets nobody out
            continue
    return subprocess.Popen(argv, creationflags=attempts[-1], **arguments)


def is_running(number: int) -> bool:
    """Python's `kill` would end it here."""
    import psutil  # seldom needed, and it takes its time to load

    return psutil.pid_exists(number)


def may_open(wanted: int) -> int:
    """Windows has no such number."""
    return wanted


def stay_awake() -> Callable[[], None] | None:
    """A word to the system that ends with the thread."""
    tell = load("kernel32").SetThreadExecutionState
    tell(_CONTINUOUS | _SYSTEM_REQUIRED)
    return lambda: tell(_CONTINUOUS)
