"""The form for sources by hand. Empty fields leave the choice to the program."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QFileDialog, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from wizard.gui.parts.path_field import PathField
from wizard.plan.model import Choices


class SourcesByHand(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self.torch, self.packages, self.channel = (QLineEdit(self) for _ in range(3))
        self.folder = PathField(self)
        self._labels = [QLabel(self) for _ in range(4)]
        self._browse = QPushButton(self)
        self._browse.clicked.connect(self._choose_folder)
        for row, (text, field) in enumerate(zip(self._labels, self._fields, strict=True)):
            text.setBuddy(field)
            field.setClearButtonEnabled(True)
            grid.addWidget(text, row, 0)
            grid.addWidget(field, row, 1, 1, 1 if field is self.folder else 2)
        grid.addWidget(self._browse, 2, 2)
        grid.setColumnStretch(1, 1)

    @property
    def _fields(self) -> tuple[QLineEdit, ...]:
        return (self.torch, self.packages, self.folder, self.channel)

    def retranslate(self) -> None:
        words = (
            self.tr("Py&Torch from"),
            self.tr("Other &packages from"),
            self.tr("&Folder or page with files"),
            self.tr("Python (conda &channel)"),
        )
        for text, word, field in zip(self._labels, words, self._fields, strict=True):
            text.setText(word)
            field.setAccessibleName(word.replace("&", ""))
        self._browse.setText(self.tr("Brow&se…"))
        for field in (self.torch, self.packages, self.channel):
            field.setPlaceholderText("https://")

    @property
    def is_used(self) -> bool:
        return any(field.text().strip() for field in self._fields)

    def show_choices(self, choices: Choices) -> None:
        values = (choices.torch_index, choices.index, next(iter(choices.find_links), None), choices.channel)
        for field, value in zip(self._fields, values, strict=True):
            field.setText(value or "")

    def put_into(self, choices: Choices) -> Choices:
        folder = self.folder.text().strip()
        return replace(
            choices,
            torch_index=self.torch.text().strip() or None,
            index=self.packages.text().strip() or None,
            find_links=(folder, *choices.find_links[1:]) if folder else (),
            channel=self.channel.text().strip() or None,
        )

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self._labels[2].text().replace("&", ""), self.folder.text())
        if chosen:
            self.folder.setText(chosen)
