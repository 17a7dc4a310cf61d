"""Welcome: set up PyTorch, check or repair, manage environments, join a class; what is running, unfinished, opened.

One file on purpose: each way on is a few lines that want the page; cards, tiles and forms are files of their own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6 import QtWidgets  # the file dialog, once somebody wants it
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.app.classroom import in_class
from wizard.app.pages.opened import Opened, what_is
from wizard.app.pages.order import SideId
from wizard.app.use.runs import resume_or_show
from wizard.compatibility.model import Choices
from wizard.gui.pages.base import Page
from wizard.gui.pages.welcome.cards import (
    Links,
    ProfileCard,
    RunningCard,
    Way,
    WelcomeCard,
    drift_card,
    opened_card,
    show_facts,
    unfinished_card,
)
from wizard.gui.pages.welcome.forms import JoinPanel, OpenPanel
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import IsCancelled, OnNote
from wizard.gui.widgets.frames import Tile, Turning, column, empty
from wizard.gui.widgets.labels import dress
from wizard.model.errors import WizardError
from wizard.model.messages import Message

if TYPE_CHECKING:
    from wizard.app.use.environments import Glance
    from wizard.classroom.join import Classroom
    from wizard.classroom.profile.hosts import ForeignHost
    from wizard.classroom.profile.model import ProfileFile
    from wizard.environment.inspect.baseline import EnvironmentChanges
    from wizard.project.model import Project
    from wizard.run.model import RunInfo

_MOST_DRIFTS = 3


class WelcomePage(Page):
    def __init__(self, context: AppContext, opened_file: str | None = None) -> None:
        super().__init__(context)
        self._runs: tuple[RunInfo, ...] = ()
        self._live: dict[str, RunningCard] = {}  # by run
        self._news: set[str] = set()  # ended well while they were shown here, and their results were not looked at yet
        self._drifts: tuple[EnvironmentChanges, ...] = ()
        self._file = Path(opened_file) if opened_file else None
        self._opened: Opened | None = None
        self._told_of_file: WelcomeCard | None = None
        self._looked = False
        self._left: QPushButton | None = None  # the first Resume of all
        self._glance: Glance | None = None
        self.setup, self.project, self.check = Tile("gpu"), Tile("folder-open", "download"), Tile("wrench")
        self._profile: ProfileFile | None = None  # of the file that was opened
        self._signer: Message | None = None
        self._foreign: tuple[ForeignHost, ...] = ()  # hosts that it names
        self._trusted: frozenset[str] = frozenset()
        self.links = links = Links()  # each a control of the page, too: so it has its line of help
        self.manage, self.explain, self.undo, self.join, self.profile, self.hold = links.buttons
        self.joining, self.opening = JoinPanel(self.say), OpenPanel()
        self.profile.clicked.connect(self._choose_profile)
        self.join.clicked.connect(lambda: self._show_form(self.joining))
        self.project.clicked.connect(lambda: self._show_form(self.opening))
        for form in (self.joining, self.opening):
            form.put_away.connect(self._no_form)
            form.changed.connect(self.changed)
        self.joining.changed.connect(self._corrected)
        self.setup.clicked.connect(context.navigator.go_next)
        for one, page in ((self.check, SideId.DOCTOR), *links.sides.items()):
            one.clicked.connect(partial(context.side.open, page))
        self._told, self._usual = QWidget(), QWidget()  # the cards, first for who hears it too; all but the form
        self._cards = column(self._told, gap=10)
        rows = column(self._usual, gap=10)
        tiles = Turning(20)
        for tile in (self.setup, self.project, self.check):
            tiles.line.addWidget(tile, 1)
        for part in (self._told, tiles, links):
            rows.addWidget(part)
        for part in (self._usual, self.joining, self.opening):
            self.body.addWidget(part)
        self.body.addStretch(1)

    def enter(self) -> None:
        self._look()
        self._look_for_drift()
        QTimer.singleShot(700, self, self._look_around)  # ms: the page itself comes first

    def leave(self) -> None:
        """What goes on now is looked at anew when the page is back."""
        self._stop_following()
        self._runs = tuple(run for run in self._runs if run.state != "running")

    def first_control(self) -> QWidget | None:
        if self.form or ((opened := self._told_of_file) is None and self.trouble.isHidden()):
            return self.form.first if self.form else self._left or self.setup  # Return would begin another setup
        return opened.first_control() if opened else None  # one that only tells is seen, and Next

    @property
    def form(self) -> JoinPanel | OpenPanel | None:
        """What is filled in, in the place of the tiles."""
        return next((form for form in (self.joining, self.opening) if not form.isHidden()), None)

    def primary_text(self) -> str:
        if self.form:
            return self.tr("&Join") if self.form is self.joining else self.tr("&Open")
        return self._main[0] if self._main else self.tr("&Next")

    @property
    def _main(self) -> Way | None:
        """What an opened file is for: it takes the main button, and the usual setup is left to its tile."""
        return self._told_of_file.main if self._told_of_file else None

    def may_press(self) -> bool:
        return not self.is_busy and (super().may_press() if self._waiting is None else self._waiting.lacks is None)

    def hint_of_primary(self) -> Message | None:
        return self._waiting.lacks if self._waiting else None

    @property
    def _waiting(self) -> JoinPanel | OpenPanel | WelcomeCard | None:
        return self.form or (self._told_of_file if self._main else None)

    def press(self) -> None:
        if self.form is self.joining:
            self._join()
        elif self.form:
            self.open_project(self.opening.where.text().strip())
        elif self._main:
            self._main[1]()
        else:
            super().press()

    def escape(self) -> bool:
        if self.form:
            self._no_form()
            return True
        return False

    def retranslate(self) -> None:
        self.set_head(self.tr("PyTorch on this computer"), "")
        self.setup.show_words(self.tr("Set up PyTorch"), self.tr("Installs and tests."))
        self.project.show_words(self.tr("Open a project"), self.tr("Installs its packages."))
        self.project.show_fact(self.tr("Or drop here"))
        self.check.show_words(self.tr("Check or repair"), self.tr("When PyTorch fails."))
        self.links.retranslate()
        self._show_facts()
        self.joining.retranslate()
        self.opening.retranslate()

    def render_state(self) -> None:
        self._stop_following()
        self._left = self._told_of_file = None
        empty(self._cards)
        if self._opened is not None:
            self._cards.addWidget(self._opened_card(self._opened))
        for run in self._runs:
            if run.state == "running" or (run.state == "finished" and run.id in self._news):
                self._cards.addWidget(self._running(run))
            elif run.state == "unfinished":
                self._cards.addWidget(self._unfinished(run))
        for drift in self._drifts[:_MOST_DRIFTS]:
            self._cards.addWidget(drift_card(drift, drift is self._drifts[0], self.say, self.context.side.open))
        self._told.setVisible(self._cards.count() > 0)
        dress(self.setup, "tile" if self._main else "tile-first")  # the frame says what Return begins

    def open_file(self, path: Path) -> None:
        self._show_form(None)
        self._file = path
        self._look()

    # -- the runs of this computer

    def _look(self) -> None:
        self.start_task(None, lambda is_cancelled, note: self.context.session.runs(), self._found)

    def _found(self, runs: tuple[RunInfo, ...]) -> None:
        self._runs = runs
        self._opened = what_is(self._file, runs, self.context.session.events_path) if self._file else None
        self._profile, self._trusted = None, frozenset()
        self.render_state()
        self._read_profile(self._opened)
        first_look, self._looked = not self._looked, True
        if (first_look and self._left) or self._told_of_file:
            self.wants_focus.emit()
            self.bring_into_view(self._told_of_file or self, has_keys=False)
        running = next((run for run in runs if run.state == "running"), None)
        if running and first_look and self.context.side.here is None:
            self._show(running)  # the window was closed while it went on: now it is shown live

    def _look_for_drift(self) -> None:
        """Beside the page's own task; that it fails is no trouble of a person who has just come."""
        self.context.tasks.start(
            lambda is_cancelled, note: self.context.session.tools.drift(), self._drifted, lambda error: None
        )

    def _look_around(self) -> None:
        """For the tiles' facts, once the page can be used: nobody waits for them."""
        if self.isVisible() and self.form is None:
            glance = self.context.session.tools.glance
            self.context.tasks.start(lambda stops, note: glance(stops), self._looked_around, lambda error: None)

    def _looked_around(self, found: Glance) -> None:
        self._glance = found
        self._show_facts()

    def _show_facts(self) -> None:
        if self._glance is not None:
            show_facts(self._glance, self.setup, self.check)
            self.links.retranslate(self._glance.environments)

    def _drifted(self, found: tuple[EnvironmentChanges, ...]) -> None:
        if found != self._drifts:
            self._drifts = found
            self.render_state()
            self.changed.emit()

    # -- the cards

    def _running(self, run: RunInfo) -> QFrame:
        made = self._live[run.id] = RunningCard(self.context, run, lambda: self._show(run))
        made.is_over.connect(self._look)
        made.done.connect(self._done)
        return made

    def _stop_following(self) -> None:
        for made in self._live.values():
            made.stop()
        self._live = {}

    def _done(self, done: RunInfo) -> None:
        """The next rendering shall say so, too."""
        self._news.add(done.id)
        self._runs = tuple(done if run.id == done.id else run for run in self._runs)
        if (opened := self._opened) and opened.run is not None and opened.run.id == done.id:
            self._opened = replace(opened, run=done)
            before = self._cards.takeAt(0)  # only that card: the one that tells this may have the focus
            self._cards.insertWidget(0, self._opened_card(self._opened))
            if before is not None and (card := before.widget()) is not None:
                card.deleteLater()

    def _show(self, run: RunInfo) -> None:
        self._news.discard(run.id)
        self.context.navigator.show_run(run.id)

    def _unfinished(self, run: RunInfo) -> QFrame:
        made = unfinished_card(run, not self._left, partial(self._resume, run), partial(self._remove, run))
        self._left = self._left or made.buttons[0]
        return made

    def _opened_card(self, opened: Opened) -> WelcomeCard:
        run, file, path = opened.run, self._profile, opened.path
        if file is not None:
            hosts, go = (self._foreign, self._trusted), partial(self._carry_out, file, path)
            self._told_of_file = ProfileCard(file, path, self._signer, self.say, go, self._agree, hosts)
        else:
            check = partial(self.context.side.open, SideId.DOCTOR, Path(run.prefix) if run else None)
            self._told_of_file = opened_card(opened, self.say, check, lambda: self._resume(run) if run else None)
        return self._told_of_file

    # -- a class profile

    def _agree(self, trusted: frozenset[str]) -> None:
        self._trusted = trusted
        self.changed.emit()

    def _choose_profile(self) -> None:
        title, kinds = self.tr("Open a class profile"), "Torch Setup (*.torchlab plan.json)"
        if chosen := QtWidgets.QFileDialog.getOpenFileName(self, title, str(Path.home()), kinds)[0]:
            self.open_file(Path(chosen))

    def _read_profile(self, opened: Opened | None) -> None:
        api = self.context.session.tools
        if opened is None or opened.kind != "profile":
            return

        def read(is_cancelled: IsCancelled, note: OnNote) -> tuple[ProfileFile, tuple[ForeignHost, ...], Message]:
            return (file := api.read_profile(opened.path)), api.foreign_hosts(file), api.signer(file)

        self.start_task(None, read, self._read, on_failed=self._not_read)

    def _read(self, told: tuple[ProfileFile, tuple[ForeignHost, ...], Message]) -> None:
        self._profile, self._foreign, self._signer = told
        self.render_state()
        self.wants_focus.emit()

    def _not_read(self, error: WizardError) -> None:
        self._file = self._opened = None
        self.render_state()
        self.trouble.show_error(error)

    def _carry_out(self, file: ProfileFile, path: Path) -> None:
        """A profile that lies in a pack brings its files; one that names servers brings them."""
        api, trusted = self.context.session.tools, self._trusted

        def look(is_cancelled: IsCancelled, note: OnNote) -> tuple[Classroom, Choices]:
            room = api.classes.beside(path, trusted)
            return room, in_class(api.profile_choices(file, Choices()), room, "")

        self.start_task(
            lambda: self.tr("Looking for the class's files…"),
            look,
            lambda told: self.context.navigator.open_profile(told[0].file, told[1], told[0], trusted=trusted),
        )

    # -- joining a class

    def _no_form(self) -> None:
        """Stop what goes on, and keep what was typed; where nothing does, put the form away."""
        if self.is_busy:
            self.cancel_task()
            self.changed.emit()
            self.wants_focus.emit()
        else:
            self._show_form(None)

    def _show_form(self, shown: JoinPanel | OpenPanel | None) -> None:
        self._corrected()
        self.body.insertWidget(0, self.trouble)  # out of the form, below whose field it may stand
        self.body.removeWidget(self.busy)
        self.body.insertWidget(self.body.indexOf(self.opening) + 1 if shown else 0, self.busy)  # which moves no field
        self._usual.setVisible(shown is None)
        for form in (self.joining, self.opening):
            form.setVisible(form is shown)
        self.changed.emit()
        self.wants_focus.emit()

    def _corrected(self) -> None:
        self.joining.show_wrong(None, self.trouble)
        self.trouble.clear()

    def _join(self) -> None:
        api, wish, trusted = self.context.session.tools, self.joining.wish, self.joining.consent.trusted

        def look(is_cancelled: IsCancelled, note: OnNote) -> tuple[Classroom, Choices, tuple[ForeignHost, ...]]:
            room = api.classes.join(wish.code, wish.address, is_cancelled, trusted, note)
            choices = in_class(api.profile_choices(room.file, Choices()), room, wish.label)
            return room, choices, api.foreign_hosts(room.file, room)

        def joined(told: tuple[Classroom, Choices, tuple[ForeignHost, ...]]) -> None:
            room, choices, foreign = told
            self.joining.consent.show_hosts(foreign, trusted)
            if not self.joining.consent.is_agreed:
                self.wants_focus.emit()
                return
            self._show_form(None)
            self.context.navigator.open_profile(room.file, choices, room, wish.hand_on, trusted)

        wrong = partial(self.joining.show_wrong, trouble=self.trouble)
        self.start_task(lambda: self.tr("Looking for the class…"), look, joined, self.say_busy, wrong)

    def open_project(self, where: str) -> None:
        """`where`: a folder, one file of it, or the address of a repository."""
        session = self.context.session
        self.opening.where.setText(where)
        self._show_form(self.opening)

        def opened(project: Project) -> None:
            self._show_form(None)
            self.context.navigator.open_project(project, Choices(name=session.project_name(project)))

        self.start_task(
            lambda: self.tr("Reading the project…"),
            lambda is_cancelled, note: session.read_project(where, is_cancelled),
            opened,
        )

    def _resume(self, run: RunInfo) -> None:
        self.start_task(
            lambda: self.tr("Starting…"),
            lambda is_cancelled, note: resume_or_show(self.context.session, run.id),
            lambda answer: self.context.navigator.show_run(run.id),
        )

    def _remove(self, run: RunInfo) -> None:
        self.start_task(
            lambda: self.tr("Removing what the unfinished setup had made…"),
            lambda is_cancelled, note: self.context.session.discard(run.id),
            lambda answer: self._look(),
            on_failed=self._not_removed,
        )

    def _not_removed(self, error: WizardError) -> None:
        self._look()
        self.trouble.show_error(error)
