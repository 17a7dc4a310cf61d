"""Titles and headings, told to screen readers as that: readers jump from one to the next. So are lines with a link, and
rows as the items of a list.

Qt knows none of them among its labels and frames, so those with one of these roles, or with a link that keys reach, get
an answer of their own. Nothing where the binding is too old for it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QWidget

from wizard.gui.widgets.frames import RowCell
from wizard.gui.widgets.labels import SPOKEN_AS

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

ROLES = ("title", "heading", "notice-title")
_LISTS = {"list": QAccessible.Role.List, "item": QAccessible.Role.ListItem}


def _role_of(asked: QWidget) -> QAccessible.Role | None:
    if not isinstance(asked, QLabel):
        return _LISTS.get(asked.property(SPOKEN_AS))
    if asked.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByKeyboard:
        return QAccessible.Role.Link
    if asked.property(SPOKEN_AS) in _LISTS:
        return _LISTS[asked.property(SPOKEN_AS)]
    is_heading = asked.property("role") in ROLES or asked.property(SPOKEN_AS) == "heading"
    return QAccessible.Role.Heading if is_heading else None


def _name_of_list(shown: QObject | None) -> str:
    """Return its own name, else that of what it is in: in the end its page's title."""
    while isinstance(shown, QWidget):
        if name := shown.accessibleName():
            return name
        shown = shown.parentWidget()
    return ""


@cache
def tell_headings() -> None:
    """Once for the program."""
    if not (hasattr(QAccessible, "installFactory") and hasattr(QAccessible.Role, "Heading")):
        return
    from PySide6.QtWidgets import QAccessibleWidget

    class Spoken(QAccessibleWidget):
        def text(self, kind: QAccessible.Text) -> str:
            shown = self.object()
            if kind == QAccessible.Text.Name and isinstance(shown, QLabel):
                return shown.accessibleName() or shown.text()
            if kind == QAccessible.Text.Name and isinstance(shown, RowCell):
                return shown.words
            if kind == QAccessible.Text.Name and self.role() == QAccessible.Role.List:
                return _name_of_list(shown)
            return super().text(kind)

    kept: dict[int, Any] = {}  # Qt does not hold what Python has made

    def answer(name: str, asked: QObject) -> Any:
        if not isinstance(asked, QWidget) or (role := _role_of(asked)) is None:
            return None
        number = id(asked)
        kept[number] = Spoken(asked, role)
        asked.destroyed.connect(lambda: kept.pop(number, None))
        return kept[number]

    QAccessible.installFactory(answer)
