"""Frames: cards with rows, and the thin line between two rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from wizard.gui.widgets.labels import SIGNS, label

Margins = tuple[int, int, int, int]
NO_MARGINS: Margins = (0, 0, 0, 0)


def box(role: str = "card", parent: QWidget | None = None) -> QFrame:
    made = QFrame(parent)
    made.setProperty("role", role)
    return made


def column(parent: QWidget | None = None, margins: Margins = NO_MARGINS, gap: int = 8) -> QVBoxLayout:
    made = QVBoxLayout(parent) if parent else QVBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(gap)
    return made


def line_up(parent: QWidget | None = None, margins: Margins = NO_MARGINS, gap: int = 10) -> QHBoxLayout:
    made = QHBoxLayout(parent) if parent else QHBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(gap)
    return made


def stacked(*widgets: QWidget) -> QWidget:
    """Lines of one cell, kept together in its middle."""
    made = QWidget()
    lines = column(made, gap=2)
    lines.addStretch(1)
    for widget in widgets:
        lines.addWidget(widget)
    lines.addStretch(1)
    return made


def empty(layout: QLayout) -> None:
    """Takes everything out; what was shown is deleted when Qt is back in its loop."""
    while layout.count():
        item = layout.takeAt(0)
        if item is None:
            break
        if widget := item.widget():
            widget.hide()
            widget.deleteLater()
        elif inner := item.layout():
            empty(inner)


class RowCard(QFrame):
    """A card of rows in common columns. `stretch` names the column that takes the room that is left."""

    def __init__(self, columns: int, stretch: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._columns = columns
        self._stretch = stretch
        self._outer = column(self, (6, 6, 6, 6), 0)
        self._renew()

    def _renew(self) -> None:
        self._holder = QWidget(self)
        self._grid = QGridLayout(self._holder)
        self._grid.setContentsMargins(10, 2, 10, 2)
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(self._stretch, 1)
        self._outer.addWidget(self._holder)
        self._rows = 0

    def clear(self) -> None:
        """A new grid each time: an emptied QGridLayout keeps the rows' spacing."""
        self._outer.removeWidget(self._holder)
        self._holder.hide()
        self._holder.deleteLater()
        self._renew()

    def add_row(self, *cells: QWidget | None, tight: bool = False) -> None:
        if self._rows:
            self._grid.addWidget(box("line", self._holder), self._rows, 0, 1, self._columns)
            self._rows += 1
        for place, cell in enumerate(cells):
            if cell is not None:
                padded = QWidget(self._holder)
                inner = line_up(padded, (0, 4 if tight else 8, 0, 4 if tight else 8), 0)
                if cell.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Fixed:  # pills stand at the left
                    inner.addWidget(cell, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
                else:
                    inner.addWidget(cell)
                room = 1 + len(
                    list(takewhile(lambda other: other is None, cells[place + 1 :]))
                )  # of cells that are empty
                self._grid.addWidget(padded, self._rows, place, 1, room)
        self._rows += 1

    def add_wide(self, cell: QWidget) -> None:
        """Below the last row, over all columns, without a line between: it belongs to that row."""
        cell.setContentsMargins(0, 0, 0, 10)  # of its own: hidden, it takes no room
        self._grid.addWidget(cell, self._rows, 0, 1, self._columns)
        self._rows += 1

    @property
    def grid(self) -> QGridLayout:
        return self._grid


class Fold(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "fold")
        rows = column(self)
        self.button = QPushButton(self)
        self.button.setCheckable(True)
        self.button.setProperty("role", "plain")
        self._sheet = box("card", self)
        self.body: QVBoxLayout = column(self._sheet, (16, 14, 16, 14))
        self._sheet.setVisible(False)
        rows.addWidget(self.button)
        rows.addWidget(self._sheet)
        self._words = ""
        self.button.toggled.connect(self._turn)

    def show_words(self, words: str) -> None:
        self._words = words
        self._turn(self.button.isChecked())

    def _turn(self, is_open: bool) -> None:
        self.button.setText(f"{'▾' if is_open else '▸'}  {self._words}")
        self.button.setAccessibleName(self._words.replace("&", ""))
        self._sheet.setVisible(is_open)


class Tile(QPushButton):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "tile")
        rows = column(self, (18, 14, 18, 14), 4)
        self._heading, self._words = label("", "heading"), label("", "muted")
        for part in (self._heading, self._words):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            rows.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

    def show_words(self, heading: str, words: str) -> None:
        self._heading.setText(heading)
        self._words.setText(words)
        self.setAccessibleName(heading)
        self.setAccessibleDescription(words)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        return layout.minimumSize() if layout else super().minimumSizeHint()


# What, where, download, disk: one value in each, and one line below it.


class InfoTile(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "info")
        rows = column(self, (20, 14, 20, 14), 4)
        self._name, self._value, self._more = label("", "muted"), label("", "value"), label("", "muted")
        for part in (self._name, self._value, self._more):
            rows.addWidget(part)
        rows.addStretch(1)

    def show_words(self, name: str, value: str, more: str) -> None:
        for part, words in ((self._name, name), (self._value, value), (self._more, more)):
            part.setText(words)
        self._more.setVisible(bool(more))
        self.setAccessibleName(f"{name}: {value}. {more}".strip())

    @property
    def words(self) -> str:
        return self.accessibleName()


class InfoTiles(QWidget):
    """Two and two, of the same size."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(12)
        self.what, self.where, self.download, self.disk = (InfoTile() for _ in range(4))
        for place, tile in enumerate((self.what, self.where, self.download, self.disk)):
            grid.addWidget(tile, place // 2, place % 2)
        for number in range(2):
            grid.setColumnStretch(number, 1)
            grid.setColumnMinimumWidth(number, 100)


class Notice(QFrame):
    """The one box in amber. Hidden where it has nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice")
        outer = column(self, (20, 14, 20, 14), 6)
        self._title, self._rows = label("", "notice-title"), column(gap=6)
        outer.addWidget(self._title)
        outer.addLayout(self._rows)

    def show_rows(self, title: str, rows: Sequence[str]) -> None:
        self._title.setText(f"{SIGNS['warning']}  {title}")
        empty(self._rows)
        for number, words in enumerate(rows):
            if number:
                self._rows.addWidget(box("notice-line"))
            self._rows.addWidget(label(words))
        self.setAccessibleName(f"{title}: {' '.join(rows)}")
        self.setVisible(bool(rows))
