"""Parts of Verify: the speed as a bar, what Jupyter lacks, and that downloads are shared with the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton

from wizard.compatibility.model import Choices
from wizard.environment.activate.programs import KERNEL_PACKAGE
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.serving import DOWNLOADS
from wizard.gui.widgets.frames import Fold, column, line_up
from wizard.gui.widgets.labels import Pill, label
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.messages import bytes_text

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.app.pages.order import AppState
    from wizard.app.session import Session
    from wizard.gui.shell.tasks import IsCancelled
    from wizard.run.model import Preview

_ADDED, _ROOM = "reuse.change.added", "environments.volume."
NOT_SAID = ("reuse.change.snapshot", "reuse.change.left", "reuse.change.download")  # the button and one line say it
_READY = (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED)  # its files are right, whatever the card said


def check_word(state: str) -> str:
    """Return the word for a check that did not pass; "" for one that did."""
    words = {
        "failed": QCoreApplication.translate("TorchCheckState", "Failed"),
        "skipped": QCoreApplication.translate("TorchCheckState", "Skipped"),
    }
    return words.get(state, "")


def speed_bar(share: int, words: str) -> QProgressBar:
    """Return what was measured as a part (per cent) of what such a card is rated at; `words` for who hears it."""
    bar = QProgressBar()
    bar.setTextVisible(False)
    bar.setValue(min(100, share))
    bar.setAccessibleName(words)
    return bar


def plan_kernel(session: Session, prefix: Path, is_cancelled: IsCancelled) -> Preview | None:
    """Plan what Jupyter lacks beside the torch that is there; None: nothing. Raises as `envs add`."""
    choices = Choices(prefix=str(prefix), reuse=True, extras=(KERNEL_PACKAGE,))
    return session.plan_add(session.probe(None, is_cancelled), choices, is_cancelled)


class KernelOffer(QFrame):
    """What Jupyter lacks, and the button that puts it in: first it says what would change, then it does it. In the end
    it says what the kernel is called."""

    pressed = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._context = context
        self.preview: Preview | None = None
        self._title = ""  # of the kernel that was added
        rows, row = column(self, gap=0), line_up(margins=(16, 12, 16, 12))
        self._words, self.button, self.names = label(""), QPushButton(self), Fold(self)
        self._names = label("")
        self.names.body.addWidget(self._names)
        row.addWidget(self._words, 1)
        row.addWidget(self.button)
        rows.addLayout(row)
        rows.addWidget(self.names)
        self.button.clicked.connect(self.pressed)
        self.setVisible(False)

    @property
    def words(self) -> str:
        return self._words.text()

    def show_offer(self, preview: Preview | None = None) -> None:
        """Show what is missing, or what putting it in would change."""
        self.preview, self._title = preview, ""
        self.names.button.setChecked(False)
        self.setVisible(True)
        self.retranslate()

    def show_added(self, title: str) -> None:
        """Show what the kernel is called in Jupyter."""
        self.preview, self._title = None, title
        self.setVisible(True)
        self.retranslate()

    def put_away(self) -> Preview | None:
        """Hide it; return the plan that nobody has carried out, whose files are to go."""
        preview, self.preview = self.preview, None
        self.setVisible(False)
        return preview

    def retranslate(self) -> None:
        say = self._context.translator.say
        self.button.setVisible(not self._title)
        self.names.setVisible(False)
        if self._title:
            words = self.tr("Jupyter lists this environment as “%1”. Choose that kernel in your notebook.")
            self._words.setText(words.replace("%1", self._title))
            return
        if self.preview is None:
            self._words.setText(self.tr("Jupyter needs the package ipykernel, which is not in this environment."))
            self.button.setText(self.tr("Add ip&ykernel…"))
            return
        changes = [one for one in self.preview.changes if one.key not in NOT_SAID and not one.key.startswith(_ROOM)]
        added = [one.params for one in changes if one.key == _ADDED]
        self._names.setText(self._context.translator.listed(f"{one['name']} {one['now']}" for one in added))
        self.names.show_words(self.tr("Packages that are added"), str(len(added)))
        self.names.setVisible(bool(added))
        kept = self.tr("PyTorch stays as it is. Environments can take this back.")
        self._words.setText("\n".join((*(say(one) for one in changes if one.key != _ADDED), kept)))
        size = bytes_text(self.preview.download_bytes or 0)
        self.button.setText(self.tr("Add it no&w (downloads %1)").replace("%1", size))


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
