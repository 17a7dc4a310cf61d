"""A line of code or a command with a button that copies it."""

from __future__ import annotations

import re
from math import ceil

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from wizard.gui.parts.boxes import line_up
from wizard.gui.parts.copying import copy_out
from wizard.gui.parts.labels import JOINT, Wrapped, may_end_lines, selectable
from wizard.gui.theme import code_font

_WORD = re.compile(r"\S+")


class _Code(Wrapped):
    """A command ends its lines between two words, never within an option. Only a word that is longer than a whole line
    goes on in the next one."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(40)
        self.setText(code)

    def setText(self, words: str) -> None:
        self._words = words
        self._lay_out()

    def heightForWidth(self, width: int) -> int:
        """Of the text as it will be in that width, which need not be the width of now."""
        laid = QTextDocument()
        laid.setDefaultFont(self.font())
        laid.setDocumentMargin(0)
        laid.setPlainText(self._joined(width))
        laid.setTextWidth(width)
        return ceil(laid.size().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        words = self._joined(self.width())
        if words != QLabel.text(self):
            QLabel.setText(self, words)

    def _joined(self, width: int) -> str:
        advance = self.fontMetrics().horizontalAdvance

        def join(found: re.Match[str]) -> str:
            word = found[0]
            return JOINT.join(word) if advance(word) <= width else may_end_lines(word)

        return _WORD.sub(join, self._words)


class CodeLine(QFrame):
    def __init__(self, code: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "code")
        row = line_up(self, (12, 6, 8, 6))
        self._label = selectable(_Code(code))
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
