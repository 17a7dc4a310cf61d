"""A large button with a heading and a sentence: one way to begin."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from wizard.gui.parts.boxes import column
from wizard.gui.parts.labels import label


class Tile(QPushButton):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "tile")
        rows = column(self, (18, 14, 18, 14), 4)
        self._heading, self._words = label("", "heading"), label("", "muted")
        for part in (self._heading, self._words):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            rows.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

    def show_words(self, heading: str, words: str) -> None:
        self._heading.setText(heading)
        self._words.setText(words)
        self.setAccessibleName(heading)
        self.setAccessibleDescription(words)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        return layout.minimumSize() if layout else super().minimumSizeHint()
