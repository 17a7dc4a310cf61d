"""Titles and headings, told to screen readers as that: readers jump from one to the next. So are lines with a link.

Qt knows neither among its labels, so those with one of these roles, or with a link that keys reach, get an answer of
their own. Nothing where the binding is too old for it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

ROLES = ("title", "heading")


@cache
def tell_headings() -> None:
    """Once for the program."""
    if not (hasattr(QAccessible, "installFactory") and hasattr(QAccessible.Role, "Heading")):
        return
    from PySide6.QtWidgets import QAccessibleWidget

    class SpokenLabel(QAccessibleWidget):
        def text(self, kind: QAccessible.Text) -> str:
            shown = self.object()
            if kind == QAccessible.Text.Name and isinstance(shown, QLabel):
                return shown.accessibleName() or shown.text()
            return super().text(kind)

    kept: dict[int, Any] = {}  # Qt does not hold what Python has made

    def answer(name: str, asked: QObject) -> Any:
        if not isinstance(asked, QLabel):
            return None
        is_link = bool(asked.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByKeyboard)
        if not is_link and asked.property("role") not in ROLES:
            return None
        number = id(asked)
        kept[number] = SpokenLabel(asked, QAccessible.Role.Link if is_link else QAccessible.Role.Heading)
        asked.destroyed.connect(lambda: kept.pop(number, None))
        return kept[number]

    QAccessible.installFactory(answer)
