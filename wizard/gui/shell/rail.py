"""The rail: the eight steps, of which the reached can be pressed; below, language, theme and log folder.

Beside the wizard (environments, doctor …) the same place lists those pages, and the way back. In a narrow window it
shows signs only. One file: its two kinds of buttons share their size, their name and their ring.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QMargins, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QPushButton, QStackedWidget, QWidget

from wizard.app.pages.navigator import Navigator
from wizard.app.pages.order import ORDER, SIDE_ORDER, PageId, SideId
from wizard.gui.shell.splash import BRAND, NARROW_RAIL
from wizard.gui.shell.splash import RAIL_WIDTH as WIDTH
from wizard.gui.shell.theme import THEMES, Theme
from wizard.gui.shell.translator import LANGUAGE_NAMES, Translator
from wizard.gui.widgets.commands import page_name
from wizard.gui.widgets.frames import column, line_up
from wizard.gui.widgets.icons import draw_icon, icon
from wizard.gui.widgets.labels import label, plain_tip

_SHORT_LANGUAGES = {"zh_CN": "中文", "en": "English"}
_SHORTEST = {"zh_CN": "中", "en": "En"}
_NAME_LEFT = 44  # pixels
_CIRCLE, _APART = 24, 3  # pixels of a step's circle, and between two of them
_SIDES, _LOW_SIDES = (10, 24, 10, 18), (2, 6, 2, 6)  # pixels around it
_LOW = 520  # pixels: less than all of it needs below each other
_THEME_SIGNS = dict(zip(THEMES, ("monitor", "sun", "moon"), strict=True))
_ICONS = {
    SideId.ENVIRONMENTS: "box",
    SideId.DOCTOR: "wrench",
    SideId.EXPLAIN: "circle-question-mark",
    SideId.UNDO: "undo-2",
    SideId.VERSIONS: "layers",
    SideId.CLASS: "users",
    SideId.FAR_HOST: "monitor",
}


class _RailButton(QAbstractButton):
    """What both kinds share: their size, their name, the ring around the one that has the focus."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_now = self._is_narrow = self._is_low = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_narrow(self, is_narrow: bool) -> None:
        """Leave the name to the tool tip and to screen readers, or write it."""
        self._is_narrow = is_narrow
        self.setToolTip(plain_tip(self.text()) if is_narrow else "")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize((NARROW_RAIL if self._is_narrow else WIDTH) - 20, max(40, self.fontMetrics().height() + 16))

    def minimumSizeHint(self) -> QSize:
        least = 28 if self._is_low else max(34, self.fontMetrics().height() + 10)
        return QSize(40 if self._is_narrow else 80, least)

    def show_low(self, is_low: bool) -> None:
        """Take no more height than the sign needs."""
        self._is_low = is_low
        self.updateGeometry()

    def _left(self, usual: int, side: int) -> float:
        """Return where a sign of so many pixels begins: in the middle where no name follows."""
        return (self.width() - side) / 2 if self._is_narrow else usual

    def _write_name(self, painter: QPainter, colour: str) -> None:
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 1.06)
        font.setBold(self._is_now)
        painter.setFont(font)
        painter.setPen(self._theme.colour(colour))
        room = QRectF(_NAME_LEFT, 0, self.width() - _NAME_LEFT - 6, self.height())
        words = "" if self._is_narrow else self.text()
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)


class RailTool(_RailButton):
    """A page beside the wizard: its icon and name, and a bar at the left while it is shown."""

    def __init__(self, theme: Theme, parent: QWidget, icon_name: str) -> None:
        super().__init__(theme, parent)
        self._icon = icon_name
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_tool(self, words: str, is_now: bool) -> None:
        """Show its words; which page is the current one is also said to screen readers."""
        self._is_now = is_now
        self.setText(words)
        current = QCoreApplication.translate("Rail", "%1, current page")
        self.setAccessibleName(current.replace("%1", words) if is_now else words)
        self.show_narrow(self._is_narrow)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the icon and the words, and a bar at the left of the current page."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = self._theme.colour
        if self._is_now:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("accent"))
            painter.drawRoundedRect(QRectF(2, self.height() / 2 - 10, 4, 20), 2, 2)
        shown = "text" if self._is_now or self.underMouse() else "muted"
        draw_icon(painter, self._icon, QRectF(self._left(12, 20), (self.height() - 20) / 2, 20, 20), shown)
        self._write_name(painter, shown)


