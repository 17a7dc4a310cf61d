"""Where this computer is, as far as sources go: guessed from the system, or said by the person. Nobody is told."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from wizard.gui.parts.boxes import line_up
from wizard.mirrors.race_policy import REGIONS


class RegionChoice(QWidget):
    chosen = Signal(str)  # auto | cn | world

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        line = line_up(self, gap=12)
        self._title, self.choice = QLabel(), QComboBox()
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._title.setBuddy(self.choice)
        line.addWidget(self._title)
        line.addWidget(self.choice)
        line.addStretch(1)
        self.choice.activated.connect(lambda place: self.chosen.emit(str(self.choice.currentData())))

    def show_choice(self, chosen: str, seems_cn: bool) -> None:
        names = {
            "auto": self.tr("Automatic: China") if seems_cn else self.tr("Automatic: not in China"),
            "cn": self.tr("In China"),
            "world": self.tr("Elsewhere"),
        }
        blocker = QSignalBlocker(self.choice)
        self.choice.clear()
        for word in REGIONS:
            self.choice.addItem(names[word], word)
        self.choice.setCurrentIndex(REGIONS.index(chosen) if chosen in REGIONS else 0)
        del blocker
        self._title.setText(self.tr("&Region"))
        self.choice.setAccessibleName(self._title.text().replace("&", ""))
