"""The environments as a table: one row each, sizes filled in as they come. Shows values; asks nobody.

One file: the table, what is drawn in its cells, and the fold that shows the rest of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QPushButton, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from wizard.app.pages.build import version_rank
from wizard.gui.shell.theme import colour_now
from wizard.gui.widgets.icons import ICON_SIZE, icon
from wizard.gui.widgets.labels import SIGNS, plain_tip
from wizard.gui.widgets.row_table import RowTable
from wizard.model.messages import bytes_text

if TYPE_CHECKING:
    from wizard.environment.inspect.sizes import Sizes
    from wizard.environment.model import Environment

Index = QModelIndex | QPersistentModelIndex
_NAME, _PYTHON, _TORCH, _ENGINE, _SIZE, _USED, _STATE = range(7)
_MOST_ROWS_SHOWN, _MOST_ROWS_ALONE = 8, 15  # beside the card of one; where nothing else is shown
_NARROW, _NARROWER = 800, 680  # pixels
_NOBODYS = ("base", "system")  # what is not an environment of the person's
_STATES = {"ok": "ok", "broken": "problem", "unfinished": "warning", "deleting": "note"}


def engine_name(kind: str) -> str:
    """Return who made an environment in the language of the window."""
    names = {
        "rattler": QCoreApplication.translate("EngineName", "built-in"),
        "conda": QCoreApplication.translate("EngineName", "conda"),
        "venv": QCoreApplication.translate("EngineName", "venv"),
        "base": QCoreApplication.translate("EngineName", "conda itself"),
        "system": QCoreApplication.translate("EngineName", "system"),
    }
    return names.get(kind, kind)


def environment_state(state: str) -> tuple[str, str]:
    """The pill's state and word."""
    words = {
        "ok": QCoreApplication.translate("EnvironmentState", "ok"),
        "broken": QCoreApplication.translate("EnvironmentState", "broken"),
        "unfinished": QCoreApplication.translate("EnvironmentState", "unfinished"),
        "deleting": QCoreApplication.translate("EnvironmentState", "being deleted"),
    }
    return _STATES.get(state, "note"), words.get(state, state)


def torch_words(one: Environment) -> str:
    if one.torch is None:
        return "–"
    return f"{one.torch}+{one.variant}" if one.variant and "+" not in one.torch else one.torch


def day_text(moment: float | None) -> str:
    return "–" if moment is None else time.strftime("%Y-%m-%d", time.localtime(moment))


_SHARE = Qt.ItemDataRole.UserRole  # of a size: its part of the largest, 0 to 1
_BADGE = Qt.ItemDataRole.UserRole + 1  # of a state: what colours it
_BAR_WIDTH, _BAR_HEIGHT = 64, 8  # pixels


def is_nobodys(one: Environment) -> bool:
    """Tell whether it is conda's own or the system's: no environment of the person's."""
    return one.kind.value in _NOBODYS


class _SizeBar(QStyledItemDelegate):
    """A size with a bar that compares it with the largest."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        share = index.data(_SHARE)
        if share is None:
            return
        room = option.rect
        bar = QRectF(room.x() + 8, room.center().y() - _BAR_HEIGHT / 2 + 1, _BAR_WIDTH, _BAR_HEIGHT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_now("disabled"))
        painter.drawRoundedRect(bar, 4, 4)
        painter.setBrush(colour_now("neutral"))
        painter.drawRoundedRect(QRectF(bar.x(), bar.y(), max(bar.height(), bar.width() * share), bar.height()), 4, 4)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(_BAR_WIDTH + 16, 0)


class _Badge(QStyledItemDelegate):
    """A state as the pills of the other pages show it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        state = str(index.data(_BADGE))
        self.initStyleOption(option, index)
        words, option.text = option.text, ""
        widget = option.widget
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        font = option.font
        font.setBold(True)
        room = option.rect
        wide = QFontMetrics(font).horizontalAdvance(words) + 18
        pill = QRectF(room.x() + 4, room.center().y() - 10, wide, 21)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_now(state))
        painter.drawRoundedRect(pill, 9, 9)
        painter.setPen(colour_now(f"on_{state}"))
        painter.setFont(font)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(30, 0)


