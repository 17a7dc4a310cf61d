"""Goes on from Check to Review by itself where all is well, so that a first setup takes three clicks.

Each page does its work and is pressed as a person would; meanwhile one calm page tells what was chosen. An error, a
page that has a question, a key or a click of the person's ends it, and they stand where they are.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from wizard.app.pages.order import PageId
from wizard.gui.pages.base import Page
from wizard.gui.shell.page_factory import BEHIND_CHECK, load_behind_check

if TYPE_CHECKING:
    from wizard.gui.pages.choosing import ChoosingPage
    from wizard.gui.shell.parts import WindowParts

_BY_A_PERSON = (
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.KeyPress,
    QEvent.Type.Wheel,
)
_PRESSES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
UNMEANT = 0.7  # seconds: a press so soon is the second one of an impatient hand, on what is gone
_SEEN = 0.7  # seconds that the last tick is seen with what was chosen; a press of Return ends them


class AutoAdvance(QObject):
    def __init__(self, app: QApplication, window: WindowParts) -> None:
        super().__init__(window)
        self._app, self._window = app, window
        self._listens = self._is_due = self._is_prepared = False
        self._began = 0.0
        self._decided: float | None = None  # when the last tick came
        self._choosing: ChoosingPage | None = None

    def is_choosing(self, page: Page | None) -> bool:
        return page is not None and page is self._choosing

    def front(self) -> Page:
        """Return what is shown: the page, or what is shown in its place while the program chooses."""
        window = self._window
        if not window.navigator.chooses or window.side.here is not None:
            return window.page
        return self._choosing or self._make_choosing()

    def _make_choosing(self) -> ChoosingPage:
        from wizard.gui.pages.choosing import ChoosingPage  # not before somebody has it chosen

        window = self._window
        self._choosing = made = ChoosingPage(window.context)
        window.stack.addWidget(made)
        window.footer.add_page(made)
        window.theme.dress(made)
        return made

    def _prepare(self) -> None:
        """Make what Next leads to while Check is read: made by Next itself, the window would stand still meanwhile."""
        self._is_prepared = True
        self._window.tasks.start(load_behind_check, lambda nothing: self._make_next(), lambda error: None)

    def _make_next(self) -> None:
        """One page in each round of the loop, so that keys and clicks come between them."""
        window = self._window
        page = next((page for page in BEHIND_CHECK if page not in window.pages), None)
        if self._choosing is None:
            self._make_choosing()
        elif page is not None:
            window.theme.dress(window.pages[page])
        else:
            return
        QTimer.singleShot(0, self, self._make_next)

    def look(self) -> None:
        """Something has changed: may the next page be turned?"""
        window, navigator = self._window, self._window.navigator
        if navigator.page is PageId.CHECK and navigator.state.looks is not None and not self._is_prepared:
            self._prepare()
        if navigator.chooses and window.page.trouble.code:
            navigator.stop_hurrying()
        if navigator.chooses and navigator.page is PageId.REVIEW:
            self._end()
        if navigator.chooses != self._listens:
            self._listens = navigator.chooses
            self._began, self._decided = time.monotonic(), None
            (self._app.installEventFilter if self._listens else self._app.removeEventFilter)(self)
        if self._may_press() and not self._is_due:
            self._is_due = True
            QTimer.singleShot(0, self, self._press)  # the page is painted first

    def _end(self) -> None:
        """At Review the plan is waited for, and what was chosen is seen for a moment."""
        if self._window.page.is_busy:
            return
        self._decided = self._decided or time.monotonic()
        left = self._decided + _SEEN - time.monotonic()
        if left > 0:
            QTimer.singleShot(round(left * 1000) + 1, self, self._window.page.changed.emit)
        else:
            self._window.navigator.stop_hurrying()

    def _may_press(self) -> bool:
        window = self._window
        return window.navigator.hurries and window.side.here is None and window.page.may_press()

    def _press(self) -> None:
        self._is_due = False
        if self._may_press():
            self._window.page.press()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What a person does ends it; Return and Space without the button's focus do nothing before all is chosen,
        nor does a second press right after the first."""
        if event.type() not in _BY_A_PERSON or not isinstance(watched, QWidget):
            return False
        button = self._choosing.myself if self._choosing else None
        is_press = isinstance(event, QKeyEvent) and event.key() in _PRESSES
        is_on_button = button is not None and (watched is button or (is_press and button.hasFocus()))
        is_unmeant = time.monotonic() - self._began < UNMEANT
        if is_press and not is_on_button and not is_unmeant and self._decided:
            self._window.navigator.stop_hurrying()  # all is chosen: Review comes at once, and nothing in it is pressed
            self._window.page.changed.emit()
        if is_unmeant or (is_press and not is_on_button):
            return True
        if not is_on_button:  # which ends it by itself, when it is let go
            self._window.navigator.stop_hurrying()
            self._window.page.changed.emit()
        return False
