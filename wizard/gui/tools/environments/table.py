"""The environments as a table: one row each, sizes filled in as they come. Shows values; asks nobody.

One file: the table, what stands in its chosen row, and the fold that shows the rest of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QPushButton, QWidget

from wizard.app.pages.build import version_rank
from wizard.app.use.environments import is_measured
from wizard.gui.tools.environments.words import (
    built_words,
    cannot_take,
    day_text,
    engine_name,
    environment_state,
    from_home,
    torch_words,
)
from wizard.gui.widgets.frames import column
from wizard.gui.widgets.icons import ICON_SIZE, icon
from wizard.gui.widgets.labels import SIGNS, label, spoken, told_of, without_key
from wizard.gui.widgets.row_table import (
    BADGE,
    EDGE,
    FOLDER,
    PADDING,
    SHARE,
    BadgeCell,
    Cell,
    NameCell,
    RowTable,
    SizeCell,
    put,
)
from wizard.model.messages import bytes_text

if TYPE_CHECKING:
    from wizard.environment.inspect.sizes import Sizes
    from wizard.environment.model import Environment

_NAME, _PYTHON, _TORCH, _ENGINE, _SIZE, _USED, _STATE = range(7)
_MOST_ROWS_SHOWN, _ALL_ROWS = 8, 100_000  # in a form; on a page of its own, which scrolls
_LEAST_TALL = {_PYTHON: 720, _SIZE: 650, _USED: 620}  # pixels of the table: the folder below the name keeps 180
_LEAST = {_ENGINE: 800, _PYTHON: 680, _USED: 680}
_BESIDE = 860  # pixels of the table: from here on the bar of a size stands before it
_NARROW = 540  # pixels of the table: below it a name, a state and one more have room


class EnvironmentsTable(RowTable):
    chosen = Signal()  # another row, or none
    entered = Signal()  # Return was pressed on the chosen one
    laid = Signal()  # rows have other heights

    def __init__(self, is_tall: bool = True, parent: QWidget | None = None) -> None:
        """`is_tall`: rows of two lines with sizes, of which the chosen one can be opened; else a list in a form."""
        self._opened = 0, -1  # pixels below the words of a row, and which row
        self._rows: tuple[Environment, ...] = ()  # as shown
        super().__init__(7, (_NAME,), _ALL_ROWS if is_tall else _MOST_ROWS_SHOWN, parent, is_tall=is_tall)
        self.setColumnHidden(_SIZE, not is_tall)
        self.setColumnHidden(_ENGINE, is_tall)  # its details say it
        self._every: tuple[Environment, ...] = ()
        self._sizes: Mapping[Path, Sizes] = {}
        self._words: tuple[str, ...] = ()
        self._sorted_by = (_USED, True)  # column, largest first
        self._has_nobodys, self._wanted = True, ""
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if is_tall:  # as high as its rows: the page scrolls
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._size_cell = SizeCell(self)
        self._delegates = {_PYTHON: Cell(self), _NAME: NameCell(self), _SIZE: self._size_cell, _STATE: BadgeCell(self)}
        self.setItemDelegate(self._delegates[_PYTHON])
        for place in (_NAME, _SIZE, _STATE):
            self.setItemDelegateForColumn(place, self._delegates[place])
        self.itemSelectionChanged.connect(self.chosen)
        self.horizontalHeader().setSectionsClickable(True)
        self.horizontalHeader().sectionClicked.connect(self.sort_by)

    @property
    def selected(self) -> Environment | None:
        row = self.chosen_row
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def select(self, prefix: Path | None) -> None:
        """Choose the row of this environment; none where it is not listed."""
        for row, one in enumerate(self._rows):
            if one.prefix == prefix:
                self.selectRow(row)
                return
        self.clearSelection()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens the row that the keyboard stands on, and goes no further. An arrow chooses the first row, too:
        where it is the only one, there is no other to come from."""
        self.was_used = True
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.selected is None and self.rowCount():
            self.selectRow(max(self.currentRow(), 0))
            return
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or not self.is_tall:
            super().keyPressEvent(event)
        elif self.rowCount() and not event.isAutoRepeat():
            self.selectRow(max(self.currentRow(), 0))
            self.entered.emit()

    @property
    def heading(self) -> str:
        """Return what the rows are called that are nobody's to delete; '' where no others stand above them. No row says
        it: a screen reader would take it for one to choose."""
        has_both = self.is_tall and {one.is_persons for one in self._rows} == {True, False}
        return self.tr("System and base Pythons") if has_both else ""

    def heading_room(self) -> QRect:
        """Return where the heading stands: below the last row that is the person's, which is as much higher."""
        row = sum(one.is_persons for one in self._rows) - 1
        high, seen = self._heading_height, self.viewport().geometry()
        bottom = self.rowViewportPosition(row) + self.rowHeight(row)
        return QRect(seen.x(), seen.y() + bottom - high, seen.width(), high) if self.heading else QRect()

    @property
    def _heading_height(self) -> int:
        return self.fontMetrics().height() + PADDING

    def retranslate(self) -> None:
        heads = [
            self.tr("Name"),
            self.tr("Python"),
            self.tr("PyTorch"),
            self.tr("Made by"),
            self.tr("Size"),
            self.tr("Last used"),
            self.tr("State"),
        ]
        column, is_largest_first = self._sorted_by
        heads[column] += " ▼" if is_largest_first else " ▲"
        self.setHorizontalHeaderLabels(heads)
        self.setAccessibleName(self.tr("Environments on this computer"))

    def show_rows(self, rows: Sequence[Environment], sizes: Mapping[Path, Sizes]) -> None:
        """The selection stays with its environment."""
        self._every, self._sizes = tuple(rows), sizes
        before = self.selected
        with QSignalBlocker(self):
            self._rows = tuple(self._in_order(one for one in self._every if self._is_meant(one)))
            self.setRowCount(len(self._rows))
            for row, one in enumerate(self._rows):
                self._fill(row, one, sizes.get(one.prefix))
            self.select(before.prefix if before else None)
        self._compare_sizes()
        self.fit()
        if self.selected != before:
            self.chosen.emit()

    def search(self, words: str) -> None:
        """Show only those whose name, folder or versions hold every word."""
        self._words = tuple(words.casefold().split())
        self.show_rows(self._every, self._sizes)

    def want(self, package: str) -> None:
        """A package that a row is being chosen for, '' where none is: who cannot take it says why."""
        if package != self._wanted:
            self._wanted = package
            self.show_rows(self._every, self._sizes)

    def show_nobodys(self, is_shown: bool) -> None:
        """Show also what is nobody's to delete: conda's own and the system's."""
        self._has_nobodys = is_shown
        self.show_rows(self._every, self._sizes)

    def open_chosen(self, room: int) -> QRect:
        """Make room below the words of the chosen row, in pixels; return where it is."""
        if (room, self.chosen_row) != self._opened:
            self._opened = room, self.chosen_row
            self.fit()
        top = self.rowViewportPosition(max(self.chosen_row, 0)) + self.closed_height
        seen = self.viewport().geometry()
        return QRect(seen.x() + EDGE, seen.y() + top, seen.width() - EDGE, room)

    def fit(self) -> None:
        """To its rows, the open one among them, and to the size of the text."""
        if not self.is_tall:
            super().fit()
            return
        height, chosen = self.closed_height, self.chosen_row
        self.verticalHeader().setDefaultSectionSize(height)
        above_heading = sum(one.is_persons for one in self._rows) - 1 if self.heading else -1
        for row in range(self.rowCount()):
            below = (self._opened[0] if row == chosen else 0) + (self._heading_height if row == above_heading else 0)
            self.setRowHeight(row, height + below)
        room = sum(self.rowHeight(row) for row in range(self.rowCount())) or height
        head = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(head + room + 2 * self.frameWidth() + 2)
        self.laid.emit()

    def _is_meant(self, one: Environment) -> bool:
        if not one.is_persons and not (self._has_nobodys or self._words):
            return False
        said = (one.name, one.prefix, one.python, torch_words(one), built_words(one), one.kind.value, one.state.value)
        return all(word in " ".join(map(str, said)).casefold() for word in self._words)

    def sort_by(self, column: int) -> None:
        """Sort by a column; the same column again turns it round."""
        before, was_largest_first = self._sorted_by
        self._sorted_by = (column, not was_largest_first if column == before else column in (_SIZE, _USED))
        self.retranslate()
        self._show_columns()
        self.show_rows(self._every, self._sizes)

    def _in_order(self, rows: Iterable[Environment]) -> list[Environment]:
        """What is nobody's to delete comes last in any order."""
        column, is_largest_first = self._sorted_by
        found = sorted(rows, key=lambda one: self._key(one, column), reverse=is_largest_first)
        return sorted(found, key=lambda one: not one.is_persons)

    def _key(self, one: Environment, column: int) -> tuple[Any, ...]:
        sizes = self._sizes.get(one.prefix)
        keys: dict[int, tuple[Any, ...]] = {
            _PYTHON: version_rank(one.python) if one.python else (),
            _TORCH: version_rank(one.torch) if one.torch else (),
            _ENGINE: (one.kind.value,),
            _SIZE: (sizes.apparent if sizes else 0,),
            _USED: (one.last_used or 0.0,),
            _STATE: (one.state.value,),
        }
        return keys.get(column, (one.name.casefold(),))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_columns()

    def _show_columns(self) -> None:
        """In a narrow window the name is worth more, and what the rows are sorted by: its sign is there. In the least
        one the day gives way also to it, and PyTorch to another sorted column. The viewport's width would change with
        the columns, for ever."""
        least, by = _LEAST_TALL if self.is_tall else _LEAST, self._sorted_by[0]
        wide = self.width()
        if self._size_cell.place_bar(wide < _BESIDE):
            self.horizontalHeader().setSectionResizeMode(_SIZE, QHeaderView.ResizeMode.ResizeToContents)  # once more
        for place, pixels in least.items():
            self.setColumnHidden(place, wide < (_NARROW if place == _USED == by else 0 if place == by else pixels))
        self.setColumnHidden(_TORCH, wide < _NARROW and by in least and by != _USED)

    def show_size(self, prefix: Path, sizes: Sizes) -> None:
        """Put a size that has been measured into its row; bars compare it with the largest."""
        for row, one in enumerate(self._rows):
            if one.prefix == prefix:
                self.put(row, _SIZE, bytes_text(sizes.apparent), is_number=True)
        self._sizes = {**self._sizes, prefix: sizes}
        self._compare_sizes()

    def _compare_sizes(self) -> None:
        shown = {row: self._sizes.get(one.prefix) for row, one in enumerate(self._rows)}
        largest = max((sizes.apparent for sizes in shown.values() if sizes), default=0)
        for row, sizes in shown.items():
            if sizes and largest:
                put(self, row, _SIZE, SHARE, sizes.apparent / largest)

    def _fill(self, row: int, one: Environment, sizes: Sizes | None) -> None:
        state, word = environment_state(one.state.value)
        is_one_of_several = not self.is_tall and sum(other.name == one.name for other in self._every) > 1
        name = f"{one.name}  ({one.prefix.parent})" if is_one_of_several else one.name
        why = cannot_take(one, self._wanted) if self._wanted else ""
        self.put(row, _NAME, name, "\n".join(filter(None, (str(one.prefix), why))))
        if self.is_tall:
            put(self, row, _NAME, FOLDER, from_home(one.prefix))
        place = (str(one.prefix),) if one.is_persons or not self.heading else (self.heading, str(one.prefix))
        put(self, row, _NAME, Qt.ItemDataRole.AccessibleDescriptionRole, spoken(filter(None, (*place, why))))
        python = ".".join((one.python or "–").split(".")[: 2 if self.is_tall else None])
        self.put(row, _PYTHON, python, one.python or "")
        self.put(row, _TORCH, built_words(one) if self.is_tall else torch_words(one))
        self.put(row, _ENGINE, engine_name(one.kind.value))
        unknown = "…" if is_measured(one) else "–"  # it will never come
        self.put(row, _SIZE, bytes_text(sizes.apparent) if sizes else unknown, is_number=True)
        self.put(row, _USED, day_text(one.last_used))
        self.put(row, _STATE, f"{SIGNS[state]} {word}")
        put(self, row, _STATE, BADGE, state)


