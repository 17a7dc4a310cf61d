"""The parts of the Place page: how an environment is made, one that is there as the target, other folders.

Other places, folded away: a folder for downloads and caches, and one for temporary files. Empty: the usual place.

The fields show what is in force. Only what was edited here is a wish: it is in the plan, and kept after Install.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from wizard.app.use.volumes import DEFAULT
from wizard.compatibility.model import Choices
from wizard.gui.tools.environments.table import EnvironmentsTable
from wizard.gui.widgets.fields import Choice, PathField
from wizard.gui.widgets.frames import column, line_up
from wizard.gui.widgets.labels import label, without_key
from wizard.machine.model import CondaInstall
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.environment.model import Environment


_KINDS = ("rattler", "conda", "venv")


class ExistingChoice(QWidget):
    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        lines = column(self, gap=8)
        self.table = EnvironmentsTable(is_tall=False)
        self._none, self._note, self._path = label("", "muted"), label("", "muted"), label("")
        for widget in (self._none, self.table, self._path, self._note):
            lines.addWidget(widget)
        self._known: tuple[Environment, ...] | None = None
        self.table.chosen.connect(self._chosen)

    def show_known(self, found: Sequence[Environment], wanted: Path | None) -> None:
        """Only what is whole and is an environment; what else forbids it is said when one is chosen."""
        self._known = tuple(one for one in found if one.state.value == "ok" and one.kind.value in _KINDS)
        self.table.show_rows(self._known, {})
        if wanted is not None and self.table.selected is None:
            self.table.select(wanted)
        self.retranslate()

    @property
    def prefix(self) -> Path | None:
        one = self.table.selected
        return one.prefix if one else None

    def retranslate(self) -> None:
        self.table.retranslate()
        if self._known:
            self.table.show_rows(self._known, {})
        self.table.setVisible(bool(self._known))
        self._none.setVisible(not self._known)
        self._note.setVisible(bool(self._known))
        empty, looking = self.tr("No usable environment was found."), self.tr("Looking for environments…")
        self._none.setText(looking if self._known is None else empty)
        self._note.setText(
            self.tr(
                "Other packages keep their versions where possible. What is replaced can be restored; the next page "
                "lists every change."
            )
        )
        self._chosen(tell=False)

    def _chosen(self, tell: bool = True) -> None:
        self._path.setText(str(self.prefix or ""))
        self._path.setVisible(self.prefix is not None)
        if tell:
            self.chosen.emit()


_INDENT = 29  # as the words of the buttons
ENGINES = ("auto", "rattler", "conda", "venv")


class EngineChoice(QFrame):
    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        lines = column(self, gap=4)
        self._reason = label("", "muted")
        self.buttons = {name: QRadioButton(self) for name in ENGINES}
        self.condas = Choice(self)
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
        """Show how the environment is made; conda only where there is one or it was asked for."""
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
        self.buttons["auto"].setText(self.tr("A&utomatic"))
        self.buttons["rattler"].setText(self.tr("Built-in &engine: brings its own Python"))
        self.buttons["conda"].setText(self.tr("Your &conda (it owns the environment)"))
        self.buttons["venv"].setText(self.tr("This computer's &own Python (venv)"))
        self.condas.setAccessibleName(self.tr("Which conda"))

    def _toggled(self, button: object, checked: bool) -> None:
        if checked:
            self._show_condas()
            self.chosen.emit()

    def _show_condas(self) -> None:
        self.condas.setVisible(self.engine == "conda" and self.condas.count() > 1)


class VolumesForm(QWidget):
    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cache, self.temp = PathField(), PathField()
        self.browse_cache, self.browse_temp = QPushButton(), QPushButton()
        self._labels = [QLabel(), QLabel()]
        self._help, self._facts = label("", "muted"), label("", "muted")
        self._wishes: dict[QLineEdit, str | None] = {self.cache: None, self.temp: None}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        buttons = (self.browse_cache, self.browse_temp)
        for row, (text, field, button) in enumerate(zip(self._labels, self._wishes, buttons, strict=True)):
            text.setBuddy(field)
            grid.addWidget(text, row, 0)
            grid.addWidget(field, row, 1)
            grid.addWidget(button, row, 2)
        grid.addWidget(self._help, 2, 0, 1, 3)
        grid.addWidget(self._facts, 3, 0, 1, 3)
        self.cache.textEdited.connect(lambda words: self._edited(self.cache, words))
        self.temp.textEdited.connect(lambda words: self._edited(self.temp, words))
        self.browse_cache.clicked.connect(lambda: self._choose(self.cache))
        self.browse_temp.clicked.connect(lambda: self._choose(self.temp))

    def retranslate(self) -> None:
        words = (self.tr("&Downloads and caches"), self.tr("Tem&porary files"))
        browse = (self.tr("Browse for the folder of downloads"), self.tr("Browse for the folder of temporary files"))
        for text, word, field in zip(self._labels, words, self._wishes, strict=True):
            text.setText(word)
            field.setAccessibleName(without_key(word))
        for button, name in zip((self.browse_cache, self.browse_temp), browse, strict=True):
            button.setText(self.tr("Browse…"))
            button.setAccessibleName(name)
        self.cache.setPlaceholderText(str(paths.home()))
        self.temp.setPlaceholderText(self.tr("The system's own folder"))
        self._help.setText(self.tr("Use another disk. Leave empty for the usual folder."))

    def show_choices(self, choices: Choices) -> None:
        """A wish where there is one, else what is in force."""
        for field, wish, in_force in (
            (self.cache, choices.cache_dir, paths.chosen_cache()),
            (self.temp, choices.temp_dir, paths.chosen_temp()),
        ):
            self._wishes[field] = wish
            field.setText("" if wish == DEFAULT else wish or str(in_force or ""))

    def show_facts(self, words: str) -> None:
        """Show what is known of the places in force."""
        self._facts.setText(words)
        self._facts.setVisible(bool(words))

    @property
    def is_used(self) -> bool:
        return any(field.text() for field in self._wishes)

    @property
    def cache_wish(self) -> str | None:
        return self._wishes[self.cache]

    @property
    def temp_wish(self) -> str | None:
        return self._wishes[self.temp]

    def _edited(self, field: QLineEdit, words: str) -> None:
        self._wishes[field] = words.strip() or DEFAULT
        self.edited.emit()

    def _choose(self, field: PathField) -> None:
        chosen = QFileDialog.getExistingDirectory(self, field.accessibleName(), field.start())
        if chosen:
            field.setText(chosen)
            self._edited(field, chosen)
