"""Review: what will happen, in four tiles and one box of what is different; all else is folded.

Nothing has happened before this page's button. One file: one page, whose parts share the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.app.pages.differences import BREAKS, DIFFERENT, difference_row, differences, is_held_back
from wizard.app.pages.order import ORDER, PageId
from wizard.app.pages.run import resolving_words
from wizard.app.use.settings import UsePlan
from wizard.compatibility.model import Plan
from wizard.gui.pages.base import Page
from wizard.gui.pages.review_parts import ClassProfile, PlanTiles
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import SideTask
from wizard.gui.widgets.code import CodeLine, copy_out
from wizard.gui.widgets.diff_view import DiffView
from wizard.gui.widgets.fields import LimitsForm, MainButton
from wizard.gui.widgets.figures import exact_bytes_text
from wizard.gui.widgets.frames import Fold, FoldList, RowCard, empty
from wizard.gui.widgets.labels import dress, label
from wizard.gui.widgets.messages import Notice, Remark
from wizard.model.errors import WizardError
from wizard.model.messages import Message, bytes_text, message
from wizard.run.model import Preview, SelectedBuild

if TYPE_CHECKING:
    from wizard.transfer.download import FetchProgress


_NO_SETTINGS = "change.settings"
_IN_TILES = (
    "change.environment.rattler",
    "change.environment.conda",
    "change.environment.venv",
    "change.download",
    "change.disk",
    "reuse.change.download",
)
_LOST = "project.lost"
_IN_DETAILS = (  # how sources answered, and who vouches for what was checked: no difference
    *("race.torch-rate", "race.packages-rate", "race.official-silent"),
    "profile.own-word",
)


class ReviewPage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.tiles, self.different = PlanTiles(), Notice()
        self.tiles.wanted.connect(self._change)
        self.more, self.commands, self.files = Fold(), Fold(), Fold()
        self._file_rows = RowCard(4, 0)
        self._file_rows.setProperty("role", "fold")
        self.files.body.setContentsMargins(0, 0, 0, 0)
        self.files.body.addWidget(self._file_rows)
        self.settings, self.limits_fold = Fold(), Fold()
        self.diff, self.limits = DiffView(context.theme), LimitsForm()
        self.settings.body.addWidget(self.diff)
        self.limits_fold.body.addWidget(self.limits)
        for field in (self.limits.rate, self.limits.connections):
            field.valueChanged.connect(self._limited)
        self._aside = SideTask(context.tasks)
        self.nothing = Remark(context.translator, lambda: self.tr("Nothing to do"))
        self.lost = Remark(context.translator, lambda: self.tr("Missing"), state="warning")
        self.copy, self.save = QPushButton(), MainButton()
        self.copy.clicked.connect(self._copy)
        self.class_profile = ClassProfile(self)
        self.save.clicked.connect(self.class_profile.ask)
        self.footer_left = [self.save]
        self.body.setSpacing(16)
        self.body.addWidget(self.nothing)
        self.body.addWidget(self.class_profile.said)
        self.body.addWidget(self.lost)
        self.body.addWidget(self.tiles)
        self.body.addWidget(self.different)
        self.body.addWidget(FoldList(self.settings, self.files, self.commands, self.limits_fold, self.more))
        self.body.addStretch(1)

    def _change(self, page: PageId) -> None:
        """The way may have closed since the tile was drawn: a run begins."""
        if self.context.navigator.may_open(page):
            self.context.navigator.go_to(page)

    def enter(self) -> None:
        self.nothing.clear()
        self.class_profile.said.clear()
        self.limits.show_choices(self.state.choices)
        self.limits_fold.button.setChecked(self.limits.limits() != (None, None))
        if self.state.preview is None:
            self._prepare()

    def leave(self) -> None:
        self.cancel_task()
        self._aside.cancel()

    def first_control(self) -> QWidget | None:
        """The page's one button: three times Return installs where all is well, and stray keys have ended the hurry.
        Who chooses for a class saves it; that installs nothing."""
        return self.save if self.offers_another else None

    @property
    def offers_another(self) -> bool:
        return self.state.for_class and not self.save.isHidden()

    def hint_of_primary(self) -> Message:
        return message("page.review.install", "Starts the download and the installation.")

    def primary_text(self) -> str:
        return "" if self.nothing.code else self.tr("&Install")

    def retranslate(self) -> None:
        self._say_head()
        self.copy.setText(self.tr("&Copy commands"))
        self.save.setText(self.tr("&Save class profile…"))
        self.class_profile.said.retranslate()
        self.more.show_words(self.tr("Details"))
        self.limits_fold.show_words(self.tr("Limit bandwi&dth"))
        self.limits.retranslate()
        self.nothing.retranslate()
        self.lost.retranslate()
        self.diff.retranslate()

    def _for_class(self) -> str:
        return self.tr("This setup is for the class: save it with “Save class profile…” below. That installs nothing.")

    def _limited(self) -> None:
        self.context.navigator.keep_limits(*self.limits.limits())

    def _say_head(self) -> None:
        words = self._starting() if self.state.is_beginning else self.tr("Nothing changed yet.")
        if self.nothing.code:
            words = self.tr("Nothing is missing. To set up something else, go back and choose it.")
            if self.state.profile is not None:  # which chose all of it
                words = self.tr("Nothing is missing.")
        self.set_head(self.tr("What happens"), words)

    def _starting(self) -> str:
        """What is done until the worker is there: in the line below the title, for a bar would push all else down."""
        return self.tr("Writing the settings, then starting…") if self.state.persistent else self.tr("Starting…")

    def render_state(self) -> None:
        self._say_head()
        preview = self.state.preview
        self.lost.clear()
        for widget in (self.tiles, self.different, self.files, self.commands, self.limits_fold, self.more):
            widget.setVisible(preview is not None)
        diffs = [diff for plan in self.state.persistent for diff in plan.diffs]
        self.settings.setVisible(preview is not None and bool(diffs))
        self.settings.show_words(self.tr("Settings files that &will be changed"), str(len(diffs)))
        self.diff.show_diffs(diffs)
        is_plain = self.state.profile is None and self.state.project is None
        self.save.setVisible(is_plain and not self.state.choices.reuse)
        self.save.setEnabled(preview is not None and not self.is_busy)
        dress(self.save, "primary" if self.offers_another else "")
        empty(self.more.body)
        self.commands.body.removeWidget(self.copy)
        empty(self.commands.body)
        self._file_rows.clear()
        if preview:
            self._show(preview)

    def _notice_title(self, keys: Sequence[str]) -> str:
        """Say what stands in the box: what became something else comes before versions that are not the newest."""
        if any(key in DIFFERENT for key in keys):
            return self.difference_title()
        return self.tr("Not the newest versions") if keys and all(map(is_held_back, keys)) else self.tr("Worth knowing")

    def _show(self, preview: Preview) -> None:
        lock = preview.lock
        self.tiles.show_plan(preview, self.state.selected)
        self.tiles.show_changeable([page for page in ORDER if self.context.navigator.may_go_to(page)])
        told = (one for one in differences(self.state, preview.plan) if one.key not in (*_IN_DETAILS, _LOST))
        if lost := next((one for one in preview.plan.notices if one.key == _LOST), None):
            self.lost.show_words(lost)
        broken = (one for one in preview.changes if one.key in BREAKS)
        notices = (*broken, *told)
        title = self._notice_title([one.key for one in notices])
        rows = (self.said_row(difference_row(one)) for one in notices)
        self.different.show_rows(title, [*self._setting_rows(), *rows])
        self.more.button.setChecked(preview.plan.choices.reuse)  # what is replaced has to be read
        for words in self._details(preview):
            self.more.body.addWidget(label(words))
        self.files.show_words(self.tr("&Packages"), str(len(lock.files)))
        self._file_rows.grid.setColumnStretch(1, 1)  # where it comes from turns its line only where there is no room
        for file in sorted(lock.files, key=lambda one: -(one.size or 0)):
            size = bytes_text(file.size) if file.size is not None else "?"
            if file.filename in preview.here:
                size = self.say(message("environments.packages.here"))
            hashed = f"{file.sha256[:12]}…" if file.sha256 else self.say(message("files.no-hash", "not promised"))
            name, digest = label(f"{file.name} {file.version}"), label(hashed, "muted", wrap=False)
            source = label(self.say(preview.source_of(file)), "muted")
            self._file_rows.add_row(name, source, digest, label(size, wrap=False), tight=True)
        self.commands.show_words(self.tr("Commands"), str(len(preview.commands)))
        for command in preview.commands:
            self.commands.body.addWidget(CodeLine(command))
        self.commands.body.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignLeft)

    def _setting_rows(self) -> list[tuple[str, ...]]:
        names = [diff.path.name for plan in self.state.persistent for diff in plan.diffs]
        return [(self.context.translator.listed(names), self.tr("Will change; you can undo it."))] if names else []

    def _details(self, preview: Preview) -> list[str]:
        """What the tiles do not say. That no setting is changed is true only where no mirror is kept."""
        left_out = (*_IN_TILES, *BREAKS, *((_NO_SETTINGS,) if self._setting_rows() else ()))
        said = [self.say(change) for change in preview.changes if change.key not in left_out]
        said += [self.say(notice) for notice in preview.plan.notices if notice.key in _IN_DETAILS]
        if preview.download_bytes:
            words = self.tr("PyTorch and its packages: %1 to download.")
            said.append(words.replace("%1", exact_bytes_text(preview.download_bytes)))
        said.append(self.tr("Each file is checked by SHA-256."))
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
        request = state.request
        if state.project is not None and request is not None:
            self.start_task(
                lambda: self.tr("Choosing the exact files of the whole project…"),
                lambda is_cancelled, note: session.plan_project(
                    facts, request, choices, state.trusted, state.strict, is_cancelled, note
                ),
                self._planned,
                self._fetching,
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
                lambda: self.tr("Checking the sources again…"),
                lambda is_cancelled, note: session.select_build(facts, choices, note, is_cancelled),
                self._selected,
            )
            return
        self.start_task(
            lambda: self.tr("Choosing the exact files and asking for their sizes…"),
            lambda is_cancelled, note: session.preview(facts, choices, selected, is_cancelled, note),
            self._planned,
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
            self._planned(preview)

    def _planned(self, preview: Preview) -> None:
        is_seen = self.isVisible()  # behind the page of choosing it is said when this one comes up
        self.context.navigator.put_preview(preview)
        if is_seen:
            self.announce(self.spoken)

    @property
    def spoken(self) -> str:
        if self.state.preview is None:
            return self.title
        different = "" if self.different.isHidden() else self.different.accessibleName()
        lost = "" if self.lost.isHidden() else self.lost.words
        return "\n".join(filter(None, (self.title, lost, *self.tiles.words, different)))

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
            None,
            lambda is_cancelled, note: begin(note),
            lambda answer: self.context.navigator.show_run(run_id),
            self._heard,
            self._not_begun,
        )
        self.context.navigator.begin(True)
        self.announce(self._starting())

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

    def _copy(self) -> None:
        preview = self.state.preview
        if preview:
            copy_out("\n".join(preview.commands), self.copy)
