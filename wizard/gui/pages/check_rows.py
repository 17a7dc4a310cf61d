"""The rows of the Check page: state, fact, why it matters, and what to do: said, copied, or written after it was shown.

One fix is open at a time; it stays open when the language or the theme changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.flow.check_view import CheckRow, LiveRow
from wizard.gui.desk import Desk
from wizard.gui.pages.driver_panel import DriverPanel
from wizard.gui.parts.boxes import RowCard, column, line_up, stacked
from wizard.gui.parts.diff_view import DiffView
from wizard.gui.parts.labels import Pill, label, state_word
from wizard.session.lint import Mending
from wizard.settings.finding import Finding

_WayOut = tuple[QPushButton | None, QWidget | None]  # a button, and what unfolds below the row


class CheckRows(RowCard):
    wanted = Signal(object, object)  # self, Finding: show what mending it would write
    agreed = Signal(object)  # Mending: write it

    def __init__(self, desk: Desk, name_of: Callable[[str], str], parent: QWidget | None = None) -> None:
        super().__init__(4, 2, parent)
        self._desk, self._name_of = desk, name_of
        self._shown: tuple[CheckRow, ...] = ()
        self._fix: tuple[Finding, Mending] | None = None
        self._open: set[str] = set()  # names of the rows whose way out is unfolded
        self.fixes: dict[str, QPushButton] = {}  # by the finding's code

    def show_live(self, live: Sequence[LiveRow]) -> None:
        """While the look goes on: what is known, and what is still waited for."""
        self.clear()
        self._shown = ()
        for one in live:
            if not one.is_known:
                pill = Pill("note", self.tr("Looking…"))
                pill.setAccessibleName(f"{self._name_of(one.name)}: {self.tr('Looking…')}")
                self.add_row(pill, label(self._name_of(one.name), "strong", wrap=False), label(""))
            for row in one.rows:
                self._add(row)

    def show_rows(self, rows: Sequence[CheckRow]) -> None:
        self.clear()
        self.fixes = {}
        self._shown = tuple(rows)
        for row in rows:
            self._add(row)

    def show_fix(self, finding: Finding, planned: Mending) -> None:
        self._fix = (finding, planned)
        self.show_rows(self._shown)

    def close_fix(self) -> bool:
        """True when one was open."""
        was_open, self._fix = self._fix is not None, None
        if was_open:
            self.show_rows(self._shown)
        return was_open

    def _add(self, row: CheckRow) -> None:
        name = self._name_of(row.name)
        pill = Pill(row.state)
        pill.setAccessibleName(f"{name}: {state_word(row.state)}")
        lines: list[QWidget] = [label(self._desk.voice.say(row.fact))]
        if row.why:
            lines.append(label(self._desk.voice.say(row.why), "muted"))
        button, wide = self._way_out(row, name, lines)
        self.add_row(pill, label(name, "strong", wrap=False), stacked(*lines), button)
        widths = self.fontMetrics().horizontalAdvance
        self.grid.setColumnMinimumWidth(0, widths("! Warning") + 30)
        self.grid.setColumnMinimumWidth(1, widths("Graphics card") + 14)
        if button:
            self.grid.setAlignment(button, Qt.AlignmentFlag.AlignRight)
        if wide:
            self.add_wide(wide)

    def _way_out(self, row: CheckRow, name: str, lines: list[QWidget]) -> _WayOut:
        if row.guide:
            panel = DriverPanel(row.guide, self._desk.voice)
            return self._unfolding(self.tr("How to update"), name, row, panel), panel
        if row.finding and row.finding.is_fixable:
            return self._fixing(row.finding, name, lines)
        if row.fix:
            fix = label(self._desk.voice.say(row.fix), "strong")
            lines.append(fix)
            button = self._unfolding(self.tr("What to do"), name, row, fix)
            button.setAccessibleDescription(fix.text())
            return button, None
        return None, None

    def _unfolding(self, words: str, name: str, row: CheckRow, what: QWidget) -> QPushButton:
        key = f"{row.name} {row.fact.key}"
        button = _small(words, name)
        button.setCheckable(True)

        def turn(is_open: bool) -> None:
            button.setText(f"{words}  {'▾' if is_open else '▸'}")
            what.setVisible(is_open)
            self._open.add(key) if is_open else self._open.discard(key)

        button.setChecked(row.blocks or key in self._open)
        turn(button.isChecked())
        button.toggled.connect(turn)
        return button

    # -- a setting that can be mended here

    def _fixing(self, finding: Finding, name: str, lines: list[QWidget]) -> _WayOut:
        lines.append(label(self._desk.voice.say(finding.fix)))
        button = _small(self.tr("Fix…"), f"{name}: {finding.value or finding.code}")
        button.setAccessibleDescription(self.tr("Shows the change first; nothing is written yet."))
        button.clicked.connect(lambda: self.wanted.emit(self, finding))
        self.fixes.setdefault(finding.code, button)
        is_open = self._fix is not None and self._fix[0] == finding
        return button, self._panel(self._fix[1]) if is_open and self._fix else None

    def _panel(self, planned: Mending) -> QWidget:
        made = QWidget()
        rows = column(made, gap=8)
        for refused in planned.refused:
            rows.addWidget(label(self._desk.voice.say(refused.summary)))
            rows.addWidget(label(self._desk.voice.say(refused.hint), "muted"))
        diff = DiffView(self._desk.theme)
        diff.show_diffs(planned.diffs)
        rows.addWidget(diff)
        line = line_up()
        self.write, self.leave_it = QPushButton(self.tr("&Write this change")), QPushButton(self.tr("&Leave it"))
        self.write.clicked.connect(lambda: self.agreed.emit(planned))
        self.leave_it.clicked.connect(self.close_fix)
        self.write.setVisible(bool(planned.diffs))
        line.addWidget(self.write)
        line.addWidget(self.leave_it)
        line.addStretch(1)
        rows.addLayout(line)
        return made


def _small(words: str, about: str) -> QPushButton:
    button = QPushButton(words)
    button.setProperty("role", "small")
    button.setAccessibleName(f"{words.replace('…', '')}: {about}")
    return button
