"""A line of code or a command with a button that copies it."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.parts.boxes import line_up
from wizard.gui.parts.copying import copy_out
from wizard.gui.parts.labels import label, selectable
from wizard.gui.theme import code_font


class CodeLine(QFrame):
    def __init__(self, code: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "code")
        row = line_up(self, (12, 6, 8, 6))
        self._label = selectable(label(code))
        self._label.setFont(code_font())
        self._button = QPushButton(self)
        self._button.setProperty("role", "small")
        self._button.clicked.connect(self._copy)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)
        self.retranslate()

    @property
    def code(self) -> str:
        return self._label.text()

    @property
    def button(self) -> QPushButton:
        return self._button

    def show_code(self, code: str) -> None:
        self._label.setText(code)
        self.retranslate()

    def retranslate(self) -> None:
        self._button.setText(self.tr("Copy"))
        self._button.setAccessibleName(self.tr("Copy: %1").replace("%1", self.code))

    def _copy(self) -> None:
        copy_out(self.code, self._button)
