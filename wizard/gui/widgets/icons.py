"""Icons of one kept set (Lucide, ISC licence), in the colours of the theme that is worn.

Each is a file of lines on a grid of 24 in `resources/icons/lucide`. Its colour is filled in as it is drawn, so that a
change of the theme asks nothing of who shows it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QBasicTimer, QByteArray, QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimerEvent
from PySide6.QtGui import QHideEvent, QIcon, QIconEngine, QPainter, QPaintEvent, QPen, QPixmap, QShowEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from wizard.gui.shell.theme import colour_now, is_motion_reduced
from wizard.system import paths

_DRAWINGS_KEPT = 128


@lru_cache(maxsize=_DRAWINGS_KEPT)
def _drawing(name: str, colour: str) -> QSvgRenderer:
    lines = (paths.resources_dir() / "icons" / "lucide" / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(lines.replace("currentColor", colour).encode()))


def draw_icon(painter: QPainter, name: str, room: QRectF, colour: str) -> None:
    """Draw the icon `name` into `room` in the colour that the theme calls `colour`."""
    _drawing(name, colour_now(colour).name()).render(painter, room)


class _Engine(QIconEngine):
    """Draws a button's icon each time anew, at the size and the sharpness of the screen."""

    def __init__(self, name: str, colour: str) -> None:
        super().__init__()
        self._name, self._colour = name, colour
        # Were Qt's hold the only one, PySide would free it in the midst of its end and then touch it once more; and a
        # clone would be gone on its way to Qt.
        _KEPT[:] = [*filter(isValid, _KEPT), self]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        colour = "on_disabled" if mode == QIcon.Mode.Disabled else self._colour
        side = min(rect.width(), rect.height())  # what is left of a wider room keeps the words away
        draw_icon(painter, self._name, QRectF(rect.x(), rect.y(), side, side), colour)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        made = QPixmap(size)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return made

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._colour)


_KEPT: list[_Engine] = []  # those that Qt has, until it has deleted them

ICON_SIZE = QSize(24, 18)


def icon(name: str, colour: str = "muted") -> QIcon:
    """Return it for a button; `colour`: a name of themes.toml."""
    return QIcon(_Engine(name, colour))


def fold_icon(is_open: bool) -> QIcon:
    """Return the sign of a row that opens: drawn, because not every Chinese font has the letter."""
    return icon("chevron-down" if is_open else "chevron-right")


class IconView(QWidget):
    """An icon beside words that say the same: screen readers pass over it, and clicks go through it."""

    def __init__(self, name: str, side: int = 20, colour: str = "muted", ground: str = "", around: int = 0) -> None:
        """`side`: pixels. `ground`: the colour of a circle of `around` pixels behind it; '' for none."""
        super().__init__()
        self._name, self._side, self._colour, self._ground = name, side, colour, ground
        self.setFixedSize(max(side, around), max(side, around))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the icon in its middle, on a circle where it has one."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour_now(self._ground))
            painter.drawEllipse(self.rect())
        gap = (self.width() - self._side) / 2
        draw_icon(painter, self._name, QRectF(gap, gap, self._side, self._side), self._colour)


class Ring(QWidget):
    """The frame of what has the keys, over a whole widget that draws none of its own: clicks go through it."""

    def __init__(self, around: QWidget, may_show: Callable[[], bool]) -> None:
        super().__init__(around)
        self._around, self._may_show = around, may_show
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setVisible(False)
        around.installEventFilter(self)

    def look(self) -> None:
        """Show it where the widget itself has the keys."""
        self.setGeometry(self._around.rect())
        self.setVisible(self._around.hasFocus() and self._may_show())
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the widget's size and its keys."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.look()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it as around a button."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour_now("text"), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 6, 6)


_ARC = 250  # degrees of the ring of what is under way
_TURN = 1.2  # seconds for one turn of it
_FRAME = 50  # milliseconds from one picture of it to the next
_SIGNS = {"ok": "check", "warning": "!", "problem": "x", "note": "ellipsis"}


class Sign(QWidget):
    """A state as a round mark; beside words that say it, and of a shape that says it without colour.

    What runs turns, while it can be seen and unless the system asks for no motion: silent steps may take minutes.
    """

    def __init__(self, state: str, side: int = 22) -> None:
        super().__init__()
        self._state, self._is_seen, self._began = state, False, 0.0
        self._frames = QBasicTimer()
        self.setFixedSize(side, side)

    def show_state(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._turn_or_rest()
            self.update()

    @property
    def is_turning(self) -> bool:
        return self._frames.isActive()

    @property
    def angle(self) -> float:
        """Return by how many degrees the arc has turned from the top, clockwise."""
        return (time.monotonic() - self._began) % _TURN / _TURN * 360 if self.is_turning else 0.0

    def _turn_or_rest(self) -> None:
        may_turn = self._state == "running" and self._is_seen and not is_motion_reduced()
        if may_turn and not self.is_turning:
            self._began = time.monotonic()
            self._frames.start(_FRAME, self)
        elif not may_turn:
            self._frames.stop()

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to turn; after a window was put away, too."""
        super().showEvent(event)
        self._is_seen = True
        self._turn_or_rest()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest, also with a window that is put away: it is still called visible then."""
        super().hideEvent(event)
        self._is_seen = False
        self._turn_or_rest()

    def timerEvent(self, event: QTimerEvent) -> None:
        """Draw the next picture of the turn."""
        self._turn_or_rest()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the state: an arc that turns while it runs, else a circle with its sign."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = self.width()
        if self._state == "running":
            painter.setPen(QPen(colour_now("disabled"), 3))
            painter.drawEllipse(QRectF(1.5, 1.5, side - 3, side - 3))
            painter.setPen(QPen(colour_now("accent"), 3))
            painter.drawArc(QRectF(1.5, 1.5, side - 3, side - 3), round((90 - self.angle) * 16), -_ARC * 16)
            return
        if self._state not in _SIGNS:  # what has not begun: an empty ring
            painter.setPen(QPen(colour_now("border"), 1.5))
            painter.drawEllipse(QRectF(1, 1, side - 2, side - 2))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_now(f"on_{self._state}"))
        painter.drawEllipse(self.rect())
        name = _SIGNS[self._state]
        if name == "!":
            font = self.font()
            font.setBold(True)
            font.setPixelSize(round(side * 0.66))
            painter.setFont(font)
            painter.setPen(colour_now("card"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "!")
            return
        inner = side * 0.64
        gap = (side - inner) / 2
        draw_icon(painter, name, QRectF(gap, gap, inner, inner), "card")
