"""Asks in the page before the window is closed while something goes on: a run, which lives on without the window, or
what ends with it (the class server, a pack that is being built). Never a modal box."""

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
        self._is_run, self._ends = True, ""
        self.setVisible(False)

    def ask(self, is_run: bool = True, ends: str = "") -> None:
        """`ends`: serving | building, what would end with the window."""
        self._is_run, self._ends = is_run, ends
        self.retranslate()
        self.setVisible(True)
        self.stay.setFocus()

    def put_away(self) -> None:
        self.setVisible(False)
        self.stayed.emit()

    def retranslate(self) -> None:
        goes_on = self.tr("It can go on without this window; the next start shows it again.")
        run = [(self.tr("The setup is still running."), goes_on)] if self._is_run else []
        said = [*run, *([self._ending()] if self._ends else [])]
        self._what.setText(" ".join(what for what, _ in said))
        self._more.setText(" ".join(more for _, more in said))
        ending, running = self.tr("Close &window and end it"), self.tr("Close &window, let it run")
        self.go.setText(running if self._is_run else ending)
        self.cancel.setVisible(self._is_run)
        self.cancel.setText(self.tr("Cancel the set&up"))
        self.stay.setText(self.tr("Sta&y"))
        self.setAccessibleName(f"{self._what.text()} {self._more.text()}")

    def _ending(self) -> tuple[str, str]:
        if self._ends == "building":
            kept = self.tr("Closing the window stops it. What has been fetched is kept for the next time.")
            return self.tr("The pack is still being built."), kept
        theirs = self.tr("Closing the window ends that. What others have fetched from here stays theirs.")
        return self.tr("This computer is serving the class."), theirs
