"""What the window shows before anything is in it: its ground, the rail's band, and the name of the program.

Without Theme, style sheet or painter, and nothing on the way here may touch `QtCore.Qt`: to make the enums of that
namespace alone takes 20 ms. Everything in it stands where the rail puts it afterwards.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QWidget

from wizard.gui.theme import colours, lead_points, text_font

RAIL_WIDTH = 224
BRAND = "Torch Setup"
_BRAND_AT = (18, 24)


class FirstPicture(QWidget):
    painted = Signal()

    def __init__(self, app: QApplication, theme: str) -> None:
        """`theme`: as it was chosen."""
        super().__init__()
        table = colours(theme if theme != "system" else _worn_by_the_system(app))
        _fill(self, table["window"], table["text"])
        band = QWidget(self)
        band.setFixedWidth(RAIL_WIDTH)
        _fill(band, table["rail"], table["text"])
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(band)
        line.addStretch(1)
        brand = QLabel(BRAND, band)
        font = text_font(app)
        font.setPointSizeF(lead_points(font.pointSizeF()))
        font.setBold(True)
        brand.setFont(font)
        brand.move(*_BRAND_AT)

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
