"""What a class sees in its teacher's window: the code and its picture, large on a projector, the seats, one of them.

One file: what is projected, and nothing else of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import segno
from PySide6.QtCore import QCoreApplication, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from wizard.classroom.code import spoken
from wizard.classroom.results.room import RED, ClassResults, MachineRow
from wizard.classroom.results.room_page import brief_cause, moment_text, sentences
from wizard.gui.shell.theme import code_font
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.frames import Turning, column, line_up
from wizard.gui.widgets.icons import icon
from wizard.gui.widgets.labels import Pill, label, plain_tip, restyle, selectable, told_of
from wizard.gui.widgets.labels import spoken as spoken_row
from wizard.model.messages import message

_QUIET = 3  # modules of white around a code, without which cameras do not find it
# Of the screen, on a projector: the widest line at most, all lines together, the edge, the gap between two.
_WORDS_WIDTH, _WORDS_HEIGHT, _EDGE, _GAP = 0.85, 0.42, 0.04, 0.015
_SEAT_WIDTH, _SEAT_HEIGHT, _SEAT_GAP = 80, 56, 8  # pixels
_CAUSE_SIZE = 0.7  # of the height of a line
_SEAT_EDGE, _SIGN = 8, 16  # pixels: around what stands in a seat, and its sign
MOST_SEATS_DRAWN = 200  # above that a list says more
_NUMBER = re.compile(r"(\d{1,4})\D*$")


@lru_cache(maxsize=4)
def _modules(words: str) -> tuple[bytes, ...]:
    return tuple(bytes(row) for row in segno.make(words, error="m", micro=False).matrix)


class QrCode(QWidget):
    """The words as a QR code: always black on white, as cameras want it."""

    def __init__(self, side: int) -> None:
        super().__init__()
        self._words = ""
        self.setFixedSize(side, side)

    def show_words(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the modules and the white around them that cameras need."""
        if not self._words:
            return
        rows = _modules(self._words)
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("white"))
        step = self.width() / (len(rows) + 2 * _QUIET)
        for down, row in enumerate(rows):
            for across, is_dark in enumerate(row):
                if is_dark:  # a little more than a module, else fine white lines stay between two
                    left, top = (_QUIET + across) * step, (_QUIET + down) * step
                    painter.fillRect(QRectF(left, top, step + 0.5, step + 0.5), QColor("black"))


def code_label() -> QLabel:
    """Return where the code of a class is shown, each of its signs as wide."""
    made = label("", "moment")
    made.setFont(code_font())
    return made


