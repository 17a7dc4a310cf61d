"""How a new environment is made: by itself chosen, built-in, the person's own conda, this computer's Python."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QRadioButton, QWidget

from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.choice import Choice
from wizard.gui.parts.labels import label
from wizard.machine.model import CondaInstall
from wizard.plan.model import Choices

_INDENT = 29  # as the words of the buttons
ENGINES = ("auto", "rattler", "conda", "venv")


class EngineChoice(QFrame):
    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        lines = column(self, (16, 14, 16, 14), 4)
        self._title, self._reason = label("", "strong"), label("", "muted")
        self.buttons = {name: QRadioButton(self) for name in ENGINES}
        self.condas = Choice(self)
        lines.addWidget(self._title)
        for name, button in self.buttons.items():
            lines.addWidget(button)
            if name == "conda":
                line = line_up(margins=(_INDENT, 0, 0, 0))
                line.addWidget(self.condas, 1)
                lines.addLayout(line)
        lines.addWidget(self._reason)
        self._group = QButtonGroup(self)
        for button in self.buttons.values():
            self._group.addButton(button)
        self._group.buttonToggled.connect(self._toggled)
        self.condas.activated.connect(lambda: self.chosen.emit())

    def show_choices(self, choices: Choices, condas: Sequence[CondaInstall]) -> None:
        with QSignalBlocker(self._group), QSignalBlocker(self.condas):
            self.condas.clear()
            for conda in condas:
                name = f"{conda.kind} {conda.version or ''}".strip()
                self.condas.addItem(f"{name}  –  {conda.root_prefix or conda.executable}", conda.executable)
            self.condas.setCurrentIndex(max(0, self.condas.findData(choices.conda)))
            has_conda = bool(condas) or choices.engine == "conda"
            self.buttons["conda"].setVisible(has_conda)
            self.buttons.get(choices.engine, self.buttons["auto"]).setChecked(True)
        self._show_condas()

    @property
    def engine(self) -> str:
        return next((name for name, button in self.buttons.items() if button.isChecked()), "auto")

    @property
    def conda(self) -> str | None:
        """The program; None: the session takes the first that answers."""
        data = self.condas.currentData()
        return data if self.engine == "conda" and isinstance(data, str) else None

    def show_reason(self, words: str) -> None:
        self._reason.setText(words)
        self._reason.setVisible(bool(words))

    def retranslate(self) -> None:
        self._title.setText(self.tr("How the environment is made"))
        self.buttons["auto"].setText(self.tr("A&utomatic"))
        self.buttons["rattler"].setText(self.tr("Built-in &engine: a complete Python of its own, no conda needed"))
        self.buttons["conda"].setText(self.tr("Your &conda: it makes the environment and looks after it"))
        self.buttons["venv"].setText(self.tr("This computer's &own Python (venv)"))
        self.condas.setAccessibleName(self.tr("Which conda"))

    def _toggled(self, button: object, checked: bool) -> None:
        if checked:
            self._show_condas()
            self.chosen.emit()

    def _show_condas(self) -> None:
        self.condas.setVisible(self.engine == "conda" and self.condas.count() > 1)
