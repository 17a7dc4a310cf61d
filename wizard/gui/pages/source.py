"""Source: what each source was seen to do for the very build that was chosen, and sources by hand."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.gui.desk import Desk
from wizard.gui.figures import seconds_text, variant_text
from wizard.gui.pages.base import Page
from wizard.gui.pages.sources_by_hand import SourcesByHand
from wizard.gui.parts.boxes import RowCard, box, column, stacked
from wizard.gui.parts.fold import Fold
from wizard.gui.parts.labels import Pill, label
from wizard.i18n import Message
from wizard.mirrors.model import Layout, Source
from wizard.process import redact
from wizard.session.model import Election, SourceState

_STATES = {"carries": "ok", "missing": "problem", "unreachable": "warning", "unchecked": "note"}


def origin_name(origin: str) -> str:
    names = {
        "official": QCoreApplication.translate("Origin", "official"),
        "mirror": QCoreApplication.translate("Origin", "mirror"),
        "user-settings": QCoreApplication.translate("Origin", "from your settings"),
        "by-hand": QCoreApplication.translate("Origin", "by hand"),
    }
    return names.get(origin, origin)


def verdict_name(verdict: str) -> str:
    names = {
        "carries": QCoreApplication.translate("SourceVerdict", "carries it"),
        "missing": QCoreApplication.translate("SourceVerdict", "missing"),
        "unreachable": QCoreApplication.translate("SourceVerdict", "no answer"),
        "unchecked": QCoreApplication.translate("SourceVerdict", "not asked"),
    }
    return names.get(verdict, verdict)


class SourcePage(Page):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        result = box("chosen")
        lines = column(result, (16, 14, 16, 14), 4)
        self._build, self._engine = label("", "heading"), label("", "muted")
        self._notices = label("")
        for line in (self._build, self._notices, self._engine):
            lines.addWidget(line)
        self._result = result
        self.rows = RowCard(3, 1)
        self.fold = Fold()
        self.by_hand = SourcesByHand()
        self.fold.body.addWidget(self.by_hand)
        self.again = QPushButton()
        self.again.clicked.connect(self._measure)
        self.footer_left = [self.again]
        for widget in (result, self.rows, self.fold):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def enter(self) -> None:
        self.by_hand.show_choices(self.state.choices)
        if self.by_hand.is_used:
            self.fold.button.setChecked(True)
        if self.state.election is None:
            self._elect()

    def leave(self) -> None:
        self.cancel_errand()

    def first_control(self) -> QWidget:
        return self.fold.button

    def retranslate(self) -> None:
        self.set_head(
            self.tr("Where to download from"),
            self.tr("Every source was asked for the very wheel that will be installed."),
        )
        self.again.setText(self.tr("Ask &again"))
        self.fold.show_words(self.tr("Choose sources by &hand: another index, a folder, a classroom server"))
        self.by_hand.retranslate()

    def render_state(self) -> None:
        election = self.state.election
        self._result.setVisible(election is not None)
        self.rows.setVisible(election is not None)
        self.rows.clear()
        if election is None:
            return
        one = election.candidate
        words = self.tr("%1 for Python %2").replace("%1", f"torch {one.torch} + {variant_text(one.variant)}")
        self._build.setText(words.replace("%2", election.python))
        self._engine.setText(self.say(election.engine_reason))
        self._notices.setText("\n".join(self.say(notice) for notice in election.notices))
        self._notices.setVisible(bool(election.notices))
        for state in election.states:
            self._add_row(state, election)

    def _add_row(self, state: SourceState, election: Election) -> None:
        source = state.source
        name = source.name or (self.tr("Official package index") if source.is_default_index else source.id)
        facts = [origin_name(source.origin.value), self._purpose(source, election)]
        lines = [label(name, "strong")]
        if source.url:
            lines.append(label(redact(source.url), "muted"))
        lines.append(label("  •  ".join(fact for fact in facts if fact), "muted"))
        words = [label(self.say(state.message))]
        if state.seconds is not None:
            words.append(label(self.tr("answered in %1").replace("%1", seconds_text(state.seconds)), "muted"))
        seen = stacked(*words)
        seen.setMinimumWidth(230)
        seen.setMaximumWidth(300)
        pill = Pill(_STATES.get(state.verdict, "note"), verdict_name(state.verdict))
        pill.setAccessibleName(f"{name}: {verdict_name(state.verdict)}")
        self.rows.add_row(pill, stacked(*lines), seen)

    def _purpose(self, source: Source, election: Election) -> str:
        """What this source is used for in this setup; '' for one that was only asked."""
        uses = []
        if source == election.torch_source:
            uses.append(self.tr("used for torch"))
        if source in election.package_sources:
            uses.append(self.tr("used for the other packages"))
        if source.layout is Layout.CHANNEL and source.url in election.channels and election.engine != "venv":
            uses.append(self.tr("used for Python"))
        return ", ".join(uses)

    # -- asking

    def _measure(self) -> None:
        self.desk.navigator.put_sources(self.by_hand.put_into(self.state.choices))
        self._elect()

    def _elect(self) -> None:
        state, session = self.state, self.desk.session
        facts = state.facts
        if facts is None:
            return
        choices = replace(state.choices)
        self.errand(
            self.tr("Asking the sources…"),
            lambda is_cancelled, note: session.elect(facts, choices, note, is_cancelled),
            self.desk.navigator.put_election,
            self._note,
        )

    def _note(self, message: Message) -> None:
        self.busy.say(self.say(message))

    def press(self) -> None:
        """What was typed but not asked for yet is asked for first: Next never passes over it."""
        if self.by_hand.put_into(self.state.choices) != self.state.choices:
            self._measure()
        else:
            super().press()
