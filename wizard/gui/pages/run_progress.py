"""How far a run is, as the Install page shows it: the one bar, the time left, and the speed with its curve."""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QProgressBar, QSizePolicy, QWidget

from wizard.app.pages.run import Bytes, RunView
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import left_text, part_text, rate_text
from wizard.gui.widgets.frames import Turning, column, line_up, stacked
from wizard.gui.widgets.labels import in_a_row, keep_line, keep_room, label, put_words
from wizard.model.messages import bytes_text

_STEPS = 1000
_FETCH = "fetch"
_CURVE_SECONDS = 60
_OFTEN = 0.9  # of the looks at the speed were not above the dashed line
_CURVE_HEIGHT = 52  # pixels
_CURVE_WIDTH = 250
_CURVE_FILL = 40  # of 255: how much of the accent lies under the line
_BELOW_RATE = 4  # pixels between the speed's words and its curve
_LOW, _LOWEST = 400, 250  # pixels of the page: less has no room for the curve, for the speed
_LONG = 85 * 60  # seconds: no time left has longer words
_SIDE, _NARROW_SIDE = 22, 14  # pixels beside the bar; in a narrow window
_NARROW = 520  # pixels: less is narrow


class SpeedCurve(QWidget):
    """The speed of the last minute, drawn; the words beside the bar say it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seen: deque[tuple[float, float]] = deque()  # (seconds, bytes a second)
        self._is_limited = self.has_no_room = False
        self.setFixedHeight(_CURVE_HEIGHT)
        self.setVisible(False)

    def add(self, rate: float | None, is_limited: bool) -> None:
        """`rate`: bytes a second; None where nothing is downloaded now, which hides it. `is_limited`: the words beside
        it say what holds it up, so that a dashed line shows where."""
        now, self._is_limited = time.monotonic(), is_limited
        if rate is None:
            self._seen.clear()
        else:
            self._seen.append((now, rate))
        while self._seen and now - self._seen[0][0] > _CURVE_SECONDS:
            self._seen.popleft()
        self.show_where_room()
        self.update()

    def show_where_room(self) -> None:
        self.setVisible(len(self._seen) > 1 and not self.has_no_room)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the last seconds of the download as a line, the fastest of them at the top."""
        if len(self._seen) < 2:
            return
        most, now = max(rate for _, rate in self._seen) or 1.0, self._seen[-1][0]
        wide, high = self.width() - 2, self.height() - 3
        line = [
            QPointF(1 + wide * (1 - (now - at) / _CURVE_SECONDS), 2 + high * (1 - rate / most))
            for at, rate in self._seen
        ]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent = self.palette().color(QPalette.ColorRole.Highlight)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(accent.red(), accent.green(), accent.blue(), _CURVE_FILL))
        bottom = float(self.height())
        painter.drawPolygon([QPointF(line[0].x(), bottom), *line, QPointF(line[-1].x(), bottom)])
        painter.setPen(QPen(accent, 1.5))
        painter.drawPolyline(line)
        if self._is_limited:
            y = 2 + high * (1 - self.level / most)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.PlaceholderText), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(1, y), QPointF(1 + wide, y))

    @property
    def level(self) -> float:
        """Return the speed that it comes back to, in bytes a second: a tenth of the last minute was faster."""
        rates = sorted(rate for _, rate in self._seen)
        return rates[int(_OFTEN * (len(rates) - 1))] if rates else 0.0


