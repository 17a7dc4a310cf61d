"""Keeps the computer from going to sleep while a job runs. A wish: where nobody grants it, the job runs all the same.

Asked by the worker, so that it also holds when the window is closed. Linux: `systemd-inhibit` around a child that does
nothing. Windows: a word to the system that ends with the thread. The screen may go dark.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from wizard import paths
from wizard.process.request import Request, StopTimeouts
from wizard.process.running import Running
from wizard.windows.calls import load

_CONTINUOUS, _SYSTEM_REQUIRED = 0x80000000, 0x00000001
_ARGV = (
    "systemd-inhibit", "--what=idle:sleep", "--mode=block", "--who=Torch Setup", "--why=A setup is running",
    "sleep", "infinity",
)  # fmt: skip


@contextlib.contextmanager
def awake() -> Iterator[None]:
    if paths.os_name() == "windows":
        tell = load("kernel32").SetThreadExecutionState
        tell(_CONTINUOUS | _SYSTEM_REQUIRED)
        try:
            yield
        finally:
            tell(_CONTINUOUS)
        return
    try:
        running = Running(Request(_ARGV, stop=StopTimeouts(interrupt=0.2, terminate=0.2)))
    except OSError:  # no systemd here
        yield
        return
    try:
        yield
    finally:
        running.finish(lambda: True)
