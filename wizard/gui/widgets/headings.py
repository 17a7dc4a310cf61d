"""What Qt does not know among its widgets, told to screen readers as what it is: headings with their level, lines with
a link, lists that hold their items alone, and buttons that open something, with whether it is open.

Those that are one of these get an answer of their own; all others keep Qt's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from PySide6 import QtGui
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible, QAccessibleActionInterface, QAccessibleInterface, QAccessibleStateChangeEvent
from PySide6.QtWidgets import QAccessibleWidget, QLabel, QPushButton, QRadioButton, QWidget
from shiboken6 import Shiboken, VoidPtr

from wizard.gui.widgets.frames import RowCell
from wizard.gui.widgets.labels import SPOKEN_AS, without_key

ROLES = ("title", "heading", "notice-title")
_LISTS = {"list": QAccessible.Role.List, "item": QAccessible.Role.ListItem}
_PRESS = QAccessibleActionInterface.pressAction()


def _role_of(asked: QWidget) -> QAccessible.Role | None:
    if isinstance(asked, QPushButton):
        role = QAccessible.Role.RadioButton if asked.property("role") == "choice" else QAccessible.Role.Button
        return role if asked.isCheckable() else None
    if not isinstance(asked, QLabel):
        other = QAccessible.Role.Client if isinstance(asked, RowCell) else None
        return _LISTS.get(asked.property(SPOKEN_AS), other)
    if asked.property(SPOKEN_AS) == "advice":
        return QAccessible.Role.Link
    if asked.property(SPOKEN_AS) in _LISTS:
        return _LISTS[asked.property(SPOKEN_AS)]
    is_heading = asked.property("role") in ROLES or asked.property(SPOKEN_AS) == "heading"
    return QAccessible.Role.Heading if is_heading else None


class _Spoken(QAccessibleWidget):
    def text(self, kind: QAccessible.Text) -> str:
        shown = self.widget()
        if kind == QAccessible.Text.Name and isinstance(shown, QLabel):
            return shown.accessibleName() or shown.text()
        if kind == QAccessible.Text.Name and isinstance(shown, RowCell):
            return (shown.accessibleName() or shown.words) if self.role() == QAccessible.Role.ListItem else ""
        return super().text(kind)


class _HeardAdvice(_Spoken):
    """A sentence that may get links, or lose them, long after a reader has met it."""

    def role(self) -> QAccessible.Role:
        shown = self.widget()
        assert isinstance(shown, QLabel)
        has_links = shown.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        return QAccessible.Role.Link if has_links else QAccessible.Role.StaticText


class _HeardButton(_Spoken):
    """One that stays pressed: while what it opened is open, or of a choice the one that counts."""

    def text(self, kind: QAccessible.Text) -> str:
        shown = self.widget()
        assert isinstance(shown, QPushButton)
        if kind == QAccessible.Text.Name:
            return shown.accessibleName() or without_key(shown.text())
        return shown.shortcut().toString() if kind == QAccessible.Text.Accelerator else super().text(kind)

    def state(self) -> QAccessible.State:
        said, shown = super().state(), self.widget()
        assert isinstance(shown, QPushButton)
        if self.role() == QAccessible.Role.RadioButton:
            said.checkable, said.checked = 1, int(shown.isChecked())
        else:
            said.expandable, said.expanded, said.collapsed = 1, int(shown.isChecked()), int(not shown.isChecked())
        return said

    def actionNames(self) -> list[str]:
        return [_PRESS, *super().actionNames()]

    def doAction(self, name: str) -> None:
        shown = self.widget()
        if name == _PRESS and isinstance(shown, QPushButton):
            shown.animateClick()  # not before the reader has its answer
        else:
            super().doAction(name)

    def say_turned(self) -> None:
        changed = QAccessible.State()
        changed.expanded = int(self.role() == QAccessible.Role.Button)  # Qt itself says that it is checked
        QAccessible.updateAccessibility(QAccessibleStateChangeEvent(self.widget(), changed))


class _HeardHolder(_Spoken):
    """A list or an item of one: what stands in it for the eye alone is left out."""

    def _held(self) -> Sequence[QWidget]:
        return ()

    def childCount(self) -> int:
        return len(self._held())

    def child(self, number: int) -> Any:  # the stubs know no None
        held = self._held()
        return QAccessible.queryAccessibleInterface(held[number]) if 0 <= number < len(held) else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        held, one = self._held(), child.object()
        return held.index(one) if one in held else -1


class _HeardList(_HeardHolder):
    def _held(self) -> Sequence[QWidget]:
        return [one for one in _inside(self.widget()) if one.property(SPOKEN_AS) == "item" and not one.isHidden()]

    def text(self, kind: QAccessible.Text) -> str:
        """Its own name, else that of what it is in: in the end its page's title."""
        shown: QWidget | None = self.widget() if kind == QAccessible.Text.Name else None
        while shown is not None:
            if name := shown.accessibleName():
                return name
            shown = shown.parentWidget()
        return super().text(kind)


