"""Something worth saying calmly, with what may be done: a stopped run, a setup with nothing to do. No error."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QWidget

from wizard.gui.parts.boxes import column
from wizard.gui.parts.labels import Pill, label
from wizard.gui.voice import Voice
from wizard.i18n import Message


class Remark(QFrame):
    """`word` stands in the pill; a function, because the language may change."""

    def __init__(self, voice: Voice, word: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._voice, self._word = voice, word
        self._what: Message | None = None
        self._next: Message | None = None
        rows = column(self, (16, 14, 16, 14))
        self._pill, self._said, self._hint = Pill("note"), label("", "strong"), label("")
        for widget in (self._pill, self._said, self._hint):
            rows.addWidget(widget)
        self.setVisible(False)

    @property
    def code(self) -> str:
        """The catalogue key of what is shown, or ''."""
        return self._what.key if self._what else ""

    @property
    def words(self) -> str:
        return f"{self._said.text()} {self._hint.text()}".strip()

    def show_words(self, what: Message, hint: Message | None = None) -> None:
        self._what, self._next = what, hint
        self.retranslate()
        self.setVisible(True)

    def clear(self) -> None:
        self._what = self._next = None
        self.setVisible(False)

    def retranslate(self) -> None:
        self._pill.show_state("note", self._word())
        self._said.setText(self._voice.say(self._what))
        self._hint.setText(self._voice.say(self._next))
        self._hint.setVisible(self._next is not None)
        self.setAccessibleName(self.words)