class LargeCode(QDialog):
    """Shows the code to a whole room: black on white in every theme. Esc or a click closes it."""

    def __init__(self, parent: QWidget, title: str, code: str, address: str, language: str) -> None:
        super().__init__(parent)
        self.setStyleSheet("QDialog { background: white; } QLabel { color: black; background: transparent; }")
        self.setWindowTitle(title)
        screen = parent.screen().availableGeometry()
        wide, high = screen.width(), screen.height()
        rows = column(self, (round(high * _EDGE),) * 4, round(high * _GAP))
        said, _, key = code.partition("+")
        signed = QCoreApplication.translate("ServingPanel", "for signed results add +%1") if key else ""
        lines = [
            (self.tr("Torch Setup: Join a class"), 1 / 3),
            (said, 1.0),
            *((part, 1 / 4) for part in _two_lines(spoken(said, language), ", " if language == "en" else " – ")),
            (signed.replace("%1", key), 1 / 3),
            (address, 1 / 3),
        ]
        lines = [(words, size) for words, size in lines if words]
        bold, fixed = self.font(), code_font()  # of the code each sign is as wide: a 1 is seen, and lines match
        bold.setBold(True)
        fixed.setBold(True)
        fixed.setPointSizeF(bold.pointSizeF())
        own = QFontMetrics(bold)
        of_code = QFontMetrics(fixed)
        tall = max(own.height(), of_code.height())
        widest = max((of_code if words == said else own).horizontalAdvance(words) * size for words, size in lines)
        large = min(wide * _WORDS_WIDTH / widest, high * _WORDS_HEIGHT / tall / sum(size for _, size in lines))
        left = 1 - _WORDS_HEIGHT - 2 * _EDGE - (len(lines) + 2) * _GAP
        picture = QrCode(round(min(high * left, wide * left)))
        picture.show_words(address)
        picture.setVisible(bool(address))
        rows.addStretch(1)
        middle = Qt.AlignmentFlag.AlignHCenter
        rows.addWidget(picture, 0, middle)
        for words, size in lines:
            line = label(words, wrap=False)
            line.setAlignment(middle)
            font = QFont(fixed if words == said else self.font())
            font.setPointSizeF(font.pointSizeF() * size * large)
            line.setFont(font)
            rows.addWidget(line)
        rows.addStretch(1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.close()

    def mousePressEvent(self, event: object) -> None:
        self.close()


def _two_lines(groups: Sequence[str], between: str) -> Sequence[str]:
    half = (len(groups) + 1) // 2
    return tuple(filter(None, (between.join(groups[:half]), between.join(groups[half:]))))


class RoomHead(Turning):
    """Its title, and how many are ready, need help and are not here: below it where they have no room beside."""

    def __init__(self) -> None:
        super().__init__(12)
        self.title, counts = label("", "heading", wrap=False), Turning()
        self._pills = (Pill("ok"), Pill("problem"), Pill("note"))
        for pill in self._pills:
            counts.line.addWidget(pill)
        counts.line.addStretch(1)
        self.line.addWidget(self.title)
        self.line.addWidget(counts, 1)

    def show_room(self, room: ClassResults | None) -> None:
        counts = (room.green, room.red, room.missing) if room else (0, 0, 0)
        help_words = self.tr("1 needs help") if counts[1] == 1 else self.tr("%1 need help")
        words = (self.tr("%1 ready"), help_words, self.tr("%1 not here"))
        for pill, count, said in zip(self._pills, counts, words, strict=True):
            pill.show_state(str(pill.property("pill")), said.replace("%1", str(count)))
            pill.setVisible(count > 0)


def seat_number(name: str) -> int:
    """Return the number at the end of a computer's name (`seat 7`); 0 where it has none."""
    found = _NUMBER.search(name)
    return int(found[1]) if found else 0


class Seat(QPushButton):
    """One computer: its number and its sign, and below them in a word or two what is wrong."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = self._cause = ""
        self.setProperty("role", "seat")
        self.setFixedHeight(_SEAT_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_words(self, name: str, cause: str) -> None:
        self._name, self._cause = name, cause
        self.setText(name.replace("&", "&&"))  # somebody else's name, no key of ours
        self.update()

    @property
    def small_font(self) -> QFont:
        font = self.font()
        font.setBold(False)
        font.setPixelSize(max(1, round(self.fontMetrics().height() * _CAUSE_SIZE)))
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the words and the sign in their corners: the style knows the middle only."""
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        inner = self.rect().adjusted(_SEAT_EDGE, _SEAT_EDGE, -_SEAT_EDGE, -_SEAT_EDGE)
        sign = QRect(inner.right() + 1 - _SIGN, inner.top(), _SIGN, _SIGN)
        self.icon().paint(painter, sign)
        painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
        self._draw(painter, inner.adjusted(0, -2, -_SIGN - 4, 0), Qt.AlignmentFlag.AlignTop, self._name)
        painter.setFont(self.small_font)
        self._draw(painter, inner.adjusted(0, 0, 4, 2), Qt.AlignmentFlag.AlignBottom, self._cause)

    def _draw(self, painter: QPainter, where: QRect, edge: Qt.AlignmentFlag, words: str) -> None:
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, where.width())
        painter.drawText(where, edge | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine, shown)


