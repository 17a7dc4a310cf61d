"""A line of code or a command with a button that copies it."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.parts.boxes import line_up
from wizard.gui.parts.labels import label, selectable
from wizard.gui.theme import code_font

_SAID_FOR_MS = 1800


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
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(_SAID_FOR_MS)
        self._back.timeout.connect(self.retranslate)
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
        QGuiApplication.clipboard().setText(self.code)
        self._button.setText(self.tr("Copied"))
        self._back.start()
