"""A drop-down whose chosen entry may be longer than it is: shortened in the middle, whole in the list."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget


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
