"""Welcome: set up PyTorch, go on with what was left unfinished, or look at the setup that is running."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.errors import WizardError
from wizard.flow.session_api import resume_after
from wizard.gui.desk import Desk
from wizard.gui.figures import variant_text
from wizard.gui.pages.base import Page
from wizard.gui.parts.boxes import box, column, empty, line_up
from wizard.gui.parts.labels import Pill, label
from wizard.gui.parts.tile import Tile
from wizard.session.model import RunInfo


class WelcomePage(Page):
    def __init__(self, desk: Desk, opened_file: str | None = None) -> None:
        super().__init__(desk)
        self._runs: tuple[RunInfo, ...] = ()
        self._opened_file = opened_file
        self._looked = False
        self.setup = Tile()
        self.setup.clicked.connect(self.press)
        self._file_note = label("", "muted")
        self._others = column(gap=10)
        self.body.addWidget(self.setup)
        self.body.addWidget(self._file_note)
        self.body.addLayout(self._others)
        self.body.addStretch(1)

    def enter(self) -> None:
        self._look()

    def first_control(self) -> QWidget:
        return self.setup

    def primary_text(self) -> str:
        return self.tr("&Start")

    def retranslate(self) -> None:
        self.set_head(self.tr("PyTorch on this computer"), self.tr("From the graphics card to a tested environment."))
        self.setup.show_words(
            self.tr("Set up PyTorch"),
            self.tr("Checks this computer, picks the build that fits, installs it into an environment and tests it."),
        )
        self._file_note.setText(
            self.tr("This version cannot open %1 yet.").replace("%1", PurePath(self._opened_file or "").name)
        )
        self._file_note.setVisible(bool(self._opened_file))

    def render_state(self) -> None:
        empty(self._others)
        for run in self._runs:
            if run.state in ("running", "unfinished"):
                self._others.addWidget(self._running(run) if run.state == "running" else self._unfinished(run))

    # -- the runs of this computer

    def _look(self) -> None:
        self.errand("", lambda is_cancelled, note: self.desk.session.runs(), self._found)

    def _found(self, runs: tuple[RunInfo, ...]) -> None:
        self._runs = runs
        self.render_state()
        first_look, self._looked = not self._looked, True
        running = next((run for run in runs if run.state == "running"), None)
        if running and first_look:  # the window was closed while it went on: the next start shows it live
            self.desk.navigator.show_run(running.id)

    def _running(self, run: RunInfo) -> QFrame:
        words = self.tr("A setup is running: %1").replace("%1", self._name(run))
        return self._card(run, "note", self.tr("Running"), words, (self.tr("Sho&w it"), self._show))

    def _unfinished(self, run: RunInfo) -> QFrame:
        words = self.tr("Go on with the unfinished setup of %1").replace("%1", self._name(run))
        first = not any(other.state == "unfinished" for other in self._runs[: self._runs.index(run)])
        resume = self.tr("&Resume") if first else self.tr("&Resume").replace("&", "")
        remove = self.tr("Re&move") if first else self.tr("Re&move").replace("&", "")
        return self._card(
            run, "warning", self.tr("Unfinished"), words, (resume, self._resume), (remove, self._remove)
        )  # fmt: skip

    @staticmethod
    def _name(run: RunInfo) -> str:
        return f"{PurePath(run.prefix).name} (torch {run.torch}, {variant_text(run.variant)})"

    def _card(
        self, run: RunInfo, state: str, word: str, words: str, *ways: tuple[str, Callable[[RunInfo], None]]
    ) -> QFrame:
        card = box("card")
        rows = column(card, (18, 14, 18, 14), 8)
        rows.addWidget(Pill(state, word))
        rows.addWidget(label(words, "heading"))
        rows.addWidget(label(run.prefix, "muted"))
        buttons = line_up()
        for text, way in ways:
            button = QPushButton(text)
            button.setAccessibleName(f"{text.split('(')[0].replace('&', '')}: {self._name(run)}")
            button.clicked.connect(lambda checked=False, way=way: way(run))
            buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        buttons.addStretch(1)
        rows.addLayout(buttons)
        return card

    def _show(self, run: RunInfo) -> None:
        self.desk.navigator.show_run(run.id)

    def _resume(self, run: RunInfo) -> None:
        self.errand(
            self.tr("Starting…"),
            lambda is_cancelled, note: resume_after(self.desk.session, run.id),
            lambda old_bytes: self.desk.navigator.show_run(run.id, old_bytes),
        )

    def _remove(self, run: RunInfo) -> None:
        self.errand(
            self.tr("Removing what the unfinished setup had made…"),
            lambda is_cancelled, note: self.desk.session.discard(run.id),
            lambda answer: self._look(),
            on_failed=self._not_removed,
        )

    def _not_removed(self, error: WizardError) -> None:
        self._look()
        self.trouble.show_error(error)
