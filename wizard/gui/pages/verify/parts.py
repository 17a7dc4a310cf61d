"""Parts of Verify: a check's row, why it failed, the broken chain, the speed as a gauge, shared downloads.

One file: each is a dozen lines, and the page lays them below each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from wizard.app.pages.report import repair_build
from wizard.gui.pages.proof import Chain, LinkBox, link_name
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.serving import DOWNLOADS
from wizard.gui.shell.theme import code_font, colour_now
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.code import copy_out
from wizard.gui.widgets.fields import MainButton
from wizard.gui.widgets.figures import build_text, seconds_text, variant_text
from wizard.gui.widgets.frames import Fold, RowCard, Turning, column, draw_bar, empty, line_up, stacked
from wizard.gui.widgets.icons import icon
from wizard.gui.widgets.labels import Pill, label, selectable, spoken, told_of
from wizard.gui.widgets.log_view import LogView
from wizard.model.errors import ExitStatus, WizardError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wizard.app.pages.order import AppState
    from wizard.app.pages.report import ChainLink, CheckView, DiagnosisView
    from wizard.compatibility.model import Candidate

HEADLINE = "zeros"  # torch.zeros(1).cuda(): the one that everybody wants to know
SPEED = "speed"
_WORTH_SAYING = 0.05  # seconds
_STATES = {"ok": "ok", "warning": "warning", "failed": "problem", "skipped": "note"}
_NARROW = 80  # letters in the width of the card
_LEAST, _LEAST_NAME = 300, 60  # pixels of a card, and of a name in it
_BESIDE_NAME = 230  # pixels: state, time and what is between them
_GAUGE, _BEYOND = 24, 1.25  # pixels; the end of the gauge, as a part of what such a card is rated at
_READY = (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED)  # its files are right, whatever the card said


def check_word(state: str) -> str:
    """Return the word for a check that did not pass; "" for one that did."""
    words = {
        "failed": QCoreApplication.translate("TorchCheckState", "Failed"),
        "skipped": QCoreApplication.translate("TorchCheckState", "Skipped"),
    }
    return words.get(state, "")


def is_worth_seeing(check: CheckView) -> bool:
    """Return whether it stands at the top, not among the other checks."""
    is_measured = check.name == SPEED and check.state == "ok"
    return check.name == HEADLINE or is_measured or check.state in ("failed", "warning")


def is_among(check: CheckView, evidence: Sequence[str]) -> bool:
    """Return whether what it failed with stands in the evidence."""
    error = str(check.message.params.get("error") or "")
    return bool(error) and any(error in line for line in evidence)


def small_row(*buttons: QPushButton) -> QHBoxLayout:
    """Return a line of small buttons, at its left."""
    row = line_up(gap=8)
    for button in buttons:
        button.setProperty("role", "small")
        row.addWidget(button)
    row.addStretch(1)
    return row


class SpeedGauge(QWidget):
    """A measured speed as a bar, and around its end the range in which such a card should be. Words say the same."""

    def __init__(self, measured: float, least: float, most: float) -> None:
        super().__init__()
        self._measured, self._range, self._whole = measured, (least, most), max(most * _BEYOND, measured)
        self.setFixedHeight(_GAUGE)
        self.setMinimumWidth(4 * _GAUGE)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar, green where it reaches the range, and the range as a frame that is seen through it."""
        painter, room, one = QPainter(self), QRectF(self.rect()), self.width() / self._whole
        reaches = self._measured >= self._range[0]
        high = room.height() / 3
        bar = QRectF(room.x(), room.center().y() - high / 2, room.width(), high)
        draw_bar(painter, bar, ((min(self._measured / self._whole, 1.0), "on_ok" if reaches else "on_problem"),))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour_now("border"), 1.5))
        least, most = self._range
        painter.drawRoundedRect(QRectF(least * one, 1, (most - least) * one, room.height() - 2), 4, 4)


