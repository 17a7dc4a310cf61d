"""An error in the page: what happened, what to do, and the details for whoever wants them. Never a message box."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QWidget

from wizard.errors import WizardError
from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.copying import copy_out
from wizard.gui.parts.labels import Pill, label
from wizard.gui.theme import code_font
from wizard.gui.voice import Voice
from wizard.i18n import Message


class Trouble(QFrame):
    def __init__(self, voice: Voice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "error")
        self._voice = voice
        self._summary: Message | None = None
        self._hint: Message | None = None
        rows = column(self, (16, 14, 16, 14))
        self._pill = Pill("problem")
        self._what, self._do = label("", "strong"), label("")
        self._details = QPlainTextEdit(self)
        self._details.setReadOnly(True)
        self._details.setFont(code_font())
        self._details.setMaximumHeight(150)
        self._details.setTabChangesFocus(True)
        self._fold = QPushButton(self)
        self._fold.setCheckable(True)
        self._copy = QPushButton(self)
        for button in (self._fold, self._copy):
            button.setProperty("role", "small")
        self._fold.toggled.connect(self._details.setVisible)
        self._copy.clicked.connect(lambda: copy_out(self.plain_text(), self._copy))
        buttons = line_up()
        for button in (self._fold, self._copy):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for widget in (self._pill, self._what, self._do):
            rows.addWidget(widget)
        rows.addLayout(buttons)
        rows.addWidget(self._details)
        self.setVisible(False)

    def show_error(self, error: WizardError) -> None:
        self.show_words(error.summary, error.hint, error.details)

    def show_words(self, summary: Message | None, hint: Message | None, details: str = "") -> None:
        self._summary, self._hint = summary, hint
        self._details.setPlainText(details)
        self._fold.setChecked(False)
        self._details.setVisible(False)
        self._fold.setVisible(bool(details))
        self.retranslate()
        self.setVisible(True)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def clear(self) -> None:
        self._summary = self._hint = None
        self.setVisible(False)

    @property
    def code(self) -> str:
        """The catalogue key of what is shown, or ''."""
        return self._summary.key if self._summary else ""

    def plain_text(self) -> str:
        parts = (self._what.text(), self._do.text(), self._details.toPlainText())
        return "\n".join(part for part in parts if part)

    def retranslate(self) -> None:
        self._pill.show_state("problem")
        self._what.setText(self._voice.say(self._summary))
        self._do.setText(self._voice.say(self._hint))
        self._do.setVisible(bool(self._do.text()))
        self._fold.setText(self.tr("Details"))
        self._copy.setText(self.tr("Copy error"))
        self._details.setAccessibleName(self.tr("Details of the error"))
        self.setAccessibleName(self.tr("Error: %1").replace("%1", f"{self._what.text()} {self._do.text()}"))
