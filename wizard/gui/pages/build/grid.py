"""The grid torch x CUDA: what fits is ticked, what does not says why; keyboard and screen reader included.

A few builds for the processor alone stand side by side in one row. One file: one widget, whose parts share its cells.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from wizard.gui.widgets.labels import in_a_row, plain_tip, spoken, told_of
from wizard.app.pages.build import Grid, is_unsure, may_be_forced
from wizard.compatibility.model import Candidate
from wizard.gui.shell.context import AppContext
from wizard.gui.widgets.figures import variant_text
from wizard.gui.widgets.row_table import put, scroll_page
from wizard.model.messages import message

_ROW_HEIGHT = 32
_IN_ONE_LINE = 4  # columns whose heads have the room
_SIGNS_ONLY = 2
_FONT = 0.88  # of the running text: eight CUDA families stand side by side
_EDGE = 8  # pixels between a cell's words and its border
_SIDE_BY_SIDE = 7  # columns
_WHOLE, _LEAST_ROWS = 8, 3  # rows: so few the page scrolls with all else; of more, these are seen in a low window
_ABSENT = "–"
_KIND = Qt.ItemDataRole.UserRole


class _Words(NamedTuple):
    """What a cell says: in the table, and as a whole sentence under the mouse and to a screen reader."""

    text: str
    kind: str = ""
    whole: str = ""


class _Cell(QStyledItemDelegate):
    """Paints the cells: the style sheet owns the items' background, so colours of items would be ignored."""

    def __init__(self, grid: BuildGrid) -> None:
        super().__init__(grid)
        self._grid = grid

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        kind = str(index.data(_KIND) or "")
        colour = self._grid.context.theme.colour
        back, fore = {
            "picked": ("accent", "on_accent"),
            "fits": ("ok", "on_ok"),
            "unsure": ("warning", "on_warning"),
            "forced": ("warning", "on_warning"),
        }.get(kind, ("card", "muted"))
        rect: QRect = option.rect
        painter.save()
        painter.fillRect(rect, colour("card"))
        if kind:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(colour(fore if kind != "picked" else back), 1))
            painter.setBrush(colour(back))
            painter.drawRoundedRect(QRectF(rect).adjusted(3.5, 2.5, -3.5, -2.5), 6, 6)
        painter.setPen(colour(fore))
        painter.setFont(_font_of(option, kind))
        room = rect.adjusted(_EDGE, 0, -_EDGE, 0)
        words = painter.fontMetrics().elidedText(
            self._grid.shown_words(index), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)
        if self._grid.hasFocus() and index == self._grid.currentIndex():
            ring: QColor = colour("text")
            painter.setPen(QPen(ring, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 7, 7)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        words = QFontMetrics(_font_of(option, str(index.data(_KIND) or "")))
        return QSize(words.horizontalAdvance(self._grid.shown_words(index)) + 2 * _EDGE + 2, words.height())


def _font_of(option: QStyleOptionViewItem, kind: str) -> QFont:
    font = QFont(option.font)
    font.setBold(kind in ("picked", "forced"))
    font.setPointSizeF(font.pointSizeF() * _FONT)
    return font


class BuildGrid(QTableWidget):
    chosen = Signal(object)  # Candidate: a fitting cell was pressed
    wanted = Signal(object)  # Candidate: one was pressed that does not fit, but is there
    looked_at = Signal(object)  # Candidate | None: under the mouse or the cursor

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._grid: Grid | None = None
        self._heads: tuple[tuple[str, ...], ...] = ()
        self._is_across = False
        self._kept = (-1, -1)  # where the cursor is, while nobody sees it
        self._shown: dict[tuple[int, int], _Words] = {}
        self._terseness = 0  # 1: what does not fit shows its sign only; 2: all do, and the heads their numbers
        self._corner = QLabel("CUDA", self)
        self._corner.setProperty("role", "small")
        self._corner.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._row_height = max(_ROW_HEIGHT, self.fontMetrics().height() + 12)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setProperty("role", "builds")
        self.setMouseTracking(True)
        self.setItemDelegate(_Cell(self))
        cell = QTableWidgetItem()  # nothing is edited, dragged or ticked
        cell.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        self.setItemPrototype(cell)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionsClickable(False)
        self.verticalHeader().setHighlightSections(False)
        self.verticalHeader().setSectionsClickable(False)
        self.verticalHeader().setDefaultSectionSize(self._row_height)
        self.cellClicked.connect(self._press)
        self.currentCellChanged.connect(self._look)
        self.currentCellChanged.connect(lambda: scroll_page(self))
        self.cellEntered.connect(self._look)

    def show_grid(self, grid: Grid, picked: Candidate | None, best: Candidate | None) -> None:
        """Keeps the cursor where it is when the table keeps its shape."""
        self._grid = grid
        here = (self.currentRow(), self.currentColumn()) if self.isVisible() else self._kept
        heads = (grid.releases, grid.variants)
        self._is_across = len(grid.variants) == 1 and len(grid.releases) <= _SIDE_BY_SIDE
        if self._is_across:
            heads = (grid.variants, grid.releases)
        rows, columns = map(len, heads)
        same = (self.rowCount(), self.columnCount()) == (rows, columns)
        self.blockSignals(True)
        if heads != self._heads:
            self._make_cells(heads)
        for row in range(rows):
            for column in range(columns):
                one = self._at(row, column)
                self._fill(row, column, self._words(one, picked, best))
                if not same and picked and one == picked:
                    here = (row, column)
        self._share_room()
        self._name_columns()
        self._kept = here
        if here[0] >= 0 and self.isVisible():
            self.setCurrentCell(*here)
            self.scrollTo(self.currentIndex())
        self.blockSignals(False)
        self.updateGeometry()

    def cell_of(self, torch: str, variant: str) -> tuple[int, int]:
        """Raises ValueError for a build that is not in the table."""
        if self._grid is None:
            raise ValueError(torch)
        release, family = self._grid.releases.index(torch), self._grid.variants.index(variant)
        return (family, release) if self._is_across else (release, family)

    def describe(self, one: Candidate, words: str) -> None:
        """Tell a screen reader what the page says of a cell, where it is in the table."""
        if self._grid and one.torch in self._grid.releases and one.variant in self._grid.variants:
            put(self, *self.cell_of(one.torch, one.variant), Qt.ItemDataRole.AccessibleDescriptionRole, words)

    def sizeHint(self) -> QSize:
        rows = self.rowCount()
        return QSize(400, self._height_of(rows if rows <= _WHOLE else _LEAST_ROWS))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def updateGeometries(self) -> None:
        """Lay out the headers, and take no more room than the rows need: a style makes the header higher."""
        super().updateGeometries()
        self.setMaximumHeight(self._height_of(self.rowCount()))
        head, side = self.horizontalHeader(), self.verticalHeader()
        self._corner.setGeometry(side.x(), head.y(), side.width(), head.height())

    def _height_of(self, rows: int) -> int:
        """Return the pixels that so many rows take with what stands around them."""
        return self.horizontalHeader().sizeHint().height() + rows * self._row_height + 2 * self.frameWidth()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Select):
            self._press(self.currentRow(), self.currentColumn())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            event.ignore()  # for the window
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Scroll to the cell, once it has its place. The page that opens gives the keys, too, and stays at its top."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.OtherFocusReason:
            QTimer.singleShot(0, self, lambda: scroll_page(self))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._put_cursor(self._kept)
            self.scrollTo(self.currentIndex())

    def hideEvent(self, event: QHideEvent) -> None:
        """Put the cursor away: Qt tells screen readers that its cell has the focus, on whatever page one is."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._kept = (self.currentRow(), self.currentColumn())
            self._put_cursor((-1, -1))

    def _put_cursor(self, cell: tuple[int, int]) -> None:
        self.blockSignals(True)
        self.setCurrentCell(*cell)
        self.blockSignals(False)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._look(self.currentRow(), self.currentColumn())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self.itemAt(event.position().toPoint()) is None:
            self._look(self.currentRow(), self.currentColumn())

    def _share_room(self) -> None:
        """A column with words is as wide as they are; the others share what is left. Without room for all words the
        cells show their signs only, first those that do not fit: the sentence below says the rest."""
        head, columns = self.horizontalHeader(), range(self.columnCount())
        for self._terseness in range(3):
            words, gaps = ("13.2", _EDGE // 2) if self._terseness == _SIGNS_ONLY else ("CUDA", 3 * _EDGE)
            least = head.fontMetrics().horizontalAdvance(words) + gaps
            widths = [max(self.sizeHintForColumn(column), least) for column in columns]
            if sum(widths) <= self._room():
                break
        may_be_alike = max(widths, default=0) * len(widths) <= self._room()
        head.setMinimumSectionSize(least)
        for column in columns:
            cells = [self._shown[row, column] for row in range(self.rowCount())]
            has_words = any(cell.kind not in ("fits", "picked") and cell.text != _ABSENT for cell in cells)
            is_tight = has_words and not may_be_alike and self._terseness < _SIGNS_ONLY
            mode = QHeaderView.ResizeMode.ResizeToContents if is_tight else QHeaderView.ResizeMode.Stretch
            head.setSectionResizeMode(column, mode)
        head.resizeSections()

    def _name_columns(self) -> None:
        names = [variant_text(variant) for variant in self._heads[1]]
        self._corner.setVisible(self._terseness == _SIGNS_ONLY)
        for column, name in enumerate(names):
            short = name if len(names) <= _IN_ONE_LINE else name.replace(" ", "\n")
            item = self.horizontalHeaderItem(column)
            if item is not None:
                item.setText(name.removeprefix("CUDA ") if self._terseness == _SIGNS_ONLY else short)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, name)

    def _room(self) -> int:
        """For the columns, with the bar at the side whether it is there now or not."""
        return self.width() - 2 * self.frameWidth() - self.verticalHeader().width() - self.verticalScrollBar().width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().height() < event.oldSize().height():
            QTimer.singleShot(0, self, lambda: self.scrollTo(self.currentIndex()))  # a low window has a part of the rows
        is_filled = len(self._shown) == self.rowCount() * self.columnCount()
        if is_filled and event.size().width() != event.oldSize().width():
            before = self._terseness
            self._share_room()
            if self._terseness != before:
                QTimer.singleShot(0, self, self._name_columns)  # not amid a layout: the head's height changes with it

    def shown_words(self, index: QModelIndex | QPersistentModelIndex) -> str:
        words = str(index.data() or "")
        is_short = self._terseness == _SIGNS_ONLY or (self._terseness and not index.data(_KIND))
        return words.split(" ")[0] if is_short else words

    def _make_cells(self, heads: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        rows, columns = heads
        self._heads, self._shown = heads, {}
        self.setRowCount(len(rows))
        self.setColumnCount(len(columns))
        self.setHorizontalHeaderLabels(list(columns))
        self.setVerticalHeaderLabels([variant_text(one) for one in rows])

    def _fill(self, row: int, column: int, words: _Words) -> None:
        """Only what is another than it was: another Python changes few cells, and each takes its time."""
        if self._shown.get((row, column)) == words:
            return
        self._shown[row, column] = words
        put(self, row, column, Qt.ItemDataRole.DisplayRole, words.text)
        put(self, row, column, _KIND, words.kind)
        put(self, row, column, Qt.ItemDataRole.AccessibleTextRole, words.whole)
        put(self, row, column, Qt.ItemDataRole.ToolTipRole, plain_tip(words.whole))

    def _words(self, one: Candidate | None, picked: Candidate | None, best: Candidate | None) -> _Words:
        say = self.context.translator.say
        absent = message("plan.cell.not-published")
        if one is None:
            return _Words(_ABSENT, "", say(absent))
        name = f"torch {one.torch}, {variant_text(one.variant)}"
        if one.fits:
            is_best = best is not None and (one.torch, one.variant) == (best.torch, best.variant)
            words = [self.tr("best")] if is_best else []
            words += [self.tr("chosen")] if one == picked else []
            is_open = is_unsure(one)
            sign, fits = ("!", self.tr("unsure")) if is_open else ("✓", self.tr("fits"))
            state, kind = told_of(name, spoken([fits, *words])), "unsure" if is_open else "fits"
            return _Words(f"{sign} {[*words, fits][0]}", "picked" if one == picked else kind, state)
        whole = told_of(name, in_a_row(*(say(reason.message) for reason in one.reasons)))
        if one == picked:
            return _Words(f"! {self.tr('chosen')}", "forced", whole)
        # The terminal's table has the same words: one reason, one wording.
        if one.reasons and one.reasons[0].short.key == absent.key:
            return _Words(_ABSENT, "", whole)
        return _Words(say(one.reasons[0].short) if one.reasons else "✕", "", whole)

    def _at(self, row: int, column: int) -> Candidate | None:
        if self._grid is None or min(row, column) < 0:
            return None
        return self._grid.at(column, row) if self._is_across else self._grid.at(row, column)

    def _press(self, row: int, column: int) -> None:
        one = self._at(row, column)
        if one and one.fits:
            self.chosen.emit(one)
        elif one and may_be_forced(one):
            self.wanted.emit(one)

    def _look(self, row: int, column: int, *before: int) -> None:
        self.looked_at.emit(self._at(row, column))
