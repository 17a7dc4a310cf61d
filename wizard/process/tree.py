"""A process with all its descendants, and the guardian that outlives a killed worker.

A small process that outlives a killed worker by a moment, to end what the worker had started (Linux).

The kernel's parent-death signal reaches only direct children; what those started in turn (pip below venv) would
live on. The worker tells the guardian each process group that begins and ends; when the worker's pipe closes
without a farewell, the groups that are left are killed. Windows needs none: job objects do it.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Iterator, Sequence

from wizard.process.request import StopTimeouts
from wizard.system import processes

# Read from a pipe: "+123" begins, "-123" ends. Nothing but the standard library, so `-I -S` starts it in 10 ms.
SCRIPT = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""
_FAREWELL_SECONDS = 5.0


class Guardian:
    def __init__(self, python: Sequence[str]) -> None:
        """`python`: how to run a script text. Raises OSError."""
        self._guard = threading.Lock()
        self._process = subprocess.Popen(
            [*python, "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _tell(self, line: str) -> None:
        with self._guard, contextlib.suppress(OSError, ValueError):
            if self._process.stdin:
                self._process.stdin.write(line.encode())
                self._process.stdin.flush()

    def begin(self, group: int) -> None:
        self._tell(f"+{group}\n")

    def end(self, group: int) -> None:
        self._tell(f"-{group}\n")

    def leave(self) -> None:
        """The work is over; the guardian ends by itself."""
        with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
            if self._process.stdin:
                self._process.stdin.close()
            self._process.wait(_FAREWELL_SECONDS)


# One for the process, since it watches over the process: there is nobody to hand it to.
_current: Guardian | None = None


@contextlib.contextmanager
def guarded(python: Sequence[str]) -> Iterator[None]:
    """Within it, every child's whole tree dies with us, however we die."""
    global _current
    if processes.join_own_family():
        yield
        return
    guardian = _current = Guardian(python)
    try:
        yield
    finally:
        _current = None
        guardian.leave()


def current() -> Guardian | None:
    return _current


# A process with all its descendants, as one thing that can be stopped.
#
# `wizard.system.processes` knows how; where the system does not end them with us by itself, the guardian is told of
# them.


class ProcessTree:
    """Of a process that was started with `processes.child_arguments`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._pid = process.pid
        self._family = processes.Family(process)
        self._guardian = current()
        if self._guardian:
            self._guardian.begin(self._pid)

    def stop(self, timeouts: StopTimeouts) -> None:
        """Politely first: each rung has its own time limit."""
        self._family.stop(timeouts.interrupt, timeouts.terminate, timeouts.kill)

    def kill(self) -> None:
        """What is left of it; harmless when nothing is."""
        self._family.kill()
        if self._guardian:
            self._guardian.end(self._pid)
