"""How Windows is asked to start and to interrupt a program: numbers, since Python names them on Windows only."""

from __future__ import annotations

NEW_CONSOLE, NEW_PROCESS_GROUP = 0x0000_0010, 0x0000_0200
BREAKAWAY_FROM_JOB, NO_WINDOW = 0x0100_0000, 0x0800_0000
SIGBREAK = 21

# No console window flashes up, and a break reaches the child alone.
CHILD = NO_WINDOW | NEW_PROCESS_GROUP


def detached(own_window: bool) -> tuple[int, ...]:
    """To be tried in this order: a job that lets nobody out (a terminal's, a build machine's) refuses the first."""
    flags = NEW_PROCESS_GROUP | (NEW_CONSOLE if own_window else NO_WINDOW)
    return flags | BREAKAWAY_FROM_JOB, flags
