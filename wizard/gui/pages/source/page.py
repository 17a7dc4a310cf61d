"""Source: the places that have the very build, each with its speed, as choices; Automatic has chosen one already.

The rows fill in while the benchmark goes on. Below: where from, a mirror for good, sources by hand, the network.
One file: all of them change one choice, and each asks the sources anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.app.pages.build import picked_for, python_instead
from wizard.app.pages.differences import DIFFERENT, difference_row
from wizard.app.pages.sources import (
    KINDS,
    PersistentMirror,
    SeenRows,
    bytes_beside,
    hint_below,
    lost_address,
    must_correct,
    network_field,
    persistent_mirrors,
    reasons,
    wrong_address,
)
from wizard.app.project import wanted_build
from wizard.app.use.settings import UsePlan
from wizard.compatibility.model import Verdict
from wizard.gui.pages.base import Page
from wizard.gui.pages.source.forms import LastingBox, RegionChoice, SourcesByHand, WhereFrom
from wizard.gui.pages.source.network_form import NetworkForm
from wizard.gui.pages.source.rows import SourceRows
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import SideTask
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.frames import Fold, FoldList
from wizard.gui.widgets.labels import without_key
from wizard.gui.widgets.messages import Notice
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.run.model import Facts, SelectedBuild
from wizard.sources.benchmark_policy import region
from wizard.sources.model import Origin, SourceStatus
from wizard.sources.table import MirrorRow
from wizard.transfer.proxy.model import Network, SystemProxy


class SourcePage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._table: tuple[MirrorRow, ...] = ()
        self._live: dict[tuple[str, str], SourceStatus] = {}
        self._seen = SeenRows()  # by a choice before: it stays a choice
        self._row: SourceStatus | None = None  # the one that was chosen last: its neighbours stay while it is asked
        self._wants_persistent = self._shows_proxy = self._lent = False  # `_lent`: the keys, to Measure again
        self._asked_from: QWidget | None = None  # the field whose address is being looked for
        self._network_aside, self._persistent_aside = SideTask(context.tasks), SideTask(context.tasks)
        self.where, self.region, self.persistent = WhereFrom(), RegionChoice(), LastingBox(context)
        self.tables = {kind: SourceRows(context.translator, kind == "torch") for kind in KINDS}
        self.fold, self.network_fold, self.again = Fold(), Fold(), QPushButton()
        self.by_hand, self.network = SourcesByHand(), NetworkForm(context.translator)
        self.footer_left = [self.again]
        self._lay_out()
        self.tables["torch"].chosen.connect(self._choose_row)
        # Qt would give its keys to a fold below, and the page would scroll there. The page gives them to what comes.
        self.tables["torch"].leaves_with_keys.connect(self.setFocus)
        self.where.chosen.connect(lambda word: self._choose(mirrors=word))
        self.region.chosen.connect(lambda word: self._choose(region=word))
        self.again.clicked.connect(self._measure_anew)
        self.by_hand.left.connect(self._ask_typed)
        self.persistent.wished.connect(self._request_persistent)
        self.network.wished.connect(self._save_network)
        self._scroll.verticalScrollBar().rangeChanged.connect(lambda: QTimer.singleShot(0, self, self._keep_in_sight))

    def _lay_out(self) -> None:
        self.different, self._notices = Notice(), Advice("", "muted")
        self.fold.body.addWidget(self.where)
        self.fold.body.addWidget(self.by_hand)
        self.network_fold.body.addWidget(self.region)
        self.network_fold.body.addWidget(self.network)
        folds = FoldList(self.fold, self.network_fold)
        for widget in (self.different, self._notices, *self.tables.values(), self.persistent, folds):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def enter(self) -> None:
        self.by_hand.show_choices(self.state.choices)
        if self.by_hand.is_used:
            self.fold.button.setChecked(True)
        self._shows_proxy = self.state.opens_network
        if self._shows_proxy:
            self._show_network()
        self._wants_persistent = bool(self.state.persistent)
        session = self.context.session

        def look() -> tuple[tuple[MirrorRow, ...], Network, SystemProxy]:
            return session.mirrors(), session.network(), session.system_network()

        self._network_aside.start(lambda is_cancelled, note: look(), self._looked, self.trouble.show_error)
        if self.state.selected is None:
            self._select_build()
        else:
            self._tell_lost()

    @property
    def _blamed(self) -> QWidget:
        """Return the field of the network form that the words above it are about."""
        field = network_field(self.trouble.code)
        return self.network.certificate if field == "certificate" else self.network.chosen_mode

    def _show_network(self) -> None:
        self._shows_proxy = True
        self.network_fold.button.setChecked(True)
        self._blamed.setFocus()
        QTimer.singleShot(0, self, self._keep_in_sight)

    def _keep_in_sight(self) -> None:
        """The rows above come one by one and move what has the keys, until somebody goes on."""
        now = self.window().focusWidget()
        self._shows_proxy = self._shows_proxy and now is not None and self.network.isAncestorOf(now)
        if self._shows_proxy:
            self._scroll.ensureWidgetVisible(self.network)
            self._scroll.ensureWidgetVisible(self._blamed)
        elif now is not None and now is self._asked_from:
            self._scroll.ensureWidgetVisible(now)

    def leave(self) -> None:
        self._shows_proxy = False
        self.cancel_task()
        self._network_aside.cancel()
        self._persistent_aside.cancel()
        self._live, self._row = {}, None

    def first_control(self) -> QWidget | None:
        """Without a row to choose it is Next: what is folded may be out of sight. A blamed proxy comes first."""
        if self._shows_proxy:
            return self._blamed
        return self.again if self.trouble.isVisible() else self.tables["torch"].chosen_choice

    def retranslate(self) -> None:
        self._show_head()
        self.again.setText(self.tr("Measure &again"))
        self.network_fold.show_words(self.tr("Region, pro&xy and certificates"))
        for part in (self.by_hand, self.network, self.persistent):
            part.retranslate()

    def render_state(self) -> None:
        state, language, has_own = self.state, self.context.translator.language, self.by_hand.is_used
        is_cn = region(state.choices.region) == "cn"
        self.where.show_choice(state.choices.mirrors, self._table, is_cn, language, has_own=has_own)
        by_hand = self.tr("By &hand: address, folder or class server")
        self.fold.show_words(by_hand, self.tr("Your own") if has_own else self.where.chosen_name)
        self.region.show_choice(state.choices.region, region() == "cn")
        notices = reasons(state.selected) if state.selected else ()
        changed = [self.said_row(difference_row(notice)) for notice in notices if notice.key in DIFFERENT]
        others = [self.signed(notice) for notice in notices if notice.key not in DIFFERENT]
        self.different.show_rows(self.difference_title(), changed)
        self._notices.show_words("\n".join(others))
        self._notices.setVisible(bool(others))
        self._show_rows()
        self._show_head()
        self._show_persistent()

    def _show_head(self) -> None:
        ages = {kind: part.age for kind, part in self.tables.items()}
        other = next((age for age in ages.values() if age), "")
        if self.is_busy:
            words = self.tr("Looking for the file on every server.")
        elif ages["torch"]:
            words = self.tr("Measured %1, with the file to be installed.").replace("%1", ages["torch"])
        elif other:
            words = self.tr("Measured %1.").replace("%1", other)
        else:
            words = self.tr("Not measured yet.")
        self.set_head(self.tr("Where to download from"), words)

    def _show_rows(self) -> None:
        selected = self.state.selected
        live = self._seen.while_asked(self._row, self._live.values(), self.is_busy)
        rows = self._seen.choices(selected) if selected else live
        titles = {"torch": self.tr("PyTorch"), "packages": self.tr("Other packages"), "conda": self.tr("Python")}
        scale = max((row.rate for row in rows if row.rate), default=0.0)  # of all, so that bars can be compared
        for kind, part in self.tables.items():
            of_kind = [row for row in rows if row.kind == kind]
            used = [row for row in of_kind if row.uses]
            shown = of_kind if kind == "torch" or not used else used
            own = self.say(selected.engine_reason) if selected and kind == "conda" and selected.engine == "venv" else ""
            part.show_rows(titles[kind], shown, scale, None if own else bytes_beside(kind, self.state), own)
        self.busy.setVisible(self.is_busy and not rows)  # then each row says itself what it is at

    # -- asking

    def _looked(self, found: tuple[tuple[MirrorRow, ...], Network, SystemProxy]) -> None:
        self._table, network, system = found
        self.network.show_network(network, system)
        if self._shows_proxy:
            self.network.chosen_mode.setFocus()
        self.render_state()

    def _choose(self, row: SourceStatus | None = None, **wish: str) -> None:
        self._row = row
        choices = replace(self.by_hand.put_into(self.state.choices), **wish)  # type: ignore[arg-type]
        if choices != self.state.choices:
            self.context.navigator.put_sources(choices)
            self._select_build()

    def _choose_row(self, row: SourceStatus) -> None:
        self.by_hand.torch.clear()  # an address that was typed would win, and so would a folder with torch in it
        selected = self.state.selected
        if selected is not None and selected.torch_source.id.startswith("by-hand-find-links"):
            self.by_hand.folder.clear()
        self._choose(row, mirrors="official" if row.source.origin is Origin.OFFICIAL else row.source.mirror)

    def _measure(self, fresh: bool = False) -> None:
        self._row = None
        self.context.navigator.put_sources(self.by_hand.put_into(self.state.choices))
        self._select_build(fresh)

    def _measure_anew(self) -> None:
        """What is measured takes no keys meanwhile, and a page that had them would show no ring."""
        choices = [line.radio for line in self.tables["torch"].lines]
        self._lent = any(one.hasFocus() for one in (*choices, self.persistent.tick))
        if self._lent:
            self.again.setFocus(Qt.FocusReason.OtherFocusReason)
        self._measure(fresh=True)

    def _select_build(self, fresh: bool = False) -> None:
        state, session = self.state, self.context.session
        facts, choices = state.facts, state.choices
        if facts is None:
            return
        if state.request is not None:  # the project's build, from the sources that are chosen here
            choices = wanted_build(state.request, choices, state.strict)
        self._live, self._wants_persistent = {}, False
        field = self.window().focusWidget()
        self._asked_from = field if field is not None and self.by_hand.isAncestorOf(field) else None
        self.again.setText(self.tr("Measure &again"))
        self.by_hand.mark(None)
        self._sheet_rows.insertWidget(self._sheet_rows.indexOf(self.busy), self.trouble)
        self.trouble.put_below_field(False)
        self._seen.begin(fresh)
        self._persistent_aside.cancel()
        self.start_task(
            lambda: self.tr("Checking the sources…"),
            lambda is_cancelled, note: session.select_build(facts, choices, note, is_cancelled, fresh, note),
            self._selected,
            self._note,
            self._not_selected,
        )
        self.render_state()

    def _not_selected(self, error: WizardError) -> None:
        """An address is wrong below its field; where no source will do, what can be done stands on this very page."""
        self._show_head()
        wrong = wrong_address(error, self.state.choices, self._seen.has_answer)
        is_typed = self._put_trouble(wrong.option if wrong else error.params.get("option"))
        field = "" if wrong else network_field(error.code)
        if wrong:
            self.trouble.show_words(wrong.summary, wrong.hint, error.details)
        elif field:
            none = message("page.source.no-network", "No internet connection, or a proxy is needed.")
            summary = none if error.code == "no-source-answers" else error.summary  # the rows say who
            self.trouble.show_words(summary, hint_below(error), error.details)
            self.trouble.offer(self._show_network, lambda: self._words_of(field))
        elif python := python_instead(error.code, self.state.picked, self.state.facts, self.state.choices):
            words = lambda: self.tr("&Use Python %1").replace("%1", python)  # noqa: E731
            self.trouble.show_error(error, lambda: self._use_python(python), words)
        else:
            self.trouble.show_words(error.summary, hint_below(error), error.details)
        self._show_persistent()
        self.again.setText(self.tr("Try &again"))
        if not self._shows_proxy:
            self.again.setFocus()
        if is_typed or error.code in ("no-source", "no-source-but", "no-source-some-silent"):
            self.fold.button.setChecked(True)
        elif field:
            self.network_fold.button.setChecked(True)

    def _put_trouble(self, option: object) -> bool:
        """Put it below the field of that option; False: there is none."""
        self.trouble.put_below_field(is_typed := self.by_hand.show_wrong(option, self.trouble))
        return is_typed

    def _tell_lost(self) -> None:
        """What comes with the build fails on a later page where its own address is wrong: said where it was typed."""
        if wrong := lost_address(self.state.selected, self.state.choices):
            self._put_trouble(wrong.option)
            self.trouble.show_words(wrong.summary, wrong.hint)
            self.fold.button.setChecked(True)

    def _selected(self, selected: SelectedBuild) -> None:
        self.context.navigator.put_selected_build(selected)
        self._tell_lost()
        if self._lent and self.again.hasFocus():
            self.wants_focus.emit()

    def _words_of(self, field: str) -> str:
        """Without a letter of its own: the fold below has it."""
        return self.tr("Choose a certificate…") if field == "certificate" else without_key(self.change_proxy_text())

    def _use_python(self, python: str) -> None:
        facts, session = self.state.facts, self.context.session
        choices = replace(self.by_hand.put_into(self.state.choices), python=python)

        def proposed(verdict: Verdict) -> None:
            self.context.navigator.put_verdict(choices, verdict, picked_for(verdict, choices))
            self._select_build()

        if facts is not None:
            every = replace(choices, torch=None, variant=None)
            self.start_task(None, lambda is_cancelled, note: session.propose(facts, every), proposed)

    def _ask_typed(self) -> None:
        """Ask for what was typed once its field is left."""
        if self.isVisible() and self.by_hand.put_into(self.state.choices) != self.state.choices:
            self._measure()

    def _note(self, note: Any) -> None:
        if isinstance(note, Message):
            self.busy.say(lambda: self.say(note))
        elif isinstance(note, SourceStatus):
            self._live[note.key] = note
            self._show_rows()

    def press(self) -> None:
        """What was typed but not asked for yet is asked for first: Next never passes over it."""
        if self.by_hand.put_into(self.state.choices) != self.state.choices:
            self._measure()
        else:
            super().press()

    def may_press(self) -> bool:
        has_none = self.state.selected is None and self.trouble.isVisible()  # a project's plan would find none either
        waits = self._persistent_aside.is_busy or has_none or self.hint_of_primary()
        return super().may_press() and not waits

    def hint_of_primary(self) -> Message | None:
        return must_correct(self.state.selected, self.state.choices)

    # -- a mirror for good

    def _offer(self) -> tuple[PersistentMirror, ...]:
        selected, facts = self.state.selected, self.state.facts
        if selected is None or facts is None:
            return ()
        return persistent_mirrors(selected, self.state.choices, self._table, bool(facts.machine.condas))

    def _show_persistent(self) -> None:
        names = {row.id: self.say(row.operator) for row in self._table}
        offered = [names.get(one.mirror, one.mirror) for one in self._offer()]
        is_asked = self.state.selected is None and not self.trouble.isVisible()
        self.persistent.show_plans(self._wants_persistent, offered, self.state.persistent, is_asked)

    def _request_persistent(self, is_wished: bool) -> None:
        self._wants_persistent = is_wished
        self._persistent_aside.cancel()
        self.trouble.clear()
        if not is_wished:
            self.context.navigator.put_persistent(())
            return
        session, offer = self.context.session, self._offer()

        def plan() -> tuple[UsePlan, ...]:
            return tuple(session.plan_use(one.mirror, one.kinds) for one in offer)

        self._persistent_aside.start(
            lambda is_cancelled, note: plan(), self.context.navigator.put_persistent, self._show_failure
        )
        self.changed.emit()

    def _show_failure(self, error: Any) -> None:
        self._wants_persistent = False
        self._show_persistent()
        self.trouble.show_error(error)
        self.changed.emit()

    # -- the network

    def _save_network(self) -> None:
        session, facts = self.context.session, self.state.facts
        if facts is None:
            return
        try:
            network = self.network.network()
        except UsageError as error:
            self.trouble.show_error(error)
            return
        self.start_task(
            lambda: self.tr("Keeping the network settings…"),
            lambda is_cancelled, note: session.save_network(network, facts),
            self._saved,
        )

    def _saved(self, facts: Facts) -> None:
        self.context.navigator.put_network(facts)
        self._select_build()
