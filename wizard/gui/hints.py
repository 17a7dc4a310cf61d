"""One line of help for each control: what it does, as the mouse's hint and for who hears the window.

The lines are rows of the catalogue (`page.hint.<page>.<control>`), and a control is named by the attributes that lead
to it (`network.region.choice`); so a page needs no code for them. Longer help is `parts/help_panel.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from PySide6.QtWidgets import QWidget

from wizard.gui.voice import Voice
from wizard.i18n import sentences_of


@cache
def hints_of(name: str, language: str) -> Mapping[str, str]:
    """By the control's path."""
    return sentences_of(f"page.hint.{name}", language)


def control_at(owner: Any, path: str) -> QWidget:
    """Raises LookupError for a path that leads nowhere."""
    found = owner
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else getattr(found, part, None)
    if not isinstance(found, QWidget):
        raise LookupError(path)
    return found


def put_hints(owner: QWidget, name: str, voice: Voice) -> None:
    """A key of a translation that names no control is passed over: it is for the tests, not for the window."""
    for path, words in hints_of(name, voice.language).items():
        try:
            control = control_at(owner, path)
        except LookupError:
            continue
        control.setToolTip(words)
        control.setAccessibleDescription(words)
