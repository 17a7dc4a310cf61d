"""Goes on from Check to Review by itself where all is well, so that a first setup takes three clicks.

Each page is shown while it does its work, and pressed like a person would. An error, a page that has a question, a key
or a click of the person's ends it, and they stand where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from wizard.gui.shell.parts import WindowParts

_BY_A_PERSON = (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress, QEvent.Type.Wheel)


class AutoAdvance(QObject):
    def __init__(self, app: QApplication, window: WindowParts) -> None:
        super().__init__(window)
        self._app, self._window = app, window
        self._listens = self._is_due = False

    def look(self) -> None:
        """Something has changed: may the next page be turned?"""
        window = self._window
        if window.navigator.hurries and window.page.trouble.code:
            window.navigator.stop_hurrying()
        if window.navigator.hurries != self._listens:
            self._listens = window.navigator.hurries
            (self._app.installEventFilter if self._listens else self._app.removeEventFilter)(self)
        if self._may_press() and not self._is_due:
            self._is_due = True
            QTimer.singleShot(0, self, self._press)  # the page is painted first

    def _may_press(self) -> bool:
        window = self._window
        return window.navigator.hurries and window.side.here is None and window.page.may_press()

    def _press(self) -> None:
        self._is_due = False
        if self._may_press():
            self._window.page.press()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _BY_A_PERSON and isinstance(watched, QWidget):
            self._window.navigator.stop_hurrying()
            self.look()
        return False
