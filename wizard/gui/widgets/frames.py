"""Frames: cards with rows, and the thin line between two rows.

One file, since each of them is a dozen lines and they are laid into each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from wizard.gui.shell.theme import colour_now
from wizard.gui.widgets.fields import FoldButton
from wizard.gui.widgets.icons import ICON_SIZE, IconView, Sign, fold_icon
from wizard.gui.widgets.labels import SIGNS, SPOKEN_AS, dress, label, least_width, spoken, told_of, without_key

Margins = tuple[int, int, int, int]
NO_MARGINS: Margins = (0, 0, 0, 0)
_DISK_BAR, _BESIDE, _GAP = QSize(120, 8), 20, 8  # pixels; beside the value of a fold, and before it


def box(role: str = "card", parent: QWidget | None = None) -> QFrame:
    """Return an empty frame whose look the style sheet gives by its role."""
    made = QFrame(parent)
    made.setProperty("role", role)
    return made


def column(parent: QWidget | None = None, margins: Margins = NO_MARGINS, gap: int = 8) -> QVBoxLayout:
    """Return a column; margins (left, top, right, bottom) and gap in pixels."""
    made = QVBoxLayout(parent) if parent else QVBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(gap)
    return made


def line_up(parent: QWidget | None = None, margins: Margins = NO_MARGINS, gap: int = 10) -> QHBoxLayout:
    """Return a row; margins (left, top, right, bottom) and gap in pixels."""
    made = QHBoxLayout(parent) if parent else QHBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(gap)
    return made


class Turning(QWidget):
    """Widgets beside each other; where they are wider than the room, one below the other."""

    def __init__(self, gap: int = 10, margins: Margins = NO_MARGINS) -> None:
        super().__init__()
        self.line = line_up(self, margins, gap)

    def _parts(self) -> list[QWidget]:
        # `itemAt` would leave Python's side of an item in the layout when Qt's is gone: what comes to lie there faults.
        parts = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return [part for part in parts if not part.isHidden() or part.sizePolicy().retainSizeWhenHidden()]

    @property
    def whole(self) -> int:
        """Pixels that its parts need beside each other: of one that turns itself, before it does."""
        sides, parts = self.line.contentsMargins(), self._parts()
        widths = sum(part.whole if isinstance(part, Turning) else least_width(part) for part in parts)
        return widths + max(len(parts) - 1, 0) * self.line.spacing() + sides.left() + sides.right()

    def minimumSizeHint(self) -> QSize:
        sides, widest = self.line.contentsMargins(), max(map(least_width, self._parts()), default=0)
        return QSize(widest + sides.left() + sides.right(), super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Turn its line where its parts fit no more, and back: also when only their words have changed."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            ways = QBoxLayout.Direction
            self.line.setDirection(ways.LeftToRight if self.whole <= self.width() else ways.TopToBottom)
        return super().event(event)


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


class RowCell(QWidget):
    """One cell of a row. That of the widest column is the row's item in the list that a screen reader meets."""

    def __init__(self, parent: QWidget, cells: Sequence[QWidget | None]) -> None:
        super().__init__(parent)
        self.cells = cells

    @property
    def words(self) -> str:
        """What the whole row says, as it stands there now: its name once, with its state."""
        found = (one for cell in self.cells if cell for one in (cell, *cell.findChildren(QLabel)))
        said = dict.fromkeys(filter(None, map(_words_of, found)))
        again = {
            words
            for words in said
            for one in said
            if one.startswith((f"{words}:", f"{words}：")) or one.endswith((f": {words}", f"：{words}"))
        }
        return spoken(words for words in said if words not in again)


def _words_of(cell: QWidget) -> str:
    if cell.isHidden() or not isinstance(cell, QLabel | Sign):
        return ""
    if isinstance(cell, QLabel):
        return cell.accessibleName() or cell.text()
    name, state = cell.accessibleDescription(), cell.accessibleName()
    return told_of(name, state) if name and state else state