class _HeardItem(_HeardHolder):
    """Its name says the whole row, so that it holds only what can be done there, and bars, which go on."""

    def _held(self) -> Sequence[QWidget]:
        shown = self.widget()
        beside = [one for one in _cells(shown) if one is not shown and _has_control(one)]
        return [*(one for one in _inside(shown) if _has_control(one)), *beside]


class _HeardCell(_Spoken):
    """Another cell of a row: part of the row's item."""

    def parent(self) -> Any:
        items = (one for one in _cells(self.widget()) if one.property(SPOKEN_AS) == "item")
        item = next(items, None)
        return QAccessible.queryAccessibleInterface(item) if item is not None else super().parent()


def _inside(holder: QWidget) -> Sequence[QWidget]:
    return holder.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)


def _cells(shown: QWidget) -> Sequence[RowCell]:
    """Return all cells of the row that it is of."""
    above = shown.parentWidget()
    if not isinstance(shown, RowCell) or above is None:
        return ()
    return [one for one in _inside(above) if isinstance(one, RowCell) and one.cells is shown.cells]


def _has_control(shown: QWidget) -> bool:
    return any(
        _is_control(one) and (one is shown or one.isVisibleTo(shown)) for one in (shown, *shown.findChildren(QWidget))
    )


def _is_control(shown: QWidget) -> bool:
    """Or a bar that goes on. Of a group of choices only the chosen one can be reached by Tab: Qt takes that from the
    others."""
    is_known = isinstance(shown, QRadioButton) or shown.property(SPOKEN_AS) == "bar"
    return is_known or bool(shown.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _heading() -> type[_Spoken]:
    """Return how headings are told: the page's title is of the first level. Older bindings know no level."""
    if not hasattr(QtGui, "QAccessibleAttributesInterface"):
        return _Spoken

    class Level(QtGui.QAccessibleAttributesInterface):
        def __init__(self, level: int) -> None:
            super().__init__()
            self._level = level

        def attributeKeys(self) -> list[QAccessible.Attribute]:
            return [QAccessible.Attribute.Level]

        def attributeValue(self, key: QAccessible.Attribute) -> object:
            return self._level if key == QAccessible.Attribute.Level else None

    levels = {is_title: Level(1 if is_title else 2) for is_title in (True, False)}

    class Heading(_Spoken):
        def interface_cast(self, kind: QAccessible.InterfaceType) -> Any:
            if kind == QAccessible.InterfaceType.AttributesInterface:
                return VoidPtr(Shiboken.getCppPointer(levels[self.widget().property("role") == "title"])[0])
            return super().interface_cast(kind) or VoidPtr(0)  # None would be a pointer to anywhere

    return Heading


@cache
def tell_headings() -> None:
    """Once for the program."""
    kinds = {
        QAccessible.Role.Link: _HeardAdvice,
        QAccessible.Role.Button: _HeardButton,
        QAccessible.Role.RadioButton: _HeardButton,
        QAccessible.Role.List: _HeardList,
        QAccessible.Role.ListItem: _HeardItem,
        QAccessible.Role.Client: _HeardCell,
        QAccessible.Role.Heading: _heading(),
    }
    kept: dict[int, Any] = {}  # Qt does not hold what Python has made

    def answer(name: str, asked: QObject) -> Any:
        if not isinstance(asked, QWidget) or (role := _role_of(asked)) is None:
            return None
        number = id(asked)
        kept[number] = made = kinds.get(role, _Spoken)(asked, role)
        asked.destroyed.connect(lambda: kept.pop(number, None))
        if isinstance(made, _HeardButton) and isinstance(asked, QPushButton):
            asked.toggled.connect(made.say_turned)
        return made

    QAccessible.installFactory(answer)
