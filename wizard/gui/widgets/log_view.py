"""The log as it grows: appended in batches, bounded, and scrolled along only while one looks at its end.

While it is folded away lines are only kept; they are laid out when somebody wants to see them, a bite at a time and for
a few milliseconds at once, so that neither a talkative step nor unfolding a long log holds up the window. Lines that
come faster than that push out the oldest, and what was shown goes with them: the log never has a hole in its middle.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QWidget

from wizard.gui.shell.theme import code_font

MOST_LINES = 5000
_BITE = 40
_BUDGET = 0.004  # seconds of the window's thread at once
_EVERY_MS = 15
LEAST_HEIGHT = 110  # pixels
_LONGEST = 2000  # characters: a line of a megabyte would be laid out whole


class LogView(QPlainTextEdit):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[str] = deque(maxlen=MOST_LINES)
        self._is_outdated = False  # lines that should have followed the ones shown were pushed out
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setMaximumBlockCount(MOST_LINES)
        self.setFont(code_font())
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setMinimumHeight(LEAST_HEIGHT)
        self._follows, self._is_filling = True, False  # its end, until somebody scrolls up
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._look_where)
        bar.rangeChanged.connect(lambda least, most: bar.setValue(most) if self._follows else None)
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._lay_out)

    def add(self, lines: Sequence[str]) -> None:
        self._is_outdated = self._is_outdated or len(self._waiting) + len(lines) > MOST_LINES
        self._waiting.extend(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines)
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def clear(self) -> None:
        self._waiting.clear()
        self._is_outdated = False
        super().clear()

    def sizeHint(self) -> QSize:
        """As low as it may be: it grows into what the page has left, and does not make the page longer."""
        return QSize(super().sizeHint().width(), LEAST_HEIGHT)

    def bring_into(self, area: QScrollArea) -> None:
        """Scroll to all of it: `ensureWidgetVisible` shows the line of its cursor alone."""
        middle, half = self.geometry().center(), self.height() // 2 + 1
        area.ensureVisible(middle.x(), middle.y(), 0, half)

    def all_words(self) -> str:
        shown = "" if self._is_outdated else self.toPlainText()
        return "\n".join([*([shown] if shown else []), *self._waiting])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def _look_where(self, value: int) -> None:
        """Somebody has scrolled, for lines that come are no reason."""
        if not self._is_filling:
            self._follows = value >= self.verticalScrollBar().maximum() - 2

    def _lay_out(self) -> None:
        if not self._waiting or not self.isVisible():
            self._timer.stop()
            return
        bar, until = self.verticalScrollBar(), time.monotonic() + _BUDGET
        self._is_filling = True
        if self._is_outdated:
            self._is_outdated, self._follows = False, True
            super().clear()
        while self._waiting and time.monotonic() < until:
            bite = [self._waiting.popleft() for _ in range(min(_BITE, len(self._waiting)))]
            self.appendPlainText("\n".join(bite))
        if self._follows:
            bar.setValue(bar.maximum())
        self._is_filling = False
