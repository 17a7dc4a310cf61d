"""Environments: all of this computer in one table; one of them from near; copying or deleting it, asked in the page.

One file: one page; table, card and panels are files of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from wizard.app.pages.order import SideId
from wizard.app.use.environments import with_gone
from wizard.gui.pages.verify.kernel import NOTEBOOK_ENDED
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import IsCancelled, OnNote, seldom
from wizard.gui.tools.base import SidePage, button
from wizard.gui.tools.environments.card import EnvironmentCard
from wizard.gui.tools.environments.deletion import DeletionPanel
from wizard.gui.tools.environments.disk import DiskRow, counted_words
from wizard.gui.tools.environments.panels import ClonePanel, PackagesPanel
from wizard.gui.tools.environments.table import EnvironmentsTable, NobodysFold, OpenedRow
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.fields import name_buttons
from wizard.gui.widgets.icons import icon
from wizard.gui.widgets.labels import label
from wizard.model.errors import WizardError
from wizard.model.messages import Message, bytes_text, message

if TYPE_CHECKING:
    from wizard.app.notebook import Notebook
    from wizard.app.use.environments import Closer
    from wizard.environment.inspect.sizes import Sizes
    from wizard.environment.model import Environment
    from wizard.environment.remove.delete import DeletionPlan

_SEARCH_WIDTH = 270  # pixels
_EXPORT_AS = "requirements (*.txt);;pylock (*.toml);;JSON (*.json)"


class EnvironmentsPage(SidePage):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._found: tuple[Environment, ...] | None = None
        self._sizes: dict[Path, Sizes] = {}
        self._plan: DeletionPlan | None = None
        self._done: Message | None = None
        self._gone: tuple[Environment, ...] = ()  # at the last look: somebody else has moved or deleted them
        self._deleted: set[Path] = set()  # by us
        self._to_add = ""  # a package for an environment that is still to be chosen
        self.table, self.card = EnvironmentsTable(), EnvironmentCard(self)
        self.panel, self.copying, self.adding = DeletionPanel(context.translator), ClonePanel(self), PackagesPanel(self)
        self._none, self._said = label("", "muted"), Advice("", "strong")
        self.again, self.set_up, self.disk = button(), button(), DiskRow(self)
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(_SEARCH_WIDTH)
        self.search.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.search.textChanged.connect(self.table.search)
        self.search.textChanged.connect(lambda words: self.render_state())
        self.nobodys = NobodysFold(self.table)
        self.footer_left = [self.again]
        self._list = OpenedRow(self.table, self.card)
        self._list.moved.connect(self._show_row)
        self.head.addWidget(self.search, 0, Qt.AlignmentFlag.AlignTop)
        self.search.stackUnder(self.of_class)  # for the keys, too, it stands beside the title
        for widget in (self._said, self._none, self._list, self.nobodys, self.panel, self.copying, self.adding):
            self.body.addWidget(widget)
        self.body.insertWidget(2, self.set_up, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addStretch(1)
        self.body.addWidget(self.disk)
        self.again.clicked.connect(self._look)
        self.set_up.clicked.connect(self._set_up)
        self.disk.counted.connect(self.render_state)
        self.nobodys.toggled.connect(lambda is_open: self.render_state())
        self.table.chosen.connect(self._chosen)
        self.table.entered.connect(self.card.focus_first)
        self.card.notebook.connect(self._notebook)
        self.card.check.connect(self._check)
        self.card.terminal.connect(self._terminal)
        self.card.delete.connect(self._plan_deletion)
        self.card.address.stop.clicked.connect(lambda: self._stop_notebook())
        self.card.packages.connect(self._ask_packages)
        self.card.clone.connect(self._ask_name)
        self.card.export.connect(self._ask_where)
        self.copying.went_on.connect(self._show_form)
        self.panel.agreed.connect(self._delete)
        for ended in (self.disk.freed, self.copying.cloned, self.card.back.gone_back):
            ended.connect(self._say_done)
        for kept in (self.adding.put_away, self.copying.put_away, self.panel.kept):
            kept.connect(self._keep)
        self.panel.look_again.connect(self._plan_deletion)
        self.panel.stop_jupyter.connect(lambda: self._stop_notebook(every=True))

    def enter(self) -> None:
        self._done, self.table.was_used, self._to_add = None, False, self.visit.text
        if not self._is_at_work:
            self._look()

    def leave(self) -> None:
        """What has begun goes on."""
        if not self._is_at_work:
            self._close_forms()
            super().leave()

    def _set_up(self) -> None:
        self.context.side.close()
        if self.state.run_over:
            self.context.navigator.restart()

    def _close_forms(self) -> None:
        self._plan = None
        self.copying.close_form()
        self.adding.close_form()

    @property
    def _is_at_work(self) -> bool:
        return self.panel.is_going or self.copying.is_going

    def first_control(self) -> QWidget:
        if self._is_at_work:
            return self.copying.keep if self.copying.is_going else self.table
        if self.adding.is_asked:
            return self.adding.names
        return self.panel.first if self._plan else self.copying.name if self.copying.is_asked else self.table

    @property
    def _is_asked(self) -> bool:
        return self._plan is not None or self.copying.is_asked or self.adding.is_asked

    def escape(self) -> bool:
        """Put a form away that nothing has been begun from."""
        if self.card.back.is_asked:
            self.card.back.drop()
            return True
        if self._is_at_work or not self._is_asked:
            return False
        self._keep()
        return True

    def retranslate(self) -> None:
        self._show_head()
        self.search.setPlaceholderText(self.tr("Name, folder or version"))
        self.search.setAccessibleName(self.tr("Search"))
        name_buttons(self.search)
        self.again.setText(self.tr("Check &again"))
        self.set_up.setText(self.tr("&Set up PyTorch"))
        self.table.retranslate()
        for part in (self.nobodys, self.card, self.panel, self.copying, self.adding, self.disk):
            part.retranslate()
        if self._found is not None:
            self.table.show_rows(self._found, self._sizes)

    def _show_head(self) -> None:
        own = [one.prefix for one in self._found or () if one.is_persons]
        words = counted_words(len(own), [self._sizes[prefix] for prefix in own if prefix in self._sizes])
        what = self.tr("An environment is a folder with its own Python and packages.")
        self.set_head(self.tr("Environments"), words or what)

    def render_state(self) -> None:
        one, is_asked = self.table.selected, self._is_asked
        lost = (
            message("flow.environment.gone", "{name} is no longer at {path}.", name=one.name, path=str(one.prefix))
            for one in self._gone
        )
        add = message("flow.environment.add", "Choose the environment that gets {name}.", name=self._to_add)
        told = (self._done, *lost, add if self._to_add and not is_asked else None)
        self._said.show_words("\n".join(self.signed(one) for one in told if one is not None))
        self._said.setVisible(bool(self._said.text()))
        is_empty = self._found is not None and not self.table.rowCount()
        none = self.tr("No environment was found on this computer.")
        self._none.setText(self.tr("Nothing found.") if self.search.text() else none)
        self._none.setVisible(is_empty and not is_asked)
        self.set_up.setVisible(is_empty and not is_asked and not self.search.text())
        self.search.setVisible(bool(self._found) and not is_asked)
        for widget in (self._list, self.table):
            widget.setVisible(self.search.isVisibleTo(self) and not is_empty)
        self.nobodys.setVisible(any(not one.is_persons for one in self._found or ()) and not is_asked)
        self.panel.setVisible(self._plan is not None)
        self.copying.setVisible(self.copying.is_asked)
        for part in (self.card, self.table):
            part.want(self._to_add)
        self.card.setVisible(one is not None and not is_asked)
        self.again.setEnabled(not is_asked)
        self.disk.show_beside(sum(one.freed for one in self._sizes.values()), not is_asked)

    # -- the list

    def _look(self) -> None:
        before = self._found or ()
        self.start_task(
            None if self._found is not None else lambda: self.tr("Looking for environments…"),
            lambda is_cancelled, note: with_gone(before, self.api.environments(is_cancelled)),
            self._listed,
        )

    def _listed(self, listed: tuple[tuple[Environment, ...], tuple[Environment, ...]]) -> None:
        found, gone = listed
        self._found, self._gone = found, tuple(one for one in gone if one.prefix not in self._deleted)
        self.nobodys.show_count(found, self.visit.prefix)
        self.table.show_rows(found, self._sizes)
        if (self.table.selected is None or self._to_add) and self.visit.prefix:
            self.table.select(self.visit.prefix)
        self.render_state()
        if self._to_add and self.visit.prefix and not self.card.buttons["packages"].isHidden():
            self._ask_packages()
        self.announce(self.tr("Environments: %1").replace("%1", str(sum(one.is_persons for one in found))))
        self.wants_focus.emit()

        def measure(is_cancelled: IsCancelled, note: OnNote) -> None:
            self.api.sizes(found, lambda prefix, sizes: note((prefix, sizes)), is_cancelled)

        self.beside("sizes", measure, lambda answer: None, self._sized, lambda error: None)
        self.disk.count()

    def _show_row(self, room: QRect) -> None:
        """What somebody opened must not stand below the window; the page grows before it can scroll."""

        def scroll() -> None:
            top = room.y() + self._list.y()
            for y in (top + room.height(), top):
                self._scroll.ensureVisible(0, y, 0, 12)

        if self.table.was_used:  # what the page itself has chosen leaves it at its top
            QTimer.singleShot(0, self, scroll)

    def _sized(self, told: tuple[Path, Sizes]) -> None:
        self._sizes[told[0]] = told[1]
        self.table.show_size(*told)
        self._show_head()
        self.render_state()

    # -- one of them

    def _chosen(self) -> None:
        one = self.table.selected
        self.trouble.clear()
        if one is not None:
            self.card.show_environment(one)
            self.beside(
                "closer",
                lambda is_cancelled, note: self.api.closer(one),
                lambda closer: self._seen(one, closer),
                on_failed=lambda error: None,
            )
        self.render_state()
        self.changed.emit()

    def _seen(self, one: Environment, closer: Closer) -> None:
        if self.table.selected == one:
            self.card.show_closer(closer)
            self.changed.emit()

    def _check(self) -> None:
        if one := self.table.selected:
            self.context.side.open(SideId.DOCTOR, one.prefix)

    def _terminal(self) -> None:
        if one := self.table.selected:
            self._open(lambda is_cancelled: self.api.open_terminal(one.prefix), self.card.show_no_terminal)

    def _open(self, work: Callable[[IsCancelled], Notebook | None], on_failed: Callable[[WizardError], None]) -> None:
        """Say in the row what failed; of a folder that is gone the list says it, which shows the row no more."""

        def failed(error: WizardError) -> None:
            if error.code == "terminal-gone":
                self._look()
            else:
                on_failed(error)

        words, show = lambda: self.tr("Starting…"), self.card.address.show_notebook
        self.start_task(words, lambda is_cancelled, note: work(is_cancelled), show, None, failed)

    def _notebook(self) -> None:
        """Open one with this environment's kernel; where something lacks, look for what adding it would change."""
        one, lacks = self.table.selected, self.card.lacks
        if one is not None and lacks:
            self._ask_packages(lacks)
        elif one is not None:
            self._open(partial(self.api.open_notebook, one.prefix), self.card.show_wrong)

    def _stop_notebook(self, every: bool = False) -> None:
        """Stop Jupyter; `every`: all that is in the way of a deletion, which is looked at again."""
        if one := self.table.selected:
            self.start_task(
                lambda: self.tr("Stopping Jupyter…"),
                lambda is_cancelled, note: self.api.stop_notebook(one.prefix, every),
                lambda answer: self._plan_deletion() if every else self._stopped(),
            )

    def _stopped(self) -> None:
        self.card.address.show_notebook(None)
        self._say_done(NOTEBOOK_ENDED)

    # -- copying, adding to it, and what is in it as a file

    def _ask_packages(self, of_jupyter: str = "") -> None:
        """`of_jupyter`: what it lacks for a notebook."""
        if one := self.table.selected:
            wanted, self._to_add = of_jupyter or self._to_add, ""
            self.adding.ask(one, wanted, bool(of_jupyter))
            self._show_form()

    def _ask_name(self) -> None:
        if one := self.table.selected:
            self.copying.ask(one)
            self._show_form()

    def _show_form(self) -> None:
        self._done = None
        self.trouble.clear()
        self.render_state()
        self.changed.emit()
        if self.is_here:
            self.wants_focus.emit()

    def _ask_where(self) -> None:
        if one := self.table.selected:
            start = str(Path.home() / f"{one.name}-requirements.txt")
            chosen, _ = QFileDialog.getSaveFileName(self, self.tr("Export the packages"), start, _EXPORT_AS)
            if chosen:
                self.export_to(Path(chosen))

    def export_to(self, path: Path) -> None:
        """Write the packages of the chosen environment into a file, in the background."""
        if one := self.table.selected:
            name, where = one.name, str(path)
            done = message("flow.exported", "The packages of {name} are written to {path}.", name=name, path=where)
            self.start_task(
                None, lambda is_cancelled, note: self.api.export(one, path), lambda answer: self._say_done(done)
            )

    # -- deleting

    def _plan_deletion(self) -> None:
        one = self.table.selected
        if one is None:
            return
        self._done = None
        self.start_task(
            lambda: self.tr("Checking every file of %1…").replace("%1", one.name),
            lambda is_cancelled, note: self.api.plan_deletion(one, is_cancelled),
            self._planned,
        )

    def _planned(self, plan: DeletionPlan) -> None:
        self._plan = plan
        self.panel.show_plan(plan)
        self.render_state()
        self.announce(self.panel.words)
        self.wants_focus.emit()

    def _keep(self) -> None:
        self._close_forms()
        self._show_form()

    def _delete(self, typed: str) -> None:
        plan = self._plan
        if plan is None:
            return
        self.trouble.clear()
        self._deleted.add(plan.environment.prefix)
        self.panel.show_going()
        self.render_state()
        self.beside(
            "delete",
            lambda is_cancelled, note: self.api.delete(plan, typed, seldom(note), is_cancelled),
            lambda answer: self._is_deleted(plan),
            lambda told: self.panel.show_progress(*told),
            self._not_deleted,
        )

    def _is_deleted(self, plan: DeletionPlan) -> None:
        self._over()
        freed = bytes_text(plan.sizes.freed)
        self._say_done(
            message("flow.deleted", "{name} is deleted. {freed} are free again.", name=plan.name, freed=freed)
        )

    def _not_deleted(self, error: WizardError) -> None:
        self._over()
        if self.is_here:
            self._look()
        self.trouble.show_error(error)

    def _over(self) -> None:
        self.panel.is_going, self._plan = False, None
        self.render_state()

    def _say_done(self, words: Message) -> None:
        self._done = words
        if self.is_here:  # else the next visit looks anyway
            self._look()
        self.render_state()
        self.announce(self.say(words), urgent=True)
