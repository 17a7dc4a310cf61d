"""What is done to a disk in another way on each system: this system's side (`disk_linux`, `disk_windows`).

The sides have the same names, and all that each makes is offered here; tests/windows/test_both_sides.py holds one
against the other, and the type checker each against its callers.
"""

import sys

if sys.platform == "win32":
    from wizard.system.disk_windows import *  # noqa: F403
else:
    from wizard.system.disk_linux import *  # noqa: F403
