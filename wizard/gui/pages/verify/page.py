"""Verify: the result of the test as the headline, the single checks, and how to use the environment.

A test that did not pass is mended by the doctor, from what was downloaded. One file: its parts share the report.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from wizard.app.pages.order import PageId, SideId
from wizard.app.pages.report import CheckView, DiagnosisView, ReportView, broken_chain, most_telling, read_report
from wizard.app.pages.run import PROXY_ERRORS
from wizard.gui.pages.base import Page
from wizard.gui.pages.verify.kernel import KernelOffer
from wizard.gui.pages.verify.parts import (
    HEADLINE,
    BrokenChain,
    EvidenceCard,
    FailureCard,
    HandOnCard,
    LogFold,
    TestedRows,
    add_check,
    is_among,
    is_worth_seeing,
    small_row,
)
from wizard.gui.pages.verify.words import (
    changed_words,
    gone_words,
    is_lack,
    lack_words,
    log_words,
    names_log,
    what_runs,
)
from wizard.gui.shell.context import AppContext
from wizard.gui.widgets.code import CodeLines, SaidCode, copy_out, open_folder
from wizard.gui.widgets.frames import Fold, FoldList, Turning
from wizard.gui.widgets.icons import icon
from wizard.gui.widgets.labels import label, plain_tip, without_key
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.app.pages.after_setup import Section

_ON_CARD = "torch.zeros(1).cuda()"
_ICON = QSize(22, 18)
_BEFORE_COMMAND = 2  # lines of the section of a project: its folder, the editor
_TO_PASTE = ("terminal-none", "terminal-not-started")  # whose remedy is the line that activates it
_SAVE_AS = "HTML (*.html);;JSON (*.json);;Text (*.txt)"


class VerifyPage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._no_terminal: WizardError | None = None
        self._failure = FailureCard(context)
        self.mend = self._failure.mend
        self._chain, self.evidence = BrokenChain(), EvidenceCard()
        self.hand_on, self.kernel = HandOnCard(context), KernelOffer(self)
        self.first, self.rows = TestedRows(), TestedRows()
        self._start = label("", "heading")
        self.command = SaidCode(context.translator)
        self.ways = CodeLines(context.translator)
        self.log, self.others, self.changes = LogFold(), Fold(), Fold()
        self._changed = label("", "muted")
        self._seen: str | None = None  # the run that was shown last
        self._gone = ""  # the run whose environment was deleted since
        self.save, self.copy, self.another, self.finish = (QPushButton() for _ in range(4))
        self.terminal, self.jupyter, self.editor, self.activation = (QPushButton() for _ in range(4))
        self.folder, self.manage, self.undo = (QPushButton() for _ in range(3))
        self.others.body.addWidget(self.rows)
        self.changes.body.addWidget(self._changed)
        self.changes.body.addLayout(small_row(self.folder, self.manage, self.undo))
        starts = Turning(8)
        ways = {
            self.terminal: "square-terminal",
            self.jupyter: "notebook-text",
            self.editor: "code",
            self.activation: "copy",
        }
        for button, name in ways.items():
            button.setProperty("role", "way")
            button.setIcon(icon(name, "accent"))
            button.setIconSize(_ICON)
            starts.line.addWidget(button, 1)
        self.footer_left, self.footer_right = [self.copy, self.save], [self.another, self.finish]
        above = (self._failure, self._chain, self.evidence, self.hand_on, self.first, FoldList(self.log), self._start)
        for widget in above:
            self.body.addWidget(widget)
        self.body.addWidget(starts)
        self.body.addWidget(self.kernel)
        self.body.addWidget(self.command)
        self._folds = FoldList(self.evidence.more, self.ways, self.others, self.changes)
        self.body.addWidget(self._folds)
        self.body.addStretch(1)
        self._connect()

    def _connect(self) -> None:
        self.save.clicked.connect(self._ask_where_to_save)
        self.copy.clicked.connect(self._copy)
        self.another.clicked.connect(self.context.navigator.restart)
        self.finish.clicked.connect(lambda: self.window().close())
        self.mend.clicked.connect(self._open_doctor)
        self.log.wanted.connect(self._read_log)
        self.terminal.clicked.connect(lambda: self.open_terminal())
        for again in (self.jupyter, self.kernel.button):  # what went wrong before is not said of the new attempt
            again.clicked.connect(lambda: self.trouble.clear())
        self.jupyter.clicked.connect(self.kernel.register)
        self.kernel.added.connect(self._kernel_changed)
        self.kernel.failed.connect(lambda error: self._show_below(error, self.kernel))
        self.editor.clicked.connect(self._open_editor)
        self.activation.clicked.connect(self._copy_activation)
        self.folder.clicked.connect(self._open_folder)
        self.manage.clicked.connect(lambda: self.context.side.open(SideId.ENVIRONMENTS, Path(self.state.prefix)))
        self.undo.clicked.connect(lambda: self.context.side.open(SideId.UNDO))

    def enter(self) -> None:
        view = self._view
        if self.state.run_id != self._seen:  # as it was left it is of another run
            self._seen = self.state.run_id
            folds = (self.log, self.evidence.more, self.ways.fold, self.others, self.changes)
            self.begin_anew(*filter(None, folds))
        if view is None or not self.state.prefix:
            return
        prefix, has_cuda, api = Path(self.state.prefix), self._has_cuda, self.context.session.tools
        self.start_task(
            None,
            lambda is_cancelled, note: (api.ways(prefix, has_cuda), api.has_editor(), api.notebook(prefix)),
            self._show_ways,
        )
        if self.has_failed:
            self._failure.look_for_build()
        said = self.context.translator.join((self.say(view.headline), lack_words(view)))
        self.announce(said, urgent=True)  # the title is said as that of each page
        self.hand_on.begin()

    def leave(self) -> None:
        self.cancel_task()
        self.kernel.stop()
        if (preview := self.kernel.put_away()) is not None:
            run_id, session = preview.plan.id, self.context.session
            self.context.tasks.start(
                lambda is_cancelled, note: session.discard(run_id), lambda answer: None, lambda error: None
            )

    def _show_ways(self, answer: tuple[tuple[Section, ...], bool, str | None]) -> None:
        sections, has_editor, notebook = answer
        gone = "" if sections else self.state.run_id or self.state.prefix
        if gone != self._gone:
            self._gone = gone
            self.render_state()
        if self._is_gone:
            self.announce(self.say(gone_words(self.state.prefix)), urgent=True)
            self.wants_focus.emit()
            return
        self.kernel.has_editor, self.kernel.notebook = has_editor, notebook
        self.ways.show_sections(sections)
        said = [line for one in sections if one.name == "project" for line in one.lines[_BEFORE_COMMAND:]]
        self.command.show_line(said[0] if said and not self.has_failed else None)
        self.editor.setVisible(has_editor and self._is_usable)
        self.wants_focus.emit()
        if not self.has_failed:
            self.kernel.go_on()

    @property
    def _view(self) -> ReportView | None:
        return None if self.state.report is None else read_report(self.state.report)

    @property
    def _has_cuda(self) -> bool:
        view = self._view
        return view is not None and "+cu" in view.torch

    @property
    def has_failed(self) -> bool:
        view = self._view
        return view is not None and (not view.ok or view.gpu_ok is False)

    @property
    def _is_gone(self) -> bool:
        return bool(self._gone) and self._gone in (self.state.run_id, self.state.prefix)

    @property
    def _is_usable(self) -> bool:
        return not self.has_failed and not self._is_gone

    def first_control(self) -> QWidget | None:
        if self._is_gone:
            return self.another
        return self.mend if self.has_failed else self.terminal

    def show_keys(self, control: QWidget) -> None:
        """Return would press Repair: it is seen with what it mends, in a low window also as the page opens."""
        self.is_opening = self.is_opening and control is not self.mend
        super().show_keys(control)

    def hint_of_primary(self) -> Message | None:
        words = message("page.verify.close", "Closes this window. The environment stays.")
        return None if self._is_gone else words

    def primary_text(self) -> str:
        return "" if self.has_failed else self.tr("&Finish")

    def may_press(self) -> bool:
        return not self.is_busy

    def may_back(self) -> bool:
        return False

    def press(self) -> None:
        self.window().close()

    def _open_doctor(self) -> None:
        """The doctor looks closer than the test, and its repair fetches only what is not here yet."""
        self.context.side.open(SideId.DOCTOR, Path(self.state.prefix))

    def retranslate(self) -> None:
        self.save.setText(self.tr("&Save report…"))
        self.copy.setText(self.tr("&Copy report"))
        self.copy.setAccessibleDescription(self.tr("Your name and the name of this computer are removed."))
        self.copy.setToolTip(plain_tip(self.copy.accessibleDescription()))
        self.another.setText(self.tr("Set up &another"))
        self.finish.setText(self.tr("&Finish"))
        self._failure.retranslate()
        self._name_jupyter()
        is_project = self.state.project is not None
        self.terminal.setText(self.tr("&Terminal here") if is_project else self.tr("Open &terminal"))
        self.editor.setText(self.tr("Open the project in &VS Code") if is_project else self.tr("Open in &VS Code"))
        self.activation.setText(self.tr("Copy start comman&d"))
        self._name_copying()
        self._start.setText(self.tr("Start working"))
        self.folder.setText(self.tr("Ope&n folder"))
        self.manage.setText(self.tr("&Manage it"))
        self.undo.setText(self.tr("Settings, &undo"))
        self.undo.setAccessibleDescription(self.tr("Shows what was changed in your settings, and takes it back."))
        for part in (self.log, self.evidence, self.ways, self.command, self.kernel, self.hand_on):
            part.retranslate()

    def _name_jupyter(self) -> None:
        self.jupyter.setText(self.tr("Added") if self.kernel.is_added else self.tr("Add to &Jupyter"))

    def render_state(self) -> None:
        view = self._view
        if view is None:
            return
        self._show_head(view)
        self._show_diagnosis(view.diagnosis if self.has_failed and not self._is_gone else None)
        evidence = view.diagnosis.evidence if view.diagnosis and self.has_failed else ()
        # What stands above as evidence is not said again; of a folder that is gone, what was tested is there no more.
        tested = [] if self._is_gone else [check for check in view.checks if not is_among(check, evidence)]
        first = sorted((check for check in tested if is_worth_seeing(check)), key=lambda check: not is_lack(check))
        rest = [check for check in tested if check not in first]
        for card, checks in ((self.first, first), (self.rows, rest)):
            card.clear()
            card.setVisible(bool(checks))
            for check in checks:
                self._add_row(card, check)
        passed = sum(check.state == "ok" for check in rest)
        self.others.show_words(self.tr("Other c&hecks"), self.tr("%1 passed").replace("%1", str(passed)))
        self.others.setVisible(bool(rest))
        self.log.setVisible(names_log(view) and not self._is_gone)
        self.finish.setVisible(self.has_failed)
        ways = (self._start, self.ways, self.terminal, self.jupyter, self.activation)
        for widget in ways:  # nothing to work with after a failure
            widget.setVisible(self._is_usable)
        self.editor.setVisible(self.editor.isVisible() and self._is_usable)
        for widget in (self.folder, self.manage):
            widget.setVisible(not self._is_gone)
        if self._is_gone:
            self.command.show_line(None)
        where = gone_words(self.state.prefix) if self._is_gone else None
        words = self.say(where) if where else self.tr("The environment is in %1.").replace("%1", self.state.prefix)
        names, said = changed_words(self.state, self.kernel.is_added, self.kernel.packages, self.context.translator)
        self._changed.setText("\n".join(filter(None, (words, said))))
        self.changes.show_words(self.tr("What was chan&ged"), names)

    def _kernel_changed(self) -> None:
        self._name_jupyter()
        self.render_state()

    def _show_head(self, view: ReportView) -> None:
        if self._is_gone:
            self.set_head(self.tr("The environment is gone"), self.say(gone_words(self.state.prefix)), mark="problem")
            return
        if not self.has_failed:
            title = self.tr("PyTorch runs on your card") if view.gpu_ok else self.tr("PyTorch works")
            mark = "warning" if any(map(is_lack, view.checks)) else "ok"
            self.set_head(self.tr("Repaired") if view.repaired else title, what_runs(view), mark=mark)
            return
        kept = self.tr("The environment is kept; files that are here are not downloaded again.")
        if view.torch and view.gpu_ok is False:
            self.set_head(self.tr("PyTorch cannot use the graphics card"), kept, mark="problem")
        else:
            self.set_head(self.tr("The test did not pass"), kept, mark="problem")

    def _show_diagnosis(self, diagnosis: DiagnosisView | None) -> None:
        self._failure.setVisible(self.has_failed and not self._is_gone)
        telling = most_telling(diagnosis) if diagnosis else ()
        rest = [line for line in diagnosis.evidence if line not in telling] if diagnosis else []
        self.evidence.show_lines([*map(self._named, telling)], [*map(self._named, rest)])
        self._chain.show_links(broken_chain(self.state.report or {}) if diagnosis else ())
        if self.has_failed:
            self._failure.show_diagnosis(diagnosis)

    def _named(self, line: str) -> str:
        """Give a line of evidence the name of the check that it is of, as the rows below have it."""
        check, colon, words = line.partition(": ")
        return f"{self._check_name(check)}: {words}" if colon and check.isidentifier() else line

    def _check_name(self, check: str) -> str:
        is_on_card = check == HEADLINE and self._has_cuda
        return _ON_CARD if is_on_card else self.context.translator.name(f"verify.name.{check}", check)

    def _add_row(self, card: TestedRows, check: CheckView) -> None:
        add_check(card, self._check_name(check.name), check, self.signed(check.message), tight=card is self.rows)

    def _read_log(self) -> None:
        session, run_id, report = self.context.session, self.state.run_id, dict(self.state.report or {})
        if run_id:
            self.start_task(None, lambda *_: log_words(report, session.events_path(run_id)), self.log.show_log)

    def open_terminal(self) -> None:
        """Open one in which the environment is active."""
        prefix, work = Path(self.state.prefix), self.context.session.tools.open_terminal
        self.start_task(
            None, lambda is_cancelled, note: work(prefix), lambda answer: None, None, on_failed=self._show_no_terminal
        )

    def _show_no_terminal(self, error: WizardError) -> None:
        self._show_below(error)
        self._no_terminal = error if error.code in _TO_PASTE else None
        self._name_copying()

    def _name_copying(self) -> None:
        """Name the button that copies the line to paste, in its own words; elsewhere the lines themselves are shown."""
        error = self._no_terminal
        if error is None or self.trouble.code != error.summary.key or self.activation.isHidden():
            return
        key = without_key(self.activation.text())
        hint = message(
            "verify.no-terminal", "Press “{button}”, then paste the line into your own terminal.", button=key
        )
        self.trouble.show_words(error.summary, hint, error.details)

    def _show_below(self, error: WizardError, asked_from: QWidget | None = None) -> None:
        """Show it below what was pressed, else below the buttons, which stay where they are: one of them copies the
        line to paste."""
        self.trouble.put_below_field(True)
        self.body.removeWidget(self.trouble)  # else the place counts it
        place = self.body.indexOf(asked_from) + 1 if asked_from else self.body.indexOf(self.kernel)
        self.body.insertWidget(place, self.trouble)
        may_change = error.code.startswith(PROXY_ERRORS) and self.state.selected is not None
        change = partial(self.context.navigator.choose_again, PageId.SOURCE, opens_network=True)
        self.trouble.show_error(error, change if may_change else None, self.change_proxy_text if may_change else None)

    def _open_editor(self) -> None:
        prefix, api, project = Path(self.state.prefix), self.context.session.tools, self.state.project
        folder = Path(project.folder) if project else None
        self.start_task(None, lambda is_cancelled, note: api.open_in_editor(prefix, folder), lambda answer: None)

    def _open_folder(self) -> None:
        if error := open_folder(Path(self.state.prefix)):
            self._show_below(error, self._folds)

    def _copy_activation(self) -> None:
        if self.ways.first is not None:
            copy_out(self.ways.first.code, self.activation)

    # -- the report, to be copied and as a file

    def _copy(self) -> None:
        report, api = dict(self.state.report or {}), self.context.session.tools
        language = self.context.translator.language
        self.start_task(None, lambda is_cancelled, note: api.document_text(report, language), self._copied)

    def _copied(self, words: str) -> None:
        copy_out(words, self.copy)

    def _ask_where_to_save(self) -> None:
        start = str(Path.home() / "torch-setup-report.html")
        chosen, _ = QFileDialog.getSaveFileName(self, self.tr("Save report"), start, _SAVE_AS)
        if chosen:
            self.save_to(Path(chosen))

    def save_to(self, path: Path) -> None:
        """Write the report of this run, in the background."""
        report, api = dict(self.state.report or {}), self.context.session.tools
        language = self.context.translator.language
        self.start_task(None, lambda is_cancelled, note: api.save(path, report, language), lambda answer: None)
