"""The log as it grows: appended in batches, bounded, and scrolled along only while one looks at its end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from wizard.gui.theme import code_font

MOST_LINES = 5000


class LogView(QPlainTextEdit):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setMaximumBlockCount(MOST_LINES)
        self.setFont(code_font())
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setMinimumHeight(140)

    def add(self, lines: Sequence[str]) -> None:
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self.appendPlainText("\n".join(lines))
        if at_end:
            bar.setValue(bar.maximum())

    def copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.toPlainText())
