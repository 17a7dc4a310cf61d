"""The window before anything is in it: its place on the screen, its first picture, and what a person does meanwhile.

`furnish` of who inherits puts everything else in. Keys and clicks that come earlier wait for it, and then go to the
window as the system sees it, which finds out what lies under the mouse and what has the focus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore  # `QtCore.Qt` only where it is needed: slow to load
from PySide6.QtCore import QByteArray, QMargins, QPoint, QRect, QSize, Signal
from PySide6.QtGui import QColor, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QMainWindow, QWidget

from wizard.gui.shell.theme import colours, lead_points, text_font
from wizard.gui.startup.preferences import Preferences

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent, QScreen


# What the window shows before anything is in it: its ground, the rail's band, and the name of the program.
#
# Without Theme, style sheet or painter, and nothing on the way here may touch `QtCore.Qt`: to make the enums of that
# namespace alone takes 20 ms. Everything in it stands where the rail puts it afterwards.

RAIL_WIDTH = 224
NARROW_RAIL = 72  # with signs only, in a window of less than NARROW_BELOW pixels
NARROW_BELOW = 1016  # beside the words of the rail the table of environments has room for all its columns
BRAND = "Torch Setup"
_BRAND_AT = (18, 24)


class FirstPicture(QWidget):
    painted = Signal()

    def __init__(self, app: QApplication, theme: str) -> None:
        """`theme`: as it was chosen."""
        super().__init__()
        table = colours(theme if theme != "system" else _worn_by_the_system(app))
        _fill(self, table["window"], table["text"])
        self._band = band = QWidget(self)
        _fill(band, table["rail"], table["text"])
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(band)
        line.addStretch(1)
        self._brand = brand = QLabel(BRAND, band)
        font = text_font(app)
        font.setPointSizeF(lead_points(font.pointSizeF()))
        font.setBold(True)
        brand.setFont(font)
        brand.move(*_BRAND_AT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the band as wide as the rail will be."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < NARROW_BELOW
        self._band.setFixedWidth(NARROW_RAIL if is_narrow else RAIL_WIDTH)
        self._brand.setVisible(not is_narrow)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.painted.emit()


def _fill(widget: QWidget, ground: str, text: str) -> None:
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Window, QColor(ground))
    palette.setColor(QPalette.ColorRole.WindowText, QColor(text))
    widget.setPalette(palette)
    widget.setAutoFillBackground(True)


def _worn_by_the_system(app: QApplication) -> str:
    """By the system's own palette, which follows its theme; should it not, Theme knows better a moment later."""
    return "dark" if app.palette().window().color().lightness() < 128 else "light"


SIZE = (1080, 740)
SMALLEST = (900, 600)
_FRAME = QMargins(8, 32, 8, 8)  # about what systems draw around a window; it is not known before it is shown


def room_on(screen: QScreen) -> QRect:
    """Where a window may lie with its frame around it."""
    return screen.availableGeometry().marginsRemoved(_FRAME)


class BareWindow(QMainWindow):
    def __init__(self, app: QApplication, preferences: Preferences) -> None:
        super().__init__()
        self.app, self.preferences = app, preferences
        self.is_furnished = self.is_closed = False
        self.first_picture: FirstPicture | None = None
        self._early: list[QEvent] = []
        self._fit_the_screen()
        if preferences.wishes.geometry:  # Qt sees to it that it lies on a screen that is there
            self.restoreGeometry(QByteArray.fromBase64(preferences.wishes.geometry.encode("ascii", "ignore")))
        self.setWindowTitle(BRAND)

    def _fit_the_screen(self) -> None:
        """1080p at 150 % has 680 lines beside the task bar: the last ones of the usual size would lie below it."""
        room = room_on(self.screen())
        size = QSize(*SIZE).boundedTo(room.size())
        self.setMinimumSize(QSize(*SMALLEST).boundedTo(size))
        self.resize(size)
        rest = (room.size() - size) / 2
        self.move(room.topLeft() + QPoint(rest.width() - _FRAME.left(), rest.height() - _FRAME.top()))

    def put_first_picture(self) -> FirstPicture:
        self.first_picture = FirstPicture(self.app, self.preferences.wishes.theme)
        self.setCentralWidget(self.first_picture)
        return self.first_picture

    def is_now_furnished(self) -> None:
        """The first picture went with the central widget that it was."""
        self.is_furnished, self.first_picture = True, None
        handle, early, self._early = self.windowHandle(), self._early, []
        for event in early:
            QtCore.QCoreApplication.postEvent(handle, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._keep(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        self._keep(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._keep(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._keep(event)

    def _keep(self, event: QKeyEvent | QMouseEvent) -> None:
        if self.is_furnished:
            event.ignore()
        else:
            self._early.append(event.clone())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.is_closed = True
        event.accept()
