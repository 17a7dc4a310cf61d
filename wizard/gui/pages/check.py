"""Check: what this computer is, one row for each thing that matters; nothing is changed here."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.gui.desk import Desk
from wizard.gui.figures import seconds_text
from wizard.gui.pages.base import Page
from wizard.gui.parts.boxes import RowCard, stacked
from wizard.gui.parts.labels import Pill, label, state_word
from wizard.plan.requirement import Requirement
from wizard.session.model import Facts


def requirement_name(name: str) -> str:
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
    }
    return names.get(name, name)


class CheckPage(Page):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.rows = RowCard(4, 2)
        self._after = label("", "muted")
        self.again, self.copy = QPushButton(), QPushButton()
        self.again.clicked.connect(self._probe)
        self.copy.clicked.connect(self._copy_facts)
        self.footer_left, self.footer_right = [self.copy], [self.again]
        self.body.addWidget(self.rows)
        self.body.addWidget(self._after)
        self.body.addStretch(1)

    def enter(self) -> None:
        if self.state.facts is None:
            self._probe()

    def leave(self) -> None:
        self.cancel_errand()

    def first_control(self) -> QWidget:
        return self.again

    def retranslate(self) -> None:
        self.again.setText(self.tr("Check &again"))
        self.copy.setText(self.tr("&Copy facts"))
        self._after.setText(self.tr("No graphics card, or the wrong one? You can still go on with the CPU build."))

    def render_state(self) -> None:
        facts = self.state.facts
        self.rows.setVisible(facts is not None)
        self._after.setVisible(facts is not None)
        self.copy.setEnabled(facts is not None)
        self.rows.clear()
        for requirement in facts.requirements if facts else ():
            self._add_row(requirement)
        if facts is None:
            words = self.tr("Only looking: nothing is changed.")
        else:
            words = self.tr("Checked in %1. Nothing has been changed.").replace("%1", seconds_text(facts.seconds))
        self.set_head(self.tr("Your computer"), words)

    def _add_row(self, requirement: Requirement) -> None:
        name = requirement_name(requirement.name)
        pill = Pill(requirement.state)
        pill.setAccessibleName(f"{name}: {state_word(requirement.state)}")
        lines = [label(self.say(requirement.fact))]
        if requirement.why:
            lines.append(label(self.say(requirement.why), "muted"))
        button = None
        if requirement.fix:
            fix = label(self.say(requirement.fix), "strong")
            fix.setVisible(requirement.blocks)
            lines.append(fix)
            what_to_do = self.tr("What to do")
            button = QPushButton(what_to_do)
            button.setCheckable(True)
            button.setChecked(requirement.blocks)
            button.setProperty("role", "small")
            button.setAccessibleName(f"{what_to_do}: {name}")
            button.setAccessibleDescription(fix.text())
            button.toggled.connect(fix.setVisible)
        title = label(name, "strong", wrap=False)
        self.rows.add_row(pill, title, stacked(*lines), button)
        if button:
            self.rows.grid.setAlignment(button, Qt.AlignmentFlag.AlignRight)

    # -- the look at the machine

    def _probe(self) -> None:
        self.desk.navigator.put_facts(None)
        self._seen: list[str] = []
        session = self.desk.session
        self.errand(
            self.tr("Looking at this computer…"),
            lambda is_cancelled, note: session.probe(note, is_cancelled),
            self._probed,
            self._part,
        )

    def _part(self, part: str) -> None:
        self._seen.append(requirement_name(part))
        self.busy.say(self.tr("Looked at: %1").replace("%1", ", ".join(self._seen)))

    def _probed(self, facts: Facts) -> None:
        self.desk.navigator.put_facts(facts)

    def _copy_facts(self) -> None:
        facts = self.state.facts
        if facts is None:
            return
        lines = [
            f"[{state_word(row.state)}] {requirement_name(row.name)}: {self.say(row.fact)} {self.say(row.why)}".rstrip()
            for row in facts.requirements
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))
