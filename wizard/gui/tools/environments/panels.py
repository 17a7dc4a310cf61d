"""What is asked beside an environment: copying it, adding packages to it or updating them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QProgressBar, QPushButton

from wizard.compatibility.model import Choices
from wizard.gui.pages.verify.kernel import PackagesFold
from wizard.gui.shell.tasks import IsCancelled, seldom
from wizard.gui.widgets.fields import MainButton, ReturnField, read_in_order, tell_wrong
from wizard.gui.widgets.frames import Turning, column, line_up
from wizard.gui.widgets.labels import in_a_row, label
from wizard.gui.widgets.messages import Trouble
from wizard.model.messages import bytes_text, message

if TYPE_CHECKING:
    from wizard.environment.model import Environment
    from wizard.gui.tools.base import SidePage
    from wizard.model.errors import WizardError
    from wizard.run.model import Facts, Preview


# Copying an environment, asked in the page: the copy's name, then how far it is. The original is only read.

_STEPS = 1000


class ClonePanel(QFrame):
    cloned = Signal(object)  # Message: what was made
    went_on = Signal()  # it has begun, or was refused
    put_away = Signal()

    def __init__(self, page: SidePage) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._page = page
        self._one: Environment | None = None
        self.is_going = False
        rows = column(self, (16, 14, 16, 14), 8)
        self._title, self._words = label("", "heading"), label("", "muted")
        self.go, self.keep = MainButton(self), QPushButton(self)
        self._text, self.name = QLabel(self), ReturnField(self.go, self)
        self._text.setBuddy(self.name)
        self.trouble = Trouble(page.context.translator)
        self.trouble.put_below_field(True)
        field = QGridLayout()
        field.setHorizontalSpacing(12)
        field.setColumnStretch(1, 1)
        field.addWidget(self._text, 0, 0)
        field.addWidget(self.name, 0, 1)
        field.addWidget(self.trouble, 1, 1)
        self._progress, self.bar = label("", "muted"), QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self.go.setProperty("role", "primary")
        buttons = line_up()
        buttons.addWidget(self.go)
        buttons.addWidget(self.keep)
        buttons.addStretch(1)
        rows.addWidget(self._title)
        rows.addWidget(self._words)
        rows.addLayout(field)
        rows.addWidget(self._progress)
        rows.addWidget(self.bar)
        rows.addLayout(buttons)
        self.name.textChanged.connect(self._typed)
        self.go.clicked.connect(self._begin)
        self.keep.clicked.connect(self._drop)
        read_in_order(self._title, self._words, self._text, self.name, self.trouble, self._progress, self.bar)
        read_in_order(self.go, self.keep)

    @property
    def is_asked(self) -> bool:
        """Whether it is open, or copies."""
        return self._one is not None

    def close_form(self) -> None:
        self._one, self.is_going = None, False

    def ask(self, one: Environment) -> None:
        """Ask for the name of a copy of this environment."""
        self._one, self.is_going = one, False
        self.name.setText(f"{one.name}-copy")
        self.name.selectAll()
        self._typed()
        self.retranslate()

    def _typed(self) -> None:
        """Another name: what was wrong with the one before counts no more."""
        self.go.setEnabled(bool(self.name.text().strip()))
        self.trouble.clear()
        tell_wrong(self.name, "")

    def _begin(self) -> None:
        one, name, api = self._one, self.name.text().strip(), self._page.api
        if one is None:
            return
        self.is_going = True
        self._typed()
        self._show_progress(0, 0)
        self.retranslate()
        self.went_on.emit()
        self._page.beside(
            "clone",
            lambda is_cancelled, note: api.clone(one, name, seldom(note), is_cancelled),
            lambda size: self._made(one, name, size),
            lambda told: self._show_progress(*told),
            self._show_wrong,
        )

    def _made(self, one: Environment, name: str, size: int) -> None:
        self.close_form()
        told = bytes_text(size)
        self.cloned.emit(
            message("flow.cloned", "{copy} is a copy of {name} now ({size}).", name=one.name, copy=name, size=told)
        )

    def _show_wrong(self, error: WizardError) -> None:
        """Ask again, with what was wrong below the field, also where the person has left the page meanwhile."""
        self.is_going = False
        self.retranslate()
        self.trouble.show_error(error)
        tell_wrong(self.name, self.trouble.plain_text())
        self.went_on.emit()

    def _drop(self) -> None:
        """What was copied so far is taken away again by the task that copies."""
        self._page.stop_beside("clone")
        self.put_away.emit()

    def _show_progress(self, done: int, total: int) -> None:
        self.bar.setValue(int(_STEPS * done / total) if total else 0)
        words = self.tr("%1 of %2 copied").replace("%1", bytes_text(done, keeps_zeros=True))
        words = words.replace("%2", bytes_text(total, keeps_zeros=True))
        self._progress.setText(words if total else self.tr("Checking it…"))
        self.bar.setAccessibleName(self._progress.text())

    def retranslate(self) -> None:
        one = self._one
        self._text.setText(self.tr("&Name of the copy"))
        self.name.setAccessibleName(self.tr("Name of the copy"))
        self.go.setText(self.tr("&Make the copy"))
        self.keep.setText(self.tr("&Stop") if self.is_going else self.tr("&Cancel"))
        self.trouble.retranslate()
        self._title.setText(self.tr("A copy of %1").replace("%1", one.name if one else ""))
        self._words.setText(self.tr("The original does not change."))
        for widget in (self._text, self.name, self.go):
            widget.setVisible(not self.is_going)
        self._progress.setVisible(self.is_going)
        self.bar.setVisible(self.is_going)


_LEAST_NAMES = 160  # pixels, in which the end of what is typed can be read
_OF_NAMED = ("project.native.", "notice.companion")  # why one of them is left out, or an older release comes
_BETWEEN = re.compile(r"\s+|,(?=\s*[A-Za-z]|\s*$)")  # a comma within numpy>=1,<3 is none


class PackagesPanel(QFrame):
    """Adds packages to an environment or updates it, with torch held: what would change is shown before it is done."""

    put_away = Signal()

    def __init__(self, page: SidePage) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setVisible(False)
        self._page = page
        self._one: Environment | None = None
        self._preview: Preview | None = None
        self._is_nothing = False
        self._for_jupyter = ""
        rows = column(self, (16, 14, 16, 14), 8)
        self._title, self._words, self._changes = label("", "heading"), label("", "muted"), label("")
        self.look, self.update_all = QPushButton(self), QPushButton(self)
        self.go, self.keep = MainButton(self), QPushButton(self)
        self._text, self.names = QLabel(self), ReturnField(self.look, self)
        self._text.setBuddy(self.names)
        self.names.setMinimumWidth(_LEAST_NAMES)
        self.packages = PackagesFold(page.context.translator, self)
        self.go.setProperty("role", "primary")
        field, buttons = Turning(), Turning()
        for widget in (self._text, self.names, self.look):
            field.line.addWidget(widget, int(widget is self.names))
        for button in (self.go, self.update_all, self.keep):
            buttons.line.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        buttons.line.addStretch(1)
        for part in (self._title, self._words, field, self._changes, self.packages, buttons):
            rows.addWidget(part)
        self.names.textChanged.connect(self._forget)
        self.look.clicked.connect(lambda: self._plan(self._page.context.session.plan_add))
        self.update_all.clicked.connect(lambda: self._plan(self._page.context.session.plan_update))
        self.go.clicked.connect(self._start)
        self.keep.clicked.connect(self.put_away)
        read_in_order(self._title, self._words, self._text, self.names, self.look, self._changes, self.packages)
        read_in_order(self.go, self.update_all, self.keep)

    @property
    def is_asked(self) -> bool:
        return self._one is not None

    def ask(self, one: Environment, wanted: str = "", is_for_jupyter: bool = False) -> None:
        """`wanted`: what is looked for at once."""
        self._one, self._for_jupyter = one, wanted if is_for_jupyter else ""
        self.names.setText(wanted)
        self.setVisible(True)
        self.retranslate()
        if wanted:
            self.look.click()

    def close_form(self) -> None:
        """Put it away, with the plan that nobody has carried out."""
        self._forget()
        self._one = None
        self.setVisible(False)

    def _forget(self) -> None:
        preview, self._preview, self._is_nothing = self._preview, None, False
        if preview is not None:
            self._drop(preview.plan.id)
        self.retranslate()

    def _drop(self, run_id: str) -> None:
        """If its files cannot be taken away, they only lie there."""
        session = self._page.context.session
        self._page.context.tasks.start(
            lambda is_cancelled, note: session.discard(run_id), lambda answer: None, lambda error: None
        )

    def _plan(self, plan: Callable[[Facts, Choices, IsCancelled], Preview | None]) -> None:
        session, one = self._page.context.session, self._one
        names = tuple(filter(None, _BETWEEN.split(self.names.text())))
        if one is None or (plan == session.plan_add and not names):
            return
        added = names if plan == session.plan_add else ()
        choices = replace(self._page.state.named_sources, prefix=str(one.prefix), reuse=True, extras=added)
        self._forget()
        self._page.start_task(
            lambda: self.tr("Checking what would change…"),
            lambda is_cancelled, note: plan(session.probe(None, is_cancelled), choices, is_cancelled),
            self._planned,
        )

    def _planned(self, preview: Preview | None) -> None:
        self._preview, self._is_nothing = preview, preview is None
        self.retranslate()
        self.packages.open_if_few()
        (self.go if preview else self.names).setFocus()
        self._page.announce(in_a_row(self._changes.text(), self.packages.button.accessibleName()))

    def _start(self) -> None:
        preview, context = self._preview, self._page.context
        if preview is None:
            return
        run_id = preview.plan.id

        def begun(answer: object) -> None:
            self._preview = None  # it is the worker's now
            context.navigator.show_run(run_id, self._for_jupyter in preview.plan.choices.extras)
            context.side.close()

        self._page.start_task(
            lambda: self.tr("Starting…"), lambda is_cancelled, note: context.session.start(run_id), begun
        )

    def retranslate(self) -> None:
        one, preview = self._one, self._preview
        self._title.setText(self.tr("Packages of %1").replace("%1", one.name if one else ""))
        self._words.setText(self.tr("PyTorch stays as it is, and what is replaced is kept: you can go back."))
        self._text.setText(self.tr("Packages to a&dd"))
        self.names.setAccessibleName(self.tr("Packages to add"))
        self.names.setPlaceholderText("pandas einops>=0.8")
        self.look.setText(self.tr("&See what changes"))
        self.look.setEnabled(bool(self.names.text().strip()))
        self.update_all.setText(self.tr("&Update all packages"))
        self.keep.setText(self.tr("&Cancel"))
        size = bytes_text(preview.download_bytes or 0) if preview else ""
        self.go.setText(self.tr("&Install (downloads %1)").replace("%1", size))
        self.go.setVisible(preview is not None)
        said = [one for one in preview.plan.notices if one.key.startswith(_OF_NAMED)] if preview else []
        told = self.packages.show_changes((*said, *preview.changes) if preview else ())
        self._changes.setText(told if preview else self.tr("Nothing would change."))
        self._changes.setVisible(bool(told) or self._is_nothing)
