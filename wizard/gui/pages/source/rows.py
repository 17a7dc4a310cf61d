"""Shows the sources of one kind of thing as choices: who, how fast, and how long this download takes from there.

Lines are filled in place, for rows come and change their order while sources are probed, and widgets are slow to make.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QProgressBar, QRadioButton, QWidget

from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import about_text, seconds_text
from wizard.gui.widgets.frames import box, column, line_up, stacked
from wizard.gui.widgets.labels import SIGNS, SPOKEN_AS, label, plain_tip, restyle, spoken, told_of
from wizard.model.messages import bytes_text, message
from wizard.process import redact
from wizard.sources.model import Availability, Origin, SourceStatus

_NO_ANSWER = (Availability.UNREACHABLE, Availability.SILENT)
_MARK_WIDTH = 26  # pixels; of the radio button, and of the sign where there is none


def origin_name(origin: str) -> str:
    """Return where a source comes from in the language of the window."""
    names = {
        "official": QCoreApplication.translate("Origin", "official"),
        "mirror": QCoreApplication.translate("Origin", "mirror"),
        "user-settings": QCoreApplication.translate("Origin", "from your settings"),
        "by-hand": QCoreApplication.translate("Origin", "by hand"),
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
        self.rate, self.time = label("", wrap=False), label("", "strong", wrap=False)
        line = line_up(self, (16, 8, 16, 8), 14)
        line.addWidget(self.radio)
        line.addWidget(self.no_choice)
        line.addWidget(stacked(self.name, self.words), 5)
        line.addWidget(self.bar, 3)
        widths = self.fontMetrics().horizontalAdvance  # the rows of all cards have their columns below each other
        for mark in (self.radio, self.no_choice):
            mark.setFixedWidth(_MARK_WIDTH)
        self.no_choice.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for one, widest in ((self.rate, "8888.8 MB/s"), (self.time, self._widest())):
            one.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            one.setMinimumWidth(widths(widest) + 12)
            line.addWidget(one)

    @staticmethod
    def _widest() -> str:
        return about_text(59 * 60 + 50)

    def show_status(
        self, row: SourceStatus, name: str, said: str, *, fastest: float, has_choice: bool, is_compared: bool
    ) -> None:
        is_used = bool(row.uses)
        may_choose = has_choice and (is_choosable(row) or is_used)
        self.radio.setVisible(may_choose)
        self.radio.setEnabled(is_choosable(row))
        self.no_choice.setVisible(not may_choose)
        self.no_choice.setText("–" if not is_used else SIGNS["ok"])
        self.name.setText(name)
        self.name.setToolTip(plain_tip(_facts(row)))
        self.words.setText(_second_line(row, said, is_compared and row.rate == fastest))
        self.rate.setText(rate_words(row))
        seconds = row.size / row.rate if row.size and row.rate and row.kind == "torch" else None
        self.time.setText(about_text(seconds) if seconds is not None else "")
        self._show_bar(row, fastest)
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

    def _show_bar(self, row: SourceStatus, fastest: float) -> None:
        self.bar.setValue(round(1000 * row.rate / fastest) if row.rate and fastest else 0)
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
    if is_fastest:
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

    def __init__(self, translator: Translator, has_choice: bool, parent: QWidget | None = None) -> None:
        """`has_choice`: its rows can be chosen. What comes beside PyTorch follows the same choice."""
        super().__init__(parent)
        self._translator, self._has_choice = translator, has_choice
        self._lines: list[_Line] = []
        self._group = QButtonGroup(self)
        self.rows: tuple[SourceStatus, ...] = ()
        rows, head = column(self, gap=6), line_up(gap=12)
        self.title, self._size = label("", "heading", wrap=False), label("", "muted", wrap=False)
        for part in (self.title, self._size):
            head.addWidget(part)
        head.addStretch(1)
        card = box("card")
        card.setProperty(SPOKEN_AS, "list")
        self._box = card
        self._card = column(card, (1, 1, 1, 1), 0)
        self._lost = label("", "muted")
        rows.addLayout(head)
        rows.addWidget(card)
        rows.addWidget(self._lost)

    @property
    def lines(self) -> Sequence[_Line]:
        return self._lines

    @property
    def chosen_choice(self) -> QRadioButton | None:
        """The one that is on, where it can be reached."""
        shown = (one.radio for one in self._lines if not one.radio.isHidden())
        return next((radio for radio in shown if radio.isChecked() and radio.isEnabled()), None)

    def show_rows(self, title: str, rows: Sequence[SourceStatus], size: str = "", instead: str = "") -> None:
        """Show the sources of one kind, keeping the lines that are there; those that do not answer are one line.
        `size`: of what comes from them, where the rows do not know it. `instead`: what is used for want of them."""
        self.title.setText(title)
        self._box.setAccessibleName(title)
        self.setVisible(bool(rows))
        lost = [row for row in rows if row.availability in _NO_ANSWER and not row.uses]
        lost = lost if len(lost) > 1 else []
        names = self._translator.listed(dict.fromkeys(self._translator.say(row.source.label) for row in lost))
        words = QCoreApplication.translate("SourcePage", "%1 do not answer: %2")
        silent = words.replace("%1", str(len(lost))).replace("%2", names) if lost else ""
        self._lost.setText("\n".join(filter(None, (instead, silent))))
        self._lost.setVisible(bool(self._lost.text()))
        self.rows = rows = tuple(row for row in rows if row not in lost)
        self._box.setVisible(bool(rows))
        known = next((row.size for row in rows if row.size and row.kind == "torch"), None)
        self._size.setText(bytes_text(known) if known else size)
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
            line.show_status(row, name, said, fastest=fastest, has_choice=self._has_choice, is_compared=is_compared)
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
        line.radio.clicked.connect(lambda: self.chosen.emit(self.rows[place]))
