"""One way to wait for a state that was promised. The limit is one for a hang and says nothing of speed: a laboratory's
computer with twenty programs on two processors is ten times slower than ours."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil

HANG = 240.0  # seconds


def wait_until(is_so: Callable[[], object], shown: Callable[[], object] = str, pause: float = 0.02) -> None:
    """`shown`: what a failure tells; `pause`: seconds between two looks."""
    until = time.monotonic() + HANG
    while not is_so():
        assert time.monotonic() < until, f"it did not come to that {shown()}"
        time.sleep(pause)


def processes_about(path: Path) -> list[str]:
    """The command lines of the processes that name it. What is killed ends a moment later: wait until there is none."""
    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())  # empty for one that has ended
        except (psutil.Error, OSError):  # gone; one that is ending is refused on Windows as a wrong parameter
            continue
        if str(path) in line and process.pid != os.getpid():
            found.append(line)
    return found
