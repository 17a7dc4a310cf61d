"""How processes are started, stopped and asked about: this system's side (`processes_linux`, `processes_windows`).

What is run, how long is waited and what a child gets to see is `wizard.process`'s. The sides have the same names;
tests/windows/test_seam.py holds one against the other.
"""

import sys

if sys.platform == "win32":
    from wizard.system.processes_windows import (
        STOP_SIGNALS,
        Family,
        child_arguments,
        is_running,
        join_own_family,
        may_open,
        start_apart,
        stay_awake,
    )
else:
    from wizard.system.processes_linux import (
        STOP_SIGNALS,
        Family,
        child_arguments,
        is_running,
        join_own_family,
        may_open,
        start_apart,
        stay_awake,
    )

__all__ = [
    "STOP_SIGNALS",
    "Family",
    "child_arguments",
    "is_running",
    "join_own_family",
    "may_open",
    "start_apart",
    "stay_awake",
]
