"""Welcome's forms: a class to join, a project to open. What is filled in there is the page's to carry out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from wizard.gui.widgets.fields import PathField, Tick, read_in_order, tell_wrong
from wizard.gui.widgets.frames import column, line_up
from wizard.gui.widgets.hosts_consent import LACKS_TRUST, HostsConsent
from wizard.gui.widgets.labels import label
from wizard.model.messages import Message, message
from wizard.transfer.address import with_http

if TYPE_CHECKING:
    from wizard.gui.widgets.messages import Trouble
    from wizard.model.errors import WizardError

_CODE = "7YD-25C8-7SP-8YWZ"
_ADDRESS = "http://192.168.1.20:8765/"
_LINES = 3  # of the grid for each field: its name where there is little room, itself, what is said of it
_AROUND = 100  # pixels: the card's edges, the gaps between its columns, and what frames the words of a field
_OF_CODE = ("share-bad-code", "share-needs-code", "share-wrong-code")


@dataclass(frozen=True, slots=True)
class JoinRequest:
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
        self._say, self.waits = say, label("", "muted")  # below the address, where that alone is not enough
        self._title, self._words = label("", "heading"), label("", "muted")
        self.code, self.address, self.seat = QLineEdit(self), PathField(self), QLineEdit(self)
        self.browse, self.drop, self.hand_on = QPushButton(self), QPushButton(self), Tick(self)
        self._texts = [QLabel(self) for _ in range(3)]
        for widget in (self._title, self._words):
            rows.addWidget(widget)
        self._fields = fields = QGridLayout()
        rows.addLayout(fields)  # empty: of what is in it Python would keep the items, and names move within it
        fields.setHorizontalSpacing(12)
        for row, (text, field) in enumerate(zip(self._texts, (self.code, self.address, self.seat), strict=True)):
            text.setBuddy(field)
            fields.addWidget(field, _LINES * row + 1, 1)
            field.textChanged.connect(self.changed)
        fields.addWidget(self.browse, _LINES + 1, 2)
        fields.addWidget(self.waits, _LINES + 2, 1, 1, 2)
        fields.setColumnStretch(1, 1)
        self._put_names()
        rows.addWidget(self.consent)
        rows.addWidget(self.hand_on)
        rows.addWidget(self.drop, 0, Qt.AlignmentFlag.AlignLeft)
        for field in (self.code, self.address):
            field.textChanged.connect(lambda text: self.consent.show_hosts(()))  # those of another class
        self.consent.changed.connect(self.changed)
        self.changed.connect(self._show_waits)
        self.browse.clicked.connect(self._ask_folder)
        self.drop.clicked.connect(self.put_away)
        self.put_away.connect(self.code.selectAll)  # the next one that is typed takes the place of this
        code, address, seat = zip(self._texts, (self.code, self.address, self.seat), strict=True)
        self._after_code = (*address, self.browse, self.waits)
        self._after_address = (*seat, self.consent, self.hand_on, self.drop)
        read_in_order(self._title, self._words, *code, *self._after_code, *self._after_address)
        self.setVisible(False)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._put_names()
        return super().event(event)

    def _put_names(self) -> None:
        """Names stand before their fields; above them where a code would not be seen whole."""
        names = max(one.sizeHint().width() for one in self._texts) + self.browse.sizeHint().width()
        is_narrow = self.width() < names + self.fontMetrics().horizontalAdvance(_CODE) + _AROUND
        for row, text in enumerate(self._texts):
            self._fields.addWidget(text, _LINES * row + (0 if is_narrow else 1), 1 if is_narrow else 0)

    @property
    def first(self) -> QWidget:
        return self.code

    def show_wrong(self, error: WizardError | None, trouble: Trouble) -> None:
        """Show an error below the field that it is about; None: what was wrong is over."""
        is_of_address = bool(self.address.text()) and error is not None and error.code not in _OF_CODE
        trouble.put_below_field(error is not None)
        for row, field in ((2, self.code), (_LINES + 2, self.address)):
            is_wrong = error is not None and is_of_address == (field is self.address)
            if is_wrong and error is not None:
                self._fields.addWidget(trouble, row, 1, 1, 2)
                trouble.show_error(error)
                read_in_order(trouble, *(() if is_of_address else self._after_code), *self._after_address)
            tell_wrong(field, trouble.plain_text() if is_wrong else "")

    @property
    def is_filled(self) -> bool:
        return self.lacks is None

    @property
    def lacks(self) -> Message | None:
        """What Join waits for."""
        if not (self.wish.code or self.wish.address):
            return message("page.welcome.lacks-code", "Type the class code first.")
        if self._lacks_proof:
            return message(
                "page.welcome.lacks-proof", "Type the class code, too: an http address alone proves nothing."
            )
        if not self.consent.is_agreed:
            return LACKS_TRUST
        return None

    def _show_waits(self) -> None:
        lacks = self.lacks if self._lacks_proof else None
        self.waits.setText(self._say(lacks) if lacks else "")
        self.waits.setVisible(lacks is not None)

    @property
    def _lacks_proof(self) -> bool:
        """Whether nothing proves the server to be the right one. Half-typed addresses come by, too."""
        return not self.wish.code and with_http(self.wish.address).lower().startswith("http:")

    @property
    def wish(self) -> JoinRequest:
        code, address, seat = (field.text().strip() for field in (self.code, self.address, self.seat))
        return JoinRequest(code, address, seat, self.hand_on.isChecked())

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("The folder of the class"), self.address.start())
        if chosen:
            self.address.setText(chosen)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Join a class"))
        self._words.setText(
            self.tr("Type the class code that your teacher shows. Each file is checked after it is downloaded.")
        )
        names = (self.tr("Class c&ode"), self.tr("&Address or folder"), self.tr("Na&me of this computer"))
        for text, words in zip(self._texts, names, strict=True):
            text.setText(words)
        self.code.setPlaceholderText(_CODE)
        self.code.setAccessibleName(self.tr("Class code"))
        only = self.tr("only if the code finds nothing: %1").replace("%1", _ADDRESS)
        self.address.setPlaceholderText(only)
        self.address.setAccessibleName(self.tr("Address or folder of the class"))
        self.seat.setPlaceholderText(self.tr("for example seat 7 (optional)"))
        self.seat.setAccessibleName(self.tr("Name of this computer in the class"))
        self.browse.setText(self.tr("&Folder…"))
        self.hand_on.setText(self.tr("When this computer is ready, s&hare the files with the others"))
        self.drop.setText(self.tr("Ca&ncel"))
        self.consent.retranslate()
        self._show_waits()


class OpenPanel(QFrame):
    """Which project: a folder, or one file of it, typed, chosen or dropped."""

    changed = Signal()
    put_away = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        rows = column(self, (16, 14, 16, 14), 10)
        self._title, self._words = label("", "heading"), label("", "muted")
        self.where = PathField(self)
        self.folder, self.file, self.drop = QPushButton(self), QPushButton(self), QPushButton(self)
        line = line_up()
        line.addWidget(self.where, 1)
        line.addWidget(self.folder)
        line.addWidget(self.file)
        rows.addWidget(self._title)
        rows.addWidget(self._words)
        rows.addLayout(line)
        rows.addWidget(self.drop, 0, Qt.AlignmentFlag.AlignLeft)
        self.where.textChanged.connect(self.changed)
        self.folder.clicked.connect(self._ask_folder)
        self.file.clicked.connect(self._ask_file)
        self.drop.clicked.connect(self.put_away)
        read_in_order(self._title, self._words, self.where, self.folder, self.file, self.drop)
        self.setVisible(False)

    @property
    def first(self) -> QWidget:
        return self.where

    @property
    def is_filled(self) -> bool:
        return self.lacks is None

    @property
    def lacks(self) -> Message | None:
        """What Open waits for."""
        is_named = bool(self.where.text().strip())
        return None if is_named else message("page.welcome.lacks-project", "Choose a folder or a file first.")

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("The folder of the project"), self.where.start())
        if chosen:
            self.where.setText(chosen)

    def _ask_file(self) -> None:
        title = self.tr("The file that lists what the project needs")
        chosen, _ = QFileDialog.getOpenFileName(self, title, self.where.start())
        if chosen:
            self.where.setText(chosen)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Open a project"))
        self._words.setText(self.tr("What it needs is read from files such as requirements.txt; none of it is run."))
        self.where.setAccessibleName(self.tr("Folder, file or address of the project"))
        self.where.setPlaceholderText(self.tr("Drop the folder here, or paste the address of a repository"))
        self.folder.setText(self.tr("&Folder…"))
        self.file.setText(self.tr("F&ile…"))
        self.drop.setText(self.tr("Ca&ncel"))
