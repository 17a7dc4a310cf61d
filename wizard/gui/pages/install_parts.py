"""The parts of the Install page: the one bar, and the steps.

The steps of a run, one row each, changed in place: they are redrawn many times a second.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QVBoxLayout, QWidget

from wizard.app.pages.run import Bytes, RunView, StepView, limit_words
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.figures import left_text, rate_text, seconds_text
from wizard.gui.widgets.frames import RowCard, column, line_up
from wizard.gui.widgets.labels import Pill, label
from wizard.model.messages import bytes_text
from wizard.run.report.text import step_name, step_state

_STEPS = 1000


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
        rows.addLayout(line)
        rows.addWidget(self.bar)

    @property
    def words(self) -> str:
        return f"{self._done.text()} {self._more.text()} {self._percent.text()}"

    def show_view(self, view: RunView, is_going: bool, is_paused: bool) -> None:
        percent = f"{int(view.fraction * 100)} %"
        self.bar.setValue(int(view.fraction * _STEPS))
        self._percent.setText(percent)
        parts = self._parts(view.bytes) if view.bytes and is_going and not is_paused else []
        self._done.setText(self._bytes(view.bytes) if view.bytes else "")
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
        row.pill.show_state(_PILLS.get(state, "note"), step_state(state, self._translator.language))
        if state == "running":
            row.pill.setText(row.pill.text().replace("!", "▸", 1))
        row.pill.setAccessibleDescription(name)
        _set(row.name, name)
        said = self._translator.say(step.message)
        _set(
            row.words,
            " • ".join(part for part in (said, self._translator.say(step.detail) if is_running else "") if part),
        )
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


def _set(widget: QLabel, words: str) -> None:
    """Setting the same text again would still lay the page out anew."""
    if widget.text() != words:
        widget.setText(words)
