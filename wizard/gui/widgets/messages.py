"""What a page says of itself: an error, a remark, that it is busy, longer help.

An error in the page: what happened, what to do, and the details for whoever wants them. Never a message box. One file:
each is a frame with words in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QPlainTextEdit, QProgressBar, QPushButton, QWidget

from wizard.gui.shell.theme import code_font, is_motion_reduced
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.announce import announce
from wizard.gui.widgets.code import copy_out
from wizard.gui.widgets.commands import pages_of, plain
from wizard.gui.widgets.frames import NO_MARGINS, RowCell, box, column, empty, line_up
from wizard.gui.widgets.icons import Sign, fold_icon
from wizard.gui.widgets.labels import SPOKEN_AS, Pill, in_a_row, label, spoken, told_of
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message


class Busy(QFrame):
    def __init__(self, parent: QWidget | None = None, is_part: bool = False) -> None:  # of a card
        super().__init__(parent)
        self.setProperty("role", "" if is_part else "card")
        rows = column(self, NO_MARGINS, 4) if is_part else column(self, (16, 14, 16, 14), 10)
        self._said: Callable[[], str] = str
        self._words = label("", wrap=not is_part)  # what goes on in a card moves nothing there
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1)
        rows.addWidget(self._words)
        rows.addWidget(self._bar)
        self.setVisible(False)

    def begin(self, words: Callable[[], str]) -> None:
        """Show that something is being done; without motion where the system asks for none."""
        is_still = is_motion_reduced()
        self._bar.setVisible(not is_still)
        self._bar.setRange(0, 1 if is_still else 0)
        self.say(words)
        self.setVisible(True)

    def say(self, words: Callable[[], str]) -> None:
        """`words` are asked again when the language changes."""
        self._said = words
        self.retranslate()

    def retranslate(self) -> None:
        words = self._said()
        self._words.setText(words)
        self.setAccessibleName(words)
        self._bar.setAccessibleName(words)

    def end(self) -> None:
        self._bar.setRange(0, 1)  # a bar that nobody sees must not go on moving
        self.setVisible(False)


# Longer help about a page, in the page: what it is for and what its words mean. Offline, and never in the way.
#
# The words are `page.help.<page>`; an empty line begins a paragraph.


class HelpPanel(QWidget):
    closed = Signal()

    def __init__(self, translator: Translator, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator, self._name = translator, name
        frame = box("card", self)
        column(self).addWidget(frame)
        rows = column(frame, (16, 12, 16, 12), 8)
        self._pill, self._text = Pill("note"), Advice()
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
        self._text.show_words(self._translator.signed(message(f"page.help.{self._name}")))
        self.close_button.setText(self.tr("Close"))
        self.close_button.setAccessibleName(self.tr("Close the help"))
        self.setAccessibleName(self.tr("Help"))


# Something worth saying calmly, with what may be done: a stopped run, a setup with nothing to do. No error.

_MOST_WAYS = 2
RemarkWay = tuple[Callable[[], str], Callable[[], None]]  # a button's words, and what it does


class Remark(QFrame):
    """`word` stands in the pill; a function, because the language may change."""

    def __init__(
        self, translator: Translator, word: Callable[[], str], parent: QWidget | None = None, state: str = "note"
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._translator, self._word, self._state = translator, word, state
        self._what: Message | None = None
        self._next: Message | None = None
        rows = column(self, (16, 14, 16, 14))
        self._pill, self._said, self._hint = Pill(state), Advice("", "strong"), Advice()
        for widget in (self._pill, self._said, self._hint):
            rows.addWidget(widget)
        self._ways: Sequence[RemarkWay] = ()
        self.buttons = tuple(QPushButton(self) for _ in range(_MOST_WAYS))
        line = line_up()
        for place, button in enumerate(self.buttons):
            button.clicked.connect(lambda checked=False, place=place: self._ways[place][1]())
            line.addWidget(button)
        line.addStretch(1)
        rows.addLayout(line)
        self.setVisible(False)

    @property
    def code(self) -> str:
        """The catalogue key of what is shown, or ''."""
        return self._what.key if self._what else ""

    @property
    def words(self) -> str:
        return in_a_row(self._said.text(), self._hint.text())

    def show_words(self, what: Message, hint: Message | None = None, ways: Sequence[RemarkWay] = ()) -> None:
        """`ways`: buttons with their words, two at most."""
        self._what, self._next, self._ways = what, hint, ways
        self.retranslate()
        self.setVisible(True)

    def clear(self) -> None:
        self._what = self._next = None
        self.setVisible(False)

    def retranslate(self) -> None:
        self._pill.show_state(self._state, self._word())
        self._said.show_words(self._translator.signed(self._what))
        self._hint.show_words(self._translator.signed(self._next))
        self._hint.setVisible(self._next is not None)
        for place, button in enumerate(self.buttons):
            button.setVisible(place < len(self._ways))
            if place < len(self._ways):
                button.setText(self._ways[place][0]())
        self.setAccessibleName(self.words)


class Trouble(QFrame):
    opened = Signal(str)  # a page that the words name

    def __init__(
        self, translator: Translator, ways: Callable[[], Mapping[str, str]] = dict, parent: QWidget | None = None
    ) -> None:
        """`ways`: the pages that can be opened from here, by their names in the window's language."""
        super().__init__(parent)
        self._is_below_field = False
        self.setProperty("role", "error")
        self._translator = translator
        self._summary: Message | None = None
        self._hint: Message | None = None
        self._rows = rows = column(self, (16, 14, 16, 14))
        self._pill = Pill("problem")
        self._what, self._do = Advice("", "strong"), Advice()
        self._details = QPlainTextEdit(self)
        self._details.setReadOnly(True)
        self._details.setFont(code_font())
        self._details.setMaximumHeight(150)
        self._details.setTabChangesFocus(True)
        self._fold = QPushButton(self)
        self._fold.setCheckable(True)
        self._copy, self.again = QPushButton(self), QPushButton(self)
        self._retry: Callable[[], None] | None = None
        self._retry_words: Callable[[], str] | None = None
        self.again.clicked.connect(self._try_again)
        self._ways_of, self.ways = ways, [QPushButton(self) for _ in range(_MOST_WAYS)]
        for way in self.ways:
            way.clicked.connect(lambda *_, way=way: self.opened.emit(way.property("page")))
        for button in (self.again, *self.ways, self._fold, self._copy):
            button.setProperty("role", "small")
        self._fold.toggled.connect(self._details.setVisible)
        self._copy.clicked.connect(lambda: copy_out(self.plain_text(), self._copy))
        buttons = line_up()
        for button in (self.again, *self.ways, self._fold, self._copy):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for widget in (self._pill, self._what, self._do):
            rows.addWidget(widget)
        rows.addLayout(buttons)
        rows.addWidget(self._details)
        self._spacing = rows.spacing()
        self.setVisible(False)

    def show_error(
        self, error: WizardError, retry: Callable[[], None] | None = None, words: Callable[[], str] | None = None
    ) -> None:
        """`retry`: what a button does about it, and `words` on that button where it tries not the same again."""
        self.show_words(error.summary, error.hint, error.details)
        self.offer(retry, words)

    def offer(self, retry: Callable[[], None] | None, words: Callable[[], str] | None = None) -> None:
        """Put a button for it beside the words that are shown."""
        self._retry, self._retry_words = retry, words
        self._name_again()
        self.again.setVisible(retry is not None)
        if retry is not None:
            self.again.setFocus()

    @property
    def first_way(self) -> QPushButton | None:
        """Return the first button that does something about what is shown."""
        return next((one for one in (self.again, *self.ways) if one.isVisible()), None)

    def _name_again(self) -> None:
        self.again.setText(self._retry_words() if self._retry_words else self.tr("Try &again"))

    def _try_again(self) -> None:
        if self._retry is not None:
            self._retry()

    def show_words(self, summary: Message | None, hint: Message | None, details: str = "") -> None:
        """Show an error and what to do about it, its details folded, and tell screen readers at once."""
        before, kind = (self.accessibleName(), self.code) if self.isVisible() else ("", "")
        self._summary, self._hint = summary, hint
        self._details.setPlainText(details)
        self._fold.setChecked(False)
        self._details.setVisible(False)
        self._fold.setVisible(bool(details))
        self.again.setVisible(False)
        self.retranslate()
        self.setVisible(True)
        is_typing = self._is_below_field and self.code == kind  # not for each letter that is typed into a wrong name
        if self.accessibleName() != before and not is_typing:
            announce(self, self.accessibleName(), urgent=True)  # an alert is not heard on Linux

    def put_below_field(self, is_below: bool) -> None:
        """Choose its look: a few words right below the field that is wrong, or a card of its own."""
        if is_below == self._is_below_field:
            return
        self._is_below_field = is_below
        self.setProperty("role", "in-row" if is_below else "error")
        self._what.label.setProperty("role", "problem" if is_below else "strong")
        self._rows.setContentsMargins(*((0, 0, 0, 0) if is_below else (16, 14, 16, 14)))
        self._rows.setSpacing(2 if is_below else self._spacing)
        for part in (self._pill, self._copy):
            part.setVisible(not is_below)
        for styled in (self, self._what.label):
            styled.style().polish(styled)

    def clear(self) -> None:
        self._summary = self._hint = None
        self.setVisible(False)

    @property
    def code(self) -> str:
        """The catalogue key of what is shown, or ''."""
        return self._summary.key if self._summary else ""

    def plain_text(self) -> str:
        commands = (*self._what.commands, *self._do.commands)
        parts = (self._what.text(), self._do.text(), *commands, self._details.toPlainText())
        return "\n".join(part for part in parts if part)

    def retranslate(self) -> None:
        self._pill.show_state("problem")
        what, do = self._translator.signed(self._summary), self._translator.signed(self._hint)
        if self._is_below_field:
            what, do = self._translator.join((what, do)), ""
        self._what.show_words(what)
        self._do.show_words(do)
        self._do.setVisible(bool(do))
        self._show_ways(f"{what} {do}")
        self._name_again()
        self._fold.setText(self.tr("Details"))
        self._copy.setText(self.tr("Copy error"))
        self._details.setAccessibleName(self.tr("Details of the error"))
        self.setAccessibleName(self.tr("Error: %1").replace("%1", in_a_row(self._what.text(), self._do.text())))

    def _show_ways(self, words: str) -> None:
        """What the words name can be opened right here."""
        named = [(name, page) for name, page in self._ways_of().items() if page in pages_of(words)]
        for number, way in enumerate(self.ways):
            way.setVisible(number < len(named))
            if number < len(named):
                name, page = named[number]
                way.setText(self.tr("Open “%1”").replace("%1", name))
                way.setProperty("page", page)


