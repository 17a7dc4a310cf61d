"""A table of whole rows, one of them chosen; as high as its rows up to a limit. Cells are text; nothing is edited."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

_PADDING = 16


class RowTable(QTableWidget):
    """`wide`: columns that share the room that is left. `wraps`: what is longer than its column has further lines."""

    def __init__(
        self, columns: int, wide: Sequence[int], most_rows: int, parent: QWidget | None = None, wraps: bool = False
    ) -> None:
        super().__init__(0, columns, parent)
        self._most_rows, self._wraps = most_rows, wraps
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setProperty("role", "rows")
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(wraps)
        self.verticalHeader().setVisible(False)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in wide:
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.fit()

    def show_most(self, rows: int) -> None:
        """Scroll only from so many rows on."""
        if rows != self._most_rows:
            self._most_rows = rows
            self.fit()

    def fit(self) -> None:
        """To its rows and to the size of the text."""
        height = self.fontMetrics().height() + _PADDING
        self.verticalHeader().setDefaultSectionSize(height)
        shown = min(max(self.rowCount(), 1), self._most_rows)
        room = shown * height
        if self._wraps and self.rowCount():
            for row in range(self.rowCount()):
                self.setRowHeight(row, max(height, self._needed(row)))
            room = sum(self.rowHeight(row) for row in range(shown))
        head = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(head + room + 2 * self.frameWidth() + 2)

    def _needed(self, row: int) -> int:
        """For all lines of its longest cell. Qt's own answer forgets the padding of a style sheet."""
        wraps, boxes = Qt.TextFlag.TextWordWrap, []
        for column in range(self.columnCount()):
            if cell := self.item(row, column):
                room = self.columnWidth(column) - _PADDING
                boxes.append(self.fontMetrics().boundingRect(0, 0, room, 0, wraps, cell.text()))
        return max((box.height() for box in boxes), default=0) + _PADDING

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._wraps and event.size().width() != event.oldSize().width():
            self.fit()

    def put(self, row: int, column: int, words: str, is_number: bool = False) -> QTableWidgetItem:
        """Set a cell's words and return it; numbers stand at the right."""
        made = QTableWidgetItem(words)
        if is_number:
            made.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setItem(row, column, made)
        return made

    @property
    def chosen_row(self) -> int:
        """-1: none."""
        marked = self.selectionModel().selectedRows() if self.selectionModel() else []
        return marked[0].row() if marked else -1
