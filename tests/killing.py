"""Kill a child at an exact step of its work: each step that touches the disk is one, by the interpreter's audit events.

A clock seldom hits the short moment in which folders are moved; a count hits each.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOUCHES = ("os.remove", "os.rmdir", "os.rename", "os.mkdir", "os.scandir")


class Steps:
    """In the child: counts what touches the disk, also in its threads, and dies at the step `last` (0: never)."""

    def __init__(self, last: int, touches: tuple[str, ...] = TOUCHES) -> None:
        self.count, self._counter = 0, itertools.count(1)
        self._last, self._touches = last, touches
        sys.addaudithook(self._look)

    def _look(self, event: str, arguments: tuple[object, ...]) -> None:
        flags = arguments[2] if event == "open" else 0
        if event in self._touches or (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_CREAT)):
            self.count = next(self._counter)
            if self.count == self._last:
                os.kill(os.getpid(), signal.SIGKILL)


def steps_of(script: str, *arguments: object, environment: Mapping[str, str] | None = None) -> int:
    """Run the script, which prints the count of its `Steps`. Return that, or 0 when it was killed."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    if done.returncode == -signal.SIGKILL:
        return 0
    assert done.returncode == 0, done.stderr
    return int(done.stdout)