class EnvironmentsTable(RowTable):
    chosen = Signal()  # another row, or none

    def __init__(self, with_size: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(7, (_NAME,), _MOST_ROWS_SHOWN, parent)
        self.setColumnHidden(_SIZE, not with_size)
        self._rows: tuple[Environment, ...] = ()  # as shown
        self._every: tuple[Environment, ...] = ()
        self._sizes: Mapping[Path, Sizes] = {}
        self._words: tuple[str, ...] = ()
        self._sorted_by: tuple[int, bool] | None = None  # column, largest first
        self._has_nobodys = True
        self._delegates = (_SizeBar(self), _Badge(self))
        self.setItemDelegateForColumn(_SIZE, self._delegates[0])
        self.setItemDelegateForColumn(_STATE, self._delegates[1])
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

    def retranslate(self) -> None:
        self.setHorizontalHeaderLabels(
            [
                self.tr("Name"),
                self.tr("Python"),
                self.tr("PyTorch"),
                self.tr("Made by"),
                self.tr("Size"),
                self.tr("Last used"),
                self.tr("State"),
            ]
        )
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

    def show_nobodys(self, is_shown: bool) -> None:
        """Show also what is nobody's to delete: conda's own and the system's."""
        self._has_nobodys = is_shown
        self.show_rows(self._every, self._sizes)

    def show_alone(self, is_alone: bool) -> None:
        """Take the whole height where nothing stands below."""
        self.show_most(_MOST_ROWS_ALONE if is_alone else _MOST_ROWS_SHOWN)

    def _is_meant(self, one: Environment) -> bool:
        if is_nobodys(one) and not (self._has_nobodys or self._words):
            return False
        said = f"{one.name} {one.prefix} {one.python} {torch_words(one)} {one.kind.value} {one.state.value}".casefold()
        return all(word in said for word in self._words)

    def sort_by(self, column: int) -> None:
        """Sort by a column; the same column again turns it round."""
        before = self._sorted_by
        is_again = before is not None and before[0] == column
        is_largest_first = not before[1] if before and is_again else column in (_SIZE, _USED)
        self._sorted_by = (column, is_largest_first)
        order = Qt.SortOrder.DescendingOrder if is_largest_first else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicatorShown(True)
        self.horizontalHeader().setSortIndicator(column, order)
        self.show_rows(self._every, self._sizes)

    def _in_order(self, rows: Iterable[Environment]) -> list[Environment]:
        """As found; what is nobody's to delete comes last in any order."""
        found = list(rows)
        if self._sorted_by is not None:
            column, is_largest_first = self._sorted_by
            found.sort(key=lambda one: self._key(one, column), reverse=is_largest_first)
        return sorted(found, key=is_nobodys)

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
        """In a narrow window the name is worth more than the day and the engine, which stand in the card, too."""
        super().resizeEvent(event)
        self.setColumnHidden(_USED, event.size().width() < _NARROW)
        self.setColumnHidden(_ENGINE, event.size().width() < _NARROWER)

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
            cell = self.item(row, _SIZE)
            if cell is not None and sizes and largest:
                cell.setData(_SHARE, sizes.apparent / largest)

    def _fill(self, row: int, one: Environment, sizes: Sizes | None) -> None:
        state, word = environment_state(one.state.value)
        is_one_of_several = sum(other.name == one.name for other in self._every) > 1
        name = self.put(row, _NAME, f"{one.name}  ({one.prefix.parent})" if is_one_of_several else one.name)
        name.setToolTip(plain_tip(str(one.prefix)))
        name.setData(Qt.ItemDataRole.AccessibleDescriptionRole, str(one.prefix))
        self.put(row, _PYTHON, one.python or "–")
        self.put(row, _TORCH, torch_words(one))
        self.put(row, _ENGINE, engine_name(one.kind.value))
        self.put(row, _SIZE, bytes_text(sizes.apparent) if sizes else "…", is_number=True)
        self.put(row, _USED, day_text(one.last_used))
        self.put(row, _STATE, f"{SIGNS[state]} {word}").setData(_BADGE, state)


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
        self._count = sum(map(is_nobodys, found))
        if any(one.prefix == wanted and is_nobodys(one) for one in found):
            self.setChecked(True)
        self.retranslate()

    def retranslate(self) -> None:
        self.setText(f"{self.tr('Base installations and the P&ythons of the system')}  ({self._count})")

    def _turn(self, is_open: bool) -> None:
        self.setIcon(icon("chevron-down" if is_open else "chevron-right"))
        self._table.show_nobodys(is_open)