class RailStep(_RailButton):
    """One page: a circle with its number, or a tick once it is done, and its name. Only the current one is filled:
    else each that is done would look chosen."""

    def __init__(self, page: PageId, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.page = page
        self._is_done = self._has_failed = False

    def show_step(self, is_now: bool, is_done: bool, may_press: bool, has_failed: bool = False) -> None:
        """Show how far the page is, for the eye and for screen readers, and whether it may be pressed."""
        self._is_now, self._is_done, self._has_failed = is_now, is_done, has_failed
        self.setEnabled(may_press)
        self.setText(page_name(self.page))
        states = {
            (True, False): QCoreApplication.translate("Rail", "current step"),
            (False, True): QCoreApplication.translate("Rail", "done"),
            (True, True): QCoreApplication.translate("Rail", "done"),  # the last one, when all has gone well
        }
        state = states.get((is_now, is_done), QCoreApplication.translate("Rail", "not reached yet"))
        if has_failed:
            state = QCoreApplication.translate("Rail", "failed")
        words = QCoreApplication.translate("Rail", "Step %1 of %2: %3, %4")
        for number, part in enumerate((str(self._number), str(len(ORDER)), self.text(), state), start=1):
            words = words.replace(f"%{number}", part)
        self.setAccessibleName(words)
        self.setCursor(Qt.CursorShape.PointingHandCursor if may_press and not is_now else Qt.CursorShape.ArrowCursor)
        self.show_narrow(self._is_narrow)

    @property
    def _number(self) -> int:
        return ORDER.index(self.page) + 1

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the circle with the number, the tick or the cross, and the name."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = self._theme.colour
        side = min(_CIRCLE, self.height() - _APART)  # in the lowest window
        circle = QRectF(self._left(8, side), (self.height() - side) / 2, side, side)
        filled, is_reached = self._is_now or self._has_failed, self._is_now or self._is_done
        if filled:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("on_problem" if self._has_failed else "accent"))
        else:
            painter.setPen(QPen(colour("accent" if self._is_done else "border"), 2))
        painter.drawEllipse(circle if filled else circle.adjusted(1, 1, -1, -1))
        painter.setPen(colour("on_accent" if filled else "accent" if self._is_done else "muted"))
        if self._has_failed:
            self._draw(painter, circle, [(8, 8, 16, 16), (8, 16, 16, 8)])
        elif self._is_done:
            self._draw(painter, circle, [(7, 12.6, 10.6, 16), (10.6, 16, 17, 8.6)])
        else:
            font = self.font()
            font.setBold(True)
            font.setPointSizeF(font.pointSizeF() * 0.88)
            painter.setFont(font)
            painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, str(self._number))
        self._write_name(painter, "text" if is_reached or self._has_failed else "muted")

    @staticmethod
    def _draw(painter: QPainter, circle: QRectF, lines: Sequence[tuple[float, float, float, float]]) -> None:
        """`lines`: from and to, in pixels from the corner of a whole circle."""
        pen = QPen(painter.pen().color(), 2.2)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        corner, part = circle.topLeft(), circle.width() / _CIRCLE
        for left, top, right, bottom in lines:
            painter.drawLine(corner + QPointF(left, top) * part, corner + QPointF(right, bottom) * part)


