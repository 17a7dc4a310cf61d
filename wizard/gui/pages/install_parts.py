"""The parts of the Install page: the one bar, the steps, and what unfolds the log.

The steps of a run, one row each, changed in place: they are redrawn many times a second. One file: both show one run.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from wizard.app.pages.run import Bytes, RunView, StepView, limit_words
from wizard.gui.pages.file_bars import BARS, FileBars
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import about_text, left_text, part_text, rate_text, seconds_text
from wizard.gui.widgets.frames import RowCard, RowCell, Turning, column, line_up, stacked
from wizard.gui.widgets.icons import ICON_SIZE, Sign, fold_icon
from wizard.gui.widgets.labels import Turned, dress, label, plain_tip, put_words, told_of
from wizard.model.messages import bytes_text
from wizard.run.report.text import step_name, step_state

_STEPS = 1000
_CURVE_SECONDS = 60
_OFTEN = 0.9  # of the looks at the speed were not above the dashed line
_CURVE_HEIGHT = 52  # pixels
_CURVE_WIDTH = 250
_BELOW_RATE = 4  # pixels between the speed's words and its curve
_LOW, _LOWEST = 400, 250  # pixels of the page: less has no room for the curve, for the speed
_LONG = 85 * 60  # seconds: no time left has longer words
_AIR, _TIGHT, _AROUND = 8, 10, 16  # pixels: between two steps where there is room, else, and around all of them
_SIDE, _NARROW_SIDE = 22, 14  # pixels beside the bar; in a narrow window
_NARROW = 520  # pixels: less has no room for what a step did beside its name
_CURVE_FILL = 40  # of 255: how much of the accent lies under the line


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

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self.setProperty("role", "card")
        self._both = Turning(28)
        column(self).addWidget(self._both)
        self._whole = QWidget()
        rows, line = column(self._whole, gap=10), line_up(gap=14)
        self._was_measured = self._is_lowest = False  # whether this attempt has told a speed; no room for one
        self._is_to_come = False  # the download, of which there will be a speed
        self._percent, self._left = label("", "moment", wrap=False), label("", "muted", wrap=False)
        self._done = label("", "muted", wrap=False)
        _keep_room(self._done)
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
        _keep_room(self._curve)
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
        """The speed has its place from the start to the end of the download, and in a pause: what lies below stays."""
        _keep_room(self._speed, self._is_to_come and not self._is_lowest)

    def give_way(self, room: int) -> None:
        """Leave the curve out where so few pixels are better given to the steps, and the speed, too, in the lowest."""
        self._is_lowest = room < _LOWEST
        self._keep_place()
        if self._is_lowest:
            self._speed.hide()
        if self._curve.has_no_room is not (room < _LOW):
            self._curve.has_no_room = room < _LOW
            _keep_room(self._curve, room >= _LOW)
            self._curve.show_where_room()

    @property
    def words(self) -> str:
        said = (self._done, self._rate, self._left, self._limit, self._percent)
        return " ".join(one.text() for one in said if one.text() and not one.isHidden())

    def show_view(self, view: RunView, is_going: bool, is_paused: bool) -> None:
        """Show per cent, bytes, speed and time left; the speed only while something is fetched."""
        percent = f"{int(view.fraction * 100)} %"
        for one, longest in ((self._percent, "100 %"), (self._left, left_text(_LONG))):  # no news turns the card
            one.setMinimumWidth(one.fontMetrics().horizontalAdvance(longest))
        counted = view.bytes if is_going and not is_paused else None
        is_fetching = counted is not None and (counted.total is None or counted.done < counted.total)
        rate = counted.rate if counted is not None and is_fetching else None
        limit = self._translator.say(limit_words(counted.limited_by)) if counted and is_fetching else ""
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
        put_words(self._left, left_text(left) if left is not None else words)
        put_words(self._rate, rate_text(rate) if rate else "")
        put_words(self._limit, limit)
        self._is_to_come = is_going and (fetch is None or fetch.state in ("waiting", "running"))
        self._keep_place()
        self._speed.setVisible(rate is not None and not self._is_lowest)
        self.bar.setAccessibleName(self.tr("Progress: %1").replace("%1", percent))
        self.bar.setAccessibleDescription(self.words)

    def _bytes(self, counted: Bytes) -> str:
        if counted.total is None:
            return bytes_text(counted.done, keeps_zeros=True)
        return part_text(self.tr("%1 of %2"), counted.done, counted.total)


_SIGNS = {"done": "ok", "skipped": "ok", "failed": "problem", "running": "running"} | dict.fromkeys(
    ("paused", "stopped", "cancelled"), "note"
)
_SAID = ("paused", "stopped", "failed", "cancelled", "not-started")  # states that are said in words as well
_AT = ("failed", "running", "cancelled", "waiting")  # the run is at the first step in the first of these states
# Until the worker says which steps it has: a new environment's.
_FIRST_SEEN = tuple(StepView(name, 1.0) for name in ("preflight", "create", "fetch", "install", "check", "verify"))
_HELD = ("fetch", "install")  # by a pause: the download and what waits for its files; others go on to their end
_FETCH = "fetch"


_RIGHT = 80  # pixels of how long it took


class _Row:
    def __init__(self) -> None:
        self.sign = Sign("waiting", 20)
        self.name = label("", wrap=False)
        self.words = Turned("muted")
        self.right = label("", "muted", wrap=False)
        self.right.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class RunSteps(QWidget):
    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._rows: dict[str, _Row] = {}
        self._bars: FileBars | None = None
        self._told: tuple[str, ...] = ()  # steps whose end was said
        self._expected: dict[str, float] = {}
        self._is_narrow = False
        self._shown: tuple[RunView, bool, bool, bool, bool] | None = None
        self._gives_way = False  # to the log, in a window that is too low for both
        self._gap, self._is_ending = 0, False
        self._outer: QVBoxLayout = column(self)
        self._card = RowCard(4, 2, has_lines=False)
        self._outer.addWidget(self._card)

    def show_view(
        self, view: RunView, is_going: bool, is_paused: bool = False, is_new: bool = True, is_ending: bool = False
    ) -> None:
        """Show each step of the run with its sign, and the bars below the download. `is_new`: it makes an environment,
        so its steps are known before it says them. `is_ending`: what waits will not come."""
        self._is_ending, self._shown = is_ending, (view, is_going, is_paused, is_new, is_ending)
        steps = view.steps or (_FIRST_SEEN[: None if is_new else 1] if is_going else ())
        if list(self._rows) != [step.name for step in steps]:
            self._rebuild([step.name for step in steps])
        self.setVisible(bool(self._rows))
        self._show_rows()
        fetch = view.step(_FETCH)
        is_held = is_paused and fetch is not None and fetch.state in ("waiting", "running")
        for step in steps:
            self._show_step(step, view, is_going, is_held and step.name in _HELD)
        is_fetching = is_going and fetch is not None and fetch.state == "running"
        if self._bars is not None:
            self._bars.stand_below(max(row.name.sizeHint().width() for row in self._rows.values()))
            self._bars.show_files((view.bytes.files if view.bytes else ()) if is_fetching else None, is_paused)

    def begin_anew(self) -> None:
        """Another run is shown."""
        self._told, self._expected = (), {}
        if self._bars is not None:
            self._bars.begin_anew()

    def expect(self, times: Mapping[str, float]) -> None:
        """Take what each step took in the last setup like this one, in seconds."""
        self._expected = dict(times)

    def ended(self, view: RunView) -> list[str]:
        """Return the steps that ended since this was asked last, with how, in words."""
        over = tuple(step.name for step in view.steps if step.state not in ("waiting", "running"))
        language, states = self._translator.language, {step.name: step.state for step in view.steps}
        new = [name for name in over if name not in self._told]
        self._told = over
        return [told_of(step_name(name, language), step_state(states[name], language)) for name in new]

    def give_way(self, room: int, may_hide: bool) -> None:
        """Fit into so many pixels: the steps lie close where that is little. `may_hide`: for the log, where it is too
        little, but for the step that the run is at."""
        line, steps = self.fontMetrics().lineSpacing() + _TIGHT, len(self._rows)
        with_bars = (steps + BARS) * line + 2 * _AROUND  # so that nothing moves when they come
        self._gap = _AIR if with_bars + steps * _AIR <= room else 0
        if self._card.grid.verticalSpacing() != self._gap:
            self._card.grid.setVerticalSpacing(self._gap)
        has_bars = self._bars is not None and not self._bars.isHidden()
        self._gives_way = may_hide and (with_bars if has_bars else steps * line + _AROUND) > room
        self._show_rows()

    def _show_rows(self) -> None:
        """All of them, or the one that says where the run is: without the bars below it, whose files it counts."""
        steps = self._shown[0].steps if self._shown else ()
        named = (one.name for state in _AT for one in steps if one.state == state)
        at = self._rows.get(next(named, next(iter(self._rows), ""))) if self._gives_way else None
        for cell in self._card.findChildren(RowCell):
            is_bars = self._bars is not None and cell.isAncestorOf(self._bars)
            cell.setVisible(not self._gives_way or (at is not None and at.sign in cell.cells and not is_bars))

    def state_of(self, name: str) -> str:
        """Return the word for its state, which its sign shows."""
        return self._rows[name].sign.accessibleName() if name in self._rows else ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say what a step did below its name where there is little room."""
        super().resizeEvent(event)
        if (is_narrow := self.width() < _NARROW) != self._is_narrow:
            self._is_narrow = is_narrow
            self._rebuild(list(self._rows))
            if self._shown is not None:
                self.show_view(*self._shown)

    def _rebuild(self, names: list[str]) -> None:
        self._card.clear()
        before, self._bars = self._bars, None
        self._rows = {name: _Row() for name in names}
        for name, row in self._rows.items():
            beside = (None, stacked(row.name, row.words)) if self._is_narrow else (row.name, row.words)
            self._card.add_row(row.sign, *beside, row.right, tight=True)
            if name == _FETCH:
                self._bars = FileBars(before)
                self._card.add_wide(self._bars)
        self._card.grid.setVerticalSpacing(self._gap)

    def _show_step(self, step: StepView, view: RunView, is_going: bool, is_paused: bool) -> None:
        row = self._rows[step.name]
        name = step_name(step.name, self._translator.language)
        is_running = step.state == "running"
        state = step.state if not is_running else "stopped" if not is_going else "paused" if is_paused else "running"
        if state == "waiting" and not is_going:
            state = "not-started"
        elif state == "cancelled" and not (view.ending and view.ending.cancelled):
            state = "stopped"  # by what failed beside it
        word = step_state(state, self._translator.language)
        row.sign.show_state(_SIGNS.get(state, "waiting"))
        row.sign.setAccessibleName(word)
        row.sign.setAccessibleDescription(name)
        row.sign.setToolTip(plain_tip(word))
        dress(row.name, "strong" if is_running else "muted" if state in ("waiting", "not-started") else "")
        put_words(row.name, name)
        said = self._translator.say(step.message)
        detail = self._now(step, view) if is_running else ""
        is_above = state == "failed" and view.ending is not None and view.ending.summary is not None
        put_words(row.words, (detail or said) if state != "not-started" and not is_above else "")
        row.words.setVisible(bool(row.words.text()) or not self._is_narrow)
        paused = row.right.fontMetrics().horizontalAdvance(step_state("paused", self._translator.language)) + 1
        row.right.setMinimumWidth(paused if self._is_narrow else _RIGHT)  # so that no pause moves what stands there
        put_words(row.right, word if state in _SAID else self._right(step, is_going))

    def _now(self, step: StepView, view: RunView) -> str:
        """What a step is at: the download counts its files, whose bars name the large ones."""
        counted = view.bytes if step.name == _FETCH else None
        if counted is not None and counted.files_total:
            words = self.tr("Files: %1 of %2").replace("%2", str(counted.files_total))
            return words.replace("%1", str(counted.files_done))
        return _short(self._translator.say(step.detail))

    def _right(self, step: StepView, is_going: bool) -> str:
        if step.seconds is not None:
            return seconds_text(step.seconds)
        if step.state == "waiting" and is_going and not self._is_ending and step.name in self._expected:
            return about_text(self._expected[step.name])
        if step.state != "running" or not is_going or step.name == _FETCH:  # whose speed and bytes stand above
            return ""
        return f"{int(step.fraction * 100)} %" if step.fraction else ""


class LogButton(QPushButton):
    """Unfolds the log."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "plain")
        self.setCheckable(True)
        self.setIconSize(ICON_SIZE)
        self.toggled.connect(self._turn)
        self._turn(False)

    def _turn(self, is_open: bool) -> None:
        self.setIcon(fold_icon(is_open))


def _short(detail: str) -> str:
    """Name a package file by what is in it: the rest of its name says for which systems it is."""
    return " ".join(detail.split("-")[:2]) if detail.endswith((".whl", ".conda")) else detail


def _keep_room(widget: QWidget, is_kept: bool = True) -> None:
    """Hidden, it leaves its room empty."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(is_kept)
    widget.setSizePolicy(policy)
