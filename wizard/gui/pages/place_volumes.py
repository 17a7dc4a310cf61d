"""Other places, folded away: a folder for downloads and caches, and one for temporary files. Empty: the usual place.

The fields show what is in force. Only what was edited here is a wish: it is in the plan, and kept after Install.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from wizard import paths
from wizard.gui.parts.labels import label
from wizard.gui.parts.path_field import PathField
from wizard.plan.model import Choices
from wizard.session.volumes import DEFAULT


class VolumesForm(QWidget):
    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cache, self.temp = PathField(), PathField()
        self.browse_cache, self.browse_temp = QPushButton(), QPushButton()
        self._labels = [QLabel(), QLabel()]
        self._help = label("", "muted")
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
        self.cache.textEdited.connect(lambda words: self._edited(self.cache, words))
        self.temp.textEdited.connect(lambda words: self._edited(self.temp, words))
        self.browse_cache.clicked.connect(lambda: self._choose(self.cache))
        self.browse_temp.clicked.connect(lambda: self._choose(self.temp))

    def retranslate(self) -> None:
        words = (self.tr("&Downloads and caches"), self.tr("Tem&porary files"))
        browse = (self.tr("Browse for the folder of downloads"), self.tr("Browse for the folder of temporary files"))
        for text, word, field in zip(self._labels, words, self._wishes, strict=True):
            text.setText(word)
            field.setAccessibleName(word.replace("&", ""))
        for button, name in zip((self.browse_cache, self.browse_temp), browse, strict=True):
            button.setText(self.tr("Browse…"))
            button.setAccessibleName(name)
        self.cache.setPlaceholderText(str(paths.home()))
        self.temp.setPlaceholderText(self.tr("The system's own folder"))
        self._help.setText(
            self.tr(
                "For when the usual disk is small or slow. The folders are made where they are missing, and kept for "
                "later starts. An empty field means the usual place."
            )
        )

    def show_choices(self, choices: Choices) -> None:
        """A wish where there is one, else what is in force."""
        for field, wish, in_force in (
            (self.cache, choices.cache_dir, paths.chosen_cache()), (self.temp, choices.temp_dir, paths.chosen_temp()),
        ):  # fmt: skip
            self._wishes[field] = wish
            field.setText("" if wish == DEFAULT else wish or str(in_force or ""))

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

    def _choose(self, field: QLineEdit) -> None:
        chosen = QFileDialog.getExistingDirectory(self, field.accessibleName(), field.text())
        if chosen:
            field.setText(chosen)
            self._edited(field, chosen)
