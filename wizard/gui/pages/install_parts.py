"""The parts of the Install page: the one bar, and the steps.

The steps of a run, one row each, changed in place: they are redrawn many times a second.
"""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QVBoxLayout, QWidget

from wizard.app.pages.run import Bytes, RunView, StepView, limit_words
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import left_text, rate_text, seconds_text
from wizard.gui.widgets.frames import RowCard, column, line_up
from wizard.gui.widgets.labels import Pill, label
from wizard.model.messages import bytes_text
from wizard.run.report.text import step_name, step_state

_STEPS = 1000
_CURVE_SECONDS = 60
_CURVE_HEIGHT = 40  # pixels
_CURVE_FILL = 40  # of 255: how much of the accent lies under the line


class SpeedCurve(QWidget):
    """The speed of the last minute, drawn; the words beside the bar say it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seen: deque[tuple[float, float]] = deque()  # (seconds, bytes a second)
        self.setFixedHeight(_CURVE_HEIGHT)
        self.setVisible(False)

    def add(self, rate: float | None) -> None:
        """`rate`: bytes a second; None where nothing is downloaded now, which hides it."""
        now = time.monotonic()
        if rate is None:
            self._seen.clear()
        else:
            self._seen.append((now, rate))
        while self._seen and now - self._seen[0][0] > _CURVE_SECONDS:
            self._seen.popleft()
        self.setVisible(len(self._seen) > 1)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
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


class RunProgress(QFrame):
    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self.setProperty("role", "card")
        rows = column(self, (16, 14, 16, 16), 10)
        line = line_up()
        self._done, self._more = label("", "strong", wrap=False), label("", "muted")
        self._percent = label("", "strong", wrap=False)
        line.addWidget(self._done)
        line.addWidget(self._more, 1)
        line.addWidget(self._percent)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self._curve = SpeedCurve()
        rows.addLayout(line)
        rows.addWidget(self.bar)
        rows.addWidget(self._curve)

    @property
    def words(self) -> str:
        return f"{self._done.text()} {self._more.text()} {self._percent.text()}"

    def show_view(self, view: RunView, is_going: bool, is_paused: bool) -> None:
        percent = f"{int(view.fraction * 100)} %"
        self._curve.add(view.bytes.rate if view.bytes and is_going and not is_paused else None)
        self.bar.setValue(int(view.fraction * _STEPS))
        self._percent.setText(percent)
        parts = self._parts(view.bytes) if view.bytes and is_going and not is_paused else []
        begins = self.tr("Starting…") if is_going and not view.steps else ""
        self._done.setText(self._bytes(view.bytes) if view.bytes else begins)
        self._more.setText("  •  ".join(parts))
        self.bar.setAccessibleName(self.tr("Progress: %1").replace("%1", percent))
        self.bar.setAccessibleDescription(f"{self._done.text()} {self._more.text()}".strip())

    def _bytes(self, counted: Bytes) -> str:
        if counted.total is None:
            return bytes_text(counted.done)
        words = self.tr("%1 of %2").replace("%2", bytes_text(counted.total))
        return words.replace("%1", bytes_text(counted.done))

    def _parts(self, counted: Bytes) -> list[str]:
        if counted.total is not None and counted.done >= counted.total:
            return []
        parts = [rate_text(counted.rate)] if counted.rate else []
        parts += [left_text(counted.eta)] if counted.eta is not None else []
        limit = self._translator.say(limit_words(counted.limited_by))
        return [*parts, limit] if limit else parts


_PILLS = {"running": "warning", "done": "ok", "skipped": "ok", "failed": "problem"}
_PAUSES = "fetch"  # a pause holds up the download; a step that has begun goes on to its end


class _Row:
    def __init__(self) -> None:
        self.pill = Pill()
        self.name = label("", "strong", wrap=False)
        self.words: QLabel = label("", "muted")
        self.right = label("", wrap=False)
        self.right.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.right.setMinimumWidth(80)


class RunSteps(QWidget):
    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._translator = translator
        self._rows: dict[str, _Row] = {}
        self._outer: QVBoxLayout = column(self)
        self._card = RowCard(4, 2)
        self._outer.addWidget(self._card)

    def show_view(self, view: RunView, is_going: bool, is_paused: bool = False) -> None:
        if list(self._rows) != [step.name for step in view.steps]:
            self._rebuild([step.name for step in view.steps])
        self.setVisible(bool(self._rows))
        for step in view.steps:
            self._show_step(step, view, is_going, is_paused and step.name == _PAUSES)

    def state_of(self, name: str) -> str:
        """The word that is shown."""
        return self._rows[name].pill.accessibleName() if name in self._rows else ""

    def _rebuild(self, names: list[str]) -> None:
        self._card.clear()
        self._rows = {name: _Row() for name in names}
        for row in self._rows.values():
            self._card.add_row(row.pill, row.name, row.words, row.right, tight=True)
        self._card.grid.setColumnMinimumWidth(0, 96)

    def _show_step(self, step: StepView, view: RunView, is_going: bool, is_paused: bool) -> None:
        row = self._rows[step.name]
        name = step_name(step.name, self._translator.language)
        is_running = step.state == "running"
        state = step.state if not is_running else "stopped" if not is_going else "paused" if is_paused else "running"
        if state == "waiting" and not is_going:
            state = "not-started"
        row.pill.show_state(_PILLS.get(state, "note"), step_state(state, self._translator.language))
        if state == "running":
            row.pill.setText(row.pill.text().replace("!", "▸", 1))
        row.pill.setAccessibleDescription(name)
        _set(row.name, name)
        said = self._translator.say(step.message)
        detail = _short(self._translator.say(step.detail)) if is_running else ""
        _set(row.words, detail or said)
        _set(row.right, "" if is_paused and is_running else self._right(step, view, is_going))

    @staticmethod
    def _right(step: StepView, view: RunView, is_going: bool) -> str:
        if step.seconds is not None:
            return seconds_text(step.seconds)
        if step.state != "running" or not is_going:
            return ""
        if step.name == "fetch" and view.bytes and view.bytes.rate:
            return rate_text(view.bytes.rate)
        return f"{int(step.fraction * 100)} %" if step.fraction else ""


def _short(detail: str) -> str:
    """Name a package file by what is in it: the rest of its name says for which systems it is."""
    return " ".join(detail.split("-")[:2]) if detail.endswith((".whl", ".conda")) else detail


def _set(widget: QLabel, words: str) -> None:
    """Setting the same text again would still lay the page out anew."""
    if widget.text() != words:
        widget.setText(words)