class Rail(QWidget):
    pressed = Signal(object)  # PageId
    tool_pressed = Signal(object)  # SideId
    back_pressed = Signal()  # from beside the wizard to where it stands
    language_chosen = Signal(str)
    theme_chosen = Signal(str)
    logs_wanted = Signal()
    help_wanted = Signal()

    def __init__(self, theme: Theme, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        self._theme, self._translator, self._is_narrow = theme, translator, False
        self._rows = rows = column(self, _SIDES, 0)
        self._brand = brand = label(BRAND, wrap=False)
        brand.setObjectName("brand")
        brand.setContentsMargins(8, 0, 0, 18)
        rows.addWidget(brand)
        self.steps = {page: RailStep(page, theme, self) for page in ORDER}
        for step in self.steps.values():
            step.clicked.connect(lambda checked=False, page=step.page: self.pressed.emit(page))
        self.back = RailTool(theme, self, "arrow-left")
        self.tools = {page: RailTool(theme, self, _ICONS[page]) for page in SIDE_ORDER}
        self.back.clicked.connect(self.back_pressed)
        for page, tool in self.tools.items():
            tool.clicked.connect(lambda checked=False, page=page: self.tool_pressed.emit(page))
        # One of two lists, and always the room of the longer: the window's smallest size must not flicker.
        self._lists = QStackedWidget(self)
        for listed in ((*self.steps.values(),), (self.back, *self.tools.values())):
            holder = QWidget(self._lists)
            lines = column(holder, gap=0)
            for one in listed:
                lines.addWidget(one)
            lines.addStretch(1)
            self._lists.addWidget(holder)
        rows.addWidget(self._lists, 1)
        self.languages = {name: self._plain() for name in _SHORT_LANGUAGES}
        self._line, self._below = (line, below) = line_up(gap=2), line_up(gap=0)
        for name, button in self.languages.items():
            button.setCheckable(True)
            button.setProperty("role", "choice")
            button.setAccessibleName(LANGUAGE_NAMES[name])
            button.clicked.connect(lambda checked=False, name=name: self.language_chosen.emit(name))
            line.addWidget(button)
        line.addStretch(1)
        self.theme_button, self.logs_button, self.help_button = self._plain(), self._plain(), self._plain()
        self.theme_button.clicked.connect(self._next_theme)
        self.logs_button.clicked.connect(self.logs_wanted)
        self.help_button.clicked.connect(self.help_wanted)
        rows.addWidget(self.help_button)
        rows.addLayout(line)
        below.addWidget(self.logs_button)
        rows.addLayout(below)
        theme.changed.connect(self.update)

    def show_narrow(self, is_narrow: bool) -> None:
        """Show signs only, with the names as tool tips, or signs and names."""
        if is_narrow == self._is_narrow:
            return
        self._is_narrow = is_narrow
        self.setFixedWidth(NARROW_RAIL if is_narrow else WIDTH)
        self._brand.setVisible(not is_narrow)
        for one in (*self.steps.values(), self.back, *self.tools.values()):
            one.show_narrow(is_narrow)
        self.retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Signs lie beside each other where the window is too low for one below the other."""
        is_low = self.height() < _LOW
        for name, button in self.languages.items():
            short = _SHORTEST[name] if is_low else _SHORT_LANGUAGES[name][:2]
            button.setText(short if self._is_narrow else _SHORT_LANGUAGES[name])
        home = self._below if self._is_narrow else self._line  # of signs alone, or beside the languages
        if home.indexOf(self.theme_button) < 0:
            home.insertWidget(0 if self._is_narrow else len(self.languages), self.theme_button)
        one_below, beside = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._line.setDirection(one_below if self._is_narrow and not is_low else beside)
        self._below.setDirection(beside if self._is_narrow and is_low else one_below)
        sides = _LOW_SIDES if is_low else _SIDES
        if self._rows.contentsMargins() != QMargins(*sides):
            self._rows.setContentsMargins(*sides)
            for one in (*self.steps.values(), self.back, *self.tools.values()):
                one.show_low(is_low)

    def _plain(self) -> QPushButton:
        button = QPushButton(self)
        button.setProperty("role", "plain")
        return button

    def _next_theme(self) -> None:
        self.theme_chosen.emit(THEMES[(THEMES.index(self._theme.name) + 1) % len(THEMES)])

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [
            *self.steps.values(),
            self.back,
            *self.tools.values(),
            self.help_button,
            *self.languages.values(),
            self.theme_button,
            self.logs_button,
        ]

    def retranslate(self) -> None:
        themes = {
            "system": QCoreApplication.translate("Rail", "Theme: system"),
            "light": QCoreApplication.translate("Rail", "Theme: light"),
            "dark": QCoreApplication.translate("Rail", "Theme: dark"),
        }
        for button, sign, words in (
            (self.theme_button, _THEME_SIGNS[self._theme.name], themes[self._theme.name]),
            (self.help_button, "circle-question-mark", QCoreApplication.translate("Rail", "Help")),
            (self.logs_button, "folder-open", QCoreApplication.translate("Rail", "Logs")),
        ):
            is_sign = self._is_narrow or button is self.theme_button  # what is worn is seen
            button.setText("" if is_sign else words)
            button.setIcon(icon(sign) if is_sign else QIcon())
            button.setAccessibleName(words)
        self.help_button.setToolTip(plain_tip("F1"))
        for name, button in self.languages.items():
            button.setChecked(name == self._translator.language)
        self.setAccessibleName(QCoreApplication.translate("Rail", "Steps"))
        self._fit()

    def show_navigator(self, navigator: Navigator, side: SideId | None = None) -> None:
        """Show where the person is; on a page beside the way the tools take the place of the steps."""
        back = QCoreApplication.translate("Rail", "Back to: %1")
        self.back.show_tool(back.replace("%1", page_name(navigator.page)), False)
        self._lists.setCurrentIndex(0 if side is None else 1)
        for tool_page, tool in self.tools.items():
            tool.show_tool(page_name(tool_page), tool_page is side)
        for page, step in self.steps.items():
            is_now = page is navigator.page
            step.show_step(is_now, navigator.is_done(page), navigator.may_go_to(page), navigator.has_failed(page))
