"""The admin's view of a class: handing the pack out, and the room with a row for each computer.

The room: one row for each computer that has reported, those that need help first, with why and what to do.

One file: serving and the room show one class at the same time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QWidget,
)

from wizard.classroom.code import spoken
from wizard.classroom.results.room import MOST_SEATS, RED, ClassResults, MachineRow
from wizard.classroom.results.room_page import sentences
from wizard.gui.shell.serving import PACK, ServingNow
from wizard.gui.shell.translator import Translator
from wizard.gui.tools.class_board import LargeCode, QrCode, RoomHead, SeatDetail, SeatMap, code_label
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.announce import announce
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.fields import Tick, read_in_order
from wizard.gui.widgets.frames import Fold, FoldList, column, line_up
from wizard.gui.widgets.icons import ICON_SIZE, icon
from wizard.gui.widgets.labels import SIGNS, Pill, label, selectable
from wizard.gui.widgets.row_table import RowTable, put
from wizard.model.messages import Message, bytes_text, message

if TYPE_CHECKING:
    from collections.abc import Sequence


_ADDRESSES_SHOWN = 3
_PICTURE = 150  # pixels
BESIDE, _ANY_WIDTH = 256, 16_777_215  # pixels; Qt's own largest
_STEPS = 1000
_PROBLEMS_SHOWN = 5


class ServingPanel(QFrame):
    start_wanted = Signal(bool)  # announced
    stop_wanted = Signal()
    mend_wanted = Signal()

    def __init__(self, translator: Translator, serving: ServingNow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._translator, self._serving = translator, serving
        self._total = 0
        rows = column(self, (16, 14, 16, 14), 8)
        self._title, self._pill = label("", "heading", wrap=False), Pill("note")
        head = line_up()
        head.addWidget(self._title)
        head.addWidget(self._pill)
        head.addStretch(1)
        self._words, self._problems, self._counts = label("", "muted"), label(""), label("")
        self.announce = Tick(self)
        self.announce.setChecked(True)
        self._how_far, self.bar = label("", "muted"), QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self._code_text, self._address_text = label("", "strong"), label("", "strong")
        self.code, self.command = CodeLine(), CodeLine()
        self.addresses = tuple(CodeLine() for _ in range(_ADDRESSES_SHOWN))
        self.start, self.stop, self.large, self.mend = (QPushButton(self) for _ in range(4))
        self.large.setIcon(icon("maximize"))
        self.large.setIconSize(ICON_SIZE)
        buttons = column(gap=8)
        buttons.addWidget(self.start, 0, Qt.AlignmentFlag.AlignLeft)  # alone in a card as wide as the page
        for button in (self.large, self.stop, self.mend):
            buttons.addWidget(button)
        rows.addLayout(head)
        self.picture = QrCode(_PICTURE)
        rows.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignHCenter)
        self._said_code, self._or = selectable(code_label()), selectable(label("", "muted"))
        for said in (self._said_code, self._or, self._code_text):
            said.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        told = (self.announce, self._how_far, self.bar, self._code_text, self._said_code, self._or, self._words)
        for widget in (*told, self._problems):
            rows.addWidget(widget)
        rows.addLayout(buttons)
        rows.addStretch(1)
        self.more = Fold()  # below both columns: what is long, and seldom read
        for below in (self._counts, self.code, self._address_text, *self.addresses, self.command):
            self.more.body.addWidget(below)
        read_in_order(self._title, self._pill, self.picture, *told, self._problems)
        read_in_order(self.start, self.large, self.stop, self.mend)
        self.start.clicked.connect(lambda: self.start_wanted.emit(self.announce.isChecked()))
        self.stop.clicked.connect(self._stop)
        self.mend.clicked.connect(self.mend_wanted)
        self.large.clicked.connect(self._show_large)

    def _show_large(self) -> None:
        title, language = self.tr("Class code"), self._translator.language
        self.shown_large = LargeCode(self, title, self.code.code, self.addresses[0].code, language)
        self.shown_large.setModal(True)  # one of them is enough
        self.shown_large.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.shown_large.showFullScreen()

    @property
    def begun(self) -> str:
        """What is said aloud as sharing begins."""
        return self.tr("The class is shared now. Class code: %1").replace("%1", self.code.code.partition("+")[0])

    def _stop(self) -> None:
        self.stop_wanted.emit()
        announce(self, self.tr("The class is shared no more."))

    def stand_beside(self, is_beside: bool) -> None:
        """As narrow as its code beside the room, as long as it is projected; else as wide as the page."""
        self.setMinimumWidth(BESIDE if is_beside else 0)
        self.setMaximumWidth(BESIDE if is_beside else _ANY_WIDTH)

    def show_total(self, total: int) -> None:
        """Bytes of the pack, all of which are read before the first is handed out."""
        self._total = total

    def retranslate(self) -> None:
        self._title.setText(self.tr("Share with the class"))
        self.more.show_words(self.tr("Address, command and what was handed out"))
        self.announce.setText(self.tr("Let computers on this network &find it by the class code"))
        self.start.setText(self.tr("Start &sharing"))
        self.stop.setText(self.tr("Sto&p sharing"))
        self.large.setText(self.tr("Show lar&ge"))
        self.large.setAccessibleDescription(self.tr("The code and the address on the whole screen, for a projector."))
        self.mend.setText(self.tr("Download them agai&n"))
        self._code_text.setText(self.tr("Class code"))
        self._address_text.setText(self.tr("Address, if the code finds nothing"))
        for line in (self.code, self.command, *self.addresses):
            line.retranslate()
        self.show_now()

    def show_now(self) -> None:
        """What the server is at."""
        serving = self._serving
        is_ours = serving.what == PACK
        is_on, is_starting = serving.is_on and is_ours, serving.is_starting and is_ours
        self._pill.show_state("note", self.tr("Off"))
        self._pill.setVisible(not is_on)
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
            (self.announce, not is_on and not is_starting),
            (self._how_far, is_starting),
            (self.bar, is_starting),
            (self._code_text, is_on),
            (self._title, not is_on),
            (self._said_code, is_on),
            (self._or, is_on and bool(self.addresses[0].code)),
            (self.picture, is_on and bool(self.addresses[0].code)),
            (self.large, is_on),
            (self.command, is_on),
            (self.more, is_on),
            (self._problems, has_problems),
            (self.mend, has_problems),
            (self.start, not is_on and not is_starting),
            (self.stop, is_on or is_starting),
        ):
            widget.setVisible(is_shown)
        for line in self.addresses:
            line.setVisible(is_on and bool(line.code))
        self.start.setEnabled(not serving.is_on and not serving.is_starting)

    def _say_what(self, is_on: bool) -> str:
        server = self._serving.server
        if not is_on or server is None:
            return self.tr("Students download from this computer; nothing else is shared.")
        if server.is_announced:
            return self.tr("“Join a class” on a student's computer finds it by the code, or takes address and code.")
        return self.tr("It is not announced on this network: students type the address and the code.")

    def _show_server(self, code: str, addresses: tuple[str, ...]) -> None:
        """Only what is new is written: a line that says "copied" goes on to say so."""
        wanted = [code, f"torch-wizard setup --pack {addresses[0]} --class {code} --yes" if addresses else ""]
        shown = [*addresses[:_ADDRESSES_SHOWN], *[""] * _ADDRESSES_SHOWN]
        self.picture.show_words(shown[0])
        self.picture.setAccessibleName(self.tr("QR code of the address"))
        said, _, key = code.partition("+")
        groups = said.split("-")  # two in a line, as one says them
        self._said_code.setText("\n".join("-".join(groups[at : at + 2]) for at in range(0, len(groups), 2)))
        self._said_code.setAccessibleName(", ".join(spoken(said, self._translator.language)))
        signed = self.tr("for signed results add +%1").replace("%1", key) if key else ""
        self._or.setText("\n".join(filter(None, (self.tr("or %1").replace("%1", shown[0]), signed))))
        for line, words in zip((self.code, self.command, *self.addresses), (*wanted, *shown), strict=False):
            if line.code != words:
                line.show_code(words)

    def _problem(self, kind: str, path: str) -> str:
        return self._translator.say(Message(f"pack.problem.{kind}", {"path": path}))

    def _show_problems(self, said: list[str]) -> None:
        more = [f"… +{len(said) - _PROBLEMS_SHOWN}"] if len(said) > _PROBLEMS_SHOWN else []
        head = [self.tr("These files are damaged and are not shared:")] if said else []
        self._problems.setText("\n".join([*head, *said[:_PROBLEMS_SHOWN], *more]))

    def _count(self, clients: int, sent: int, results: int) -> str:
        words = self.tr("Computers that have fetched: %1. Sent: %2. Results that came in: %3.")
        return words.replace("%1", str(clients)).replace("%2", bytes_text(sent)).replace("%3", str(results))


_STATE, _COMPUTER, _WHY, _FIX = range(4)
_MOST_ROWS_SHOWN = 10


class RoomPanel(QWidget):
    seats_named = Signal(int)

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._room: ClassResults | None = None
        self._rows: tuple[MachineRow, ...] = ()
        self._rows_of = rows = column(self, gap=8)
        self._is_shared = False
        self.head, self._notes = RoomHead(), Advice("", "muted")
        self._seats_text, self.seats = QLabel(self), QSpinBox(self)
        self.seats.setRange(0, MOST_SEATS)
        self.seats.setKeyboardTracking(False)
        self.seats.lineEdit().setTextMargins(8, 0, 0, 0)  # a style sheet's padding does not reach the text in there
        self._seats_text.setBuddy(self.seats)
        self._filter_text, self.filter, self.only_red = QLabel(self), QLineEdit(self), QCheckBox(self)
        self._filter_text.setBuddy(self.filter)
        self._asked, self._is_folded = QWidget(self), False  # how many computers are expected
        asked, sought = line_up(self._asked), line_up()
        for part in (self._seats_text, self.seats):
            asked.addWidget(part)
        asked.addStretch(1)
        sought.addWidget(self._filter_text)
        sought.addWidget(self.filter, 1)
        self.seat_map, self.listed = SeatMap(translator), Fold()
        self._none = label("", "muted")
        self.table = RowTable(4, (_WHY, _FIX), _MOST_ROWS_SHOWN)
        self.detail = SeatDetail(translator)
        self.next_problem = self.detail.next_problem
        rows.addWidget(self.head)
        self.listed.body.addLayout(sought)
        self.listed.body.addWidget(self.only_red)
        self.listed.body.addWidget(self.table)
        below = (self._asked, self._none, self.seat_map, self.detail, self._notes, FoldList(self.listed))
        for widget in below:
            rows.addWidget(widget)
        rows.addStretch(1)
        read_in_order(self.head, *below)
        self.seat_map.chosen.connect(self._choose)
        self.next_problem.clicked.connect(self._choose_next_problem)
        self.table.itemSelectionChanged.connect(self._chosen)
        self.filter.textChanged.connect(self._fill)
        self.only_red.toggled.connect(self._fill)
        self.seats.valueChanged.connect(self.seats_named)

    @property
    def beside(self) -> int:
        """Pixels that it needs beside the code."""
        return max(self.minimumSizeHint().width(), self.head.whole)

    @property
    def room(self) -> ClassResults | None:
        return self._room

    def fold_seats(self, is_shared: bool) -> None:
        """Once the seats are drawn, their number has been said: it goes into the fold, and the page needs no bar."""
        self._is_shared = is_shared
        is_folded = is_shared and self._room is not None and bool(self._room.rows)
        if is_folded != self._is_folded:
            self._is_folded = is_folded
            into = self.listed.body if is_folded else self._rows_of
            into.insertWidget(0 if is_folded else 1, self._asked)

    @property
    def selected(self) -> MachineRow | None:
        row = self.table.chosen_row
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def _told(self) -> MachineRow | None:
        """What is true of the whole room stands below it, and not again in each of its rows."""
        row, rows = self.selected, self._room.rows if self._room else ()
        if row is None or any(one.proof != "none" for one in rows):
            return row
        return replace(row, why=tuple(one for one in row.why if one.message.key != "share.why.unproven"))

    def show_room(self, room: ClassResults | None) -> None:
        """Show the results of a room; a number that is being typed is not overwritten."""
        self._room = room
        if not self.seats.hasFocus():
            with QSignalBlocker(self.seats):
                self.seats.setValue(room.expected or 0 if room else 0)
        self._fill()

    def retranslate(self) -> None:
        self.head.title.setText(self.tr("The room"))
        self._seats_text.setText(self.tr("&Expected computers"))
        self.listed.show_words(self.tr("As a l&ist, and how many are expected"))
        self.next_problem.setText(self.tr("Next proble&m"))
        self.seats.setSpecialValueText(self.tr("not set"))
        self.seats.setAccessibleName(self.tr("Expected computers"))
        self._filter_text.setText(self.tr("S&how"))
        self.filter.setPlaceholderText(self.tr("name, card or error"))
        self.filter.setAccessibleName(self.tr("Show only rows with these words"))
        self.only_red.setText(self.tr("On&ly those that need help"))
        heads = [self.tr("State"), self.tr("Computer"), self.tr("Why"), self.tr("What to do")]
        self.table.setHorizontalHeaderLabels(heads)
        self.table.setAccessibleName(self.tr("Computers of the class"))
        self.detail.retranslate()
        self._fill()

    # -- the rows

    def _fill(self) -> None:
        """The selection stays with its computer."""
        before, room = self.selected, self._room
        self.head.show_room(room)
        self._notes.show_words("\n".join(map(self._translator.signed, room.notes if room else ())))
        self._notes.setVisible(bool(self._notes.text()))
        with QSignalBlocker(self.table):
            self._rows = tuple(row for row in (room.rows if room else ()) if self._is_wanted(row))
            self.table.setRowCount(len(self._rows))
            for place, row in enumerate(self._rows):
                self._put(place, row)
            self._select(before)
        self.table.fit()
        self.table.setVisible(bool(self._rows))
        self.seat_map.show_room(room)
        self.fold_seats(self._is_shared)
        self.listed.setVisible(bool(room and room.rows))
        self.next_problem.setVisible(bool(room and room.red))
        self._none.setText(self._say_none(room))
        self._none.setVisible(not self._rows)
        self._chosen()

    def _say_none(self, room: ClassResults | None) -> str:
        if room is None or not room.rows:
            return self.tr("No computer has reported yet. Results come by themselves when one is ready or has failed.")
        return self.tr("No row has these words.") if self.filter.text().strip() else self.tr("Nobody needs help.")

    def _is_wanted(self, row: MachineRow) -> bool:
        if self.only_red.isChecked() and row.state != RED:
            return False
        said = (row.label, row.machine, row.cards, row.build, row.system, row.code, self._say(row.why))
        return " ".join(self.filter.text().split()).casefold() in "\n".join(said).casefold()

    def _say(self, said: Sequence[object]) -> str:
        return sentences(said, self._translator.language)  # type: ignore[arg-type]

    def _put(self, place: int, row: MachineRow) -> None:
        is_red = row.state == RED
        state = self._translator.say(message(f"share.state.{row.state}"))
        why, fix = self._say(row.why), self._say(row.fix) if is_red else ""
        texts = (f"{SIGNS['problem' if is_red else 'ok']} {state}", row.label or row.machine, why, fix)
        for column_number, words in enumerate(texts):
            self.table.put(place, column_number, words, words)
        put(self.table, place, _COMPUTER, Qt.ItemDataRole.AccessibleDescriptionRole, row.cards)

    def _choose(self, row: MachineRow) -> None:
        """From the map; what the list leaves out is shown again."""
        if row not in self._rows:
            self.filter.clear()
            self.only_red.setChecked(False)
        if row in self._rows:
            self.table.selectRow(self._rows.index(row))

    def _choose_next_problem(self) -> None:
        """The one after the chosen, and after the last the first."""
        red = [row for row in (self._room.rows if self._room else ()) if row.state == RED]
        if red:
            here = red.index(self.selected) if self.selected in red else -1
            self._choose(red[(here + 1) % len(red)])
            announce(self.detail, self.detail.words)

    def _select(self, before: MachineRow | None) -> None:
        computers = [(row.machine, row.label) for row in self._rows]
        if before is not None and (before.machine, before.label) in computers:
            self.table.selectRow(computers.index((before.machine, before.label)))
        elif computers:
            self.table.selectRow(0)

    def _chosen(self) -> None:
        self.seat_map.mark(self.selected)
        self.detail.show_row(self._told())
