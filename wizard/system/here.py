"""On which system this program runs. The answer is a value, handed on like any other fact of a machine: what follows
from it stands in `traits` and `places`. Tests let it say `windows`, and walk through that side."""

from __future__ import annotations

import sys


def os_name() -> str:
    """`windows` or `linux`, as in machine.json; `linux` also stands for what is like it."""
    return "windows" if sys.platform == "win32" else "linux"
