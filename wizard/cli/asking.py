"""A yes from a person at a terminal, before something of theirs is changed."""

from __future__ import annotations

import sys

from wizard.cli.terminal import Terminal
from wizard.errors import UsageError
from wizard.i18n import Message

_YES = ("y", "yes", "是", "好")


def check_can_ask(is_agreed: bool) -> None:
    """Raises UsageError `needs-yes` where there is nobody to ask and nobody agreed beforehand."""
    if not is_agreed and not (sys.stdin is not None and sys.stdin.isatty()):
        raise UsageError("needs-yes")


def agrees(question: Message, terminal: Terminal) -> bool:
    terminal.say(question)
    return sys.stdin.readline().strip().lower() in _YES
