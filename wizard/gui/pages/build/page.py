"""Build: the verdict with its proof, and the grid in which any other fitting build can be taken; or a project's own.

One file: one page, whose parts share the verdict.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSignalBlocker, QTimer
from PySide6.QtWidgets import QCheckBox, QWidget

from wizard.app.pages.build import (
    arrange,
    cell_words,
    picked_for,
    published,
    pythons_of,
    version_rank,
    without_card,
    worth_showing,
)
from wizard.app.pages.differences import instead_of
from wizard.app.pages.order import PageId
from wizard.app.project_parts import with_parts
from wizard.compatibility.model import TODAY, Candidate, Choices, Verdict
from wizard.gui.pages.base import LAID_OUT, Page
from wizard.gui.pages.build.cards import CellStrip, ForceBox, NewsBox, VerdictCard, build_text
from wizard.gui.pages.build.grid import BuildGrid
from wizard.gui.pages.build.project import ProjectPanel
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import SideTask
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.fields import WholeChoice
from wizard.gui.widgets.figures import variant_text
from wizard.gui.widgets.frames import box, column
from wizard.gui.widgets.icons import Ring
from wizard.gui.widgets.labels import dress, label
from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.app.project import ProjectRequest
    from wizard.project.model import Project

_COMPANIONS = ("torchvision", "torchaudio")
_NO_CODE = "reason.no-kernels-for-gpu"
_ALL = 100  # of the room that is left; below a short grid it stays empty


class BuildPage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.card = VerdictCard(context.translator)
        self.grid = BuildGrid(context)
        self.grid.chosen.connect(self._choose)
        self.grid.looked_at.connect(self._explain)
        self.every = QCheckBox()
        self.every.toggled.connect(self.render_state)
        self.force, self.news = ForceBox(context.translator), NewsBox(context.translator)
        self.force.agreed.connect(self._choose)
        self.grid.wanted.connect(self.force.ask)
        self._aside, self._has_place = SideTask(context.tasks), False
        self.strip = CellStrip(self.every)
        self.driver = self.strip.driver
        self.driver.clicked.connect(lambda: context.navigator.go_to(PageId.CHECK))
        self._notices = box("notice")
        self._lacks, self._said = label("", "notice-title"), Advice()
        said = column(self._notices, (16, 10, 16, 10), 4)
        said.addWidget(self._lacks)
        said.addWidget(self._said)
        self.python = WholeChoice()
        self.python.currentIndexChanged.connect(self._options_changed)
        self.companions = {name: QCheckBox() for name in _COMPANIONS}
        for tick in self.companions.values():
            tick.toggled.connect(self._options_changed)
        self.project = ProjectPanel(context.translator, self)
        self.project.answered.connect(self._answered)
        self.project.file_chosen.connect(self._open_other_file)
        self.ring = Ring(self, lambda: self._has_place and self.state.project is not None)
        self.project.agree.went_on.connect(lambda: self.press() if self.may_press() else None)
        self._of_grid = [self.python, *self.companions.values()]
        self._of_project = [self.project.other, self.project.strict]
        self.footer_left = [*self._of_grid, *self._of_project]
        self.body.addWidget(self.project, _ALL)
        self.body.addWidget(self._notices)  # first: a computer without a card that PyTorch uses is told so
        self.body.addWidget(self.card)
        self.body.addWidget(self.force)
        self.body.addWidget(self.grid, _ALL)
        self.body.addWidget(self.strip)
        self.body.addWidget(self.news)
        self.body.addStretch(1)

    def enter(self) -> None:
        if self.state.project is not None:
            self._has_place = False
            if self.state.request is None:
                self._ask_project()
            else:
                self._wait_for_place()
            return
        if self.state.verdict is None:
            self._propose(self.state.choices)
        self._look_for_news()

    def leave(self) -> None:
        self.cancel_task()
        self._aside.cancel()
        self.force.put_away()

    def escape(self) -> bool:
        return self.force.put_away()

    def first_control(self) -> QWidget | None:
        """Of a project the yes to what differs, where it is seen at once: else that is read first, and Tab leads there."""
        if self.state.project is None:
            return self.grid
        yes = self.project.agree
        is_seen = self._has_place and yes.visibleRegion().boundingRect().size() == yes.size()
        return yes if is_seen and not yes.isHidden() else None

    def hint_of_primary(self) -> Message | None:
        """Why it cannot be pressed."""
        what = self.project.waits_for(self.state) if self.state.request and not self.may_press() else ""
        return message("page.build.tick", "Tick {what} first.", what=what) if what else None

    def retranslate(self) -> None:
        self._say_head()
        self.companions["torchvision"].setText("torch&vision")  # a name: the same in each language
        self.companions["torchaudio"].setText("torcha&udio")
        self.every.setText(self.tr("A&ll versions"))
        self._name_guide()
        self.python.setAccessibleName(self.tr("Python version"))
        self.grid.setAccessibleName(self.tr("Builds: torch releases and CUDA"))
        self.force.retranslate()
        self.project.retranslate()

    def _name_guide(self) -> None:
        """As on Check, which it leads to."""
        has_driver = self.state.facts is None or self.state.facts.machine.driver is not None
        self.driver.setText(self.tr("&How to update") if has_driver else self.tr("&How to install"))
        self.driver.setAccessibleDescription(self.tr("Leads to the steps for the NVIDIA driver."))

    def _say_head(self) -> None:
        project = self.state.project
        if project is not None:
            self.set_head(Path(project.folder).name or project.folder, project.folder)
            return
        self.set_head(self.tr("The build for this computer"), "")

    def render_state(self) -> None:
        state = self.state
        self._say_head()
        self._name_guide()
        is_project = state.project is not None
        for widgets, is_shown in ((self._of_grid, not is_project), (self._of_project, is_project)):
            for widget in widgets:
                widget.setVisible(is_shown)
        self.project.setVisible(is_project)
        self.project.show_state(state)
        for widget in (self.card, self.grid, self.strip, self._notices):
            widget.setVisible(state.verdict is not None)
        self._show_options(state.choices, state.verdict)
        self.news.show_news(state.news or ())
        if state.verdict is None:
            return
        found, lacking = instead_of(state)
        self.card.show_build(state.picked, state.choices, self.say(lacking))
        every, best = state.verdict.candidates, found or state.verdict.best
        rows = published(every) if self.every.isChecked() else worth_showing(every, state.picked, best)
        for widget in (self.grid, self.strip):  # of a system without any build the card above says it all
            widget.setVisible(bool(rows))
        self.grid.show_grid(arrange(rows), state.picked, best)
        self.strip.show_beyond(self._beyond(state.verdict), bool(state.looks and state.looks.guide))
        self._explain(state.picked)
        self._say_first(state.verdict)

    def _say_first(self, verdict: Verdict) -> None:
        """Show what is to be known before the build: that there is no card for it, and what speaks beside it."""
        cards = without_card(self.state.facts, verdict)
        then = dict.fromkeys(self.signed(words) for words in (*(one for _, one in cards), *verdict.notices))
        self._lacks.setText("\n".join(self.say(card) for card, _ in cards))
        self._said.show_words("\n".join(then))
        self._lacks.setVisible(bool(cards))
        self._notices.setVisible(bool(then))
        rows = self.state.facts.requirements if self.state.facts else ()
        is_calm = not verdict.notices and all(row.state in ("ok", "note") for row in rows if row.name in ("gpu", "driver"))
        for widget, calm, loud in ((self._notices, "info", "notice"), (self._lacks, "strong", "notice-title")):
            dress(widget, calm if is_calm else loud)

    # -- a project

    def _ask_project(self) -> None:
        state, session = self.state, self.context.session
        facts, project, choices = state.facts, state.project, state.choices
        if facts is not None and project is not None:
            self.start_task(
                lambda: self.tr("Reading the project…"),
                lambda is_cancelled, note: session.project_request(project, facts, choices),
                self._take_request,
            )

    def _take_request(self, request: ProjectRequest) -> None:
        self.context.navigator.put_request(request)
        self._wait_for_place()

    def _wait_for_place(self) -> None:
        """Whether the yes is seen is known a little later."""
        QTimer.singleShot(2 * LAID_OUT, self, self._give_keys)

    def _give_keys(self) -> None:
        self._has_place = True
        if self.isVisible() and self.window().focusWidget() is self:
            self.wants_focus.emit()
        self.ring.look()

    def _answered(self) -> None:
        panel = self.project
        is_newest, puts_in = panel.newest.isChecked(), panel.parts.isChecked()
        self.context.navigator.put_agreed(panel.agree.isChecked(), panel.strict.isChecked(), panel.consent.trusted)
        if self.state.request is not None and puts_in != self.state.choices.parts:
            self.context.navigator.put_parts(with_parts(self.state.request, puts_in))
        if is_newest != (self.state.choices.as_of == TODAY):
            self.context.navigator.put_newest(is_newest)
            self._ask_project()

    def _open_other_file(self, path: str) -> None:
        session = self.context.session

        def opened(project: Project) -> None:
            self.context.navigator.replace_project(project)
            self._ask_project()

        self.start_task(None, lambda is_cancelled, note: session.read_project(path), opened)

    # -- words

    def _beyond(self, verdict: Verdict) -> str:
        """Why not the newest, and what a newer driver would give; '' where nothing newer is out of reach."""
        parts = []
        update = verdict.after_driver_update
        grid = arrange(verdict.candidates)
        newest = grid.releases[0] if grid.releases else ""
        if verdict.best is None:
            chosen = self.state.choices.python is not None
            with_python = self.tr("No build fits with this Python. Choose another one below.")
            parts.append(with_python if chosen else self.tr("No build fits this computer."))
        elif newest and newest != verdict.best.torch:
            is_cpu = verdict.best.variant == "cpu"
            newer = [one for one in verdict.candidates if one.torch == newest and (one.variant == "cpu") is is_cpu]
            reasons = [reason.message for one in newer if not one.fits for reason in one.reasons[:1]]
            if reasons and reasons[0].key == _NO_CODE:
                words, card = self.tr("torch %1 does not support the %2."), str(reasons[0].params["gpu"])
                parts.append(words.replace("%1", newest).replace("%2", card))
            elif reasons and not (update and update.torch == newest):
                words = self.tr("torch %1: %2.") if is_cpu else self.tr("torch %1 with CUDA: %2.")
                parts.append(words.replace("%1", newest).replace("%2", self.say(reasons[0]).rstrip(".。")))
        if update:
            words = self.tr("%2 needs NVIDIA driver %1 or newer.").replace("%1", update.number)
            parts.append(words.replace("%2", build_text(update.torch, update.variant)))
        return self.context.translator.join(parts)

    def _explain(self, one: Candidate | None) -> None:
        """Say what there is to say of a cell: of the one that is looked at, else of the chosen one."""
        verdict, one = self.state.verdict, one or self.state.picked
        if verdict is None or one is None:
            self.strip.show_cell("", "")
            return
        said = self.context.translator.join(self.say(words) for words in cell_words(one, verdict))
        self.strip.show_cell(f"{one.torch} + {variant_text(one.variant)}", said)
        self.grid.describe(one, said)

    # -- choices

    def _show_options(self, choices: Choices, verdict: Verdict | None) -> None:
        blockers = [QSignalBlocker(self.python), *(QSignalBlocker(tick) for tick in self.companions.values())]
        self.python.clear()
        judged = verdict.best.python if verdict and verdict.best else None
        usual = QCoreApplication.translate("BuildPage", "Python: best")
        self.python.addItem(f"{usual} ({judged})" if judged and not choices.python else usual, None)
        offered = pythons_of(verdict) if verdict else ()
        chosen = (choices.python,) if choices.python else ()
        for version in sorted({*chosen, *offered}, key=version_rank, reverse=True):
            self.python.addItem(f"Python {version}", version)
        self.python.setCurrentIndex(max(0, self.python.findData(choices.python)))
        wanted = ("torchvision",) if choices.companions is None else choices.companions
        for name, tick in self.companions.items():
            tick.setChecked(name in wanted)
        del blockers

    def _choices_now(self) -> Choices:
        ticked = tuple(name for name, tick in self.companions.items() if tick.isChecked())
        return replace(
            self.state.choices,
            python=self.python.currentData(),
            companions=None if ticked == ("torchvision",) else ticked,
        )

    def _options_changed(self) -> None:
        before, now = self.state.choices, self._choices_now()
        if now.python != before.python or self.state.verdict is None:
            self._propose(now)
        else:
            self.context.navigator.put_verdict(now, self.state.verdict, self.state.picked)

    def _choose(self, one: Candidate) -> None:
        verdict = self.state.verdict
        if verdict is None:
            return
        is_best = verdict.best is not None and (one.torch, one.variant) == (verdict.best.torch, verdict.best.variant)
        choices = replace(
            self.state.choices, torch=None if is_best else one.torch, variant=None if is_best else one.variant
        )
        self.context.navigator.put_verdict(choices, verdict, one)

    def _propose(self, choices: Choices) -> None:
        """Always for the whole grid: a cell that was taken must not hide the others."""
        facts, session = self.state.facts, self.context.session
        if facts is None:
            return
        every = replace(choices, torch=None, variant=None)
        self.start_task(
            None,
            lambda is_cancelled, note: session.propose(facts, every),
            lambda verdict: self._proposed(choices, verdict),
        )

    def _look_for_news(self) -> None:
        """What the sources list beyond the tables; told when it is known, and nobody waits for it."""
        state, session = self.state, self.context.session
        facts, choices = state.facts, state.choices
        if facts is None or state.news is not None or choices.offline:
            return
        self._aside.start(
            lambda is_cancelled, note: session.news(facts, choices, is_cancelled),
            self.context.navigator.put_news,
            lambda error: None,  # news that cannot be had are no news; the next page asks the sources in earnest
        )

    def _proposed(self, choices: Choices, verdict: Verdict) -> None:
        picked = picked_for(verdict, choices)
        if picked and (picked.torch, picked.variant) != (choices.torch, choices.variant):
            choices = replace(choices, torch=None, variant=None)
        self.context.navigator.put_verdict(choices, verdict, picked)
