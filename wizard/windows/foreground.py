"""What Windows' desktop has to be told of this program: that another window of ours may come to the front, and its name
in the task bar. Wishes: where they are refused, nothing is lost."""

from __future__ import annotations

import contextlib
from typing import Any

from wizard.windows.calls import load

APP_ID = "TorchSetup.TorchSetup"
_ANY_PROCESS = 0xFFFF_FFFF  # ASFW_ANY


def may_come_forward(user32: Any = None) -> None:
    """Only who was started by a click may show a window in front, and may hand that on: else the first window would
    only blink in the task bar."""
    with contextlib.suppress(OSError):
        (user32 or load("user32")).AllowSetForegroundWindow(_ANY_PROCESS)


def name_for_taskbar(shell32: Any = None) -> None:
    """Windows groups windows by this name, else by the program: python.exe. Before the first window is made."""
    with contextlib.suppress(OSError):
        (shell32 or load("shell32")).SetCurrentProcessExplicitAppUserModelID(APP_ID)
