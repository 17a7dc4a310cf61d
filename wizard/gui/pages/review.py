"""Review: all that will happen, in words and exact bytes. Nothing has happened before this page's button.

One file: one page, whose parts share the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QDoubleSpinBox, QFileDialog, QGridLayout, QLabel, QPushButton, QSpinBox, QWidget

from wizard.app.pages.run import resolving_words
from wizard.app.use.settings import UsePlan
from wizard.compatibility.model import Choices, Plan
from wizard.gui.pages.base import Page
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import SideTask
from wizard.gui.widgets.code import CodeLine, copy_out
from wizard.gui.widgets.diff_view import DiffView
from wizard.gui.widgets.figures import exact_bytes_text
from wizard.gui.widgets.frames import Fold, RowCard, box, column, empty
from wizard.gui.widgets.labels import label
from wizard.gui.widgets.messages import Remark
from wizard.model.errors import WizardError
from wizard.model.messages import Message, bytes_text, message
from wizard.run.model import Preview, SelectedBuild

if TYPE_CHECKING:
    from wizard.classroom.profile.model import ProfileFile
    from wizard.transfer.download import FetchProgress


# Gentle to a shared network: how fast and with how many connections the download may go. Nothing said: no limit.

_MEGABYTE = 1_000_000
_FASTEST = 1000.0
_MOST = 16


class LimitsForm(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self._texts = [QLabel(), QLabel()]
        self.rate, self.connections = QDoubleSpinBox(), QSpinBox()
        self.rate.setRange(0, _FASTEST)
        self.rate.setDecimals(1)
        self.rate.setSingleStep(1)
        self.rate.setSuffix(" MB/s")
        self.connections.setRange(0, _MOST)
        self._help = label("", "muted")
        for row, (text, field) in enumerate(zip(self._texts, (self.rate, self.connections), strict=True)):
            text.setBuddy(field)
            field.setMinimumWidth(150)
            field.lineEdit().setTextMargins(8, 0, 0, 0)  # a style sheet's padding does not reach the text in there
            grid.addWidget(text, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self._help, 2, 0, 1, 3)
        grid.setColumnStretch(2, 1)

    def retranslate(self) -> None:
        words = (self.tr("At &most"), self.tr("Connections at &once"))
        for text, word, field in zip(self._texts, words, (self.rate, self.connections), strict=True):
            text.setText(word)
            field.setAccessibleName(word.replace("&", ""))
        self.rate.setSpecialValueText(self.tr("no limit"))
        self.connections.setSpecialValueText(self.tr("automatic"))
        self._help.setText(self.tr("In a classroom, a limit and fewer connections leave bandwidth for the others."))

    def show_choices(self, choices: Choices) -> None:
        for field, value in (
            (self.rate, (choices.limit_rate or 0) / _MEGABYTE),
            (self.connections, choices.connections or 0),
        ):
            blocker = QSignalBlocker(field)
            field.setValue(value)  # type: ignore[arg-type]
            del blocker

    def limits(self) -> tuple[int | None, int | None]:
        """Bytes a second and connections; None: not limited by the person."""
        rate = round(self.rate.value() * _MEGABYTE)
        return rate or None, self.connections.value() or None


_NO_SETTINGS = "change.settings"


class ReviewPage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._head = box("chosen")
        lines = column(self._head, (16, 14, 16, 14), 6)
        self._build, self._bytes = label("", "big"), label("")
        self._changes = column(gap=4)
        lines.addWidget(self._build)
        lines.addWidget(self._bytes)
        lines.addLayout(self._changes)
        self._commands = column(gap=8)
        self._commands_title = label("", "heading")
        self.files = Fold()
        self._file_rows = RowCard(3, 0)
        self._file_rows.setProperty("role", "fold")
        self.files.body.setContentsMargins(0, 0, 0, 0)
        self.files.body.addWidget(self._file_rows)
        self.settings, self.limits_fold = Fold(), Fold()
        self.diff, self.limits = DiffView(context.theme), LimitsForm()
        self.settings.body.addWidget(self.diff)
        self.limits_fold.body.addWidget(self.limits)
        self._aside = SideTask(context.tasks)
        self.nothing = Remark(context.translator, lambda: self.tr("Nothing to do"))
        self.copy, self.save = QPushButton(), QPushButton()
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._ask_where_to_save)
        self.footer_left = [self.copy, self.save]
        self.saved = Remark(context.translator, lambda: self.tr("Class profile"))
        self.body.addWidget(self.nothing)
        self.body.addWidget(self.saved)
        self.body.addWidget(self._head)
        for fold in (self.files, self.settings, self.limits_fold):
            self.body.addWidget(fold)
        self.body.addWidget(self._commands_title)
        self.body.addLayout(self._commands)
        self.body.addStretch(1)

    def enter(self) -> None:
        self.nothing.clear()
        self.saved.clear()
        self.limits.show_choices(self.state.choices)
        self.limits_fold.button.setChecked(self.limits.limits() != (None, None))
        if self.state.preview is None:
            self._prepare()

    def leave(self) -> None:
        self.cancel_task()
        self._aside.cancel()

    def first_control(self) -> QWidget | None:
        """The page's one button: three times Return installs where all is well, and stray keys have ended the hurry."""
        return None

    def primary_text(self) -> str:
        return "" if self.nothing.code else self.tr("&Install")

    def retranslate(self) -> None:
        self._say_head()
        self.copy.setText(self.tr("&Copy commands"))
        self.save.setText(self.tr("&Save as class profile…"))
        self.saved.retranslate()
        self._commands_title.setText(self.tr("Equivalent commands"))
        self.limits_fold.show_words(self.tr("Limit bandwi&dth"))
        self.limits.retranslate()
        self.nothing.retranslate()
        self.diff.retranslate()

    def _say_head(self) -> None:
        if self.nothing.code:
            words = self.tr("Nothing is missing. To set up something else, go back and choose it.")
        else:
            words = self.tr("Nothing has been changed so far. Press Install to begin.")
        self.set_head(self.tr("What will happen"), words)

    def render_state(self) -> None:
        self._say_head()
        preview = self.state.preview
        for widget in (self._head, self.files, self._commands_title, self.limits_fold):
            widget.setVisible(preview is not None)
        diffs = [diff for plan in self.state.persistent for diff in plan.diffs]
        self.settings.setVisible(preview is not None and bool(diffs))
        words = self.tr("Settings files that &will be changed: %1")
        self.settings.show_words(words.replace("%1", str(len(diffs))))
        self.diff.show_diffs(diffs)
        self.copy.setVisible(not self.nothing.code)
        self.copy.setEnabled(preview is not None)
        self.save.setVisible(self.state.profile is None and not self.state.choices.reuse)
        self.save.setEnabled(preview is not None and not self.is_busy)
        empty(self._changes)
        empty(self._commands)
        self._file_rows.clear()
        if preview:
            self._show(preview)

    def _show(self, preview: Preview) -> None:
        plan, lock = preview.plan, preview.lock
        self._build.setText(
            " • ".join((f"torch {plan.candidate.torch}+{plan.candidate.variant}", f"Python {plan.python}"))
        )
        self._bytes.setText(self._to_download(preview))
        for words in self._will_happen(preview):
            self._changes.addWidget(label(f"•  {words}"))
        self.files.show_words(
            self.tr("&Files: %1, each with its checksum (SHA-256)").replace("%1", str(len(lock.files)))
        )
        for file in sorted(lock.files, key=lambda one: -(one.size or 0)):
            size = bytes_text(file.size) if file.size is not None else "?"
            if file.filename in preview.here:
                size = self.say(message("environments.packages.here"))
            hashed = f"{file.sha256[:12]}…" if file.sha256 else self.say(message("files.no-hash", "not promised"))
            name, digest = label(f"{file.name} {file.version}"), label(hashed, "muted", wrap=False)
            self._file_rows.add_row(name, digest, label(size, wrap=False), tight=True)
        for command in preview.commands:
            self._commands.addWidget(CodeLine(command))

    def _to_download(self, preview: Preview) -> str:
        total, count = preview.download_bytes, len(preview.lock.files) - len(preview.here)
        if total is None:
            words = self.tr("Files: %1; the sources do not say how large they all are.")
            return words.replace("%1", str(count))
        if not count:
            return self.tr("Nothing to download: all of it is here already.")
        words = self.tr("To download: %1 (files: %2; %3).").replace("%2", str(count))
        return words.replace("%1", bytes_text(total)).replace("%3", exact_bytes_text(total))

    def _will_happen(self, preview: Preview) -> list[str]:
        """In words. That no setting is changed is true only where no mirror is kept."""
        paths = [str(diff.path) for plan in self.state.persistent for diff in plan.diffs]
        changes = [change for change in preview.changes if not (paths and change.key == _NO_SETTINGS)]
        said = [self.say(change) for change in (*changes, *preview.plan.notices)]
        if paths:
            words = self.tr("These settings files are changed when you press Install, with a backup: %1.")
            said.append(words.replace("%1", ", ".join(paths)))
        return said

    # -- the plan

    def _prepare(self) -> None:
        state, session = self.state, self.context.session
        facts, choices, selected = state.facts, state.choices, state.selected
        if facts is None:
            return
        file = state.profile
        if file is not None:
            self.start_task(
                lambda: self.tr("Preparing what the class profile says…"),
                lambda is_cancelled, note: self.context.session.tools.plan_profile(
                    facts, file, choices, is_cancelled, state.classroom, state.trusted
                ),
                self._compared,
            )
            return
        if choices.reuse:
            self.start_task(
                lambda: self.tr("Comparing with what is in the environment…"),
                lambda is_cancelled, note: self.context.session.tools.plan_reuse(facts, choices, is_cancelled, note),
                self._compared,
                self._fetching,
            )
            return
        if selected is None or state.election_is_stale:
            self.start_task(
                lambda: self.tr("Asking the sources again for the other engine…"),
                lambda is_cancelled, note: session.select_build(facts, choices, note, is_cancelled),
                self._selected,
            )
            return
        self.start_task(
            lambda: self.tr("Choosing the exact files and asking for their sizes…"),
            lambda is_cancelled, note: session.preview(facts, choices, selected, is_cancelled, note),
            self.context.navigator.put_preview,
            self._fetching,
        )

    def _fetching(self, progress: FetchProgress) -> None:
        """A file that must come whole before it is known what it needs."""
        if progress.file:
            self.busy.say(lambda: self.say(resolving_words(progress)))

    def _compared(self, preview: Preview | None) -> None:
        if preview is None and self.state.profile is not None:
            self._say_nothing(
                message(
                    "flow.profile.already",
                    "This class profile is set up as “{name}” already, and nothing there has changed.",
                    name=self.state.profile.profile.environment.name,
                )
            )
        elif preview is None:
            self._say_nothing(message("reuse.nothing", prefix=self.state.choices.prefix or ""))
        else:
            self.context.navigator.put_preview(preview)

    def _say_nothing(self, words: Message) -> None:
        self.nothing.show_words(words)
        self.render_state()
        self.announce(self.say(words))
        self.changed.emit()

    def _selected(self, selected: SelectedBuild) -> None:
        self.context.navigator.put_selected_build(selected)
        self._prepare()

    # -- the button

    def press(self) -> None:
        preview = self.state.preview
        if preview is None:
            return
        session, run_id, plans = self.context.session, preview.plan.id, self.state.persistent
        limits, before, choices = self.limits.limits(), preview.plan.choices, self.state.choices
        api, profile = self.context.session.tools, self.state.profile
        is_limited = limits != (before.limit_rate, before.connections)

        def begin(note: Callable[[Any], None]) -> None:
            """Settings first: should one of them refuse, nothing has been started."""
            for number, plan in enumerate(plans, start=1):
                if plan.diffs:
                    note((session.use(plan), plans[number:]))
            if is_limited:
                note(session.set_limits(run_id, *limits))
            session.remember_volumes(choices)
            if profile is not None:
                api.remember_key(profile)
            session.start(run_id)

        self.start_task(
            lambda: self.tr("Writing the settings, then starting…") if plans else self.tr("Starting…"),
            lambda is_cancelled, note: begin(note),
            lambda answer: self.context.navigator.show_run(run_id),
            self._heard,
            self._not_begun,
        )
        self.context.navigator.begin(True)

    def _heard(self, note: Any) -> None:
        if isinstance(note, Plan):
            self.context.navigator.put_limits(note)
        else:
            self.context.navigator.put_used(*note)

    def _not_begun(self, error: WizardError) -> None:
        """What is left to be written is looked at anew, for a file may have changed since it was shown."""
        session, left = self.context.session, self.state.persistent
        self.context.navigator.begin(False)
        self.trouble.show_error(error)

        def plan() -> tuple[UsePlan, ...]:
            return tuple(session.plan_use(one.mirror, one.kinds) for one in left)

        if left:
            self._aside.start(
                lambda is_cancelled, note: plan(), self.context.navigator.put_persistent, lambda error: None
            )

    # -- the same for a class

    def _ask_where_to_save(self) -> None:
        preview = self.state.preview
        if preview is not None:
            start = str(Path.home() / f"{PurePath(preview.plan.prefix).name}.torchlab")
            title = self.tr("Save as class profile")
            chosen, _ = QFileDialog.getSaveFileName(self, title, start, "Torch Setup (*.torchlab)")
            if chosen:
                self.save_to(Path(chosen))

    def save_to(self, path: Path) -> None:
        facts, preview, choices = self.state.facts, self.state.preview, self.state.choices
        if facts is None or preview is None:
            return
        self.saved.clear()
        api = self.context.session.tools
        self.start_task(
            lambda: self.tr("Making the class profile: asking the sources for its files…"),
            lambda is_cancelled, note: api.make_profile(facts, preview, choices, path, is_cancelled),
            lambda made: self._profile_saved(path, made),
        )
        self.render_state()

    def _profile_saved(self, path: Path, made: ProfileFile) -> None:
        words = message(
            "flow.profile.saved",
            "The class profile is saved in {path}. Give this file to the class; its code is {code}.",
            path=str(path),
            code=made.sha256[:12],
        )
        self.saved.show_words(words)
        self.render_state()
        self.announce(self.say(words))

    def _copy(self) -> None:
        preview = self.state.preview
        if preview:
            copy_out("\n".join(preview.commands), self.copy)
