"""Something is under way: a moving bar and what it is, in words."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from wizard.gui.parts.boxes import column
from wizard.gui.parts.labels import label


class Busy(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        rows = column(self, (16, 14, 16, 14), 10)
        self._words = label("")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1)
        rows.addWidget(self._words)
        rows.addWidget(self._bar)
        self.setVisible(False)

    def begin(self, words: str) -> None:
        self._bar.setRange(0, 0)
        self.say(words)
        self.setVisible(True)

    def say(self, words: str) -> None:
        self._words.setText(words)
        self._bar.setAccessibleName(words)

    def end(self) -> None:
        self._bar.setRange(0, 1)  # a bar that nobody sees must not go on moving
        self.setVisible(False)
