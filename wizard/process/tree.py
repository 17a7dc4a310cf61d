"""A process with all its descendants, as one thing that can be stopped.

`wizard.system.processes` knows how; where the system does not end them with us by itself, the guardian is told of them.
"""

from __future__ import annotations

import subprocess

from wizard.process import guardian
from wizard.process.request import StopTimeouts
from wizard.system import processes


class ProcessTree:
    """Of a process that was started with `processes.child_arguments`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._pid = process.pid
        self._family = processes.Family(process)
        self._guardian = guardian.current()
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
