"""Who wished it when joining a class hands the files on once the setup is through: on, from where, and off again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QPushButton

from wizard.errors import ExitStatus, WizardError
from wizard.gui.desk import Desk
from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.labels import Pill, label
from wizard.gui.serving import DOWNLOADS

if TYPE_CHECKING:
    from wizard.flow.state import State

_READY = (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED)  # its files are right, whatever the card said


class HandOnCard(QFrame):
    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._desk = desk
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
        self.stop.clicked.connect(desk.serving.stop)
        desk.serving.changed.connect(self.retranslate)
        self.setVisible(False)

    def begin(self) -> None:
        """Opt-in: only where the form's tick was set."""
        state, serving = self._desk.navigator.state, self._desk.serving
        if not self._is_wanted(state) or state.run_id == self._begun_for or serving.is_on:
            self.retranslate()
            return
        self._begun_for, self._failure = state.run_id or "", None
        room, preview, classes = state.classroom, state.preview, self._desk.side_api.classes
        if room is None or preview is None:
            return
        serving.start(
            DOWNLOADS,
            lambda on_bytes, is_cancelled: classes.hand_on(room.file, room.path, preview.files),
            self._failed,
        )

    @staticmethod
    def _is_wanted(state: State) -> bool:
        report = state.report or {}
        return state.hand_on and state.preview is not None and report.get("status") in _READY

    def _failed(self, error: WizardError) -> None:
        self._failure = error
        self.retranslate()

    def retranslate(self) -> None:
        serving = self._desk.serving
        server = serving.server if serving.what == DOWNLOADS else None
        self.stop.setText(self.tr("St&op it"))
        self.stop.setVisible(server is not None)
        self.setVisible(server is not None or self._failure is not None)
        if server is not None:
            self._pill.show_state("ok", self.tr("Serving"))
            self._title.setText(self.tr("This computer hands the files on to its class"))
            words = self.tr("It goes on until this window is closed. Others find it by the class's code, or at %1.")
            self._words.setText(words.replace("%1", "  ".join(server.addresses)))
        elif self._failure is not None:
            self._pill.show_state("note")
            self._title.setText(self.tr("The files could not be handed on"))
            self._words.setText(self._desk.voice.say(self._failure.summary))
