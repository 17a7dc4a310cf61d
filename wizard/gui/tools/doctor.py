"""Doctor: choose an environment; why it does not work, with evidence; the smallest repair, by one button.

Checking changes nothing. A repair is a run like a setup: the worker carries it out, and the Install page shows it.
One file: one page; its answer is a file of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from wizard.app.pages.order import SideId
from wizard.compatibility.data.ordering import CPU
from wizard.diagnose.model import READS
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import IsCancelled, OnNote
from wizard.gui.tools.base import SidePage, button
from wizard.gui.tools.doctor_answer import DoctorAnswer, download_message
from wizard.gui.tools.environments.words import torch_words
from wizard.gui.widgets.code import copy_out
from wizard.gui.widgets.fields import Choice
from wizard.gui.widgets.frames import Turning, box, column
from wizard.gui.widgets.labels import label
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.app.use.doctor import Examination
    from wizard.diagnose.repair.plan import RepairPreview
    from wizard.environment.model import Environment

_STAGES = ("files", "test", "machine", "deep")
_SAVE_AS = "HTML (*.html);;JSON (*.json);;Text (*.txt)"


def _suspicion(one: Environment) -> tuple[bool, bool, bool]:
    """People's own first, with PyTorch first of them, its CPU build first of these: most who ask have that."""
    return not one.is_persons, not one.torch, one.variant != CPU


