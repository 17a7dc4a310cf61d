"""The rows of the Check page: state, fact, why it matters, and what to do: said, copied, or written after it was shown.

One fix is open at a time; it stays open when the language or the theme changes. One file: what a row is made of, where
it stands and what of it unfolds are one thing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from wizard.app.pages.check import ALWAYS_SHOWN, PARTS, CheckRow, LiveRow
from wizard.app.use.settings import Mending
from wizard.diagnose.driver_guide import DriverGuide
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.diff_view import DiffView
from wizard.gui.widgets.frames import Fold, RowCard, column, line_up, stacked
from wizard.gui.widgets.icons import IconView, fold_icon
from wizard.gui.widgets.labels import Pill, label, plain_tip, selectable, state_word, told_of
from wizard.toolconfig.lint.finding import LintFinding

# The way to the driver that suits the card: what to know, lines to copy, and the page of who makes the system.
#
# Advice only: nothing is run from here, and the page is opened when somebody asks for it.


class DriverPanel(QWidget):
    def __init__(self, guide: DriverGuide, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        rows = column(self, gap=8)
        for note in guide.notes:
            rows.addWidget(Advice(translator.signed(note)))
        parts = (
            (self.tr("Install it"), guide.install),
            (self.tr("Stay on this driver series"), guide.hold),
            (self.tr("Allow newer series again"), guide.unhold),
        )
        self.lines: list[CodeLine] = []
        self.fold = Fold(self)
        self.fold.show_words(QCoreApplication.translate("CodeLines", "In a terminal"))
        for title, lines in parts:
            if lines:
                self.fold.body.addWidget(label(title, "strong"))
            for line in lines:
                self.lines.append(CodeLine(line))
                self.fold.body.addWidget(self.lines[-1])
        self.fold.setVisible(bool(self.lines))
        foot = line_up()
        self.page = QPushButton(self.tr("Open the guide in a browser"))
        self.page.setProperty("role", "small")
        self.page.setAccessibleDescription(guide.page)
        self.page.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(guide.page)))
        foot.addWidget(self.page)
        foot.addWidget(selectable(label(guide.page, "muted")), 1)
        rows.addLayout(foot)
        rows.addWidget(self.fold)


_WayOut = tuple[QPushButton | None, QWidget | None]  # a button, and what unfolds below the row
_NARROW = 100  # letters in the width of the card
_USUAL, _AROUND = ("Graphics card", "! Warning"), (2, 22)  # the widest of two columns, and pixels around their words
_APART, _NEAR = 12, 8  # pixels between two columns; in a narrow card
_ABOVE = 8  # pixels above and below a row


class CheckRows(RowCard):
    wanted = Signal(object, object)  # self, LintFinding: show what mending it would write
    agreed = Signal(object)  # Mending: write it

    def __init__(
        self, context: AppContext, name_of: Callable[[str], str], is_terse: bool = False, is_second: bool = False
    ) -> None:
        """`is_terse`: what is in order, or lets the setup go on, is one line; the rest opens. `is_second`: goes on with
        the rows of another card."""
        super().__init__(5, 3)
        if is_second:
            self._outer.setContentsMargins(6, 0, 6, 6)
        self._is_terse = is_terse
        self._context, self._name_of = context, name_of
        self._shown: tuple[CheckRow, ...] = ()
        self._made_of: tuple[object, ...] = ()
        self._fix: tuple[LintFinding, Mending] | None = None
        self._open: set[str] = set()  # names of the rows whose way out is unfolded
        self.fixes: dict[str, QPushButton] = {}  # by the finding's code
        self._buttons: list[tuple[QPushButton, QWidget, QHBoxLayout, QHBoxLayout]] = []
        self._words: list[tuple[QWidget, int, int]] = []  # the cell of the words, its row, and the columns that it has
        self._icons: list[IconView] = []
        self._is_narrow = False

    def show_live(self, live: Sequence[LiveRow]) -> None:
        """While the look goes on: what is known, and what is still waited for."""
        if not self._makes_anew("live", *live):
            return
        self._shown = ()
        for one in live:
            if not one.is_known:
                self._add_waiting(one.name)
            for row in one.rows:
                self._add(row)

    def show_rows(self, rows: Sequence[CheckRow]) -> None:
        """Show these rows in the place of all that were shown."""
        if not self._makes_anew(self._fix, *rows):
            return
        self.fixes = {}
        self._shown = tuple(rows)
        for row in rows:
            self._add(row)

    def _makes_anew(self, *what: object) -> bool:
        """Clear the card, unless it shows that already: a page is told far more often than there is news."""
        before, self._made_of = self._made_of, (self._context.translator.language, self._context.theme.shown, *what)
        if is_other := self._made_of != before:
            self.clear()
        return is_other

    def show_fix(self, finding: LintFinding, planned: Mending) -> None:
        self._fix = (finding, planned)
        self.show_rows(self._shown)
        (self.write if planned.diffs else self.leave_it).setFocus()

    def close_fix(self) -> bool:
        """True when one was open."""
        was_open, self._fix = self._fix is not None, None
        if was_open:
            self.show_rows(self._shown)
        return was_open

    def _add_waiting(self, name: str) -> None:
        pill = Pill("note", self.tr("Checking…"))
        pill.setAccessibleName(told_of(self._name_of(name), self.tr("Checking…")))
        self.add_row(self._icon_of(name), label(self._name_of(name), "strong", wrap=False), pill, label(""))

    def _add(self, row: CheckRow) -> None:
        if row.is_waited:
            self._add_waiting(row.name)
            return
        name = self._name_of(row.name)
        pill = Pill(row.state)
        pill.setAccessibleName(told_of(name, state_word(row.state)))
        say, signed = self._context.translator.say, self._context.translator.signed
        # no link to an address that is dead
        told = self._context.translator.join(filter(None, (say(row.fact), say(row.met))))
        fact = selectable(label(told)) if row.finding else Advice(signed(row.fact))
        lines: list[QWidget] = [fact]
        if row.why and self._is_terse and (row.state == "ok" or _opens_all(row)):
            fact.setToolTip(plain_tip(say(row.why)))
            fact.setAccessibleDescription(fact.toolTip())
        elif row.why:
            lines.append(Advice(signed(row.why), "muted"))
        if row.also:
            lines.append(Advice(signed(row.also), "muted"))
        button, wide = self._way_out(row, name, lines)
        words = stacked(*lines)
        beside = self._beside(button, words) if button else None
        self.add_row(self._icon_of(row.name), label(name, "strong"), pill, words, beside)
        if cell := words.parentWidget():
            self._words.append((cell, self._rows - 1, 1 if beside else 2))
            self._put_words(*self._words[-1])
        self._rows += 1  # for the words, where they stand below
        if wide:
            self.add_wide(wide)

    def _beside(self, button: QPushButton, words: QWidget) -> QWidget:
        """Where the button stands while there is room for it beside the words."""
        place, below = QWidget(), line_up()
        beside = line_up(place)
        layout = words.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertLayout(layout.count() - 1, below)  # the last is a stretch
        below.addStretch(1)
        self._buttons.append((button, place, beside, below))
        self._put_button(*self._buttons[-1])
        return place

    def _put_words(self, cell: QWidget, row: int, columns: int) -> None:
        """Beside the name and the state; where that leaves them few letters, below."""
        place = (row + 1, 1, 1, 4) if self._is_narrow else (row, 3, 1, columns)
        self.grid.addWidget(cell, *place)
        layout = cell.layout()
        assert layout is not None
        layout.setContentsMargins(0, 0 if self._is_narrow else _ABOVE, 0, _ABOVE)

    def _put_button(self, button: QPushButton, place: QWidget, beside: QHBoxLayout, below: QHBoxLayout) -> None:
        had_focus = self.window().focusWidget() is button  # which a new parent takes away
        if self._is_narrow:
            below.insertWidget(0, button)
        else:
            beside.addWidget(button, 0, Qt.AlignmentFlag.AlignRight)
        if self._is_narrow or place.parent() is not None:  # a new one is shown by the grid
            place.setVisible(not self._is_narrow)
        if had_focus:
            button.show()
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where few words would be left in a line, they go below the name, and the buttons below them."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW * self.fontMetrics().averageCharWidth()
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._space()
            for words in self._words:
                self._put_words(*words)
            for one in self._buttons:
                self._put_button(*one)

    def clear(self) -> None:
        super().clear()
        self._buttons, self._words, self._icons = [], [], []
        self._space()

    def _space(self) -> None:
        """Leave the room to the words where there is little: without icons."""
        bold = QFont(self.font())
        bold.setBold(True)
        widths = (QFontMetrics(bold).horizontalAdvance, self.fontMetrics().horizontalAdvance)  # as the columns have it
        self.grid.setHorizontalSpacing(_NEAR if self._is_narrow else _APART)
        side = 4 if self._is_narrow else 10
        self.grid.setContentsMargins(side, 2, side, 2)
        for column_number, (word, around, wide) in enumerate(zip(_USUAL, _AROUND, widths, strict=True), start=1):
            self.grid.setColumnMinimumWidth(column_number, wide(word) + around)
        for shown in self._icons:
            shown.setVisible(not self._is_narrow)

    def _icon_of(self, name: str) -> IconView:
        made = _icon(name)
        self._icons.append(made)
        if self._is_narrow:
            made.setVisible(False)
        return made

    def _way_out(self, row: CheckRow, name: str, lines: list[QWidget]) -> _WayOut:
        if row.guide:
            panel = DriverPanel(row.guide, self._context.translator)
            is_missing = row.fact.key in ("check.driver.none", "check.driver.nouveau")
            words = self.tr("How to install") if is_missing else self.tr("How to update")
            return self._unfolding(words, name, row, panel), panel
        if row.finding and row.finding.is_fixable:
            return self._fixing(row, row.finding, name, lines)
        if row.fix:
            said = (row.why, row.fix) if self._is_terse and _opens_all(row) else (row.fix,)
            fix = Advice(
                self._context.translator.join(map(self._context.translator.signed, said)),
                "strong" if len(said) == 1 else "",
            )
            lines.append(fix)
            is_choice = PARTS in (row.fact.key, row.also and row.also.key)  # nothing has to be done
            words = self.tr("How to choose") if is_choice else self.tr("What to do")
            button = self._unfolding(words, name, row, fix)
            button.setAccessibleDescription(fix.text())
            return button, None
        return None, None

    def _unfolding(self, words: str, name: str, row: CheckRow, what: QWidget) -> QPushButton:
        key = f"{row.name} {row.fact.key}"
        button = _small(words, name, is_fold=True)

        def turn(is_open: bool) -> None:
            button.setIcon(fold_icon(is_open))
            if not is_open or what.parent() is not None:  # before it has one it would be a window of its own
                what.setVisible(is_open)
            self._open.add(key) if is_open else self._open.discard(key)

        button.setChecked(row.blocks or key in self._open)
        turn(button.isChecked())
        button.toggled.connect(turn)
        return button

    # -- a setting that can be mended here

    def _fixing(self, row: CheckRow, finding: LintFinding, name: str, lines: list[QWidget]) -> _WayOut:
        is_open = self._fix is not None and self._fix[0] == finding
        if is_open or not self._is_terse:
            said = (row.why, finding.fix) if self._is_terse else (finding.fix,)
            lines.append(Advice(self._context.translator.join(map(self._context.translator.signed, said))))
        button = _small(self.tr("Fix…"), told_of(name, finding.value or finding.code))
        button.setAccessibleDescription(self.tr("Shows the change first; nothing is written yet."))
        button.clicked.connect(lambda: self.wanted.emit(self, finding))
        self.fixes.setdefault(finding.code, button)
        return button, self._panel(self._fix[1]) if is_open and self._fix else None

    def _panel(self, planned: Mending) -> QWidget:
        made = QWidget()
        rows = column(made, gap=8)
        for refused in planned.refused:
            rows.addWidget(Advice(self._context.translator.signed(refused.summary)))
            rows.addWidget(Advice(self._context.translator.signed(refused.hint), "muted"))
        diff = DiffView(self._context.theme)
        diff.show_diffs(planned.diffs)
        rows.addWidget(diff)
        line = line_up()
        self.write, self.leave_it = QPushButton(self.tr("Sa&ve"), made), QPushButton(self.tr("Cance&l"), made)
        self.write.clicked.connect(lambda: self.agreed.emit(planned))
        self.leave_it.clicked.connect(self.close_fix)
        self.write.setVisible(bool(planned.diffs))
        line.addWidget(self.write)
        line.addWidget(self.leave_it)
        line.addStretch(1)
        rows.addLayout(line)
        return made


_ICONS = {
    "gpu": "gpu",
    "driver": "cpu",
    "toolkit": "hammer",
    "conda": "box",
    "settings": "sliders-horizontal",
    "disk": "hard-drive",
    "path": "folder",
    "network": "globe",
    "python": "file-code",
    "system": "monitor",
    "environment": "package",
    "restart": "refresh-cw",
    "runtime": "puzzle",
}


def _opens_all(row: CheckRow) -> bool:
    """Tell whether why it matters stands with what to do about it: the setup goes on, so few must read it. Of the card
    and its driver it says what will be installed."""
    return row.name not in ALWAYS_SHOWN and not row.blocks and bool(row.fix or row.finding)


def _icon(name: str) -> IconView:
    """Return the icon of a requirement."""
    made = IconView(_ICONS.get(name, "check"))
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return made


def _small(words: str, about: str, is_fold: bool = False) -> QPushButton:
    button = QPushButton()
    button.setCheckable(is_fold)  # before its words, as in `label`
    button.setText(words)
    button.setProperty("role", "small")
    button.setAccessibleName(told_of(words.replace("…", ""), about))
    return button
