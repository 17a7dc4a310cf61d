"""Shows the sources of one kind of thing as choices: who, how fast, and how long this download takes from there.

Lines are filled in place, for rows come and change their order while sources are probed, and widgets are slow to make.
One file: the lines of a card share its columns.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QProgressBar, QRadioButton, QWidget

from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import about_text, seconds_text
from wizard.gui.widgets.frames import box, column, line_up, stacked
from wizard.gui.widgets.labels import SIGNS, SPOKEN_AS, dress, label, plain_tip, restyle, spoken, told_of
from wizard.model.messages import bytes_text, message
from wizard.process import redact
from wizard.sources.model import Availability, Origin, SourceStatus

_NO_ANSWER = (Availability.UNREACHABLE, Availability.SILENT)
_MARK_WIDTH = 26  # pixels; of the radio button, and of the sign where there is none
_GAP, _LEAST_NAME, _LEAST_BAR = 14, 190, 50  # pixels
_LEAST_SHOWN = 48  # of 1000: what is slow has a bar with round ends, too
_SIDE, _ABOVE, _ABOVE_TITLE = 16, 9, 10  # pixels: of a row beside and above its words, and between two cards


def origin_name(origin: str) -> str:
    """Return where a source comes from in the language of the window."""
    names = {
        "official": QCoreApplication.translate("Origin", "official"),
        "mirror": QCoreApplication.translate("Origin", "mirror"),
        "user-settings": QCoreApplication.translate("Origin", "from your settings"),
        "by-hand": QCoreApplication.translate("Origin", "your own"),
    }
    return names.get(origin, origin)


def age_text(seen: float | None, now: float) -> str:
    """Return when something was measured; '' for what never was."""
    if not seen:
        return ""
    minutes = int(max(0.0, now - seen) // 60)
    if minutes < 1:
        return QCoreApplication.translate("SourceAge", "just now")
    if minutes < 60:
        return QCoreApplication.translate("SourceAge", "%1 min ago").replace("%1", str(minutes))
    return QCoreApplication.translate("SourceAge", "%1 h ago").replace("%1", str(minutes // 60))


def rate_words(row: SourceStatus) -> str:
    """Return one digit after the point always, so that the points stand below each other."""
    if row.stage == "measuring":
        return QCoreApplication.translate("SourceAge", "measuring…")
    return f"{row.rate / 1e6:,.1f} MB/s" if row.rate is not None else ""


def is_choosable(row: SourceStatus) -> bool:
    """Return whether a person may say: this one. What stands in settings or was typed is changed where it stands."""
    source = row.source
    return row.is_complete and (source.origin is Origin.OFFICIAL or source.row is not None)


class _Line(QFrame):
    """One source: a choice, its name and kind, a bar, its speed, and the time for this download."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "row")
        self.setProperty(SPOKEN_AS, "item")
        self.radio = QRadioButton()
        self.no_choice = label("–", "muted", wrap=False)
        self.name, self.words = label("", "strong"), label("", "small")
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setMinimumWidth(_LEAST_BAR)  # its own least is that of words in it
        self.rate, self.time = label("", wrap=False), label("", "strong", wrap=False)
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(_SIDE, _ABOVE, _SIDE, _ABOVE)
        grid.setHorizontalSpacing(_GAP)
        grid.setVerticalSpacing(4)
        self._who = stacked(self.name, self.words)
        for mark in (self.radio, self.no_choice):
            mark.setFixedWidth(_MARK_WIDTH)
            grid.addWidget(mark, 0, 0)
        self.no_choice.setAlignment(Qt.AlignmentFlag.AlignCenter)
        widths = self.fontMetrics().horizontalAdvance  # the rows of all cards have their columns below each other
        self._figures = 0
        for one, widest in ((self.rate, "8888.8 MB/s"), (self.time, self._widest())):
            one.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            one.setMinimumWidth(widths(widest) + 12)
            self._figures += one.minimumWidth() + _GAP
        self._put(is_narrow=False)

    def _put(self, is_narrow: bool) -> None:
        """Put all beside each other; where the name would be cut, how fast it is stands below it."""
        self._is_narrow = is_narrow
        row, first = (1, 1) if is_narrow else (0, 2)
        self._grid.addWidget(self._who, 0, 1, 1, 3 if is_narrow else 1)
        for place, one in enumerate((self.bar, self.rate, self.time)):
            self._grid.addWidget(one, row, first + place)
        for place, share in enumerate((0, 1, 0, 0) if is_narrow else (0, 5, 3, 0)):
            self._grid.setColumnStretch(place, share)

    def minimumSizeHint(self) -> QSize:
        return QSize(2 * _SIDE + _MARK_WIDTH + _LEAST_BAR + self._figures, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        needed = self.minimumSizeHint().width() + _LEAST_NAME
        if (is_narrow := event.size().width() < needed) is not self._is_narrow:
            self._put(is_narrow)

    @staticmethod
    def _widest() -> str:
        return about_text(59 * 60 + 50)

    def show_status(
        self,
        row: SourceStatus,
        name: str,
        said: str,
        *,
        scale: float,
        size: int | None,
        has_choice: bool,
        is_fastest: bool,
    ) -> None:
        """`scale`: the speed that fills the bar. `size`: bytes that come from here, where that is known."""
        is_used = bool(row.uses)
        may_choose = has_choice and (is_choosable(row) or is_used)
        self.radio.setVisible(may_choose)
        self.radio.setEnabled(is_choosable(row))
        self.no_choice.setVisible(not may_choose)
        sign = SIGNS["problem" if row.verdict == "unreachable" else "ok"]
        self.no_choice.setText(sign if is_used else "–")
        self.name.setText(name)
        dress(self.name, "strong" if may_choose or is_used else "muted")
        self.name.setToolTip(plain_tip(_facts(row)))
        self.words.setText(_second_line(row, said, is_fastest))
        self.rate.setText(rate_words(row))
        seconds = size / row.rate if size and row.rate else None
        self.time.setText(about_text(seconds) if seconds is not None else "")
        for one, role in ((self.rate, ""), (self.time, "strong")):
            dress(one, "muted" if row.stage == "before" else role)
        self._show_bar(row, scale)
        told = [self.words.text(), self.rate.text(), self.time.text()]
        sentence = told_of(name, spoken(filter(None, told)))
        self.setAccessibleName(sentence)
        self.setAccessibleDescription(_facts(row))
        self.radio.setAccessibleName(sentence)
        self.bar.setAccessibleName(sentence)
        self.radio.setAccessibleDescription(_facts(row))
        is_chosen = is_used and has_choice  # only one looks chosen: the others follow it
        if self.property("chosen") != is_chosen:
            self.setProperty("chosen", is_chosen)
            self.bar.setProperty("chosen", is_chosen)
            restyle(self)
            restyle(self.bar)

    def _show_bar(self, row: SourceStatus, scale: float) -> None:
        self.bar.setValue(max(_LEAST_SHOWN, round(1000 * row.rate / scale)) if row.rate and scale else 0)
        for one in (self.bar, self.rate, self.time):  # where nothing is measured the words have the whole line
            one.setVisible(row.rate is not None or row.stage == "measuring")


def _facts(row: SourceStatus) -> str:
    """Return the address and how soon it answered: for who wants to know, not for everybody."""
    facts = [redact(row.source.url) if row.source.url else "", origin_name(row.source.origin.value), _elsewhere(row)]
    if row.seconds is not None and row.availability not in _NO_ANSWER:
        facts.append(
            QCoreApplication.translate("SourcePage", "answered in %1").replace("%1", seconds_text(row.seconds))
        )
    return "  •  ".join(fact for fact in facts if fact)


def _second_line(row: SourceStatus, said: str, is_fastest: bool) -> str:
    is_own = row.source.origin in (Origin.USER_SETTINGS, Origin.BY_HAND)
    kind = said if row.availability is not Availability.COMPLETE else origin_name(row.source.origin.value)
    parts = [kind[:1].upper() + kind[1:], redact(row.source.url) if is_own and row.source.url else ""]
    if row.stage == "before" and row.availability is Availability.COMPLETE:  # of another kind the words fill the line
        parts.append(QCoreApplication.translate("SourcePage", "measured before"))
    elif is_fastest:
        parts.append(QCoreApplication.translate("SourcePage", "fastest"))
    if row.availability is Availability.COMPLETE:
        parts.append(_elsewhere(row))
    return " · ".join(part for part in parts if part)


def _elsewhere(row: SourceStatus) -> str:
    """The host that really hands the file out, where it is another one than the address names."""
    host = row.final_host
    if host is None or host == urlsplit(row.source.url or "").hostname:
        return ""
    return QCoreApplication.translate("SourcePage", "files come from %1").replace("%1", host)


class SourceRows(QWidget):
    chosen = Signal(SourceStatus)
    leaves_with_keys = Signal()  # a line that has them goes

    def __init__(self, translator: Translator, has_choice: bool, parent: QWidget | None = None) -> None:
        """`has_choice`: its rows can be chosen. What comes beside PyTorch follows the same choice."""
        super().__init__(parent)
        self._translator, self._has_choice = translator, has_choice
        self._lines: list[_Line] = []
        self._group = QButtonGroup(self)
        self.rows: tuple[SourceStatus, ...] = ()
        rows, head = column(self, (0, _ABOVE_TITLE, 0, 0), 8), line_up(gap=12)
        self.title, self._size = label("", "heading", wrap=False), label("", "muted", wrap=False)
        for part in (self.title, self._size):
            head.addWidget(part)
        head.addStretch(1)
        card = box("card")
        card.setProperty(SPOKEN_AS, "list")
        self._box = card
        self._card = column(card, gap=0)
        self._lost = label("", "muted")
        rows.addLayout(head)
        rows.addWidget(card)
        rows.addWidget(self._lost)

    @property
    def lines(self) -> Sequence[_Line]:
        return self._lines

    @property
    def age(self) -> str:
        """When the oldest of the speeds was measured; '' for none."""
        measured = (row.asked for row in self.rows if row.rate is not None)
        return age_text(min(measured, default=None), time.time())

    @property
    def chosen_choice(self) -> QRadioButton | None:
        """The one that is on, where it can be reached."""
        shown = (one.radio for one in self._lines if not one.radio.isHidden())
        return next((radio for radio in shown if radio.isChecked() and radio.isEnabled()), None)

    def show_rows(
        self, title: str, rows: Sequence[SourceStatus], scale: float, size: int | None = None, instead: str = ""
    ) -> None:
        """Show the sources of one kind, keeping the lines that are there; those that do not answer are one line.
        `scale`: the speed that fills a bar. `size`: bytes of what comes from them, where the rows do not know it.
        `instead`: what is used for want of them."""
        self.title.setText(title)
        self._box.setAccessibleName(title)
        lost = [row for row in rows if row.availability in _NO_ANSWER and not row.uses]
        lost = lost if len(lost) > 1 else []
        names = self._translator.listed(dict.fromkeys(self._translator.say(row.source.label) for row in lost))
        words = QCoreApplication.translate("SourcePage", "%1 do not answer: %2")
        silent = words.replace("%1", str(len(lost))).replace("%2", names) if lost else ""
        self._lost.setText("\n".join(filter(None, (instead, silent))))
        self._lost.setVisible(bool(self._lost.text()))
        self.rows = rows = tuple(row for row in rows if row not in lost)
        at = next((place for place, line in enumerate(self._lines) if line.radio.hasFocus()), None)
        if at is not None and not any(is_choosable(row) or row.uses for row in rows[at : at + 1]):
            self.leaves_with_keys.emit()
        self.setVisible(bool(rows or lost))
        self._box.setVisible(bool(rows))
        size = next((row.size for row in rows if row.size and row.kind == "torch"), size)
        self._size.setText(bytes_text(size) if size else "")
        self._size.setVisible(bool(size))
        while len(self._lines) > len(rows):
            line = self._lines.pop()
            self._group.removeButton(line.radio)
            self._card.removeWidget(line)
            line.hide()
            line.deleteLater()
        while len(self._lines) < len(rows):
            self._add()
        rates = [row.rate for row in rows if row.rate]
        fastest = max(rates, default=0.0)
        self._group.setExclusive(False)  # while nothing is chosen yet, none of them is
        for line, row in zip(self._lines, rows, strict=True):
            how = self._translator.say(row.message)
            is_lost = row.availability is Availability.UNREACHABLE
            said = self._translator.say(message("truth.offline")) if is_lost else how
            name, is_compared = self._translator.say(row.source.label), self._has_choice and len(rates) > 1
            comes = row.size if row.kind == "torch" else size if sum(bool(one.uses) for one in rows) == 1 else None
            line.show_status(
                row,
                name,
                said,
                scale=scale,
                size=comes,
                has_choice=self._has_choice,
                is_fastest=is_compared and row.rate == fastest,
            )
            line.words.setToolTip(plain_tip(how if is_lost else ""))
            line.radio.setChecked(bool(row.uses))
        self._group.setExclusive(True)

    def _add(self) -> None:
        line = _Line()
        place = len(self._lines)
        line.setProperty("first", place == 0)
        self._lines.append(line)
        self._group.addButton(line.radio)
        self._card.addWidget(line)
        line.show()  # at once: Qt would do it one round later, and its choice could not have the focus until then
        # Once the arrow key that pressed it has moved the keys here: the line may go, and they would go with it.
        line.radio.clicked.connect(lambda: QTimer.singleShot(0, self, partial(self.chosen.emit, self.rows[place])))
