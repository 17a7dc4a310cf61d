"""The room: one row for each computer that has reported, those that need help first, with why and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QLineEdit, QSpinBox, QWidget

from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.labels import SIGNS, Pill, label, selectable
from wizard.gui.parts.row_table import RowTable
from wizard.gui.voice import Voice
from wizard.i18n import message
from wizard.share.room import RED, Room, Row
from wizard.share.room_page import sentences
from wizard.share.seats import MOST_SEATS

if TYPE_CHECKING:
    from collections.abc import Sequence

_STATE, _COMPUTER, _WHY, _FIX = range(4)
_MOST_ROWS_SHOWN = 10


class RoomPanel(QWidget):
    seats_named = Signal(int)

    def __init__(self, voice: Voice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._voice = voice
        self._room: Room | None = None
        self._rows: tuple[Row, ...] = ()
        rows = column(self, gap=8)
        self._title, self._head = label("", "heading"), label("", "strong")
        self._seats_text, self.seats = QLabel(self), QSpinBox(self)
        self.seats.setRange(0, MOST_SEATS)
        self.seats.setKeyboardTracking(False)
        self.seats.lineEdit().setTextMargins(8, 0, 0, 0)  # a style sheet's padding does not reach the text in there
        self._seats_text.setBuddy(self.seats)
        self._filter_text, self.filter, self.only_red = QLabel(self), QLineEdit(self), QCheckBox(self)
        self._filter_text.setBuddy(self.filter)
        asked, sought = line_up(), line_up()
        for part in (self._seats_text, self.seats):
            asked.addWidget(part)
        asked.addStretch(1)
        asked.addWidget(self.only_red)
        sought.addWidget(self._filter_text)
        sought.addWidget(self.filter, 1)
        self._none = label("", "muted")
        self.table = RowTable(4, (_WHY, _FIX), _MOST_ROWS_SHOWN)
        self.detail = _Detail(voice)
        for one in (self._title, self._head):
            rows.addWidget(one)
        rows.addLayout(asked)
        rows.addLayout(sought)
        for widget in (self._none, self.table, self.detail):
            rows.addWidget(widget)
        self.table.itemSelectionChanged.connect(self._chosen)
        self.filter.textChanged.connect(self._fill)
        self.only_red.toggled.connect(self._fill)
        self.seats.valueChanged.connect(self.seats_named)

    @property
    def room(self) -> Room | None:
        return self._room

    @property
    def selected(self) -> Row | None:
        row = self.table.chosen_row
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def show_room(self, room: Room | None) -> None:
        self._room = room
        if not self.seats.hasFocus():
            with QSignalBlocker(self.seats):
                self.seats.setValue(room.expected or 0 if room else 0)
        self._fill()

    def retranslate(self) -> None:
        self._title.setText(self.tr("The room"))
        self._seats_text.setText(self.tr("&Expected computers"))
        self.seats.setSpecialValueText(self.tr("not said"))
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
        self._head.setText(self._voice.say(room.head) if room else "")
        with QSignalBlocker(self.table):
            self._rows = tuple(row for row in (room.rows if room else ()) if self._is_wanted(row))
            self.table.setRowCount(len(self._rows))
            for place, row in enumerate(self._rows):
                self._put(place, row)
            self._select(before)
        self.table.fit()
        self.table.setVisible(bool(self._rows))
        self._none.setText(self._say_none(room))
        self._none.setVisible(not self._rows)
        self._chosen()

    def _say_none(self, room: Room | None) -> str:
        if room is None or not room.rows:
            return self.tr("No computer has reported yet. Results come by themselves when one is ready or has failed.")
        return self.tr("No row has these words.") if self.filter.text().strip() else self.tr("Nobody needs help.")

    def _is_wanted(self, row: Row) -> bool:
        if self.only_red.isChecked() and row.state != RED:
            return False
        said = (row.label, row.machine, row.cards, row.build, row.system, row.code, self._say(row.why))
        return " ".join(self.filter.text().split()).casefold() in "\n".join(said).casefold()

    def _say(self, said: Sequence[object]) -> str:
        return sentences(said, self._voice.language)  # type: ignore[arg-type]

    def _put(self, place: int, row: Row) -> None:
        is_red = row.state == RED
        state = self._voice.say(message(f"share.state.{row.state}"))
        why, fix = self._say(row.why), self._say(row.fix) if is_red else ""
        texts = (f"{SIGNS['problem' if is_red else 'ok']} {state}", row.label or row.machine, why, fix)
        for column_number, words in enumerate(texts):
            cell = self.table.put(place, column_number, words)
            cell.setToolTip(words)
            if column_number == _COMPUTER:
                cell.setData(Qt.ItemDataRole.AccessibleDescriptionRole, row.cards)

    def _select(self, before: Row | None) -> None:
        computers = [(row.machine, row.label) for row in self._rows]
        if before is not None and (before.machine, before.label) in computers:
            self.table.selectRow(computers.index((before.machine, before.label)))
        elif computers:
            self.table.selectRow(0)

    def _chosen(self) -> None:
        self.detail.show_row(self.selected)


class _Detail(QFrame):
    """One computer in whole sentences."""

    def __init__(self, voice: Voice) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._voice = voice
        self._row: Row | None = None
        rows = column(self, (16, 12, 16, 12), 6)
        self._pill, self._name = Pill("note"), label("", "strong")
        head = line_up()
        head.addWidget(self._pill)
        head.addWidget(self._name, 1)
        rows.addLayout(head)
        self._why, self._fix, self._facts = (selectable(label("")) for _ in range(3))
        self._facts.setProperty("role", "muted")
        for one in (self._why, self._fix, self._facts):
            rows.addWidget(one)
        self.setVisible(False)

    def show_row(self, row: Row | None) -> None:
        self._row = row
        self.retranslate()
        self.setVisible(row is not None)

    def retranslate(self) -> None:
        row = self._row
        if row is None:
            return
        is_red, language = row.state == RED, self._voice.language
        self._pill.show_state("problem" if is_red else "ok", self._voice.say(message(f"share.state.{row.state}")))
        self._name.setText(" · ".join(part for part in (row.label, row.machine) if part))
        self._why.setText(sentences(row.why, language))
        fix = sentences(row.fix, language) if is_red else ""
        self._fix.setText(self.tr("What to do: %1").replace("%1", fix))
        self._fix.setVisible(bool(fix))
        facts = (row.cards, row.system, row.build, row.created)
        self._facts.setText(" · ".join(part for part in facts if part))
        self._facts.setVisible(bool(self._facts.text()))
