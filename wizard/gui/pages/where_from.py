"""Where from: automatic, the official places, the fastest of all, or one operator by name; one sentence for each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QWidget

from wizard.flow.sources_view import WORDS, operators
from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.labels import label
from wizard.i18n import text
from wizard.mirrors.table import MirrorRow


class WhereFrom(QFrame):
    chosen = Signal(str)  # auto | official | race | the id of a mirror

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        rows = column(self, (16, 12, 16, 12), 6)
        line = line_up(gap=12)
        self._title = QLabel()
        self.choice = QComboBox()
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._title.setBuddy(self.choice)
        line.addWidget(self._title)
        line.addWidget(self.choice, 1)
        self._why = label("", "muted")
        rows.addLayout(line)
        rows.addWidget(self._why)
        self.choice.activated.connect(lambda place: self.chosen.emit(str(self.choice.currentData())))

    @property
    def why(self) -> str:
        return self._why.text()

    def show_choice(self, mirrors: str, table: Sequence[MirrorRow], is_cn: bool, language: str) -> None:
        names = {row.id: text(row.operator, language) for row in operators(table)}
        named = (self.tr("Automatic"), self.tr("Only the official places"), self.tr("Measure, and take the fastest"))
        blocker = QSignalBlocker(self.choice)
        self.choice.clear()
        for word, name in zip(WORDS, named, strict=True):
            self.choice.addItem(name, word)
        for mirror, name in names.items():
            self.choice.addItem(name, mirror)
        if names:
            self.choice.insertSeparator(len(WORDS))
        self.choice.setCurrentIndex(max(0, self.choice.findData(mirrors)))
        del blocker
        self._title.setText(self.tr("&Where from"))
        self.choice.setAccessibleName(self._title.text().replace("&", ""))
        self._why.setText(self._reason(mirrors, is_cn, names))
        self.choice.setAccessibleDescription(self._why.text())

    def _reason(self, mirrors: str, is_cn: bool, names: dict[str, str]) -> str:
        if mirrors == "auto":
            if is_cn:
                return self.tr("This computer seems to be in China: all known places are asked, the fastest is taken.")
            return self.tr("The official places first; public mirrors are asked only if one of those is silent.")
        words = {
            "official": self.tr("Nobody but the official places is asked."),
            "race": self.tr("All known places are asked for this very build, and the best three are measured."),
        }
        chosen = self.tr("%1 where it has what is needed, the official place for the rest.")
        return words.get(mirrors) or chosen.replace("%1", names.get(mirrors, mirrors))
