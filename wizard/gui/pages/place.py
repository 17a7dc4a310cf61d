"""Place: the new environment's name, folder and engine; checked while one types, in a thread (disks can hang)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer
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

from wizard.errors import WizardError
from wizard.gui.desk import Desk
from wizard.gui.pages.base import Page
from wizard.gui.pages.check import requirement_name
from wizard.gui.parts.boxes import RowCard, box, column, stacked
from wizard.gui.parts.labels import Pill, label, selectable
from wizard.plan.model import Choices
from wizard.plan.requirement import Requirement

_TYPING_PAUSE_MS = 250
_ENGINES = ("auto", "rattler", "venv")
DEFAULT_NAME = "torch"


class PlacePage(Page):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.name, self.folder = QLineEdit(), QLineEdit()
        self._browse = QPushButton()
        self._browse.clicked.connect(self._choose_folder)
        self._texts = [QLabel() for _ in range(2)]
        self._path = selectable(label("", "muted"))
        self.engines = {name: QRadioButton() for name in _ENGINES}
        self._engine_title, self._engine_reason = label("", "strong"), label("", "muted")
        self.rows = RowCard(3, 2)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(_TYPING_PAUSE_MS)
        self._wait.timeout.connect(self._check)
        self._lay_out()
        self.name.textEdited.connect(self._typed)
        self.folder.textEdited.connect(self._typed)
        self._group = QButtonGroup(self)
        for button in self.engines.values():
            self._group.addButton(button)
        self._group.buttonToggled.connect(self._engine_changed)

    def _lay_out(self) -> None:
        form = box("card")
        grid = QGridLayout(form)
        grid.setContentsMargins(16, 14, 16, 14)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(10)
        for row, field in enumerate((self.name, self.folder)):
            self._texts[row].setBuddy(field)
            grid.addWidget(self._texts[row], row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self._browse, 1, 2)
        grid.addWidget(self._path, 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        engines = box("card")
        lines = column(engines, (16, 14, 16, 14), 4)
        lines.addWidget(self._engine_title)
        for button in self.engines.values():
            lines.addWidget(button)
        lines.addWidget(self._engine_reason)
        for card in (form, engines, self.rows):
            self.body.addWidget(card)
        self.body.addStretch(1)

    def enter(self) -> None:
        choices = self.state.choices
        prefix = Path(choices.prefix) if choices.prefix else None
        self.name.setText(choices.name or (prefix.name if prefix else DEFAULT_NAME))
        self.folder.setText(str(prefix.parent if prefix else self.desk.session.environments_dir()))
        self._group.blockSignals(True)
        self.engines.get(choices.engine, self.engines["auto"]).setChecked(True)
        self._group.blockSignals(False)
        self._check()

    def leave(self) -> None:
        self._wait.stop()
        self.cancel_errand()

    def first_control(self) -> QWidget:
        return self.name

    def retranslate(self) -> None:
        self.set_head(self.tr("Where it goes"), self.tr("A new environment of its own; nothing else is touched."))
        self._texts[0].setText(self.tr("Na&me"))
        self._texts[1].setText(self.tr("&Folder"))
        self._browse.setText(self.tr("Brow&se…"))
        self.name.setAccessibleName(self.tr("Name of the environment"))
        self.folder.setAccessibleName(self.tr("Folder of the environment"))
        self._engine_title.setText(self.tr("How the environment is made"))
        self.engines["auto"].setText(self.tr("A&utomatic"))
        self.engines["rattler"].setText(self.tr("Built-in &engine: a complete Python of its own, no conda needed"))
        self.engines["venv"].setText(self.tr("This computer's &own Python (venv)"))

    def render_state(self) -> None:
        self.rows.clear()
        place = self.state.place
        self.rows.setVisible(place is not None)
        for requirement in place or ():
            self._add_row(requirement)
        if place == ():
            self.rows.add_row(Pill("ok"), label(self.tr("This place can be used."), "strong", wrap=False))
        election = self.state.election
        shown = election is not None and self._engine() == "auto"
        self._engine_reason.setText(self.say(election.engine_reason) if election else "")
        self._engine_reason.setVisible(shown)
        self._show_path()

    def may_press(self) -> bool:
        return super().may_press() and not self._wait.isActive()

    def _add_row(self, requirement: Requirement) -> None:
        name = requirement_name(requirement.name)
        pill = Pill(requirement.state)
        pill.setAccessibleName(f"{name}: {pill.accessibleName()}")
        more = [label(self.say(words), "muted") for words in (requirement.why, requirement.fix) if words]
        text = stacked(label(self.say(requirement.fact)), *more)
        self.rows.add_row(pill, label(name, "strong", wrap=False), text)

    # -- choices

    def _engine(self) -> str:
        return next((name for name, button in self.engines.items() if button.isChecked()), "auto")

    def _choices(self) -> Choices:
        """A name where the folder is the usual one, so that the session's own rules for names apply."""
        name, folder = self.name.text().strip(), self.folder.text().strip()
        usual = str(self.desk.session.environments_dir())
        base = replace(self.state.choices, engine=self._engine())
        if not folder or folder == usual:
            return replace(base, name=name, prefix=None)
        return replace(base, name=None, prefix=str(Path(folder) / name) if name else "")

    def _show_path(self) -> None:
        folder, name = self.folder.text().strip(), self.name.text().strip()
        usual = folder or str(self.desk.session.environments_dir())
        self._path.setText(str(Path(usual) / name) if name else "")

    def _typed(self) -> None:
        self.cancel_errand()
        self._show_path()
        self._wait.start()
        self.desk.navigator.put_place(self._choices(), None)

    def _engine_changed(self, button: object, checked: bool) -> None:
        if checked:
            self._typed()

    def _check(self) -> None:
        session, facts, choices = self.desk.session, self.state.facts, self._choices()
        if facts is None:
            return
        self.errand(
            "",
            lambda is_cancelled, note: session.check_place(choices, facts),
            lambda place: self.desk.navigator.put_place(choices, place),
            on_failed=lambda error: self._refused(choices, error),
        )

    def _refused(self, choices: Choices, error: WizardError) -> None:
        self.desk.navigator.put_place(choices, None)
        self.trouble.show_error(error)

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self._texts[1].text().replace("&", ""), self.folder.text())
        if chosen:
            self.folder.setText(str(Path(chosen)))
            self._typed()
