"""What a student says to join a class: its code, where its files are if the code does not find them, and a name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QFrame, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.hosts_consent import HostsConsent
from wizard.gui.parts.labels import label
from wizard.gui.parts.path_field import PathField
from wizard.i18n import Message

_CODE = "3f9a-22b1-07cd-91ee"
_ADDRESS = "http://192.168.1.20:8765/"


@dataclass(frozen=True, slots=True)
class Wish:
    code: str
    address: str
    label: str
    hand_on: bool


class JoinPanel(QFrame):
    changed = Signal()
    put_away = Signal()

    def __init__(self, say: Callable[[Message], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.consent = HostsConsent(say, self)
        rows = column(self, (16, 14, 16, 14), 10)
        self._title, self._words = label("", "heading"), label("", "muted")
        self.code, self.address, self.seat = QLineEdit(self), PathField(self), QLineEdit(self)
        self.browse, self.drop, self.hand_on = QPushButton(self), QPushButton(self), QCheckBox(self)
        self._texts = [QLabel(self) for _ in range(3)]
        fields = QGridLayout()
        fields.setHorizontalSpacing(12)
        for row, (text, field) in enumerate(zip(self._texts, (self.code, self.address, self.seat), strict=True)):
            text.setBuddy(field)
            fields.addWidget(text, row, 0)
            fields.addWidget(field, row, 1)
            field.textChanged.connect(self.changed)
        fields.addWidget(self.browse, 1, 2)
        fields.setColumnStretch(1, 1)
        buttons = line_up()
        buttons.addWidget(self.drop)
        buttons.addStretch(1)
        for widget in (self._title, self._words):
            rows.addWidget(widget)
        rows.addLayout(fields)
        rows.addWidget(self.consent)
        rows.addWidget(self.hand_on)
        rows.addLayout(buttons)
        for field in (self.code, self.address):
            field.textChanged.connect(lambda text: self.consent.show_hosts(()))  # those of another class
        self.consent.changed.connect(self.changed)
        self.browse.clicked.connect(self._ask_folder)
        self.drop.clicked.connect(self.put_away)
        self.setVisible(False)

    @property
    def first(self) -> QWidget:
        return self.code

    @property
    def is_filled(self) -> bool:
        return bool(self.wish.code or self.wish.address) and self.consent.is_agreed

    @property
    def wish(self) -> Wish:
        code, address, seat = (field.text().strip() for field in (self.code, self.address, self.seat))
        return Wish(code, address, seat, self.hand_on.isChecked())

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("The folder of the class"), str(Path.home()))
        if chosen:
            self.address.setText(chosen)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Join a class"))
        self._words.setText(
            self.tr("Type the code that your teacher shows. The files come from the class, and each one is checked.")
        )
        names = (self.tr("C&ode"), self.tr("&Address or folder"), self.tr("Na&me of this computer"))
        for text, words in zip(self._texts, names, strict=True):
            text.setText(words)
        self.code.setPlaceholderText(_CODE)
        self.code.setAccessibleName(self.tr("Code of the class"))
        only = self.tr("only if the code alone finds nothing: %1").replace("%1", _ADDRESS)
        self.address.setPlaceholderText(only)
        self.address.setAccessibleName(self.tr("Address or folder of the class"))
        self.seat.setPlaceholderText(self.tr("as the teacher's list shows it, for example seat 7; may stay empty"))
        self.seat.setAccessibleName(self.tr("Name of this computer in the class"))
        self.browse.setText(self.tr("&Folder…"))
        self.hand_on.setText(self.tr("When this computer is ready, &hand the files on to the others"))
        self.drop.setText(self.tr("&Not now"))
        self.consent.retranslate()
