"""Explain an error: paste it or drop its file; cause, what to do, this computer's facts. Offline.

What is no known error is said to be none: nothing is advised rather than something wrong. One file: one page, whose
cards share the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QBoxLayout, QFileDialog, QHBoxLayout, QLabel, QPushButton, QWidget

from wizard.app.pages.order import PageId, SideId
from wizard.gui.pages.base import LAID_OUT
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.theme import code_font
from wizard.gui.tools.base import SidePage, button
from wizard.gui.widgets.advice import Advice, Point, Points
from wizard.gui.widgets.code import CodeLine, copy_out
from wizard.gui.widgets.commands import pages_of
from wizard.gui.widgets.fields import PasteBox
from wizard.gui.widgets.frames import Fold, box, column, empty, line_up
from wizard.gui.widgets.labels import Pill, label, plain_tip, selectable
from wizard.model.errors import ErrorText, WizardError
from wizard.model.messages import Message, message

WINDOW_SEVERAL_FILES = ErrorText(
    "window-several-files",
    "These are {count} files; one can be opened at a time.",
    "Drop the one that you want: a class profile (.torchlab), a plan, or a log with an error.",
)


if TYPE_CHECKING:
    from wizard.app.use.explain import ExplainResult
    from wizard.diagnose.driver_guide import DriverGuide
    from wizard.diagnose.known_errors.match import Explanation

_MOST_SHOWN = 100_000  # characters of a dropped file that stand in the box; all of it is looked through
_LONGEST_SHOWN = 1000  # of a line: Qt takes a second for a very long one
_LONGEST_LINE = 400
_FIRST_LINES = 60  # half the pixels of an answer that a low window scrolls to
_SET_UP_BY = {PageId.BUILD.value, PageId.WELCOME.value}  # pages that an advice names where a setup is what helps
_OF_TEXT = "explain.fix-text-of-card"  # what helps, helps on the computer that the text is of
_LOOKED_UP = ("explain.ask-torch", "explain.ask-python")  # by the doctor, too


def _row_of(buttons: Sequence[QPushButton]) -> QHBoxLayout:
    row = line_up()
    for one in buttons:
        row.addWidget(one)
    row.addStretch(1)
    return row


class ExplainPage(SidePage):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._answer: ExplainResult | None = None
        self._file_words = ""
        self._said: list[QLabel | QPushButton | Advice | Point] = []
        self.text = PasteBox()
        self.text.setMinimumHeight(130)
        self.text.setMaximumHeight(190)
        self.open, self.clear = button(), button()
        self.footer_left = self.footer_last = [self.open, self.clear]
        self._result = QWidget()
        self._rows = column(self._result, gap=10)
        self.body.addWidget(self.text)
        self.body.addWidget(self._result)
        self.body.addStretch(1)
        self.text.textChanged.connect(self._typed)
        self.text.dropped.connect(self._take_files)
        self.open.clicked.connect(self._choose_file)
        self.clear.clicked.connect(self._clear)

    def enter(self) -> None:
        if self.visit.text:
            self.text.setPlainText(self.visit.text)
            self.press()

    def first_control(self) -> QWidget:
        return self.text

    def primary_text(self) -> str:
        return self.tr("&Explain")

    def may_press(self) -> bool:
        return not self.is_busy and not self.text.document().isEmpty()

    def press(self) -> None:
        words = self._file_words or self.text.toPlainText()
        self.text.setFocus()  # the button is off while it looks, and its neighbour would get the keys: a file dialog
        self.start_task(
            lambda: self.tr("Looking it up…"),
            lambda is_cancelled, note: self.api.explain(words, is_cancelled),
            self._answered,
        )

    def retranslate(self) -> None:
        self.set_head(
            self.tr("Explain an error"),
            self.tr("Paste the lines of the error. Nothing is sent anywhere."),
        )
        self.text.setPlaceholderText(self.tr("Paste the error message or a log here, or drop its file"))
        self.text.setAccessibleName(self.tr("The error's text"))
        self.open.setText(self.tr("Open &file…"))
        self.clear.setText(self.tr("&Clear"))
        self._show()

    @property
    def words(self) -> str:
        """What the answer says, for a screen reader and the tests."""
        return "\n".join(one.text() for one in self._said)

    # -- the text

    def _typed(self) -> None:
        self._file_words = ""
        if self._answer is not None:
            self._answer = None
            self._show()
        self.changed.emit()

    def _clear(self) -> None:
        self.text.clear()
        self.trouble.clear()
        self.text.setFocus()

    def _choose_file(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("Open the error's file"), str(Path.home()))
        if chosen:
            self.take_file(Path(chosen))

    def _take_files(self, files: Sequence[Path]) -> None:
        if len(files) == 1:
            self.take_file(files[0])
        else:
            self.trouble.show_error(WizardError(WINDOW_SEVERAL_FILES, count=str(len(files))))

    def take_file(self, path: Path) -> None:
        self.text.clear()  # and with it the answer, which is about another text
        self.start_task(None, lambda is_cancelled, note: self.api.read_pasted(path), self._read)

    def _read(self, words: str) -> None:
        """The end of a long log stands in the box: that is where the error is."""
        self.text.setPlainText("\n".join(line[:_LONGEST_SHOWN] for line in words[-_MOST_SHOWN:].split("\n")))
        self._file_words = words
        self.press()

    # -- the answer

    def _answered(self, answer: ExplainResult) -> None:
        self._answer = answer
        self._show()
        self.announce(self.words, urgent=True)
        for wait in (LAID_OUT, 10 * LAID_OUT):  # on a busy computer words that turn find their height late
            QTimer.singleShot(wait, self, self._scroll_to_answer)

    def _scroll_to_answer(self) -> None:
        self._scroll.ensureVisible(0, self._result.geometry().top() + _FIRST_LINES, 0, _FIRST_LINES)

    def _show(self) -> None:
        empty(self._rows)
        self._said = []
        answer = self._answer
        self._result.setVisible(False)  # until all of it is there: it would be painted squeezed
        if answer is None:
            return
        if not answer.found:
            self._show_unknown(answer)
        for place, found in enumerate(answer.found):
            if place:
                self._show_other(found)
                continue
            self._show_known(found, answer)
            if answer.guide:
                self._show_guide(answer.guide)
        self._result.setVisible(True)

    def _add(self, words: str, role: str = "") -> QLabel:
        return self._put(label(words, role))

    def _add_head(self, words: str) -> QLabel:
        return self._put(label(words, "strong", spoken_as="heading"))

    def _put(self, made: QLabel) -> QLabel:
        self._said.append(selectable(made))
        return made

    def _add_linked(self, words: str, role: str = "") -> Advice:
        made = self._linked(words, role)
        self._said.append(made)
        return made

    @staticmethod
    def _linked(words: str, role: str = "") -> Advice:
        made = Advice(role=role)
        made.show_words(words)
        made.fold.button.setChecked(True)  # what is to be typed is the answer here
        return made

    def _add_with_card(self, lines: QBoxLayout, one: Explanation, below: Sequence[QPushButton] = ()) -> None:
        if one.with_card is None:
            return
        fold = Fold()
        fold.show_words(self.say(message("explain.with-card")))
        self._said.append(fold.button)
        fold.body.addWidget(self._add_linked(self.signed(one.with_card)))
        fold.body.addLayout(_row_of(below))
        lines.addWidget(fold)

    def _add_points(self, lines: QBoxLayout, name: str, points: Sequence[Message]) -> None:
        """`name`: what is listed."""
        made = Points()
        made.setAccessibleName(name)
        lines.addWidget(made)
        made.show_points([self._linked(self.signed(point)) for point in points])
        self._said += made.points

    def open_page(self, page: str) -> str:
        """The doctor looks at the environment that the text is of."""
        if page != SideId.DOCTOR.value or self._answer is None:
            return super().open_page(page)
        self.context.side.open(SideId.DOCTOR, self._answer.environment)
        return ""

    def _show_unknown(self, answer: ExplainResult) -> None:
        card = box("card")
        lines = column(card, (16, 14, 16, 14), 8)
        lines.addWidget(Pill("note", self.tr("Not known")))
        head = message("explain.by-tables" if answer.reasons else "explain.unknown")
        lines.addWidget(self._add(self.say(head), "heading"))
        if answer.reasons:
            self._add_points(lines, self.say(head), answer.reasons)
        hint = message("explain.tables-hint" if answer.reasons else "explain.unknown-hint")
        lines.addWidget(self._add_linked(self.signed(hint)))
        self._rows.addWidget(card)

    def _show_known(self, one: Explanation, answer: ExplainResult) -> None:
        card = box("chosen")
        lines = column(card, (16, 14, 16, 14), 8)
        told = self._add(one.line.strip()[:_LONGEST_LINE], "muted")
        told.setFont(code_font())
        lines.addWidget(told)
        fix = self.signed(one.fix)
        doing = self._doing(answer, one.error.examined, is_setup=not _SET_UP_BY.isdisjoint(pages_of(fix)))
        is_elsewhere = one.advice.startswith(_OF_TEXT) and one.with_card is not None and answer.environment is None
        here, there = ((), doing) if is_elsewhere else (doing, ())
        for name, words, below in (("cause", self.signed(one.cause), ()), ("fix", fix, here)):
            lines.addWidget(self._add_head(self.say(message(f"explain.{name}"))))
            advice = self._add_linked(words)
            advice.fold.button.setChecked(not here)
            lines.addWidget(advice)
            lines.addLayout(_row_of(below))
        self._add_with_card(lines, one, there)
        reasons = answer.reasons
        if one.error.examined:
            reasons = tuple(point for point in reasons if point.key not in _LOOKED_UP)
        for name, points in (("reasons", reasons), ("facts", answer.facts)):
            if points:
                head = self._add_head(self.say(message(f"explain.{name}")))
                lines.addWidget(head)
                self._add_points(lines, head.text(), points)
        sources = Fold()
        sources.show_words(self.tr("Source"))
        sources.body.addWidget(
            self._add_linked(self.signed(message("explain.source", source=one.error.source)), "muted")
        )
        lines.addWidget(sources)
        lines.addLayout(_row_of([self._copy_button()]))
        self._rows.addWidget(card)

    def _doing(self, answer: ExplainResult, may_examine: bool, is_setup: bool) -> list[QPushButton]:
        """Return the buttons that do what the answer says: a package is added; the doctor finds which of the causes it
        is, and repairs it; a setup takes a build that fits."""
        add, doctor, setup = button(), button(), button()
        add.setText(self.tr("&Add %1…").replace("%1", answer.package))
        add.setAccessibleDescription(self.tr("Shows first what would change in the environment."))
        environments = partial(self.context.side.open, SideId.ENVIRONMENTS, answer.environment, answer.package)
        add.clicked.connect(lambda: environments())
        doctor.setText(self.tr("Check the en&vironment"))
        doctor.setAccessibleDescription(self.tr("Finds out what is wrong in it, and offers the smallest repair."))
        doctor.clicked.connect(lambda: self.context.side.open(SideId.DOCTOR, answer.environment))
        setup.setText(self.tr("&Set up PyTorch"))
        setup.setAccessibleDescription(self.tr("Takes the newest build that fits this computer and that a source has."))
        setup.clicked.connect(self._set_up)
        wanted = ((add, bool(answer.package)), (setup, is_setup), (doctor, may_examine and not answer.package))
        return [made for made, is_wanted in wanted if is_wanted]

    def _set_up(self) -> None:
        """Begin a setup; one that is under way is gone on with, and of one that failed what was chosen is kept."""
        if self.context.navigator.may_choose_again(PageId.BUILD):
            self.open_page(PageId.BUILD.value)
            return
        if self.context.navigator.may_lead_to(PageId.CHECK):
            self.context.navigator.lead_to(PageId.CHECK)
        self.context.side.close()

    def _copy_button(self) -> QPushButton:
        """The rest goes to who can do it."""
        copy = button()
        copy.setText(self.tr("Copy the answer"))
        copy.setAccessibleDescription(self.tr("For the program's makers, or who looks after this computer."))
        copy.clicked.connect(lambda: copy_out(self.words, copy))
        return copy

    def _show_guide(self, guide: DriverGuide) -> None:
        card = box("card")
        lines = column(card, (16, 14, 16, 14), 8)
        lines.addWidget(self._add(self.say(message("explain.guide.head")), "heading"))
        for note in guide.notes:
            lines.addWidget(self._add_linked(self.signed(note)))
        for name, codes in (("install", guide.install), ("hold", guide.hold), ("unhold", guide.unhold)):
            if codes:
                lines.addWidget(self._add_head(self.say(message(f"explain.guide.{name}"))))
            for code in codes:
                lines.addWidget(CodeLine(code))
        if guide.page.startswith("https://"):
            page = button("small")
            page.setText(self.tr("Open the page"))
            page.setAccessibleDescription(guide.page)
            page.setToolTip(plain_tip(guide.page))
            page.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(guide.page)))
            lines.addWidget(page)
        self._rows.addWidget(card)

    def _show_other(self, other: Explanation) -> None:
        card = box("card")
        lines = column(card, (16, 12, 16, 12), 6)
        lines.addWidget(self._add(self.say(message("explain.also")), "muted"))
        lines.addWidget(self._add_linked(self.signed(other.cause)))
        lines.addWidget(self._add_linked(self.signed(other.fix)))
        self._add_with_card(lines, other)
        self._rows.addWidget(card)
