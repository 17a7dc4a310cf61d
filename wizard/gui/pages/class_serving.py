"""Handing a pack out to the class around: start and stop, what the students type, and what has been fetched so far."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QProgressBar, QPushButton, QWidget

from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.code_line import CodeLine
from wizard.gui.parts.labels import Pill, label
from wizard.gui.serving import PACK, ServingNow
from wizard.gui.voice import Voice
from wizard.i18n import Message, bytes_text

_ADDRESSES_SHOWN = 3
_STEPS = 1000
_PROBLEMS_SHOWN = 5


class ServingPanel(QFrame):
    start_wanted = Signal(bool)  # announced
    stop_wanted = Signal()
    mend_wanted = Signal()

    def __init__(self, voice: Voice, serving: ServingNow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._voice, self._serving = voice, serving
        self._total = 0
        rows = column(self, (16, 14, 16, 14), 8)
        self._title, self._pill = label("", "heading", wrap=False), Pill("note")
        head = line_up()
        head.addWidget(self._title)
        head.addWidget(self._pill)
        head.addStretch(1)
        self._words, self._problems, self._counts = label("", "muted"), label(""), label("")
        self.announce = QCheckBox(self)
        self.announce.setChecked(True)
        self._how_far, self.bar = label("", "muted"), QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self._code_text, self._address_text = label("", "strong"), label("", "strong")
        self.code, self.command = CodeLine(), CodeLine()
        self.addresses = tuple(CodeLine() for _ in range(_ADDRESSES_SHOWN))
        self.start, self.stop, self.mend = (QPushButton(self) for _ in range(3))
        buttons = line_up()
        for button in (self.start, self.stop, self.mend):
            buttons.addWidget(button)
        buttons.addStretch(1)
        rows.addLayout(head)
        typed = QGridLayout()
        for place, (text, code) in enumerate(((self._code_text, self.code), (self._address_text, self.addresses[0]))):
            typed.addWidget(text, 0, place)
            typed.addWidget(code, 1, place)
            typed.setColumnStretch(place, 1)
        for widget in (self._words, self.announce, self._how_far, self.bar):
            rows.addWidget(widget)
        rows.addLayout(typed)
        for below in (*self.addresses[1:], self.command, self._counts, self._problems):
            rows.addWidget(below)
        rows.addLayout(buttons)
        self.start.clicked.connect(lambda: self.start_wanted.emit(self.announce.isChecked()))
        self.stop.clicked.connect(self.stop_wanted)
        self.mend.clicked.connect(self.mend_wanted)

    def show_total(self, total: int) -> None:
        """Bytes of the pack, all of which are read before the first is handed out."""
        self._total = total

    def retranslate(self) -> None:
        self._title.setText(self.tr("Hand it out"))
        self.announce.setText(self.tr("Let the computers of this network &find it by the code"))
        self.start.setText(self.tr("Start &serving"))
        self.stop.setText(self.tr("Sto&p serving"))
        self.mend.setText(self.tr("Fetch them a&new"))
        self._code_text.setText(self.tr("The code of this class"))
        self._address_text.setText(self.tr("The address, where the code alone finds nothing"))
        for line in (self.code, self.command, *self.addresses):
            line.retranslate()
        self.show_now()

    def show_now(self) -> None:
        """What the server is at."""
        serving = self._serving
        is_ours = serving.what == PACK
        is_on, is_starting = serving.is_on and is_ours, serving.is_starting and is_ours
        self._pill.show_state("ok" if is_on else "note", self.tr("Serving") if is_on else self.tr("Off"))
        self._words.setText(self._say_what(is_on))
        self._how_far.setText(self.tr("Reading every file first: %1").replace("%1", bytes_text(serving.read)))
        self.bar.setValue(min(_STEPS, int(_STEPS * serving.read / self._total)) if self._total else 0)
        self.bar.setAccessibleName(self._how_far.text())
        server = serving.server
        if server is not None and is_on:
            self._show_server(server.code, server.addresses)
            self._show_problems([self._problem(one.kind, one.path) for one in server.problems])
            counted = server.counted
            self._counts.setText(self._count(len(counted.clients), counted.bytes_sent, counted.results))
        has_problems = is_on and bool(self._problems.text())
        for widget, is_shown in (
            (self.announce, not is_on and not is_starting), (self._how_far, is_starting), (self.bar, is_starting),
            (self._code_text, is_on), (self.code, is_on), (self._address_text, is_on), (self.command, is_on),
            (self._counts, is_on), (self._problems, has_problems), (self.mend, has_problems),
            (self.start, not is_on and not is_starting), (self.stop, is_on or is_starting),
        ):  # fmt: skip
            widget.setVisible(is_shown)
        for line in self.addresses:
            line.setVisible(is_on and bool(line.code))
        self.start.setEnabled(not serving.is_on and not serving.is_starting)

    def _say_what(self, is_on: bool) -> str:
        server = self._serving.server
        if not is_on or server is None:
            return self.tr("The students' computers take the files from this one. Nothing else of it can be read.")
        if server.is_announced:
            return self.tr("“Join a class” on a student's computer finds it by the code, or takes address and code.")
        return self.tr("It is not announced in this network: the students type the address and the code.")

    def _show_server(self, code: str, addresses: tuple[str, ...]) -> None:
        """Only what is new is written: a line that says "copied" goes on to say so."""
        wanted = [code, f"torch-wizard setup --pack {addresses[0]} --class {code} --yes" if addresses else ""]
        shown = [*addresses[:_ADDRESSES_SHOWN], *[""] * _ADDRESSES_SHOWN]
        for line, words in zip((self.code, self.command, *self.addresses), (*wanted, *shown), strict=False):
            if line.code != words:
                line.show_code(words)

    def _problem(self, kind: str, path: str) -> str:
        return self._voice.say(Message(f"pack.problem.{kind}", {"path": path}))

    def _show_problems(self, said: list[str]) -> None:
        more = [f"… +{len(said) - _PROBLEMS_SHOWN}"] if len(said) > _PROBLEMS_SHOWN else []
        head = [self.tr("These files are damaged and are not handed out:")] if said else []
        self._problems.setText("\n".join([*head, *said[:_PROBLEMS_SHOWN], *more]))

    def _count(self, clients: int, sent: int, results: int) -> str:
        words = self.tr("Computers that have fetched: %1. Handed out: %2. Results that came in: %3.")
        return words.replace("%1", str(clients)).replace("%2", bytes_text(sent)).replace("%3", str(results))
