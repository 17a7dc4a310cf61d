"""Gentle to a shared network: how fast and with how many connections the download may go. Nothing said: no limit."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QSpinBox, QWidget

from wizard.gui.parts.labels import label
from wizard.plan.model import Choices

_MEGABYTE = 1_000_000
_FASTEST = 1000.0
_MOST = 16


class LimitsForm(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self._texts = [QLabel(), QLabel()]
        self.rate, self.connections = QDoubleSpinBox(), QSpinBox()
        self.rate.setRange(0, _FASTEST)
        self.rate.setDecimals(1)
        self.rate.setSingleStep(1)
        self.rate.setSuffix(" MB/s")
        self.connections.setRange(0, _MOST)
        self._help = label("", "muted")
        for row, (text, field) in enumerate(zip(self._texts, (self.rate, self.connections), strict=True)):
            text.setBuddy(field)
            field.setMinimumWidth(150)
            field.lineEdit().setTextMargins(8, 0, 0, 0)  # a style sheet's padding does not reach the text in there
            grid.addWidget(text, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self._help, 2, 0, 1, 3)
        grid.setColumnStretch(2, 1)

    def retranslate(self) -> None:
        words = (self.tr("At &most"), self.tr("Connections at &once"))
        for text, word, field in zip(self._texts, words, (self.rate, self.connections), strict=True):
            text.setText(word)
            field.setAccessibleName(word.replace("&", ""))
        self.rate.setSpecialValueText(self.tr("no limit"))
        self.connections.setSpecialValueText(self.tr("automatic"))
        self._help.setText(self.tr("In a classroom, a limit and few connections leave something for the others."))

    def show_choices(self, choices: Choices) -> None:
        for field, value in (
            (self.rate, (choices.limit_rate or 0) / _MEGABYTE), (self.connections, choices.connections or 0),
        ):  # fmt: skip
            blocker = QSignalBlocker(field)
            field.setValue(value)  # type: ignore[arg-type]
            del blocker

    def limits(self) -> tuple[int | None, int | None]:
        """Bytes a second and connections; None: not limited by the person."""
        rate = round(self.rate.value() * _MEGABYTE)
        return rate or None, self.connections.value() or None
