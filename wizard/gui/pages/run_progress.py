"""The one bar: how far, how fast, how long still, and what limits it."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from wizard.flow.run_view import Bytes, RunView, limit_words
from wizard.gui.figures import left_text, rate_text
from wizard.gui.parts.boxes import column, line_up
from wizard.gui.parts.labels import label
from wizard.gui.voice import Voice
from wizard.i18n import bytes_text

_STEPS = 1000


class RunProgress(QFrame):
    def __init__(self, voice: Voice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._voice = voice
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
        limit = self._voice.say(limit_words(counted.limited_by))
        return [*parts, limit] if limit else parts
