"""A Windows job object that ends its processes when its last handle is closed (also when we are killed)."""

from __future__ import annotations

import ctypes
from typing import Any

from wizard.system.windows.calls import DWORD, last_error, load

NEW_CONSOLE, NEW_PROCESS_GROUP = 0x0000_0010, 0x0000_0200
BREAKAWAY_FROM_JOB, NO_WINDOW = 0x0100_0000, 0x0800_0000
SIGBREAK = 21

# No console window flashes up, and a break reaches the child alone.
CHILD = NO_WINDOW | NEW_PROCESS_GROUP


def detached(own_window: bool) -> tuple[int, ...]:
    """To be tried in this order: a job that lets nobody out (a terminal's, a build machine's) refuses the first."""
    flags = NEW_PROCESS_GROUP | (NEW_CONSOLE if own_window else NO_WINDOW)
    return flags | BREAKAWAY_FROM_JOB, flags


KILL_ON_JOB_CLOSE, BREAKAWAY_OK = 0x2000, 0x0800
EXTENDED_LIMIT_INFORMATION = 9
_SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", DWORD),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", DWORD),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", DWORD),
        ("SchedulingClass", DWORD),
    ]


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = [
        ("BasicLimitInformation", BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


class JobObject:
    """Raises OSError when Windows refuses one."""

    def __init__(self, kernel: Any = None) -> None:
        self._kernel = kernel or load("kernel32")
        self._handle: int | None = self._kernel.CreateJobObjectW(None, None)
        if not self._handle:
            raise last_error()
        limits = ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = KILL_ON_JOB_CLOSE | BREAKAWAY_OK
        told = self._kernel.SetInformationJobObject(
            self._handle, EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        if not told:
            error = last_error()
            self._close()
            raise error

    def assign(self, pid: int) -> bool:
        """False for a process that has ended already, or that is not ours to put anywhere."""
        process = self._kernel.OpenProcess(_SET_QUOTA_AND_TERMINATE, False, pid)
        if not process:
            return False
        is_in = bool(self._kernel.AssignProcessToJobObject(self._handle, process))
        self._kernel.CloseHandle(process)
        return is_in

    def terminate(self) -> None:
        """All of its processes; harmless when it is called again."""
        if self._handle:
            self._kernel.TerminateJobObject(self._handle, 1)
            self._close()

    def _close(self) -> None:
        self._kernel.CloseHandle(self._handle)
        self._handle = None