class RowCard(QFrame):
    """A card of rows in common columns. `stretch` names the column that takes the room that is left."""

    def __init__(self, columns: int, stretch: int, parent: QWidget | None = None, has_lines: bool = True) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._columns, self._stretch, self._has_lines = columns, stretch, has_lines
        self.last: Sequence[QWidget | None] = ()  # the last row's cells
        self._outer = column(self, (6, 6, 6, 6), 0)
        self._renew()

    def _renew(self) -> None:
        self._holder = QWidget()  # what it is for a screen reader stands before it has a place, as in `label`
        self._holder.setProperty(SPOKEN_AS, "list")
        self._grid = QGridLayout(self._holder)
        self._grid.setContentsMargins(10, 2, 10, 2)
        self._grid.setHorizontalSpacing(14)
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

    def add_row(self, *cells: QWidget | None, tight: bool = False, ground: str = "") -> None:
        """Add a row of cells, with a line above it where there are others; None leaves a cell empty. `ground`: the role
        of a frame behind all of it."""
        if self._rows and self._has_lines:
            self._grid.addWidget(box("line", self._holder), self._rows, 0, 1, self._columns)
            self._rows += 1
        if ground:
            behind = box(ground, self._holder)
            self._grid.addWidget(behind, self._rows, 0, 1, self._columns)
            behind.show()
        self.last = cells
        for place, cell in enumerate(cells):
            if cell is not None:
                padded = RowCell(self._holder, cells)
                padded.setProperty(SPOKEN_AS, "item" if place == self._stretch else None)
                inner = line_up(padded, (0, 4 if tight else 8, 0, 4 if tight else 8), 0)
                if cell.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Fixed:  # pills stand at the left
                    inner.addWidget(cell, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
                else:
                    inner.addWidget(cell)
                empties = list(takewhile(lambda other: other is None, cells[place + 1 :]))
                self._grid.addWidget(padded, self._rows, place, 1, 1 + len(empties))
                padded.show()  # at once: Qt would do it one round later, and the card be empty until then
        self._holder.show()
        self._rows += 1

    def add_wide(self, cell: QWidget, row: Sequence[QWidget | None] = ()) -> None:
        """Below the last row, over all columns, without a line between: it belongs to that row, or to `row`."""
        cell.setContentsMargins(0, 0, 0, 10)  # of its own: hidden, it takes no room
        padded = RowCell(self._holder, row or self.last)  # hidden or not, that takes none
        line_up(padded, gap=0).addWidget(cell)
        self._grid.addWidget(padded, self._rows, 0, 1, self._columns)
        padded.show()
        self._rows += 1

    @property
    def grid(self) -> QGridLayout:
        return self._grid


class Fold(QFrame):
    """A row that opens: what is in it, and at its right the one figure of it that is worth a look."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "fold")
        rows = column(self)
        self.button = FoldButton(self)
        self.button.setCheckable(True)
        self.button.setProperty("role", "fold")
        self.button.setIconSize(ICON_SIZE)
        self._row_words, self._value = "", label("", "muted", wrap=False)
        self._value.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        beside = line_up(self.button, (0, 0, _BESIDE, 0))
        beside.addStretch(1)
        beside.addWidget(self._value)
        self._sheet = box("fold-body", self)
        self.body: QVBoxLayout = column(self._sheet, (20, 4, 20, 16))
        self._sheet.setVisible(False)
        rows.addWidget(self.button)
        rows.addWidget(self._sheet)
        self.button.toggled.connect(self._turn)
        self.button.clicked.connect(lambda: QTimer.singleShot(50, self, self._bring_into_view))  # ms: laid out by then
        self._turn(False)

    def show_words(self, words: str, value: str = "", problem: str = "") -> None:
        """`problem`: the word for it, beside the value: it must not stay hidden."""
        self._row_words = words
        self._value.setText(f"{value} · {SIGNS['problem']} {problem}" if problem else value)
        dress(self._value, "problem" if problem else "muted")
        self._put_value()
        self.button.setAccessibleName(" ".join(filter(None, (without_key(words), value, problem))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._put_value()

    def _put_value(self) -> None:
        """Where it has no room beside the words it is their second line: it lay over them."""
        self.button.setText(self._row_words)
        needed = self.button.sizeHint().width() + self._value.sizeHint().width() + _GAP  # the first with its edges
        is_below = bool(said := self._value.text()) and needed > self.width()
        self._value.setVisible(bool(said) and not is_below)  # nor an empty one, for readers
        if is_below:
            self.button.setText(f"{self._row_words}\n{said}")

    def _bring_into_view(self) -> None:
        """What was opened at the lower edge is seen, and the row that opened it stays seen."""
        page = next((area for area in self.window().findChildren(QScrollArea) if area.isAncestorOf(self)), None)
        if page is not None and (sheet := page.widget()) is not None and self.button.isChecked():
            high = min(self.height(), page.viewport().height())
            page.ensureVisible(0, self.mapTo(sheet, QPoint(0, high)).y(), 0, 10)

    def _turn(self, is_open: bool) -> None:
        self.button.setIcon(fold_icon(is_open))
        self._sheet.setVisible(is_open)


class FoldList(QFrame):
    """Folds in one card, a thin line between those that are shown."""

    def __init__(self, *folds: QWidget) -> None:
        super().__init__()
        self.setProperty("role", "info")
        rows = column(self, gap=0)
        self._lines: list[tuple[QWidget, QFrame]] = []
        for fold in folds:
            self._lines.append((fold, box("line", self)))
            rows.addWidget(self._lines[-1][1])
            rows.addWidget(fold)
            fold.installEventFilter(self)
        self._look()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._look()
        return super().eventFilter(watched, event)

    def _look(self) -> None:
        """A line above each fold but the first that is shown; no empty card where none is."""
        shown = [fold for fold, _ in self._lines if not fold.isHidden()]
        for fold, line in self._lines:
            line.setVisible(fold in shown[1:])
        if self.parent() is not None or not shown:  # without a parent it would be a window of its own
            self.setVisible(bool(shown))


class Tile(QPushButton):
    """A way on: its icon, its name, one line, and below them what is new about it."""

    def __init__(self, icon_name: str, fact_icon: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "tile")
        rows = column(self, (22, 22, 22, 20), 6)
        self._heading, self._words, self._fact = label("", "heading"), label("", "muted"), label("", "small")
        rows.addWidget(IconView(icon_name, 30, "accent", "chosen", 60))
        rows.addSpacing(6)
        foot = line_up(gap=8)
        self._sign = IconView(fact_icon, 16) if fact_icon else Sign("ok", 18)
        foot.addWidget(self._sign)
        foot.addWidget(self._fact, 1)
        for part in (self._heading, self._words, self._fact):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        rows.addWidget(self._heading)
        rows.addWidget(self._words)
        rows.addStretch(1)
        rows.addSpacing(10)
        rows.addLayout(foot)
        self.show_fact("")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

    def show_words(self, heading: str, words: str) -> None:
        """Show both lines; for screen readers the second one describes the first."""
        self._heading.setText(heading)
        self._words.setText(words)
        self.setAccessibleName(heading)
        self.setAccessibleDescription(words)
        self.updateGeometry()

    def show_fact(self, words: str, state: str = "") -> None:
        """'' leaves the place empty; `state`: of the sign before it, where it is one."""
        self._fact.setText(words)
        if isinstance(self._sign, Sign):
            self._sign.show_state(state)
        self._fact.setVisible(bool(words))
        self._sign.setVisible(bool(words))

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        return layout.minimumSize() if layout else super().minimumSizeHint()


def draw_bar(painter: QPainter, room: QRectF, parts: Sequence[tuple[float, str]]) -> None:
    """Draw parts of a whole side by side; each is its share, 0 to 1, and the name of its colour."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    outline = QPainterPath()
    outline.addRoundedRect(room, room.height() / 2, room.height() / 2)
    painter.setClipPath(outline)
    painter.fillRect(room, colour_now("disabled"))
    at = room.x()
    for share, colour in parts:
        wide = max(room.height() / 2, room.width() * share) if share > 0 else 0.0  # a little is more than nothing
        painter.fillRect(QRectF(at, room.y(), wide, room.height()), colour_now(colour))
        at += wide
    painter.restore()


class DiskBar(QWidget):
    """How full a disk is, and how much of it is about this program. The words beside it say the same."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(_DISK_BAR)
        self._parts: tuple[tuple[float, str], ...] = ()

    def show_bytes(self, used: float, own: float, total: float) -> None:
        """Show `own` bytes beside all that are `used` of `total`; hidden where the total is not known."""
        self.setVisible(total > 0)
        whole = total or 1.0
        self._parts = ((min(used / whole, 1.0), "neutral"), (min(own / whole, 1.0), "accent"))
        self.update()

    def show_room(self, told: Mapping[str, object]) -> None:
        """Take gigabytes from a message's `needed`, `free` and `total`; hidden where one of them is not said."""
        try:
            needed, free, total = (float(str(told[name])) for name in ("needed", "free", "total"))
        except (KeyError, ValueError):
            needed = free = total = 0.0
        self.show_bytes(total - free, needed, total)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what others have, then our part; the rest is free."""
        draw_bar(QPainter(self), QRectF(self.rect()), self._parts)


class Sheet(QWidget):
    """What scrolls. As high as its words need at the width that they have: Qt's least height is that of narrow ones."""

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(least.width(), 0) if self.hasHeightForWidth() else least
