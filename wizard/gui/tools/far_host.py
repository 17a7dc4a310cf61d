"""Another computer: the plan for a Linux that ssh gets to, shown here, and its run by the same events as one here.

Keys and names are ssh's, as for `setup --host`. Who leaves the page leaves the run there alone: it goes on.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog, QGridLayout, QLineEdit, QWidget

from wizard.app.pages.run import RunView
from wizard.gui.pages.run_progress import RunProgress
from wizard.gui.pages.run_steps import RunSteps
from wizard.gui.pages.run_watch import log_lines
from wizard.gui.shell.context import AppContext
from wizard.gui.tools.base import SidePage, button
from wizard.gui.widgets.fields import PathField
from wizard.gui.widgets.labels import label
from wizard.gui.widgets.log_view import LogView
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.events import Event
from wizard.model.messages import Message

if TYPE_CHECKING:
    from wizard.app.host import FarHost, FarRun
    from wizard.classroom.profile.model import ProfileFile
    from wizard.gui.shell.tasks import IsCancelled, OnNote

_LOG_LINES = 190  # pixels
_FINE = (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED)


class FarHostPage(SidePage):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.view, self._run_id, self._planned_for, self._is_over = RunView(), "", "", False
        self._stop = threading.Event()
        self._profile: ProfileFile | None = None
        self.address, self.archive, self.wanted, self.name = QLineEdit(), PathField(), PathField(), QLineEdit()
        self.browse, self.choose, self.stop = button(), button(), button()
        self.footer_left = [self.stop]
        form = QGridLayout()
        form.setHorizontalSpacing(12)
        fields: tuple[QLineEdit, ...] = (self.address, self.archive, self.wanted, self.name)
        self._labels = [label("", wrap=False) for _ in fields]
        self._hints = {field: label("", "small") for field in fields[1:]}  # in a field it is cut
        beside = {self.archive: self.browse, self.wanted: self.choose}  # each comes after its field by Tab, too
        for row, (words, field) in enumerate(zip(self._labels, fields, strict=True)):
            words.setBuddy(field)
            form.addWidget(words, 2 * row, 0)
            form.addWidget(field, 2 * row, 1)
            field.textChanged.connect(self._edited)
            if field in beside:
                form.addWidget(beside[field], 2 * row, 2)
            if field in self._hints:
                form.addWidget(self._hints[field], 2 * row + 1, 1, 1, 2)
        form.setColumnStretch(1, 1)
        self.body.addLayout(form)
        self._result = label("", "strong")
        self.progress, self.steps = RunProgress(context.translator), RunSteps(context.translator)
        self.log = LogView()
        self.log.setMinimumHeight(_LOG_LINES)
        for widget in (self._result, self.progress, self.steps, self.log):
            self.body.addWidget(widget)
        self.body.setStretchFactor(self.log, 9)
        self.body.addStretch(1)  # the form stays at the top while there is no log
        self.browse.clicked.connect(self._choose_archive)
        self.choose.clicked.connect(self._choose_wanted)
        self.stop.clicked.connect(self._cancel_there)

    @property
    def result(self) -> str:
        """What it came to, in a sentence."""
        return self._result.text()

    def first_control(self) -> QWidget:
        return self.address

    def primary_text(self) -> str:
        if not self._run_id:
            return self.tr("&Show the plan")
        return self.tr("&Resume there") if self.view.steps else self.tr("&Install there")

    def may_press(self) -> bool:
        return not self.is_busy and not self._is_over and bool(self.address.text().strip())

    def press(self) -> None:
        self._result.setText("")
        self._stop.clear()
        self._follow() if self._run_id else self._plan()
        self.render_state()

    def retranslate(self) -> None:
        self.set_head(
            self.tr("Another computer"),
            self.tr("Set up PyTorch on a Linux computer that you reach by ssh with a key. Its progress is shown here."),
        )
        words = (
            self.tr("&Computer"),
            self.tr("&Archive"),
            self.tr("&Project or profile"),
            self.tr("Environment &name"),
        )
        for one, said in zip(self._labels, words, strict=True):
            one.setText(said)
        self.address.setPlaceholderText("user@box")
        hints = (
            self.tr("The program for Linux (.tar.xz); leave empty if it is already there"),
            self.tr("A project's folder or a class profile; leave empty for PyTorch alone"),
            self.tr("As the project or profile says, else torch"),
        )
        for shown, hint in zip(self._hints.values(), hints, strict=True):
            shown.setText(hint)
        self.browse.setText(self.tr("C&hoose…"))
        self.browse.setAccessibleName(self.tr("Choose the program for Linux"))
        self.choose.setText(self.tr("Ch&oose…"))
        self.choose.setAccessibleName(self.tr("Choose the project or profile"))
        self.stop.setText(self.tr("Cance&l there"))
        self.log.setAccessibleName(self.tr("Output of that computer"))

    def render_state(self) -> None:
        for field in (self.address, self.archive, self.browse, self.wanted, self.choose, self.name):
            field.setEnabled(not self.is_busy)
        is_going = self.is_busy and bool(self.view.steps)
        if self.stop.isHidden() is is_going:
            self.stop.setVisible(is_going)
            self.changed.emit()
        self.progress.setVisible(bool(self.view.steps))
        self.progress.show_view(self.view, is_going, False)
        self.steps.show_view(self.view, is_going)
        self.log.setVisible(bool(self.log.all_words()))
        self._result.setVisible(bool(self._result.text()))

    # -- what is asked

    def _edited(self) -> None:
        """Another computer or name wants another plan; the one that nobody carried out is taken away there."""
        if self._run_id and not self.view.steps:
            self._discard(self._planned_for, self._run_id)
        self._run_id, self._is_over, self.view = "", False, RunView()
        self.render_state()
        self.changed.emit()

    def _choose_archive(self) -> None:
        title = self.tr("The program for Linux")
        chosen, _ = QFileDialog.getOpenFileName(self, title, self.archive.start(), "*.tar.xz")
        if chosen:
            self.archive.setText(chosen)

    def _choose_wanted(self) -> None:
        """A file of a project names it, too."""
        title, files = (
            self.tr("A project's file or a profile"),
            "*.torchlab *.toml *.txt *.yml *.yaml *.lock *.cfg *.py",
        )
        chosen, _ = QFileDialog.getOpenFileName(self, title, self.wanted.start(), files)
        if chosen:
            self.wanted.setText(chosen)

    def _discard(self, address: str, run_id: str) -> None:
        from wizard.app.host import discard, host_named

        self.beside("discard", lambda is_left, note: discard(host_named(address), run_id), lambda done: None)

    def _cancel_there(self) -> None:
        self._stop.set()
        self.stop.setEnabled(False)

    # -- the plan and the run

    def _plan(self) -> None:
        from wizard.app.bring import bring, of_profile, of_project, options_of

        self.log.clear()
        archive, wanted, name = (field.text().strip() for field in (self.archive, self.wanted, self.name))
        self._planned_for = self.address.text().strip()

        def work(host: FarHost, there: Callable[[], FarRun], note: OnNote) -> tuple[int, str, ProfileFile | None]:
            path = Path(wanted).expanduser()
            along = [(of_profile if path.suffix == ".torchlab" else of_project)(path)] if wanted else []
            bring(host, Path(archive).expanduser() if archive else None, note)
            run = there()
            with options_of(host, along) as named:
                status = run.plan("--plan-only", *(("--name", name) if name else ()), *named)
            return status, run.run, along[0].profile if along else None

        self._begin(lambda: self.tr("Connecting to that computer…"), work, self._planned)

    def _planned(self, told: tuple[int, str, ProfileFile | None]) -> None:
        status, self._run_id, self._profile = told
        if status:
            self._say(self.tr("It is not possible there; the reason is below."))
        elif not self._run_id:
            self._is_over = True
            self._say(self.tr("It is there already."))
        else:
            self._say(self.tr("This is the plan. Nothing was changed there yet."))

    def _follow(self) -> None:
        from wizard.classroom.profile.keys import remember_key

        if self._profile:
            remember_key(self._profile)

        def work(host: FarHost, there: Callable[[], FarRun], note: OnNote) -> int | None:
            return there().follow()

        self._begin(lambda: self.tr("Working there…"), work, self._ended)

    def _ended(self, refused: int | None) -> None:
        ending = self.view.ending
        if refused is not None or ending is None:
            self._run_id, self.view = "", RunView()
            self._say(self.tr("It is not possible there; the reason is below."))
            return
        self._is_over = ending.status in _FINE
        said = [self.tr("PyTorch is ready there.")] if self._is_over else []
        for words in (ending.summary, ending.hint):
            said += [self.say(words)] if words else []
        self._say(self.context.translator.join(said) or self.tr("It did not finish there."))

    def _say(self, words: str) -> None:
        self._result.setText(words)
        self.render_state()
        self.announce(words, urgent=True)

    # -- the line

    def _begin(
        self,
        words: Callable[[], str],
        work: Callable[[FarHost, Callable[[], FarRun], OnNote], Any],
        done: Callable[[Any], None],
    ) -> None:
        from wizard.app.host import FarListener, FarRun, host_named

        address, run_id, stop = self.address.text().strip(), self._run_id, self._stop
        language = self.context.translator.language

        def carry_out(is_left: IsCancelled, note: OnNote) -> Any:
            host = host_named(address, is_left)
            listener = FarListener(lambda event, line: note(event), lambda line: None, note, note, stop.is_set, is_left)
            return work(host, lambda: FarRun(host, language, listener, run_id), note)

        self.start_task(words, carry_out, done, self._heard, self._failed)
        self.stop.setEnabled(True)

    def _heard(self, told: Event | Message | str) -> None:
        from wizard.app.host import as_said

        if isinstance(told, Event):
            event = replace(told, data=as_said(told.data))
            with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError):  # of a stranger's program
                self.view = self.view.after(event)
                self.log.add(log_lines(event, self.say))
        else:
            self.log.add([told if isinstance(told, str) else self.say(told)])
        self.render_state()

    def _failed(self, error: WizardError) -> None:
        self.trouble.show_error(error)
        self.render_state()
