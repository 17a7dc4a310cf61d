"""Fields with a wish of their own: a long choice, a pasted text, a path.

A drop-down whose chosen entry may be longer than it is: shortened in the middle, whole in the list.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from wizard.gui.shell.theme import code_font

# A box for pasted text that also takes a dropped file. Plain text only: a web page's colours stay outside.


class PasteBox(QPlainTextEdit):
    dropped = Signal(object)  # list[Path]

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(code_font())
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAcceptDrops(True)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
        if files:
            self.dropped.emit(files)
        else:
            self.insertPlainText(source.text())


# A field for a path: a folder or file that is dropped on it becomes its path. A plain field would take it as file://.


class PathField(QLineEdit):
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _path(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        path = _path(event.mimeData())
        if not path:
            super().dropEvent(event)
            return
        event.acceptProposedAction()
        self.selectAll()
        self.insert(path)  # as if it had been typed
        self.editingFinished.emit()


def _path(data: QMimeData) -> str:
    """Of exactly one; '' for anything else."""
    urls = data.urls()
    return str(Path(urls[0].toLocalFile())) if len(urls) == 1 and urls[0].isLocalFile() else ""


class Choice(QComboBox):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view().setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def shown_text(self) -> str:
        """As much of the chosen entry as there is room for."""
        option = self._option()
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return option.fontMetrics.elidedText(option.currentText, Qt.TextElideMode.ElideMiddle, room.width())

    def showPopup(self) -> None:
        """As wide as its longest entry, up to the window's edge."""
        least = self.view().sizeHintForColumn(0) + 2 * self.view().frameWidth() + 16
        room = self.window().width() - self.mapTo(self.window(), self.rect().topLeft()).x()
        self.view().setMinimumWidth(max(self.width(), min(least, room)))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = self._option()
        option.currentText = self.shown_text()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option
