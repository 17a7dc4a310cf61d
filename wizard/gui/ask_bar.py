"""Asks in the page what to do with a run that is going on when the window is to be closed. Never a modal box."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.labels import label


class AskBar(QFrame):
    leave = Signal()
    cancel_run = Signal()
    stayed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "ask")
        rows = column(self, (16, 12, 16, 12), 8)
        self._what, self._more = label("", "strong"), label("", "muted")
        rows.addWidget(self._what)
        rows.addWidget(self._more)
        line = line_up()
        self.go, self.cancel, self.stay = (QPushButton(self) for _ in range(3))
        self.go.setProperty("role", "primary")
        for button in (self.go, self.cancel, self.stay):
            line.addWidget(button)
        line.addStretch(1)
        rows.addLayout(line)
        self.go.clicked.connect(self.leave)
        self.cancel.clicked.connect(self.cancel_run)
        self.stay.clicked.connect(self.put_away)
        self.setVisible(False)

    def ask(self) -> None:
        self.setVisible(True)
        self.stay.setFocus()

    def put_away(self) -> None:
        self.setVisible(False)
        self.stayed.emit()

    def retranslate(self) -> None:
        self._what.setText(self.tr("The setup is still running."))
        self._more.setText(self.tr("It can go on without this window; the next start shows it again."))
        self.go.setText(self.tr("Close &window, let it run"))
        self.cancel.setText(self.tr("Cancel the set&up"))
        self.stay.setText(self.tr("S&tay"))
        self.setAccessibleName(f"{self._what.text()} {self._more.text()}")
