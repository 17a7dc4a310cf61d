"""A mirror for good: a box that nobody has ticked, and the difference it would make, shown before it is written."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from wizard.gui.desk import Desk
from wizard.gui.parts.boxes import column
from wizard.gui.parts.diff_view import DiffView
from wizard.gui.parts.labels import label
from wizard.session.settings import UsePlan


class LastingBox(QFrame):
    wished = Signal(bool)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._desk = desk
        rows = column(self, (16, 12, 16, 12), 6)
        self.tick = QCheckBox()
        self.tick.toggled.connect(self.wished)
        self._help, self._notices = label("", "muted"), label("")
        self.diff = DiffView(desk.theme)
        for widget in (self.tick, self._help, self._notices, self.diff):
            rows.addWidget(widget)

    def retranslate(self) -> None:
        self.tick.setText(self.tr("A&lso use this mirror for later installs with pip, uv and conda"))
        self.diff.retranslate()

    def show_plans(self, is_on: bool, names: Sequence[str], plans: Sequence[UsePlan]) -> None:
        blocker = QSignalBlocker(self.tick)
        self.tick.setChecked(is_on)
        del blocker
        diffs = [diff for plan in plans for diff in plan.diffs]
        if not is_on:
            words = self.tr("Shows the change of your settings files first. %1 would then serve every later install.")
            self._help.setText(words.replace("%1", ", ".join(names)))
        elif plans and not diffs:
            self._help.setText(self.tr("Your settings files say so already; nothing will be changed."))
        else:
            self._help.setText(
                self.tr("Written when you press Install, with a backup; Undo takes it back at any time.")
            )
        self.tick.setAccessibleDescription(self._help.text())
        notices = [notice for plan in plans for notice in plan.notices] if is_on else []
        self._notices.setText("\n".join(f"! {self._desk.voice.say(notice)}" for notice in notices))
        self._notices.setVisible(bool(notices))
        self.diff.show_diffs(diffs if is_on else ())
        self.diff.setVisible(is_on and bool(diffs))
