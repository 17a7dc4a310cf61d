"""Place: a new environment's name, folder and engine, or an environment that is there; what that place is good for.

Folded away: other places for downloads, caches and temporary files.

Checked while one types, in a thread: disks can hang.

One file: the fields, what is said below each, and the name that is proposed all hang on one check.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from wizard.compatibility.model import Choices
from wizard.environment.inspect.reusable import is_ours
from wizard.environment.naming import absolute_prefix, check_name
from wizard.gui.pages.base import Page
from wizard.gui.pages.check import requirement_name
from wizard.gui.pages.place_parts import EngineChoice, ExistingChoice, VolumesForm
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import IsCancelled, OnNote, SideTask
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.fields import PathField
from wizard.gui.widgets.frames import Fold, FoldList, RowCard, box, column, stacked
from wizard.gui.widgets.labels import Pill, label, selectable, told_of, without_key
from wizard.gui.widgets.messages import Trouble
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.run.model import Requirement
from wizard.run.plan.place import DEFAULT_NAME
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.environment.model import Environment

_TYPING_PAUSE_MS = 250
_TAKEN = frozenset({"target-is-environment", "target-unfinished", "target-not-empty", "target-is-file"})
_OF_NAME = _TAKEN | {"bad-name"}
_IN_FORCE = (
    "same-disk",
    "caches",
    "temp",
    "other-disk",
    "chosen-disk",
)  # of the places of downloads and temporary files
_NAME_IS_GIVEN = ErrorText(
    "target-name-given",
    "“{folder}” has something called “{name}” already, and the class gives this name.",
    "Choose another folder.",
)
_IS_ENVIRONMENT = ErrorText(  # where this page cannot install into it
    "target-name-taken",
    "There is already an environment in “{path}”.",
    "Choose another name.",
)
_HAS_FILES = ErrorText(  # where the class gives the folder
    "target-has-files",
    "The folder “{path}” is not empty; nothing in it was changed.",
    "Choose another name.",
)
_NUMBER = re.compile(r"-(\d{1,3})$")


class PlacePage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.name, self.folder = QLineEdit(), PathField()
        self._browse = QPushButton()
        self._browse.clicked.connect(self._choose_folder)
        self.name_trouble = Trouble(context.translator)  # the page's own is the folder's
        self.name_trouble.put_below_field(True)
        self.name_trouble.installEventFilter(self)
        self._hints: dict[QLineEdit, str] = {}  # of fields that say an error instead
        self._texts = [QLabel() for _ in range(2)]
        self._use, self._path = label("", "muted"), selectable(label("", "muted"))
        self.new, self.there = QRadioButton(), QRadioButton()
        self._modes = QButtonGroup(self)
        self._modes.addButton(self.new)
        self._modes.addButton(self.there)
        self.engine, self.existing = EngineChoice(), ExistingChoice()
        self.engines = self.engine.buttons
        self.engine_fold = Fold()
        self.engine_fold.body.addWidget(self.engine)
        self.volumes_fold, self.volumes = Fold(), VolumesForm()
        self.volumes_fold.body.addWidget(self.volumes)
        self._aside = SideTask(context.tasks)
        self.rows = RowCard(3, 2)
        self._is_proposed = True  # the name is ours until the person types
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(_TYPING_PAUSE_MS)
        self._wait.timeout.connect(self._check)
        self._lay_out()
        self.name.textEdited.connect(self._name_typed)
        self.folder.textEdited.connect(self._typed)
        self._modes.buttonToggled.connect(self._mode_changed)
        self.engine.chosen.connect(self._typed)
        self.existing.chosen.connect(self._typed)
        self.volumes.edited.connect(self._typed)

    def _lay_out(self) -> None:
        self._modes_card = modes = box("card")
        lines = column(modes, (16, 10, 16, 10), 2)
        lines.addWidget(self.new)
        lines.addWidget(self.there)
        self._form = form = box("card")
        grid = QGridLayout(form)
        grid.setContentsMargins(16, 14, 16, 14)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(10)
        for text, row, field in zip(self._texts, (0, 2), (self.name, self.folder), strict=True):
            text.setBuddy(field)
            grid.addWidget(text, row, 0)
            grid.addWidget(field, row, 1)
            if field is self.folder:
                grid.addWidget(self._browse, row, 2)
            room = QWidget()  # for what is wrong with the field: nothing moves while one types
            room.setMinimumHeight(2 * label("x").sizeHint().height())
            grid.addWidget(room, row + 1, 1, 1, 2)
            self._below = column(room, gap=0)
            for shown in (self._path,) if field is self.folder else (self._use, self.name_trouble):
                self._below.addWidget(shown)
            self._below.addStretch(1)
        grid.setColumnStretch(1, 1)
        folds = FoldList(self.engine_fold, self.volumes_fold)
        for card in (modes, form, self.existing, self.trouble, folds, self.rows):
            self.body.addWidget(card)
        self.body.addStretch(1)

    def enter(self) -> None:
        choices, facts = self.state.choices, self.state.facts
        prefix = Path(choices.prefix) if choices.prefix else None
        is_new = not choices.reuse
        self._is_proposed = True
        self.name.setText(choices.name or (prefix.name if prefix and is_new else DEFAULT_NAME))
        self.folder.setText(str(prefix.parent if prefix and is_new else self.context.session.environments_dir()))
        self.engine.show_choices(choices, facts.machine.condas if facts else ())
        self.volumes.show_choices(choices)
        self.volumes_fold.button.setChecked(self.volumes.is_used)
        self.engine_fold.button.setChecked(choices.engine != "auto")
        with QSignalBlocker(self._modes):
            (self.new if is_new else self.there).setChecked(True)
        self.render_state()
        self._check()
        api = self.context.session.tools

        def usable(is_cancelled: IsCancelled, note: OnNote) -> tuple[Environment, ...]:
            return tuple(one for one in api.environments(is_cancelled) if not is_ours(one.prefix))

        self._aside.start(usable, self._known, lambda error: None)

    def _known(self, found: tuple[Environment, ...]) -> None:
        choices = self.state.choices
        with QSignalBlocker(self.existing):
            self.existing.show_known(found, Path(choices.prefix) if choices.reuse and choices.prefix else None)
        self.changed.emit()

    def leave(self) -> None:
        self._wait.stop()
        self.cancel_task()
        self._aside.cancel()

    def first_control(self) -> QWidget:
        if not self.new.isChecked():
            return self.existing.table
        return self.name if self.name.isEnabled() else self.folder

    def retranslate(self) -> None:
        self.set_head(
            self.tr("Where it goes"),
            self.tr(
                "PyTorch and its Python go into one folder, called an environment. Other environments are not touched."
            ),
        )
        self.new.setText(self.tr("A ne&w environment"))
        self.there.setText(self.tr("An exis&ting environment"))
        self._texts[0].setText(self.tr("Na&me"))
        self._texts[1].setText(self.tr("&Folder"))
        self._browse.setText(self.tr("Brow&se…"))
        self._use.setText(self.tr("Jupyter and your terminal show this name, too."))
        self.name.setAccessibleName(self.tr("Name of the environment"))
        self.folder.setAccessibleName(self.tr("Folder of the environment"))
        self.engine_fold.show_words(self.tr("&How the environment is made"))
        self.engine.retranslate()
        self.existing.retranslate()
        self.volumes_fold.show_words(self.tr("Othe&r places for downloads and temporary files"))
        self.volumes.retranslate()
        self.name_trouble.retranslate()
        self._hints.clear()

    def render_state(self) -> None:
        is_new = self.new.isChecked() or not self.there.isChecked()
        profile = self.state.profile
        asked = ("name", "place") if profile is None else profile.profile.ask
        self._form.setVisible(is_new)
        self.name.setEnabled("name" in asked)
        for part in (self.folder, self._browse):
            part.setEnabled("place" in asked)
        self._modes_card.setVisible(profile is None and self.state.project is None)
        self.engine_fold.setVisible(is_new and profile is None)
        self.existing.setVisible(not is_new)
        place = self.state.place
        if place is not None:  # else what was said stays until more is known: nothing jumps while one types
            self.rows.clear()
            self.rows.setVisible(True)
        ours = [row for row in place or () if row.fact.key.removeprefix("environments.place.") in _IN_FORCE]
        folded = [row for row in ours if row.state in ("ok", "note")]
        self.volumes.show_facts("\n".join(self.say(row.fact) for row in folded))
        for requirement in place or ():
            if requirement not in folded:
                self._add_row(requirement)
        if place == ():
            fine = self.tr("This place can be used.") if is_new else self.tr("This environment can be used.")
            self.rows.add_row(Pill("ok"), label(fine, "strong", wrap=False))
        selected = self.state.selected
        shown = selected is not None and self.engine.engine == "auto"
        self.engine.show_reason(self.say(selected.engine_reason) if selected and shown else "")
        self._show_path()

    def may_press(self) -> bool:
        return super().may_press() and not self._wait.isActive()

    def _add_row(self, requirement: Requirement) -> None:
        name = requirement_name(requirement.name)
        pill = Pill(requirement.state)
        pill.setAccessibleName(told_of(name, pill.accessibleName()))
        more = [Advice(self.signed(words), "muted") for words in (requirement.why, requirement.fix) if words]
        text = stacked(Advice(self.signed(requirement.fact)), *more)
        self.rows.add_row(pill, label(name, "strong", wrap=False), text)

    # -- choices

    def _choices(self, name: str | None = None) -> Choices:
        """`name`: another than the field's."""
        target = self._target(self.name.text().strip() if name is None else name)
        return replace(target, cache_dir=self.volumes.cache_wish, temp_dir=self.volumes.temp_wish)

    def _target(self, name: str) -> Choices:
        """A name where the folder is the usual one, so that the session's own rules for names apply."""
        if self.there.isChecked():
            prefix = self.existing.prefix
            base = replace(self.state.choices, engine="auto", conda=None, channel=None, reuse=True, name=None)
            return replace(base, prefix=str(prefix) if prefix else None)
        folder, usual = self.folder.text().strip(), str(self.context.session.environments_dir())
        if self.state.profile is not None:  # all but the place is the profile's
            base = replace(self.state.choices, name=None, prefix=None)
            return replace(base, name=name) if folder == usual else replace(base, prefix=str(Path(folder) / name))
        base = replace(self.state.choices, engine=self.engine.engine, conda=self.engine.conda, reuse=False)
        if not folder or folder == usual:
            return replace(base, name=name, prefix=None)
        return replace(base, name=None, prefix=str(Path(folder) / name) if name else "")

    def _show_path(self) -> None:
        folder, name = self.folder.text().strip(), self.name.text().strip()
        usual = folder or str(self.context.session.environments_dir())
        whole = str(Path(usual) / name)
        with suppress(RuntimeError):  # nobody is called that (~name): the check says so
            whole = str(absolute_prefix(whole))
        self._path.setText(whole if name else "")

    def _name_typed(self) -> None:
        self._is_proposed = False
        self._typed()

    def _typed(self) -> None:
        self.cancel_task()
        self._show_path()
        self._wait.start()
        self.context.navigator.put_place(self._choices(), None)

    def _mode_changed(self, button: object, checked: bool) -> None:
        if checked:
            self.rows.setVisible(False)  # of the other kind of place
            self._typed()
            self.wants_focus.emit()

    def _check(self) -> None:
        session, facts, choices = self.context.session, self.state.facts, self._choices()
        if facts is None:
            return
        if choices.reuse:
            self._mark()
            self._check_existing(choices)
            return
        wrong = self._name_error()
        if wrong:
            self.rows.setVisible(False)  # of a name that stands there no more
        self._mark(name=wrong)
        tested = self._choices(DEFAULT_NAME) if wrong else choices  # the folder may be wrong as well
        self.start_task(
            None,
            lambda is_cancelled, note: session.check_place(tested, facts),
            lambda place: self.context.navigator.put_place(choices, None if wrong else place),
            on_failed=lambda error: self._refused(choices, error, wrong),
        )

    def _name_error(self) -> WizardError | None:
        try:
            check_name(self.name.text().strip(), paths.os_name())
        except WizardError as error:
            return error
        return None

    def _check_existing(self, choices: Choices) -> None:
        if choices.prefix is None:  # none is chosen yet
            self.context.navigator.put_place(choices, None)
            return
        api = self.context.session.tools
        self.start_task(
            None,
            lambda is_cancelled, note: api.check_reuse(choices),
            lambda answer: self.context.navigator.put_place(choices, ()),
            on_failed=lambda error: self._refused(choices, error),
        )

    def _refused(self, choices: Choices, error: WizardError, wrong_name: WizardError | None = None) -> None:
        if error.code in _TAKEN and not choices.reuse and self._is_proposed and self.name.isEnabled():
            self._propose_next()
            return
        self.rows.setVisible(False)
        self.context.navigator.put_place(choices, None)
        self.trouble.put_below_field(not choices.reuse)
        if choices.reuse:
            self.body.insertWidget(self.body.indexOf(self.existing) + 1, self.trouble)
            self.trouble.show_error(error)
        elif self._is_of_name(error) and self.name.isEnabled():
            if error.code == "target-is-environment" and self._modes_card.isHidden():
                error = UsageError(_IS_ENVIRONMENT, path=str(error.params["path"]))
            elif error.code == "target-not-empty" and not self.folder.isEnabled():
                error = UsageError(_HAS_FILES, path=str(error.params["path"]))
            self._mark(name=wrong_name or error)
        else:
            if error.code in _TAKEN and not self.name.isEnabled():
                error = UsageError(_NAME_IS_GIVEN, folder=self.folder.text().strip(), name=self.name.text().strip())
            self._below.insertWidget(0, self.trouble)
            self._mark(wrong_name, error)

    def _propose_next(self) -> None:
        """Propose torch-2 where torch is there from an earlier setup."""
        name = self.name.text()
        found = _NUMBER.search(name)
        self.name.setText(f"{_NUMBER.sub('', name)}-{int(found[1]) + 1 if found else 2}")
        self._show_path()
        self._check()

    def _is_of_name(self, error: WizardError) -> bool:
        return error.code in _OF_NAME and str(error.params.get("name", "")) not in Path(self.folder.text()).parts

    def _mark(self, name: WizardError | None = None, folder: WizardError | None = None) -> None:
        """Show under each field what is wrong with it; who hears the window gets it with the field."""
        for usual in (self._use, self._path):
            usual.setVisible(False)  # before an error takes its room
        for field, shown, error in ((self.name, self.name_trouble, name), (self.folder, self.trouble, folder)):
            if error is None:
                shown.clear()
            else:
                shown.show_error(error)
            if field.property("wrong") is not (error is not None):
                field.setProperty("wrong", error is not None)
                field.style().polish(field)
            if error is not None:
                self._hints.setdefault(field, field.accessibleDescription())
                field.setAccessibleDescription(shown.plain_text())
            elif field in self._hints:
                field.setAccessibleDescription(self._hints.pop(field))
        self._use.setVisible(name is None)
        self._path.setVisible(folder is None)

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, without_key(self._texts[1].text()), self.folder.start())
        if chosen:
            self.folder.setText(str(Path(chosen)))
            self._typed()
