"""Words in a box of Windows' own, for a program that has neither a window nor a console."""

from __future__ import annotations

import contextlib
from typing import Any

from wizard.windows.calls import load

_ERROR_IN_FRONT = 0x0000_0010 | 0x0001_0000  # MB_ICONERROR, MB_SETFOREGROUND


def message_box(title: str, words: str, user32: Any = None) -> bool:
    """Waits until it is closed. False: nothing could be shown (elsewhere than on Windows, always)."""
    with contextlib.suppress(OSError):
        return bool((user32 or load("user32")).MessageBoxW(None, words, title, _ERROR_IN_FRONT))
    return False
