"""Linux: a child leads a session of its own, is stopped by its group's signals, and dies with who started it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

assert sys.platform != "win32"  # for the type checker: nothing below is looked at there

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def child_arguments() -> dict[str, Any]:
    """For Popen, of a child that must not outlive us."""
    parent = os.getpid()

    def die_with_parent() -> None:
        # Runs between fork and exec: system calls that were looked up before, nothing else.
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before we could ask to be told
            os._exit(1)

    return {"start_new_session": True, "preexec_fn": die_with_parent}


class Family:
    """A process, started with `child_arguments`, and all that it started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def stop(self, interrupt: float, terminate: float, kill: float) -> None:
        """Interrupt, terminate, kill: each rung has its own time limit."""
        ladder = ((signal.SIGINT, interrupt), (signal.SIGTERM, terminate), (signal.SIGKILL, kill))
        for number, seconds in ladder:
            self._signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
                return

    def kill(self) -> None:
        """What is left of it; harmless when nothing is."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def join_own_family() -> bool:
    """True: what we start from now on ends with us, to the last descendant. Here only children do."""
    return False


def start_apart(argv: tuple[str, ...] | str, own_window: bool, arguments: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    """Outlives us. Raises OSError."""
    return subprocess.Popen(argv, start_new_session=True, **arguments)


def is_running(number: int) -> bool:
    """Whether there is a process of that number, anybody's."""
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # another user's
        return True
    return number > 0


def may_open(wanted: int) -> int:
    """How many files this program may have open, raised as far as that needs no permission."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    endless = resource.RLIM_INFINITY
    if soft != endless and soft < wanted:
        soft = wanted if hard == endless else min(wanted, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        except (OSError, ValueError):
            return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if soft == endless else soft


def stay_awake() -> Callable[[], None] | None:
    """Tells the system not to sleep, and gives the way to take that back; None where a program has to be asked."""
    return None