def _at_right(words: str, role: str) -> QLabel:
    made = label(words, role, wrap=False)
    made.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return made


def _speed_parts(said: Mapping[str, object]) -> tuple[QWidget | None, QWidget]:
    """Return the gauge of a measured speed, and its figures: the value and what is expected. No gauge where no table
    has that."""
    value = _at_right(f"{said['tflops']} TFLOP/s", "strong")
    if "least" not in said:
        return None, stacked(value)
    least, most = str(said["least"]), str(said["stated"])
    words = QCoreApplication.translate("VerifyPage", "expected: %1 to %2").replace("%1", least).replace("%2", most)
    gauge = SpeedGauge(float(str(said["tflops"])), float(least), float(most))
    return gauge, stacked(value, _at_right(words, "muted"))


class TestedRows(RowCard):
    """Checks. Where there is little room, what is said of each stands below its name."""

    def __init__(self) -> None:
        super().__init__(4, 2)
        self._beside: list[QWidget] = []
        self._below: list[QWidget] = []
        self._names: list[QLabel] = []

    def clear(self) -> None:
        super().clear()
        self._beside, self._below, self._names = [], [], []

    def name(self, words: str) -> QLabel:
        """Return a check's name. It goes on in another line only where the card itself is narrow."""
        self._names.append(label(words, "strong"))
        return self._names[-1]

    def minimumSizeHint(self) -> QSize:
        """Give no more than the narrow form needs: of the wide one the page was scrolled, and it never turned."""
        return QSize(min(_LEAST, super().minimumSizeHint().width()), super().minimumSizeHint().height())

    def add_twice(self, beside: Sequence[QWidget], below: QWidget) -> None:
        """Add what is shown instead of `beside`, of the last row, where there is little room."""
        self.add_wide(below)
        self._beside += beside
        self._below.append(below)
        self._turn(self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn(event.size().width())

    def _turn(self, width: int) -> None:
        is_narrow = width < _NARROW * self.fontMetrics().averageCharWidth()
        for name in self._names:
            whole = name.fontMetrics().horizontalAdvance(name.text()) + 1
            name.setMinimumWidth(max(_LEAST_NAME, min(whole, width - _BESIDE_NAME)) if is_narrow else whole)
        for one in self._beside:
            one.setVisible(not is_narrow)
        for one in self._below:
            one.setVisible(is_narrow)


def add_check(card: TestedRows, name: str, check: CheckView, words: str, tight: bool) -> None:
    """Add a check with its sign, name and words; a measured speed comes with its gauge."""
    pill = Pill(_STATES.get(check.state, "note"), check_word(check.state))
    pill.setAccessibleName(told_of(name, pill.accessibleName()))
    is_said = check.name in (HEADLINE, SPEED) and check.state == "ok"  # its sentence says it, or it tells nothing
    seconds = check.seconds if check.seconds and check.seconds >= _WORTH_SAYING and not is_said else None
    took: QWidget | None = _at_right(seconds_text(seconds), "muted") if seconds is not None else None
    said: QWidget = Advice(words)
    named = card.name(name)
    if check.name == SPEED and "tflops" in check.message.params:
        _add_speed(card, pill, named, check, said if check.message.key.endswith(".slow") else None, tight)
        return
    card.add_row(pill, named, said, took, tight=tight)
    card.add_twice([said], Advice(words))


def _add_speed(
    card: TestedRows, pill: QWidget, name: QWidget, check: CheckView, slow: QWidget | None, tight: bool
) -> None:
    """Add a measured speed. `slow`: what a gauge does not tell in words, which stay also where it stands below."""
    gauge, figures = _speed_parts(check.message.params)
    named = stacked(name, label("float32", "muted"))
    card.add_row(pill, named, stacked(*filter(None, (gauge, slow))), figures, tight=tight)
    below, (again, told) = Turning(14), _speed_parts(check.message.params)
    if again is not None:
        below.line.addWidget(again, 1)
    below.line.addWidget(told)
    card.add_twice([one for one in (gauge, figures) if one is not None], below)


class LogFold(Fold):
    """What the log says of a part of a project that is not in. It is read when somebody wants to see it."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._lines = LogView()
        self.body.addWidget(self._lines)
        self.button.toggled.connect(lambda is_open: self.wanted.emit() if is_open else None)

    def show_log(self, words: str) -> None:
        self._lines.clear()
        self._lines.add(words.splitlines())

    def retranslate(self) -> None:
        self.show_words(self.tr("Show the &log"))
        self._lines.setAccessibleName(self.tr("Log"))


class FailureCard(QFrame):
    """Why the test failed, what a repair would bring, and the button to it."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setProperty("role", "error")
        self._context = context
        self._build: Candidate | None = None
        lines = column(self, (16, 14, 16, 14), 8)
        self._pill, self.cause, self.repair, self.mend = Pill("problem"), Advice(), Advice(), MainButton()
        self.mend.setProperty("role", "primary")
        self.brings = label("", "heading")
        lines.addWidget(self._pill)
        lines.addWidget(self.cause)
        beside = line_up(gap=16)
        beside.addWidget(stacked(self.brings, self.repair), 1)
        beside.addWidget(self.mend, 0, Qt.AlignmentFlag.AlignRight)
        lines.addLayout(beside)

    def show_diagnosis(self, diagnosis: DiagnosisView | None) -> None:
        """Show the cause and its remedy; None: the test gave none."""
        said = self._context.translator.signed
        self._pill.show_state("problem", self.tr("Why"))
        words = self.tr("The test gives no reason. “Repair” looks for it.")
        self.cause.show_words(said(diagnosis.cause) if diagnosis else words)
        self.repair.show_words(said(diagnosis.repair) if diagnosis else "")
        self._show_build()

    def look_for_build(self) -> None:
        """Look up in the background which build the repair would bring; its plan asks the sources, later."""
        state, session = self._context.navigator.state, self._context.session
        facts, report = state.facts, state.report or {}
        self._build = None
        if facts is None:
            self._show_build()
            return
        self._context.tasks.start(
            lambda is_cancelled, note: repair_build(report, lambda choices: session.propose(facts, choices)),
            lambda build: self._found(build, state.run_id),
            lambda error: None,
        )

    def _found(self, build: Candidate | None, run_id: str | None) -> None:
        if run_id == self._context.navigator.state.run_id:
            self._build = build
            self._show_build()

    def _show_build(self) -> None:
        build = self._build
        words = f"torch {build.torch} + {variant_text(build.variant)}" if build is not None else ""
        self.brings.setText(self.tr("%1 fits your card.").replace("%1", words) if words else "")
        self.brings.setVisible(bool(words))

    def retranslate(self) -> None:
        self.mend.setText(self.tr("&Repair…"))


class EvidenceCard(QFrame):
    """The lines that prove the cause, and a button that copies all there are; the others lie under a fold elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._all = ""
        rows, head = column(self, (16, 12, 16, 12), 6), line_up()
        self._title, self._lines, self.copy = label("", "heading"), selectable(label("")), QPushButton(self)
        self.copy.setProperty("role", "small")
        self.copy.setIcon(icon("copy"))
        self.copy.clicked.connect(lambda: copy_out(self._all, self.copy))
        self.more, self._rest = Fold(), selectable(label(""))
        self.more.body.addWidget(self._rest)
        for lines in (self._lines, self._rest):
            lines.setFont(code_font())
        head.addWidget(self._title, 1)
        head.addWidget(self.copy)
        rows.addLayout(head)
        rows.addWidget(self._lines)

    @property
    def words(self) -> str:
        return self._lines.text()

    @property
    def folded(self) -> str:
        return self._rest.text()

    def show_lines(self, telling: Sequence[str], rest: Sequence[str]) -> None:
        """Show those that tell most, and the others where who looks closer finds them. None hides all of it."""
        self._all = "\n".join((*telling, *rest))
        self._lines.setText("\n".join(telling))
        self._rest.setText("\n".join(rest))
        self.setVisible(bool(telling))
        self.more.show_words(self.tr("More e&vidence"), str(len(rest)))
        self.more.setVisible(bool(rest))

    def retranslate(self) -> None:
        self._title.setText(self.tr("Evidence"))
        self.copy.setText(self.tr("Copy"))
        self.copy.setAccessibleName(self.tr("Copy all evidence"))


class BrokenChain(QFrame):
    """The proof of a build whose test failed, with the link that does not hold."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._chain = Chain()
        self._links = line_up(self._chain, gap=6)
        column(self, (16, 12, 16, 12)).addWidget(self._chain)
        self.setVisible(False)

    def show_links(self, links: Sequence[ChainLink]) -> None:
        """Show them in their order; none hides it."""
        empty(self._links)
        for link in links:
            made = LinkBox(link.kind, "ok" if link.holds else "broken")
            said = self.tr("fits") if link.holds else self.tr("does not fit")
            fact = build_text(link.fact) if link.kind == "wheel" else variant_text(link.fact)
            made.show_words(link_name(link.kind), fact, told_of(link_name(link.kind), spoken((fact, said))))
            self._links.addWidget(made, 1)
        self.setVisible(bool(links))


class HandOnCard(QFrame):
    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._context = context
        self._begun_for = ""  # the run; one that was stopped by hand is not begun again
        self._failure: WizardError | None = None
        rows = column(self, (16, 12, 16, 12), 6)
        self._pill, self._title, self.stop = Pill("note"), label("", "strong"), QPushButton(self)
        self.stop.setProperty("role", "small")
        head = line_up()
        head.addWidget(self._pill)
        head.addWidget(self._title, 1)
        head.addWidget(self.stop)
        self._words = label("", "muted")
        rows.addLayout(head)
        rows.addWidget(self._words)
        self.stop.clicked.connect(context.serving.stop)
        context.serving.changed.connect(self.retranslate)
        self.setVisible(False)

    def begin(self) -> None:
        """Opt-in: only where the form's tick was set."""
        state, serving = self._context.navigator.state, self._context.serving
        if not self._is_wanted(state) or state.run_id == self._begun_for or serving.is_on:
            self.retranslate()
            return
        self._begun_for, self._failure = state.run_id or "", None
        room, preview, classes = state.classroom, state.preview, self._context.session.tools.classes
        if room is None or preview is None:
            return
        serving.start(
            DOWNLOADS,
            lambda on_bytes, is_cancelled: classes.hand_on(room.file, room.path, preview.files),
            self._failed,
        )

    @staticmethod
    def _is_wanted(state: AppState) -> bool:
        report = state.report or {}
        return state.hand_on and state.preview is not None and report.get("status") in _READY

    def _failed(self, error: WizardError) -> None:
        self._failure = error
        self.retranslate()

    def retranslate(self) -> None:
        serving = self._context.serving
        server = serving.server if serving.what == DOWNLOADS else None
        self.stop.setText(self.tr("St&op it"))
        self.stop.setVisible(server is not None)
        self.setVisible(server is not None or self._failure is not None)
        if server is not None:
            self._pill.show_state("ok", self.tr("Sharing"))
            self._title.setText(self.tr("This computer shares the files with its class"))
            words = self.tr("Sharing ends when this window is closed. Others find it by the class code, or at %1.")
            self._words.setText(words.replace("%1", "  ".join(server.addresses)))
        elif self._failure is not None:
            self._pill.show_state("note")
            self._title.setText(self.tr("The files could not be shared"))
            self._words.setText(self._context.translator.say(self._failure.summary))
