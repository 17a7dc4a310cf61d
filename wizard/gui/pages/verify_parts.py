"""Parts of Verify: the speed as a bar, and the card that says that downloads are shared with the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton

from wizard.gui.shell.context import AppContext
from wizard.gui.shell.serving import DOWNLOADS
from wizard.gui.widgets.frames import column, line_up
from wizard.gui.widgets.labels import Pill, label
from wizard.model.errors import ExitStatus, WizardError

if TYPE_CHECKING:
    from wizard.app.pages.order import AppState

_READY = (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED)  # its files are right, whatever the card said


def speed_bar(share: int, words: str) -> QProgressBar:
    """Return what was measured as a part (per cent) of what such a card is rated at; `words` for who hears it."""
    bar = QProgressBar()
    bar.setTextVisible(False)
    bar.setValue(min(100, share))
    bar.setAccessibleName(words)
    return bar


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
