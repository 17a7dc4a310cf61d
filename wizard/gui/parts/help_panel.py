"""Longer help about a page, in the page: what it is for and what its words mean. Offline, and never in the way.

The words are `page.help.<page>`; an empty line begins a paragraph.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.gui.parts.boxes import box, column, line_up
from wizard.gui.parts.labels import Pill, label, selectable
from wizard.gui.voice import Voice
from wizard.i18n import message


class HelpPanel(QWidget):
    closed = Signal()

    def __init__(self, voice: Voice, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._voice, self._name = voice, name
        frame = box("card", self)
        column(self).addWidget(frame)
        rows = column(frame, (16, 12, 16, 12), 8)
        self._pill, self._text = Pill("note"), selectable(label(""))
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self.close_button = QPushButton(self)
        self.close_button.setProperty("role", "small")
        self.close_button.clicked.connect(self.closed)
        head = line_up()
        head.addWidget(self._pill)
        head.addStretch(1)
        head.addWidget(self.close_button)
        rows.addLayout(head)
        rows.addWidget(self._text)
        self.retranslate()

    @property
    def words(self) -> str:
        return self._text.text()

    def retranslate(self) -> None:
        self._pill.show_state("note", self.tr("Help"))
        self._text.setText(self._voice.say(message(f"page.help.{self._name}")))
        self.close_button.setText(self.tr("Close"))
        self.close_button.setAccessibleName(self.tr("Close the help"))
        self.setAccessibleName(self.tr("Help"))
