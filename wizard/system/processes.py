"""How processes are started, stopped and asked about: this system's side (`processes_linux`, `processes_windows`).

What is run, how long is waited and what a child gets to see is `wizard.process`'s. The sides have the same names, and
all that each makes is offered here; tests/windows/test_both_sides.py holds one against the other.
"""

import sys

if sys.platform == "win32":
    from wizard.system.processes_windows import *  # noqa: F403
else:
    from wizard.system.processes_linux import *  # noqa: F403
