"""A part of a page that is folded away behind a line of text until somebody wants it."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from wizard.gui.parts.boxes import box, column


class Fold(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "fold")
        rows = column(self)
        self.button = QPushButton(self)
        self.button.setCheckable(True)
        self.button.setProperty("role", "plain")
        self._sheet = box("card", self)
        self.body: QVBoxLayout = column(self._sheet, (16, 14, 16, 14))
        self._sheet.setVisible(False)
        rows.addWidget(self.button)
        rows.addWidget(self._sheet)
        self._words = ""
        self.button.toggled.connect(self._turn)

    def show_words(self, words: str) -> None:
        self._words = words
        self._turn(self.button.isChecked())

    def _turn(self, is_open: bool) -> None:
        self.button.setText(f"{'▾' if is_open else '▸'}  {self._words}")
        self.button.setAccessibleName(self._words.replace("&", ""))
        self._sheet.setVisible(is_open)