class RunProgress(QFrame):
    """How far the whole run is, and beside it the speed of the last minute with what limits it."""

    placed = Signal()  # it has another place or size

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self.setProperty("role", "card")
        self._both = Turning(28)
        column(self).addWidget(self._both)
        self._whole = QWidget()
        rows, line = column(self._whole, gap=10), line_up(gap=14)
        self._was_measured = self._is_lowest = False  # whether this attempt has told a speed; no room for one
        self._has_place = False  # the speed, while the run goes on
        self._percent, self._left = label("", "moment", wrap=False), label("", "muted", wrap=False)
        self._done = label("", "muted", wrap=False)
        keep_room(self._done)
        line.addWidget(self._percent)
        line.addWidget(stacked(self._left, self._done), 1)  # one above the other: neither is broken in a narrow window
        self.bar = QProgressBar(self)
        self.bar.setProperty("role", "whole")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        rows.addStretch(1)
        rows.addLayout(line)
        rows.addWidget(self.bar)
        rows.addStretch(1)
        self._speed = QWidget()
        self._speed.setFixedWidth(_CURVE_WIDTH)
        beside = column(self._speed, gap=_BELOW_RATE)
        self._rate, self._limit = label("", "small-strong", wrap=False), label("", "small")
        self._curve = SpeedCurve()
        keep_room(self._curve)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        over = line_up(gap=8)
        over.addWidget(self._rate)
        over.addWidget(self._limit, 1)
        self._limit.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        beside.addLayout(over)
        beside.addWidget(self._curve)
        beside.addStretch(1)
        self._both.line.addWidget(self._whole, 1)
        self._both.line.addWidget(self._speed)
        self._put_sides()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._put_sides()

    def _put_sides(self) -> None:
        side = _SIDE if self.width() >= _NARROW else _NARROW_SIDE
        self._both.line.setContentsMargins(side, 16, side, 18)

    def _keep_place(self) -> None:
        """The speed has its place from the start to the end of the run, and in a pause: what lies beside and below
        stays."""
        keep_room(self._speed, self._has_place and not self._is_lowest)

    def event(self, event: QEvent) -> bool:
        is_done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self.placed.emit()
        return is_done

    def give_way(self, room: int) -> None:
        """Leave the curve out where so few pixels are better given to the steps, and the speed, too, in the lowest."""
        self._is_lowest = room < _LOWEST
        self._keep_place()
        if self._is_lowest:
            self._speed.hide()
        if self._curve.has_no_room is not (room < _LOW):
            self._curve.has_no_room = room < _LOW
            keep_room(self._curve, room >= _LOW)
            self._curve.show_where_room()

    @property
    def words(self) -> str:
        said = (self._done, self._rate, self._left, self._limit, self._percent)
        return in_a_row(*(one.text() for one in said if not one.isHidden()))

    def show_view(self, view: RunView, is_going: bool, is_paused: bool) -> None:
        """Show per cent, bytes, speed and time left; the speed only while something is fetched."""
        percent = f"{int(view.fraction * 100)} %"
        for one, longest in ((self._percent, "100 %"), (self._left, left_text(_LONG))):  # no news turns the card
            one.setMinimumWidth(one.fontMetrics().horizontalAdvance(longest))
        keep_line(self._left, self._done, self._rate, self._limit)
        counted = view.bytes if is_going and not is_paused else None
        is_fetching = counted is not None and (counted.total is None or counted.done < counted.total)
        rate = counted.rate if counted is not None and is_fetching else None
        limit = self._translator.say(counted.limit) if counted and is_fetching else ""
        self._curve.add(counted.rate if counted is not None else None, bool(limit))
        self.bar.setValue(int(view.fraction * _STEPS))
        begins, fetch = is_going and not view.steps, view.step(_FETCH)
        is_counting = fetch is not None and fetch.state not in ("waiting", "done", "skipped")
        put_words(self._percent, percent)
        put_words(self._done, self._bytes(view.bytes) if view.bytes else "")
        self._done.setVisible(is_counting)
        left = counted.eta if counted is not None and is_fetching else None
        self._was_measured = is_going and (self._was_measured or bool(rate))
        words = self.tr("Starting…") if begins else ""
        if counted is not None and counted.done and is_fetching and not self._was_measured:  # of an attempt before
            words = self.tr("Checking what is here…")
        if counted is not None and counted.is_unanswered:
            left, words = None, self.tr("no answer, trying again")
        put_words(self._left, left_text(left) if left is not None else words)
        put_words(self._rate, rate_text(rate) if rate else "")
        put_words(self._limit, limit)
        self._has_place = is_going
        self._keep_place()
        self._speed.setVisible(rate is not None and not self._is_lowest)
        self.bar.setAccessibleName(self.tr("Progress: %1").replace("%1", percent))
        self.bar.setAccessibleDescription(self.words)

    def _bytes(self, counted: Bytes) -> str:
        if counted.total is None:
            return bytes_text(counted.done, keeps_zeros=True)
        return part_text(self.tr("%1 of %2"), counted.done, counted.total)