class DoctorPage(SidePage):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._known: tuple[Environment, ...] = ()
        self._found: Examination | None = None
        self._preview: RepairPreview | None = None
        self._asked: Path | None = None  # a folder that is in no list
        self._was_deep = self._is_deep = False  # what was found; what goes on
        self._is_back = False  # from a deep look that brought no answer
        self.choice, self.folder = Choice(), button()
        self._text = QLabel()
        self._text.setBuddy(self.choice)
        choose = box("card")
        parts = Turning(10, (16, 12, 16, 12))
        column(choose).addWidget(parts)
        parts.line.addWidget(self._text)
        parts.line.addWidget(self.choice, 1)
        parts.line.addWidget(self.folder)
        self.answer = DoctorAnswer(context.translator)
        self._before = label("", "muted")
        self.copy, self.save, self.deeper = self.answer.copy, self.answer.save, self.answer.deeper
        self.again, self.stop = button(), self.answer.stop
        self.footer_right = [self.again]
        self.body.addWidget(choose)
        self.body.addWidget(self._before)
        self.body.addWidget(self.answer)
        self.body.addStretch(1)
        self.choice.activated.connect(self._chosen)
        self.folder.clicked.connect(self._choose_folder)
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._ask_where_to_save)
        self.again.clicked.connect(lambda: self._examine())
        self.deeper.clicked.connect(lambda: self._examine(deep=True))
        self.stop.clicked.connect(self._stop)

    def enter(self) -> None:
        """Who asks for one is shown how it is now: it may have changed since the last look."""
        if (wanted := self.visit.prefix) is not None:
            self.take_folder(wanted)
        self.beside("list", lambda is_cancelled, note: self.api.environments(is_cancelled), self._listed)

    def leave(self) -> None:
        super().leave()
        self._put_aside()

    def first_control(self) -> QWidget | None:
        if self._found is None:
            return self.choice
        if self._is_deep and self.is_busy:
            return self.stop
        if self._is_back:  # with an error above, the page stays at it
            return self.deeper if self.trouble.isHidden() else self.again
        return None if self._preview is not None or self._is_moved else self.again

    def primary_text(self) -> str:
        if self._is_moved:
            return self.tr("C&lone under Environments…")
        if self._preview is None:
            return self.tr("&Check") if self._found is None else ""
        return self.tr("&Repair now")

    def hint_of_primary(self) -> Message | None:
        """The card says it, too: with it the button is too long for a small screen."""
        return download_message(self._preview)

    def may_press(self) -> bool:
        return not self.is_busy and self._prefix() is not None

    @property
    def _is_moved(self) -> bool:
        cause = self._found.answer.cause if self._found and self._preview is None else None
        return cause is not None and cause.code == "moved"

    def press(self) -> None:
        if self._is_moved:
            self.context.side.open(SideId.ENVIRONMENTS, self._prefix())
        elif self._preview is None:
            self._examine()
        else:
            self._repair(self._preview)

    def retranslate(self) -> None:
        self.set_head(
            self.tr("Check or repair"),
            self.tr("Says why PyTorch does not work in an environment. Checking changes nothing."),
        )
        self._text.setText(self.tr("&Environment"))
        self.choice.setAccessibleName(self.tr("Environment to check"))
        self.folder.setText(self.tr("Choose &folder…"))
        self.answer.retranslate()
        self._before.setText(
            self.tr(
                "Checks files, PyTorch, driver and card; takes up to a minute. "
                "You see the cause before anything changes."
            )
        )
        self.again.setText(self.tr("Check &again"))
        self._fill()

    def render_state(self) -> None:
        found = self._found
        self.answer.setVisible(found is not None)
        self._before.setVisible(found is None and not self.is_busy)
        for one in (self.copy, self.save):
            one.setEnabled(found is not None and not self.is_busy)
        self.deeper.setVisible(found is not None and not self._was_deep)
        self.deeper.setEnabled(not self.is_busy)
        self.again.setVisible(found is not None)
        self.again.setEnabled(not self.is_busy)
        self.is_late = self._preview is not None
        if not self.is_busy:
            if self.stop.hasFocus():
                self.setFocus()  # Qt would look for the next that may have them, and scroll to it
            self.answer.end()
        if found is not None:
            self.answer.show_answer(found, self._preview)

    # -- which one

    def _listed(self, found: tuple[Environment, ...]) -> None:
        before = self._prefix()
        self._known = tuple(sorted(found, key=_suspicion))
        self._fill()
        if self._prefix() != before:  # it is gone, and another stands in its place
            self._chosen()
        self.changed.emit()

    def _fill(self) -> None:
        before = self._prefix() or self._asked
        with QSignalBlocker(self.choice):
            self.choice.clear()
            if self._asked and all(one.prefix != self._asked for one in self._known):
                self.choice.addItem(str(self._asked), self._asked)
            for one in self._known:
                torch = f"torch {torch_words(one)}" if one.torch else self.tr("no PyTorch")
                self.choice.addItem(f"{one.name}  –  {torch}  –  {one.prefix}", one.prefix)
            at = next((row for row in range(self.choice.count()) if self.choice.itemData(row) == before), 0)
            self.choice.setCurrentIndex(at if self.choice.count() else -1)
        self.choice.setMinimumContentsLength(20)

    def _prefix(self) -> Path | None:
        data = self.choice.currentData()
        return data if isinstance(data, Path) else None

    def _chosen(self) -> None:
        self._put_aside()
        self.render_state()
        self.changed.emit()

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("Folder of an environment"), str(Path.home()))
        if chosen:
            self.take_folder(Path(chosen))

    def take_folder(self, folder: Path) -> None:
        """Examine the environment in this folder, whether it is on the list or not."""
        self._put_aside()
        self._asked = folder
        self.choice.setCurrentIndex(-1)
        self._fill()
        self._examine()

    # -- looking

    def _examine(self, deep: bool = False) -> None:
        """`deep`: read every file to its end, which takes minutes; what was found stays till then."""
        prefix = self._prefix()
        if prefix is None:
            return
        if not deep:
            self._put_aside()
        self._is_deep, self._is_back = deep, False
        words = self._reading if deep else lambda: self.tr("Checking…")
        self.start_task(
            None if deep else words,
            lambda is_cancelled, note: self.api.examine(prefix, note, is_cancelled, deep),
            self._examined,
            self._stage,
            lambda error: self._failed(error, deep),
        )
        if deep:
            self.setFocus()
            self.answer.begin(words, may_stop=True)
        self.announce(words())
        self.render_state()
        if deep:
            self.wants_focus.emit()

    def _reading(self) -> str:
        return self.tr("Reading every file; takes minutes.")

    def _stage(self, stage: str) -> None:
        busy = self.answer.busy if self._is_deep else self.busy
        if stage.startswith(READS):
            busy.say(lambda: self.say(message("doctor.stage.read", name=stage.removeprefix(READS))))
        elif stage in _STAGES:
            busy.say(lambda: self.say(message(f"doctor.stage.{stage}")))

    def _stop(self) -> None:
        """What was found before the deep look counts as it did."""
        self.cancel_task()
        self._come_back(deep=True)
        self.announce(self.tr("Stopped. What was found before still counts."), urgent=True)
        self.changed.emit()
        self.wants_focus.emit()

    def _failed(self, error: WizardError, deep: bool) -> None:
        self._come_back(deep)
        self._show_failed(error, lambda: self._examine(deep))
        self.wants_focus.emit()

    def _come_back(self, deep: bool) -> None:
        self._is_deep, self._is_back = False, deep
        self.render_state()

    def _examined(self, found: Examination) -> None:
        if self._preview is not None:
            self._drop(self._preview)
        self._found, self._preview, self._was_deep, self._is_deep = found, None, self._is_deep, False
        self.render_state()
        self.announce(self.answer.words, urgent=True)
        if found.answer.remedy.changes_something:
            sources = self.state.named_sources  # what a sentence here asks for is named on the page Source

            def plan(is_cancelled: IsCancelled, note: OnNote) -> RepairPreview:
                return self.api.plan_repair(found, sources, is_cancelled)

            self.start_task(None, plan, self._planned, on_failed=self._no_plan)
            self.answer.begin(lambda: self.tr("Looking for the smallest repair…"), may_stop=False)
        self.render_state()
        self.wants_focus.emit()

    def _planned(self, preview: RepairPreview) -> None:
        self._preview = preview
        self.render_state()
        self.changed.emit()
        self.wants_focus.emit()

    def _no_plan(self, error: WizardError) -> None:
        self.render_state()
        self.trouble.show_error(error)

    def _put_aside(self) -> None:
        """What was found does not count any more."""
        self.cancel_task()
        if self._preview is not None:
            self._drop(self._preview)
        self._found = self._preview = None
        self._was_deep = self._is_deep = self._is_back = False
        self.answer.end()
        self.trouble.clear()

    def _drop(self, preview: RepairPreview) -> None:
        """A repair that nobody will carry out: its files go. If that fails, they only lie there."""
        run_id, session = preview.plan.id, self.context.session
        self.context.tasks.start(
            lambda is_cancelled, note: session.discard(run_id), lambda answer: None, lambda error: None
        )

    # -- repairing

    def _repair(self, preview: RepairPreview) -> None:
        run_id = preview.plan.id
        self.start_task(
            lambda: self.tr("Starting…"),
            lambda is_cancelled, note: self.context.session.start(run_id),
            lambda answer: self._started(run_id),
        )

    def _started(self, run_id: str) -> None:
        self._preview = self._found = None  # it is the worker's now
        self.context.navigator.show_run(run_id)
        self.context.side.close()

    # -- the report

    def _copy(self) -> None:
        found, preview, language = self._found, self._preview, self.context.translator.language
        if found is not None:
            self.start_task(
                None,
                lambda is_cancelled, note: self.api.document_text(
                    self.api.document(found, preview, language), language
                ),
                self._copied,
            )

    def _copied(self, words: str) -> None:
        copy_out(words, self.copy)

    def _ask_where_to_save(self) -> None:
        start = str(Path.home() / "torch-setup-doctor.html")
        chosen, _ = QFileDialog.getSaveFileName(self, self.tr("Save report"), start, _SAVE_AS)
        if chosen:
            self.save_to(Path(chosen))

    def save_to(self, path: Path) -> None:
        """Write the report of this examination, in the background."""
        found, preview, language = self._found, self._preview, self.context.translator.language
        if found is not None:
            self.start_task(
                None,
                lambda is_cancelled, note: self.api.save(path, self.api.document(found, preview, language), language),
                lambda answer: self.render_state(),
            )
