"""Check: what this computer is, one row for each thing that matters. Nothing is changed unless a shown fix is written.

Rows fill in as the parts of the look end; beside the facts stand what the lint found, the way to a better driver, and
environments that are not as they were. One file: one page; its rows are a file of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.app.pages.check import (
    CheckRow,
    LiveRow,
    Looks,
    check_rows,
    drift_rows,
    is_fine,
    live_rows,
    other_findings,
    while_looked,
)
from wizard.app.pages.order import PageId, is_all_well
from wizard.app.use.settings import Mending
from wizard.gui.pages.base import Page
from wizard.gui.pages.check_rows import CheckRows
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import SideTask
from wizard.gui.widgets.code import copy_out
from wizard.gui.widgets.frames import Fold, FoldList, box
from wizard.gui.widgets.labels import label, plain_tip, state_word, told_of
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message
from wizard.run.model import Facts, Requirement
from wizard.toolconfig.lint.finding import LintFinding


def requirement_name(name: str) -> str:
    """Return the name of a check in the language of the window."""
    names = {
        "gpu": QCoreApplication.translate("Requirement", "Graphics card"),
        "driver": QCoreApplication.translate("Requirement", "Driver"),
        "toolkit": QCoreApplication.translate("Requirement", "CUDA Toolkit"),
        "conda": QCoreApplication.translate("Requirement", "conda"),
        "settings": QCoreApplication.translate("Requirement", "Settings"),
        "disk": QCoreApplication.translate("Requirement", "Disk"),
        "path": QCoreApplication.translate("Requirement", "Path"),
        "network": QCoreApplication.translate("Requirement", "Network"),
        "python": QCoreApplication.translate("Requirement", "Python"),
        "system": QCoreApplication.translate("Requirement", "System"),
        "environment": QCoreApplication.translate("Requirement", "Environment"),
        "restart": QCoreApplication.translate("Requirement", "Restart"),
        "runtime": QCoreApplication.translate("Requirement", "VC++ runtime"),
    }
    return names.get(name, name)


class CheckPage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._ended: set[str] = set()
        self._live: tuple[LiveRow, ...] = live_rows((), frozenset())
        self._soon = QTimer(self, singleShot=True, interval=0)  # parts that end together are shown together
        self._soon.timeout.connect(self._show_live)
        self._aside = SideTask(context.tasks)
        self.rows = CheckRows(context, requirement_name, is_terse=True)
        self.drifted, self._fine = (CheckRows(context, requirement_name) for _ in range(2))
        self.others, self._between = CheckRows(context, requirement_name, is_second=True), box("line")
        self._written = label("", "strong")
        self.fold, self.fine = Fold(), Fold()
        for fold, held in ((self.fold, self.drifted), (self.fold, self.others), (self.fine, self._fine)):
            fold.body.addWidget(held)
            held.setProperty("role", "fold")
            fold.body.setContentsMargins(0, 0, 0, 0)
        self.fold.body.insertWidget(1, self._between)
        self.fold.body.setSpacing(0)
        self.again, self.copy, self.choose, self.place = (QPushButton() for _ in range(4))
        self.choose.clicked.connect(context.navigator.go_next)
        self.place.clicked.connect(lambda: context.navigator.hurry(PageId.PLACE))
        self.again.clicked.connect(self._again)
        self.copy.clicked.connect(self._copy_facts)
        self.footer_left, self.footer_right = [self.copy, self.again], [self.place, self.choose]
        for widget in (self._written, self.rows, FoldList(self.fine, self.fold)):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self._written.setVisible(False)
        for part in (self.rows, self.others):
            part.wanted.connect(self._plan_fix)
            part.agreed.connect(self._write_fix)

    def enter(self) -> None:
        if self.state.facts is None:
            self._probe()
        elif self.state.looks is None:
            self._look_over(self.state.facts)
            self.render_state()

    def leave(self) -> None:
        self.cancel_task()
        self._aside.cancel()

    def first_control(self) -> QWidget | None:
        return None  # while nothing is known, Return must not begin the look anew

    @property
    def _is_own(self) -> bool:
        """A class profile or a project leaves few pages, and each of them has a question."""
        return self.state.profile is None and self.state.project is None

    @property
    def _may_hurry(self) -> bool:
        return self._is_own and is_all_well(self.state)

    @property
    def _is_tight(self) -> bool:
        """Another place is what helps, and nothing stands before it."""
        rows = self.state.facts.requirements if self.state.facts and self._is_own else ()
        is_bad = any(row.state == "problem" for row in rows)
        return not is_bad and any((row.name, row.state) == ("disk", "warning") for row in rows)

    def press(self) -> None:
        """Where all is well, the pages between here and Review need no answer."""
        if self._may_hurry and not self.context.navigator.hurries:  # else a message leads to an earlier one
            self.context.navigator.hurry()
        else:
            super().press()

    def retranslate(self) -> None:
        self.again.setText(self.tr("Check &again"))
        self.copy.setText(self.tr("&Copy details"))
        self.choose.setText(self.tr("Choose my&self"))
        self.place.setText(self.tr("Choose another &place"))
        self._written.setText(self.tr("Saved. “Undo changes” takes it back."))

    def hint_of_primary(self) -> Message | None:
        return (
            message("page.check.next", "“Next” chooses for you; you confirm before it installs.")
            if self._may_hurry
            else None
        )

    def render_state(self) -> None:
        facts, looks = self.state.facts, self.state.looks
        self.fine.setVisible(facts is not None)
        self.copy.setEnabled(facts is not None)
        self.choose.setVisible(self._may_hurry)
        self.place.setVisible(self._is_tight)
        if facts is None:
            words = self.tr("This page only checks; nothing is changed.")
            self.rows.show_live(self._live)
        else:
            words = self.tr("Nothing has been changed.")
            if self.state.project is not None:
                of = self.tr("For the project %1.").replace("%1", Path(self.state.project.folder).name)
                words = self.context.translator.join((of, words))
            if self._may_hurry:
                words = ""  # what Next does is its description
            elif self._is_own and self.context.navigator.may_go_next():
                words = self.tr("Something below needs a look, so “Next” shows each step. Nothing has been changed.")
            rows = check_rows(facts, looks)
            self._show_facts(while_looked(rows) if looks is None and self._aside.is_busy else rows)
        self.set_head(self.tr("Your computer"), words if self._written.isHidden() else "")
        drifted = tuple(drift_rows(looks.drifts)) if looks and facts else ()
        self.drifted.setVisible(bool(drifted))
        self.drifted.show_rows(drifted)
        others = other_findings(looks) if facts else ()
        self.others.setVisible(bool(others))
        self.fold.setVisible(bool(drifted or others))
        self._between.setVisible(bool(drifted and others))
        self.others.show_rows(others)
        aside = (*drifted, *others)
        problems = sum(row.state == "problem" for row in aside)
        problem = self.tr("Problems: %1").replace("%1", str(problems)) if problems else ""
        self.fold.show_words(self.tr("&Outside this setup"), str(len(aside)), problem)

    def _show_facts(self, rows: tuple[CheckRow, ...]) -> None:
        """What needs a look stands open; the rest is one line, which says how many."""
        fine = [row for row in rows if is_fine(row)]
        self.rows.show_rows([row for row in rows if not is_fine(row)])
        self._fine.show_rows(fine)
        self.fine.setVisible(bool(fine))
        open_too = {row.name for row in rows if not is_fine(row)}
        told = [row for row in fine if row.name not in open_too] or fine
        names = tuple(dict.fromkeys(requirement_name(row.name) for row in told))
        self.fine.show_words(self._counted(fine))
        self.fine.button.setToolTip(plain_tip(self.context.translator.listed(names)))

    def _counted(self, fine: Sequence[CheckRow]) -> str:
        """What only tells something is no tick: nobody has asked yet whether the network answers."""
        notes = sum(row.state != "ok" for row in fine)
        if notes == len(fine):
            words = self.tr("%2 more")
        elif notes > 1:
            words = self.tr("%1 more OK, %2 notes")
        else:
            words = self.tr("%1 more OK, 1 note") if notes else self.tr("%1 more OK")
        return words.replace("%1", str(len(fine) - notes)).replace("%2", str(notes))

    # -- the look at the machine

    def _again(self) -> None:
        self._written.setVisible(False)
        self._probe()

    def _probe(self) -> None:
        self._aside.cancel()
        self._ended, self._live = set(), live_rows((), frozenset())
        self.rows.close_fix()
        self.others.close_fix()
        self.context.navigator.put_facts(None)
        session = self.context.session
        self.start_task(
            lambda: self.tr("Checking this computer…"),
            lambda is_cancelled, note: session.probe(note, is_cancelled, note),
            self._probed,
            self._heard,
        )

    def _heard(self, note: Any) -> None:
        """A part's name as it ends, then the rows as they are by then."""
        if isinstance(note, str):
            self._ended.add(note)
        else:
            rows: tuple[Requirement, ...] = note
            self._live = live_rows(rows, frozenset(self._ended))
            self._soon.start()

    def _show_live(self) -> None:
        if self.state.facts is None:
            self.rows.show_live(self._live)

    def _probed(self, facts: Facts) -> None:
        self._look_over(facts)  # before the rows are shown: they wait for it
        self.context.navigator.put_facts(facts)
        self.wants_focus.emit()

    def _look_over(self, facts: Facts) -> None:
        session = self.context.session
        self._aside.start(lambda is_cancelled, note: session.look_over(facts), self._looked, self._not_looked)

    def _not_looked(self, error: WizardError) -> None:
        self.render_state()  # what was found so far
        self.trouble.show_error(error)

    def _looked(self, looks: Looks) -> None:
        """And say it to who cannot see the rows: what stands open and is not in order, a sentence each."""
        self.context.navigator.put_looks(looks)
        rows = check_rows(self.state.facts, looks) if self.state.facts else ()
        told = (row for row in rows if row.state != "ok" and not is_fine(row))
        self.announce("\n".join(self._join(row.fact, row.met) for row in told))  # not all are sentences

    # -- mending a setting

    def _plan_fix(self, part: CheckRows, finding: LintFinding) -> None:
        session, looks = self.context.session, self.state.looks
        if looks is None:
            return
        self.trouble.clear()
        self._aside.start(
            lambda is_cancelled, note: session.mending(looks.findings, finding.code),
            lambda planned: part.show_fix(finding, planned),
            self.trouble.show_error,
        )

    def _write_fix(self, planned: Mending) -> None:
        session = self.context.session
        self.start_task(
            lambda: self.tr("Writing the change…"),
            lambda is_cancelled, note: session.mend(planned),
            self._wrote,
            on_failed=self._not_written,
        )

    def _wrote(self, change: object) -> None:
        self._written.setVisible(True)
        self._probe()

    def _not_written(self, error: WizardError) -> None:
        """The file is not as it was shown: what was shown counts no more."""
        self.rows.close_fix()
        self.others.close_fix()
        self.trouble.show_error(error)

    def escape(self) -> bool:
        return self.rows.close_fix() or self.others.close_fix()

    def _copy_facts(self) -> None:
        facts, looks = self.state.facts, self.state.looks
        if facts is None:
            return
        rows = [*check_rows(facts, looks), *(drift_rows(looks.drifts) if looks else ()), *other_findings(looks)]
        copy_out("\n".join(self._line(row) for row in rows), self.copy)

    def _line(self, row: CheckRow) -> str:
        said = self._join(row.fact, row.met, row.why, row.also)
        return f"[{state_word(row.state)}] {told_of(requirement_name(row.name), said)}"

    def _join(self, *words: Message | None) -> str:
        return self.context.translator.join(filter(None, map(self.say, words)))
