"""Goes on from Check to Review by itself where all is well, so that a first setup takes three clicks.

Each page does its work and is pressed as a person would; meanwhile one calm page tells what was chosen. An error, a
page that has a question, a key or a click of the person's ends it, and they stand where they are.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QPushButton, QWidget

from wizard.app.pages.order import ORDER, PageId
from wizard.gui.pages.base import Page
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.rail import page_name
from wizard.gui.widgets.figures import rate_text, variant_text
from wizard.gui.widgets.frames import box, line_up
from wizard.gui.widgets.labels import SIGNS, label, restyle

if TYPE_CHECKING:
    from wizard.gui.shell.parts import WindowParts

_BY_A_PERSON = (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress, QEvent.Type.Wheel)
_PRESSES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_SHOWN = (PageId.BUILD, PageId.SOURCE, PageId.PLACE, PageId.REVIEW)
_SHORTEST = 0.4  # seconds that the ticks are seen: less would be a flicker


class ChoosingPage(Page):
    """What is being chosen, a tick each. It asks nothing; the one button leads to choosing by hand."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.myself = QPushButton()
        self.myself.clicked.connect(lambda: context.navigator.go_to(PageId.BUILD))
        self.footer_right = [self.myself]
        self._rows: dict[PageId, tuple[QLabel, QLabel, QLabel, QLabel]] = {}
        card = box("card")
        grid = QGridLayout(card)
        grid.setContentsMargins(24, 8, 24, 8)
        grid.setHorizontalSpacing(18)
        grid.setColumnStretch(2, 1)
        for number, page in enumerate(_SHOWN):
            mark, name = label("", "tick", wrap=False), label("", "muted", wrap=False)
            value, note = label("", "strong"), label("", "muted", wrap=False)
            for place, cell in enumerate((mark, name, value, note)):
                grid.addWidget(cell, 2 * number, place)
            if page is not _SHOWN[-1]:
                grid.addWidget(box("line"), 2 * number + 1, 0, 1, 4)
            grid.setRowMinimumHeight(2 * number, 56)
            self._rows[page] = (mark, name, value, note)
        middle = line_up()
        middle.addStretch(1)
        middle.addWidget(card, 6)
        middle.addStretch(1)
        self.body.addStretch(1)
        self.body.addLayout(middle)
        self.body.addStretch(3)

    def primary_text(self) -> str:
        return ""

    def may_press(self) -> bool:
        return False

    def may_back(self) -> bool:
        return False

    def first_control(self) -> QWidget:
        return self.myself

    def retranslate(self) -> None:
        self.set_head(self.tr("Choosing for you"), self.tr("Nothing is installed yet."))
        self.myself.setText(self.tr("Choose my&self"))
        self.myself.setAccessibleDescription(self.tr("Stops here, so that you choose the version, source and folder."))

    def render_state(self) -> None:
        now = ORDER.index(self.context.navigator.page)
        chosen = self._chosen()
        for page, (mark, name, value, note) in self._rows.items():
            place = ORDER.index(page)
            state = "done" if place < now or (page is PageId.REVIEW and self.state.preview) else "later"
            state = "now" if place == now and state != "done" else state
            mark.setText(SIGNS["ok"] if state == "done" else "")
            words = {"done": self.tr("done"), "now": self.tr("in progress"), "later": self.tr("not yet")}
            mark.setAccessibleName(f"{page_name(page)}: {words[state]}")
            if mark.property("state") != state:
                mark.setProperty("state", state)
                restyle(mark)
            name.setText(page_name(page))
            words_of = chosen.get(page, ("", "")) if state == "done" else ("", "")
            value.setText(words_of[0])
            note.setText(words_of[1] if state != "now" else self.tr("checking…"))

    def _chosen(self) -> dict[PageId, tuple[str, str]]:
        state = self.state
        found: dict[PageId, tuple[str, str]] = {}
        if state.picked is not None:
            build = f"torch {state.picked.torch} + {variant_text(state.picked.variant)}"
            found[PageId.BUILD] = (build, self.tr("fits your card") if state.picked.variant != "cpu" else "")
        if state.selected is not None:
            source = state.selected.torch_source
            rates = [one.rate for one in state.selected.states if one.source == source and one.rate]
            found[PageId.SOURCE] = (self.say(source.label), rate_text(rates[0]) if rates else "")
        if state.place is not None and state.choices.prefix:
            found[PageId.PLACE] = (state.choices.prefix, "")
        return found


class AutoAdvance(QObject):
    def __init__(self, app: QApplication, window: WindowParts) -> None:
        super().__init__(window)
        self._app, self._window = app, window
        self._listens = self._is_due = False
        self._began = 0.0
        self._choosing: ChoosingPage | None = None

    def front(self) -> Page:
        """Return what is shown: the page, or what is shown in its place while the program chooses."""
        window = self._window
        if not window.navigator.chooses or window.side.here is not None:
            return window.page
        if self._choosing is None:
            self._choosing = ChoosingPage(window.context)
            window.stack.addWidget(self._choosing)
            window.footer.add_page(self._choosing)
        return self._choosing

    def look(self) -> None:
        """Something has changed: may the next page be turned?"""
        window, navigator = self._window, self._window.navigator
        if navigator.chooses and window.page.trouble.code:
            navigator.stop_hurrying()
        if navigator.chooses and navigator.page is PageId.REVIEW:
            self._end()
        if navigator.chooses != self._listens:
            self._listens = navigator.chooses
            self._began = time.monotonic()
            (self._app.installEventFilter if self._listens else self._app.removeEventFilter)(self)
        if self._may_press() and not self._is_due:
            self._is_due = True
            QTimer.singleShot(0, self, self._press)  # the page is painted first

    def _end(self) -> None:
        """At Review the plan is waited for, and what was chosen is seen for a moment."""
        if self._window.page.is_busy:
            return
        left = self._began + _SHORTEST - time.monotonic()
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
        if event.type() in _BY_A_PERSON and isinstance(watched, QWidget) and not self._is_for_button(watched, event):
            self._window.navigator.stop_hurrying()
            self._window.page.changed.emit()
        return False

    def _is_for_button(self, watched: QWidget, event: QEvent) -> bool:
        """The button ends it by itself, when it is let go."""
        button = self._choosing.myself if self._choosing else None
        is_press = isinstance(event, QKeyEvent) and event.key() in _PRESSES
        return watched is button or (is_press and button is not None and button.hasFocus())
