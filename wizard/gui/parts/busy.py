"""Something is under way: what it is, in words, and a moving bar for who likes things to move."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from wizard.gui.motion import is_motion_reduced
from wizard.gui.parts.boxes import column
from wizard.gui.parts.labels import label


class Busy(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        rows = column(self, (16, 14, 16, 14), 10)
        self._said: Callable[[], str] = str
        self._words = label("")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1)
        rows.addWidget(self._words)
        rows.addWidget(self._bar)
        self.setVisible(False)

    def begin(self, words: Callable[[], str]) -> None:
        is_still = is_motion_reduced()
        self._bar.setVisible(not is_still)
        self._bar.setRange(0, 1 if is_still else 0)
        self.say(words)
        self.setVisible(True)

    def say(self, words: Callable[[], str]) -> None:
        """`words` are asked again when the language changes."""
        self._said = words
        self.retranslate()

    def retranslate(self) -> None:
        words = self._said()
        self._words.setText(words)
        self.setAccessibleName(words)
        self._bar.setAccessibleName(words)

    def end(self) -> None:
        self._bar.setRange(0, 1)  # a bar that nobody sees must not go on moving
        self.setVisible(False)
