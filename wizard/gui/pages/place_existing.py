"""An environment that is there as the target: the table of those that may be, and what it means for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from wizard.gui.pages.environments_table import EnvironmentsTable
from wizard.gui.parts.boxes import column
from wizard.gui.parts.labels import label

if TYPE_CHECKING:
    from wizard.environments.found import Environment

_KINDS = ("rattler", "conda", "venv")


class ExistingChoice(QWidget):
    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        lines = column(self, gap=8)
        self.table = EnvironmentsTable(with_size=False)
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
        empty, looking = self.tr("There is no environment that could be used."), self.tr("Looking for environments…")
        self._none.setText(looking if self._known is None else empty)
        self._note.setText(
            self.tr(
                "Its other packages stay in their versions wherever they can. What has to be replaced is kept, and can "
                "be brought back; the next page names every package."
            )
        )
        self._chosen(tell=False)

    def _chosen(self, tell: bool = True) -> None:
        self._path.setText(str(self.prefix or ""))
        self._path.setVisible(self.prefix is not None)
        if tell:
            self.chosen.emit()