class OpenedRow(QWidget):
    """The table, and in the room of its chosen row what is said and done there; and the heading of the last rows.

    What stands in the row is the table's neighbour, not its child: screen readers know of a table's cells only.
    """

    moved = Signal(QRect)  # the open row, from the top left corner of this widget

    def __init__(self, table: EnvironmentsTable, card: QWidget) -> None:
        super().__init__()
        self._table, self._card = table, card
        rows = column(self)
        rows.addWidget(table)
        card.setParent(self)
        card.installEventFilter(self)
        self.heading = label("", "list-heading", self, wrap=False, spoken_as="heading")
        table.chosen.connect(self.place)
        table.laid.connect(self._place_heading)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.place()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A line that is broken anew takes another height."""
        super().resizeEvent(event)
        self.place()

    def _place_heading(self) -> None:
        self.heading.setText(self._table.heading)
        self.heading.setGeometry(self._table.heading_room())
        self.heading.setVisible(bool(self.heading.text()))
        self.heading.raise_()

    def place(self) -> None:
        """Open the chosen row as far as the card needs it, and put the card there."""
        layout = self._card.layout()
        is_open = not self._card.isHidden() and self._table.chosen_row >= 0 and layout is not None
        wide = self.width() - 2 * self._table.frameWidth() - EDGE
        high = 0
        if is_open and layout is not None:
            high = layout.totalHeightForWidth(wide) if layout.hasHeightForWidth() else layout.totalSizeHint().height()
        room = self._table.open_chosen(high)
        if is_open:
            self._card.setGeometry(room)
            self._card.raise_()
            self.moved.emit(room.adjusted(0, -self._table.closed_height, 0, 0))
        self._place_heading()


class NobodysFold(QPushButton):
    """Shows what is nobody's to delete in the table, which hides it otherwise; a search finds it all the same."""

    def __init__(self, table: EnvironmentsTable) -> None:
        super().__init__()
        self.setProperty("role", "fold")
        self.setCheckable(True)
        self.setIconSize(ICON_SIZE)
        self._table, self._count = table, 0
        self.toggled.connect(self._turn)
        self._turn(False)

    def show_count(self, found: Sequence[Environment], wanted: Path | None) -> None:
        """Count them; open where one of them is asked for."""
        self._count = sum(not one.is_persons for one in found)
        if any(one.prefix == wanted and not one.is_persons for one in found):
            self.setChecked(True)
        self.retranslate()

    def retranslate(self) -> None:
        words = self.tr("S&ystem and base Pythons")
        self.setText(f"{words}  ({self._count})")
        self.setAccessibleName(told_of(without_key(words), str(self._count)))

    def _turn(self, is_open: bool) -> None:
        self.setIcon(icon("chevron-down" if is_open else "chevron-right"))
        self._table.show_nobodys(is_open)
