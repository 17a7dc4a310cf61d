"""A process with all its descendants, as one thing that can be stopped.

Linux: a session of its own and the group's signals, plus the parent-death signal. Windows: a job
object with kill-on-close (a child cannot leave it), and CTRL_BREAK as the polite rung.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
import sys
from typing import Any

from wizard.process.request import StopTimeouts

_PR_SET_PDEATHSIG = 1

if sys.platform == "win32":
    from wizard.windows import creation
    from wizard.windows.job import Job

    def creation_arguments() -> dict[str, Any]:
        return {"creationflags": creation.CHILD}

    class ProcessTree:
        def __init__(self, process: subprocess.Popen[bytes]) -> None:
            self._process = process
            self._job = Job()
            self._job.assign(process.pid)

        def stop(self, timeouts: StopTimeouts) -> None:
            """Interrupt, then kill: Windows has no rung between."""
            with contextlib.suppress(OSError):
                self._process.send_signal(signal.CTRL_BREAK_EVENT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeouts.interrupt)
            self.kill()

        def kill(self) -> None:
            self._job.terminate()

else:
    import os

    from wizard.process import guardian

    _libc = ctypes.CDLL(None)

    def creation_arguments() -> dict[str, Any]:
        parent = os.getpid()

        def die_with_parent() -> None:
            # Runs between fork and exec: system calls that were looked up before, nothing else.
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it died before we could ask to be told
                os._exit(1)

        return {"start_new_session": True, "preexec_fn": die_with_parent}

    class ProcessTree:
        def __init__(self, process: subprocess.Popen[bytes]) -> None:
            self._process = process
            self._guardian = guardian.current()
            if self._guardian:
                self._guardian.begin(process.pid)

        def _signal(self, number: int) -> None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

        def stop(self, timeouts: StopTimeouts) -> None:
            """Interrupt, terminate, kill: each rung has its own time limit."""
            ladder = (
                (signal.SIGINT, timeouts.interrupt),
                (signal.SIGTERM, timeouts.terminate),
                (signal.SIGKILL, timeouts.kill),
            )
            for number, seconds in ladder:
                self._signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(seconds)
                    return

        def kill(self) -> None:
            """What is left of the group; harmless when nothing is."""
            self._signal(signal.SIGKILL)
            if self._guardian:
                self._guardian.end(self._process.pid)