def _spoken(row: Sequence[str]) -> str:
    subject, words, because = map(plain, (*row, "")[:3])
    return spoken(filter(None, (told_of(subject, words) if subject else words, because)))


_NARROW = 520  # pixels: less has no room for a reason beside its words


class Notice(QFrame):
    """The one box in amber, hidden where it has nothing to say. In a narrow window reasons stand below their words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[str, Sequence[Sequence[str]]] = ("", ())
        self._is_narrow = False
        self.setProperty("role", "notice")
        outer = line_up(self, (20, 16, 22, 16), 16)
        outer.addWidget(Sign("warning"), 0, Qt.AlignmentFlag.AlignTop)
        lines = column(gap=8)
        self._title, self._list = label("", "notice-title"), QWidget()
        self._list.setProperty(SPOKEN_AS, "list")
        self._rows = QGridLayout(self._list)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setHorizontalSpacing(24)
        self._rows.setVerticalSpacing(6)
        self._rows.setColumnStretch(1, 2)
        self._rows.setColumnStretch(2, 3)
        lines.addWidget(self._title)
        lines.addWidget(self._list)
        outer.addLayout(lines, 1)

    def show_rows(self, title: str, rows: Sequence[Sequence[str]]) -> None:
        """Show the rows below a title: what it is about ("": its words say it), its words, the reason in short, and all
        of it (each "" or left out: said); nothing where there are none."""
        self._shown = (title, rows)
        self._title.setText(title)
        empty(self._rows)
        for place, (subject, words, *rest) in enumerate(rows):
            row, start = 4 * place + 1, 1 if subject else 0
            because, why = (*rest, "", "")[:2]
            is_beside = bool(because) and not self._is_narrow
            self._rows.addWidget(box("notice-line"), row - 1, 0, 1, 4)
            if subject:  # before its words: readers go in this order
                self._rows.addWidget(label(subject, "strong", wrap=False), row, 0)
            beside = (said := Advice(words), *(whole := self._why_of(subject, why))[:1])
            below = whole[1:]  # an item of its own: its row says all but that
            item, *others = [self._cell(cell, cells) for cells in (beside, below) for cell in cells]
            for one in (item, *others[1:]):
                one.setProperty(SPOKEN_AS, "item")
            item.setAccessibleName(_spoken((subject, words, because)))
            said.setAccessibleName(item.accessibleName())
            self._rows.addWidget(item, row, start, 1, (2 if is_beside else 3 if why else 4) - start)
            if because:
                at = (row, 2, 1, 1 if why else 2) if is_beside else (row + 1, 1, 1, 3)
                self._rows.addWidget(Advice(because), *at)
            for cell, at in zip(others, ((row, 3, 1, 1), (row + 2, 1, 1, 3)), strict=False):
                self._rows.addWidget(cell, *at)
            if why:
                others[1].setAccessibleName(plain(why))
                self._open_by(beside[1], others[1])
        self._list.setAccessibleName(title)
        self.setAccessibleName(told_of(title, spoken(map(_spoken, rows))))
        self.setVisible(bool(rows))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (is_narrow := self.width() < _NARROW) is not self._is_narrow:
            self._is_narrow = is_narrow
            QTimer.singleShot(0, self, lambda: self.show_rows(*self._shown))  # not amid a layout

    def _cell(self, shown: QWidget, cells: Sequence[QWidget]) -> RowCell:
        made = RowCell(self._list, cells)
        line_up(made, gap=0).addWidget(shown)
        return made

    def _why_of(self, subject: str, why: str) -> Sequence[QWidget]:
        """Return a button and what it opens: the reason is below its row, on demand."""
        if not why:
            return ()
        button = QPushButton()
        button.setCheckable(True)  # before its words, as in `label`
        button.setText(self.tr("Why?"))
        button.setIcon(fold_icon(False))
        button.setProperty("role", "plain")
        button.setAccessibleName(told_of(subject, button.text()))
        return button, Advice(why)

    @staticmethod
    def _open_by(button: QWidget, reason: QWidget) -> None:
        """Let the reason's whole cell come and go: an empty one would keep the space around it."""
        assert isinstance(button, QPushButton)
        reason.setVisible(False)
        button.toggled.connect(reason.setVisible)
        button.toggled.connect(lambda is_open: button.setIcon(fold_icon(is_open)))
