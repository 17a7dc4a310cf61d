"""How often a test tries: fewer times by default, as often as was promised with TORCH_SETUP_THOROUGH=1.

What is random (the moment of a kill, a schedule of faults, a settings file) is tried a few times by everybody and
many times before a release; the tests are the same.
"""

from __future__ import annotations

import os

VARIABLE = "TORCH_SETUP_THOROUGH"


def times(thorough: int, usual: int) -> int:
    return thorough if os.environ.get(VARIABLE) == "1" else usual
