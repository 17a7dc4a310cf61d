"""Words in a box of Windows' own, and whether a named pipe is there.

Whether a named pipe is there, asked without connecting to it.
"""

from __future__ import annotations

import contextlib
from typing import Any

from wizard.system.windows.calls import last_error, load

_ERROR_IN_FRONT = 0x0000_0010 | 0x0001_0000  # MB_ICONERROR, MB_SETFOREGROUND


def message_box(title: str, words: str, user32: Any = None) -> bool:
    """Waits until it is closed. False: nothing could be shown (elsewhere than on Windows, always)."""
    with contextlib.suppress(OSError):
        return bool((user32 or load("user32")).MessageBoxW(None, words, title, _ERROR_IN_FRONT))
    return False


_NO_SUCH_FILE = 2
_SHORTEST_MS = 1  # 0 would be the time that the pipe's maker has named


def is_pipe_there(name: str, kernel: Any = None) -> bool:
    """True also where it cannot be found out. Windows answers at once for a pipe that nobody has made."""
    try:
        found = (kernel or load("kernel32")).WaitNamedPipeW(f"\\\\.\\pipe\\{name}", _SHORTEST_MS)
    except OSError:
        return True
    return bool(found) or getattr(last_error(), "winerror", None) != _NO_SUCH_FILE
