"""Windows: a child and what it starts are in a job, which ends with us. There is no polite rung: a break does not reach
a child without a console window, and no child of ours would tidy up at one. The worker is asked by its `control` file.

Reaches Windows only through `wizard.system.windows`, so that it runs anywhere with a library of the tests' own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

from wizard.system.windows import job
from wizard.system.windows.calls import load
from wizard.system.windows.job import JobObject

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, job.SIGBREAK)
_CONTINUOUS, _SYSTEM_REQUIRED = 0x80000000, 0x00000001


def child_arguments() -> dict[str, Any]:
    return {"creationflags": job.CHILD}


class Family:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._job: JobObject | None = None
        with contextlib.suppress(OSError):  # none, or none that takes this process (a policy, a sandbox)
            job = JobObject()
            self._job = job if job.assign(process.pid) else None

    def stop(self, interrupt: float, terminate: float, kill: float) -> None:
        """At once: nothing that is waited for could hear of it."""
        self.kill()

    def kill(self) -> None:
        """End the child with all that it has started: by its job, else by the tree of its parents."""
        if self._job is not None:
            self._job.terminate()
        else:
            _kill_tree(self._process)


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """One by one, without a job. Of a process that has ended its children are not known any more."""
    import psutil  # seldom needed, and it takes its time to load

    if process.poll() is not None:
        return
    with contextlib.suppress(psutil.Error):
        one = psutil.Process(process.pid)
        for each in (*one.children(recursive=True), one):
            with contextlib.suppress(psutil.Error):
                each.kill()


def join_own_family() -> bool:
    """What a child starts before it is put into a job of its own is then in ours. The job is never closed by us, for
    that would end us too; it goes with the process."""
    with contextlib.suppress(OSError):
        JobObject().assign(os.getpid())
    return True


def start_apart(argv: tuple[str, ...] | str, own_window: bool, arguments: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    """With the first flags that are not refused."""
    return first_allowed(argv, job.detached(own_window), arguments)


def first_allowed(
    argv: tuple[str, ...] | str, attempts: tuple[int, ...], arguments: Mapping[str, Any]
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