class SeatMap(QWidget):
    """One field for each computer of the class, those that have not reported among them."""

    chosen = Signal(object)  # MachineRow

    def __init__(self, translator: Translator) -> None:
        super().__init__()
        self._translator = translator
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_SEAT_GAP)
        self._seats: list[Seat] = []
        self._rows: list[MachineRow | None] = []
        self._columns = 0

    def show_room(self, room: ClassResults | None) -> None:
        """Nothing is drawn for more computers than a map can show."""
        placed = _placed(room) if room is not None else ()
        is_shown = 0 < len(placed) <= MOST_SEATS_DRAWN
        self.setVisible(is_shown)
        if not is_shown:
            return
        while len(self._seats) < len(placed):
            self._add_seat()
        self._rows = [row for _, row in placed]
        for place, seat in enumerate(self._seats):
            seat.setVisible(place < len(placed))
            if place < len(placed):
                self._fill(seat, *placed[place])
        self._lay_out()

    def _add_seat(self) -> None:
        seat, place = Seat(self), len(self._seats)
        seat.clicked.connect(lambda checked=False: self._press(place))
        self._seats.append(seat)
        self._columns = 0

    def _press(self, place: int) -> None:
        row = self._rows[place]
        if row is not None:
            self.chosen.emit(row)

    def mark(self, row: MachineRow | None) -> None:
        """Show which seat the sentences below are about."""
        for seat, its in zip(self._seats, self._rows, strict=False):
            is_told = its is not None and row is not None and (its.machine, its.label) == (row.machine, row.label)
            if seat.property("told") != is_told:
                seat.setProperty("told", is_told)
                restyle(seat)

    def _fill(self, seat: Seat, name: str, row: MachineRow | None) -> None:
        state, sign, said, cause = "away", "ellipsis", self.tr("has not reported"), ""
        if row is not None and row.state == RED:
            state, sign, said = "problem", "x", self.tr("needs help")
            cause = brief_cause(row.code, self._translator.language)
        elif row is not None:
            state, sign, said = "ok", "check", self.tr("ready")
        words = told_of((row.label or row.machine) if row is not None else self._called(name), said)
        seat.show_words(name, cause)
        seat.setToolTip(plain_tip(words))
        seat.setAccessibleName(words)
        seat.setEnabled(row is not None)
        if seat.property("state") != state:
            seat.setProperty("state", state)
            seat.setIcon(icon(sign, "muted" if state == "away" else f"on_{state}"))
            restyle(seat)

    def _called(self, number: str) -> str:
        """Return what one that has not reported is called, as those that have: `seat 4`, where `seat 1` is ready."""
        like = next((row.label for row in self._rows if row is not None and seat_number(row.label)), "")
        found = _NUMBER.search(like)
        return f"{like[: found.start(1)]}{number.zfill(len(found[1]))}{like[found.end(1) :]}" if found else number

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        columns = max(1, (self.width() + _SEAT_GAP) // (_SEAT_WIDTH + _SEAT_GAP))
        if columns == self._columns:
            return
        for number in range(max(self._columns, columns)):
            self._grid.setColumnStretch(number, 1 if number < columns else 0)
        self._columns = columns
        for place, seat in enumerate(self._seats):
            self._grid.addWidget(seat, place // columns, place % columns)


def _placed(room: ClassResults) -> Sequence[tuple[str, MachineRow | None]]:
    """Return the seats in their order: by number, then those without one; what is expected fills the free numbers."""
    numbered: dict[int, MachineRow] = {}
    others: list[MachineRow] = []
    for row in room.rows:
        number = seat_number(row.label)
        if 0 < number <= MOST_SEATS_DRAWN and number not in numbered:
            numbered[number] = row
        else:
            others.append(row)
    placed: dict[int, MachineRow | None] = dict(numbered)
    number = 0
    for _ in range(room.missing):
        number = next(one for one in range(number + 1, number + 2 + len(placed)) if one not in placed)
        placed[number] = None
    named = [(row.label or row.machine, row) for row in others]
    return (*((str(one), placed[one]) for one in sorted(placed)), *named)


class SeatDetail(QFrame):
    """One computer in whole sentences."""

    def __init__(self, translator: Translator) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._translator = translator
        self._row: MachineRow | None = None
        rows = column(self, (16, 12, 16, 12), 6)
        self._pill, self._name = Pill("note"), label("", "strong")
        head = line_up()
        head.addWidget(self._pill)
        head.addWidget(self._name, 1)
        self.next_problem = QPushButton(self)
        self.next_problem.setProperty("role", "small")
        head.addWidget(self.next_problem)
        rows.addLayout(head)
        self._why, self._fix, self._facts = (selectable(label("")) for _ in range(3))
        self._facts.setProperty("role", "muted")
        for one in (self._why, self._fix, self._facts):
            rows.addWidget(one)
        self.setVisible(False)

    @property
    def words(self) -> str:
        """Who it is and what is the matter, for who cannot see another one come."""
        said = (self._name, self._pill, self._why, self._fix)
        return spoken_row(one.accessibleName() or one.text() for one in said if one.text() and not one.isHidden())

    def show_row(self, row: MachineRow | None) -> None:
        self._row = row
        self.retranslate()
        self.setVisible(row is not None)

    def retranslate(self) -> None:
        row = self._row
        if row is None:
            return
        is_red, language = row.state == RED, self._translator.language
        self._pill.show_state("problem" if is_red else "ok", self._translator.say(message(f"share.state.{row.state}")))
        self._name.setText(row.label or row.machine)
        self._why.setText(sentences(row.why, language))
        self._why.setVisible(bool(self._why.text()))
        fix = sentences(row.fix, language) if is_red else ""
        self._fix.setText(self.tr("What to do: %1").replace("%1", fix))
        self._fix.setVisible(bool(fix))
        facts = (row.cards, row.system, row.build, moment_text(row.created), row.machine if row.label else "")
        self._facts.setText(" · ".join(part for part in facts if part))
        self._facts.setVisible(bool(self._facts.text()))
