"""Beside the grid: builds that the tables do not know yet, and the question before one is taken that does not fit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.figures import variant_text
from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.labels import Pill, label
from wizard.gui.voice import Voice
from wizard.plan.model import Candidate
from wizard.session.judged_news import JudgedNews

_MOST = 4


def build_text(torch: str, variant: str) -> str:
    return f"torch {torch} + {variant_text(variant)}"


class NewsBox(QFrame):
    """Told beside the verdict; it never takes its place, for the tables have no facts of these builds."""

    def __init__(self, voice: Voice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._voice = voice
        rows = column(self, (16, 12, 16, 12), 4)
        self._title, self._lines = label("", "strong"), label("")
        self._then = label("", "muted")
        for one in (self._title, self._lines, self._then):
            rows.addWidget(one)
        self.setVisible(False)

    @property
    def words(self) -> str:
        return f"{self._title.text()} {self._lines.text()}"

    def show_news(self, news: Sequence[JudgedNews]) -> None:
        self.setVisible(bool(news))
        self._title.setText(self.tr("New at the sources, and not known to this program yet"))
        self._lines.setText("\n".join(self._line(one) for one in news[:_MOST]))
        self._then.setText(self.tr("An update of this program, or “torch-wizard matrices refresh”, brings them here."))

    def _line(self, one: JudgedNews) -> str:
        build = one.build
        variant = variant_text(build.variant) if build.variant else "CUDA ?"
        if one.fits is None:
            fits = self.tr("whether it fits is not known")
        elif one.fits:
            fits = self.tr("would fit this computer")
        else:
            why = self._voice.say(one.reasons[0].message).rstrip(".。") if one.reasons else ""
            fits = self.tr("would not fit: %1").replace("%1", why)
        return f"•  torch {build.torch} + {variant} ({self._voice.say(build.source.label)}): {fits}"


class ForceBox(QFrame):
    """Asks once, in the page: a person may set up for another card than the one that is in the computer now."""

    agreed = Signal(object)  # Candidate

    def __init__(self, voice: Voice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "ask")
        self._voice = voice
        self._one: Candidate | None = None
        rows = column(self, (16, 12, 16, 12), 8)
        self._pill, self._what, self._why = Pill("warning"), label("", "strong"), label("")
        self.take, self.leave_it = QPushButton(), QPushButton()
        self.take.clicked.connect(self._agree)
        self.leave_it.clicked.connect(self.put_away)
        line = line_up()
        line.addWidget(self.take)
        line.addWidget(self.leave_it)
        line.addStretch(1)
        for one in (self._pill, self._what, self._why):
            rows.addWidget(one)
        rows.addLayout(line)
        self.setVisible(False)

    @property
    def is_asking(self) -> bool:
        return self._one is not None

    def ask(self, one: Candidate) -> None:
        self._one = one
        self.retranslate()
        self.setVisible(True)
        self.leave_it.setFocus()

    def put_away(self) -> bool:
        """True when it was asking."""
        was_asking, self._one = self.is_asking, None
        self.setVisible(False)
        return was_asking

    def _agree(self) -> None:
        one = self._one
        self.put_away()
        if one:
            self.agreed.emit(one)

    def retranslate(self) -> None:
        self.take.setText(self.tr("&Take it all the same"))
        self.leave_it.setText(self.tr("&Keep what fits"))
        self._pill.show_state("warning", self.tr("Does not fit"))
        if self._one is None:
            return
        self._what.setText(
            self.tr("Take %1 all the same?").replace("%1", build_text(self._one.torch, self._one.variant))
        )
        said = [self._voice.say(reason.message) for reason in self._one.reasons]
        rest = self.tr("It will be installed, but here it will not run on a card; the test at the end will say so.")
        self._why.setText("\n".join((*(f"•  {words}" for words in said), rest)))
        self.setAccessibleName(f"{self._what.text()} {self._why.text()}")
