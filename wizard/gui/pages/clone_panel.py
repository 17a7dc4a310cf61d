"""Copying an environment, asked in the page: the copy's name, then how far it is. The original is only read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QProgressBar, QPushButton, QWidget

from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.labels import label
from wizard.i18n import bytes_text

if TYPE_CHECKING:
    from wizard.environments.found import Environment

_STEPS = 1000


class ClonePanel(QFrame):
    agreed = Signal(str)  # the copy's name
    put_away = Signal()  # before the start: not wanted; after it: stop

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._one: Environment | None = None
        self.is_going = False
        rows = column(self, (16, 14, 16, 14), 8)
        self._title, self._words = label("", "heading"), label("", "muted")
        self._text, self.name = QLabel(self), QLineEdit(self)
        self._text.setBuddy(self.name)
        field = line_up()
        field.addWidget(self._text)
        field.addWidget(self.name, 1)
        self._progress, self.bar = label("", "muted"), QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self.go, self.keep = QPushButton(self), QPushButton(self)
        self.go.setProperty("role", "primary")
        buttons = line_up()
        buttons.addWidget(self.go)
        buttons.addWidget(self.keep)
        buttons.addStretch(1)
        rows.addWidget(self._title)
        rows.addWidget(self._words)
        rows.addLayout(field)
        rows.addWidget(self._progress)
        rows.addWidget(self.bar)
        rows.addLayout(buttons)
        self.name.textChanged.connect(lambda words: self.go.setEnabled(bool(words.strip())))
        self.go.clicked.connect(lambda: self.agreed.emit(self.name.text().strip()))
        self.keep.clicked.connect(self.put_away)

    def ask(self, one: Environment) -> None:
        self._one, self.is_going = one, False
        self.name.setText(f"{one.name}-copy")
        self.name.selectAll()
        self.retranslate()

    def show_going(self) -> None:
        self.is_going = True
        self.show_progress(0, 0)
        self.retranslate()

    def show_progress(self, done: int, total: int) -> None:
        self.bar.setValue(int(_STEPS * done / total) if total else 0)
        words = self.tr("%1 of %2 copied").replace("%1", bytes_text(done)).replace("%2", bytes_text(total))
        self._progress.setText(words if total else self.tr("Looking through it…"))
        self.bar.setAccessibleName(self._progress.text())

    def retranslate(self) -> None:
        one = self._one
        self._text.setText(self.tr("&Name of the copy"))
        self.name.setAccessibleName(self.tr("Name of the copy"))
        self.go.setText(self.tr("&Make the copy"))
        self.keep.setText(self.tr("&Stop") if self.is_going else self.tr("N&ot now"))
        self._title.setText(self.tr("A copy of %1").replace("%1", one.name if one else ""))
        self._words.setText(
            self.tr("The copy works in its new place and is made where new environments go. The original is only read.")
        )
        for widget in (self._text, self.name, self.go):
            widget.setVisible(not self.is_going)
        self._progress.setVisible(self.is_going)
        self.bar.setVisible(self.is_going)
