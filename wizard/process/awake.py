"""Keeps the computer from going to sleep while a job runs. A wish: where nobody grants it, the job runs all the same.

Asked by the worker, so that it also holds when the window is closed. Where a word to the system is not enough,
`systemd-inhibit` around a child that does nothing. The screen may go dark.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from wizard.process.request import Request, StopTimeouts
from wizard.process.running import Running
from wizard.system import processes

_ARGV = (
    "systemd-inhibit",
    "--what=idle:sleep",
    "--mode=block",
    "--who=Torch Setup",
    "--why=A setup is running",
    "sleep",
    "infinity",
)


@contextlib.contextmanager
def awake() -> Iterator[None]:
    """Keep this computer from falling asleep meanwhile, where the system lets us."""
    take_back = processes.stay_awake()
    if take_back is not None:
        try:
            yield
        finally:
            take_back()
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
