"""A table of whole rows, one of them chosen; as high as its rows up to a limit. Cells are text; nothing is edited."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QScrollArea,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QWidget,
)

from wizard.gui.shell.theme import colour_now
from wizard.gui.widgets.frames import draw_bar
from wizard.gui.widgets.labels import plain_tip

PADDING = 16
Index = QModelIndex | QPersistentModelIndex
SHARE = Qt.ItemDataRole.UserRole  # of a size: its part of the largest, 0 to 1
BADGE = Qt.ItemDataRole.UserRole + 1  # of a state: what colours it
FOLDER = Qt.ItemDataRole.UserRole + 2  # of a name: the line below it
_BAR_WIDTH, _BAR_HEIGHT, EDGE, _INSET = 54, 8, 4, 11  # pixels
_BADGE_MORE = 22  # pixels: a badge is round and bold, and its words alone are measured
SMALL = 0.9  # of the running text


def put(table: QTableWidget, row: int, column: int, role: int, value: object) -> None:
    """Set what a cell says in one of its roles. Qt makes the cell itself: one that Python made, and Qt destroyed when
    the rows were filled anew, ended the program now and then (PySide 6.11, `releaseWrapper`)."""
    model = table.model()
    model.setData(model.index(row, column), value, role)


def scroll_page(table: QTableWidget) -> None:
    """In a low window the page around a table scrolls, too, to the cell that has the keys."""
    area = table.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    if isinstance(area, QScrollArea) and (sheet := area.widget()) and table.hasFocus():
        cell = table.visualRect(table.currentIndex())
        middle = table.viewport().mapTo(sheet, cell.center())
        # With more around it than the page has, Qt goes somewhere else.
        area.ensureVisible(middle.x(), middle.y(), 0, min(cell.height(), area.viewport().height() // 2 - 1))


class RowTable(QTableWidget):
    """`wide`: columns that share the room that is left. `wraps`: what is longer than its column has further lines."""

    def __init__(
        self,
        columns: int,
        wide: Sequence[int],
        most_rows: int,
        parent: QWidget | None = None,
        wraps: bool = False,
        is_tall: bool = False,
    ) -> None:
        super().__init__(0, columns, parent)
        self.is_tall = is_tall
        self._most_rows, self._wraps = most_rows, wraps
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setProperty("role", "rows")
        self.setProperty("tall", is_tall)
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
        if wraps:  # later than the table: another column has gone, or a bar has come
            head.sectionResized.connect(lambda *_: QTimer.singleShot(0, self, self.fit))
        self.was_used = False  # by keys or the mouse, since a page has set it back
        self.fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.was_used = True
        super().mousePressEvent(event)

    @property
    def closed_height(self) -> int:
        """Return how high a row is that is not open, in pixels."""
        text = self.fontMetrics().height()
        return text + round(text * SMALL) + 20 if self.is_tall else text + PADDING

    def fit(self) -> None:
        """To its rows and to the size of the text."""
        height = self.fontMetrics().height() + PADDING
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
            if words := self.model().index(row, column).data():
                room = self.columnWidth(column) - PADDING
                boxes.append(self.fontMetrics().boundingRect(0, 0, room, 0, wraps, words))
        return max((box.height() for box in boxes), default=0) + PADDING

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._wraps and event.size().width() != event.oldSize().width():
            self.fit()

    def put(self, row: int, column: int, words: str, tip: str = "", is_number: bool = False) -> None:
        """Set a cell's words, and what is shown of them where the pointer rests; numbers stand at the right."""
        where = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        put(self, row, column, Qt.ItemDataRole.DisplayRole, words)
        put(self, row, column, Qt.ItemDataRole.ToolTipRole, plain_tip(tip))
        put(self, row, column, Qt.ItemDataRole.TextAlignmentRole, (where | Qt.AlignmentFlag.AlignVCenter).value)

    @property
    def chosen_row(self) -> int:
        """-1: none."""
        marked = self.selectionModel().selectedRows() if self.selectionModel() else []
        return marked[0].row() if marked else -1


class Cell(QStyledItemDelegate):
    """A cell of a row that may stand open: its words stay where they were, and what is chosen has one ground."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        table = self.parent()
        whole = QRectF(option.rect)
        if isinstance(table, RowTable) and table.is_tall:
            self._paint_ground(painter, option, index, whole)
            option.rect.setHeight(min(table.closed_height, option.rect.height()))
        self.paint_words(painter, option, index)

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, whole: QRectF) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(whole, colour_now("chosen"))
            option.state &= ~QStyle.StateFlag.State_Selected
            if index.column() == 0:
                painter.fillRect(QRectF(whole.x(), whole.y(), EDGE, whole.height()), colour_now("accent"))
        if index.row() + 1 < index.model().rowCount():
            painter.fillRect(QRectF(whole.x(), whole.bottom() - 1, whole.width(), 1), colour_now("line"))

    def paint_words(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw what the cell says into the room of a closed row."""
        super().paint(painter, option, index)


class NameCell(Cell):
    """The name, and below it the folder where rows are tall; of a long folder the end is what differs."""

    def paint_words(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw both lines, or the one line of a low row."""
        folder = index.data(FOLDER)
        if not folder:
            super().paint_words(painter, option, index)
            return
        self.initStyleOption(option, index)
        name, small = QFont(option.font), QFont(option.font)
        name.setBold(True)
        small.setPointSizeF(option.font.pointSizeF() * SMALL)
        room = option.rect.adjusted(_INSET, 0, -8, 0)
        middle = room.center().y() + 1
        painter.save()
        for font, words, colour, top, how in (
            (name, index.data(), "text", middle - QFontMetrics(name).height() + 1, Qt.TextElideMode.ElideRight),
            (small, str(folder), "muted", middle + 2, Qt.TextElideMode.ElideLeft),
        ):
            measures = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(colour_now(colour))
            words = measures.elidedText(words, how, room.width())
            painter.drawText(room.x(), top + measures.ascent(), words)
        painter.restore()


class SizeCell(Cell):
    """A size with a bar that compares it with the largest: before the figure, or below it where room is scarce."""

    is_below = False

    def place_bar(self, is_below: bool) -> bool:
        """Put the bar below the figure, or before it; yes: the column is to be measured anew."""
        before, self.is_below = self.is_below, is_below
        return is_below != before

    def paint_words(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the figure, and the bar once it is known."""
        share, whole = index.data(SHARE), QRectF(option.rect)
        if share is not None and self.is_below:
            option.rect.setHeight(option.rect.height() - 2 * _BAR_HEIGHT)
        super().paint_words(painter, option, index)
        if share is None:
            return
        bar = QRectF(whole.x() + _INSET, whole.center().y() - _BAR_HEIGHT / 2 + 1, _BAR_WIDTH, _BAR_HEIGHT)
        if self.is_below:
            bar.moveTop(whole.center().y() + _BAR_HEIGHT)
            bar.setRight(whole.right() - _INSET)
        draw_bar(painter, bar, ((share, "neutral"),))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(0 if self.is_below else _BAR_WIDTH + 16, 0)


class BadgeCell(Cell):
    """A state as the pills of the other pages show it."""

    def paint_words(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the pill on the cell's own ground."""
        state = str(index.data(BADGE))
        self.initStyleOption(option, index)
        words, option.text = option.text, ""
        widget = option.widget
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        font = option.font
        font.setBold(True)
        room = option.rect
        wide = QFontMetrics(font).horizontalAdvance(words) + 18
        pill = QRectF(room.x() + _INSET - 2, room.center().y() - 10, wide, 21)
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
        return super().sizeHint(option, index) + QSize(_BADGE_MORE, 0)
