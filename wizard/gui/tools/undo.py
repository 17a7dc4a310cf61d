"""Undo: every change that this program made to the user's own settings, and taking one back after seeing how."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import IsCancelled, OnNote
from wizard.gui.tools.base import SidePage
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.diff_view import FileDiff
from wizard.gui.widgets.frames import box, column, empty
from wizard.gui.widgets.labels import SIGNS, Pill, label, selectable
from wizard.gui.widgets.row_table import RowTable
from wizard.model.messages import Message, message
from wizard.toolconfig.model import Diff, Tool

if TYPE_CHECKING:
    from wizard.app.use.settings import UndoDiff
    from wizard.undo.model import Change, Undone

_MOST_ROWS_SHOWN = 6
_FILES = 2
_SIGN_OF = {"written": "ok", "undone": "note", "prepared": "warning", "undoing": "warning"}
_UNDONE = "undone"


class UndoPage(SidePage):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._changes: tuple[Change, ...] | None = None
        self._diffs: tuple[UndoDiff, ...] | None = None
        self._settled: tuple[Message, ...] = ()
        self._undone: Undone | None = None
        self.table = RowTable(4, (1,), _MOST_ROWS_SHOWN, wraps=True)
        self.table.itemSelectionChanged.connect(self._chosen)
        self._none, self._news = label("", "muted"), Advice()
        self._result = box("card")
        lines = column(self._result, (16, 14, 16, 14), 8)
        self._result_pill, self._result_words = Pill("ok"), selectable(label(""))
        lines.addWidget(self._result_pill)
        lines.addWidget(self._result_words)
        self._diff_title, self._diff = label("", "strong"), QWidget()
        self._diff_rows = column(self._diff, gap=8)
        for widget in (self._result, self._news, self._none, self.table, self._diff_title, self._diff):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def enter(self) -> None:
        self._undone = None
        self._look()

    def first_control(self) -> QWidget:
        return self.table

    def primary_text(self) -> str:
        return self.tr("&Undo this change") if self._changes else ""

    def may_press(self) -> bool:
        one = self.selected
        return not self.is_busy and one is not None and one.state.value != _UNDONE and self._diffs is not None

    def press(self) -> None:
        one = self.selected
        if one is not None:
            self.start_task(
                lambda: self.tr("Undoing it…"), lambda is_cancelled, note: self.api.undo(one), self._taken_back
            )

    def retranslate(self) -> None:
        self.set_head(
            self.tr("Undo changes"),
            self.tr("What this program wrote into your own settings. Your other settings stay."),
        )
        self._none.setText(self.tr("This program has not changed any of your settings."))
        heads = [self.tr("When"), self.tr("What"), self.tr("Files"), self.tr("State")]
        self.table.setHorizontalHeaderLabels(heads)
        self.table.setAccessibleName(self.tr("Changes of your settings"))
        self._fill()

    def render_state(self) -> None:
        self._none.setVisible(self._changes == ())
        self.table.setVisible(bool(self._changes))
        self._news.show_words("\n".join(self.signed(words) for words in self._settled))
        self._news.setVisible(bool(self._settled))
        self._show_result()
        self._show_diffs()

    @property
    def selected(self) -> Change | None:
        row, known = self.table.chosen_row, self._changes or ()
        return known[row] if 0 <= row < len(known) else None

    # -- the list

    def _look(self) -> None:
        def look(is_cancelled: IsCancelled, note: OnNote) -> tuple[tuple[Message, ...], tuple[Change, ...]]:
            return self.api.settle(), self.api.changes()

        words = (lambda: self.tr("Checking…")) if self._changes is None else None
        self.start_task(words, look, self._listed)

    def _listed(self, told: tuple[tuple[Message, ...], tuple[Change, ...]]) -> None:
        settled, self._changes = told
        self._settled = settled or self._settled
        self._fill()
        if self._changes and self.selected is None:
            self.table.selectRow(0)
        self.render_state()
        self.wants_focus.emit()

    def _fill(self) -> None:
        before = self.selected
        with QSignalBlocker(self.table):
            changes = self._changes or ()
            self.table.setRowCount(len(changes))
            for row, change in enumerate(changes):
                state = self.say(message(f"settings-file.state.{change.state.value}"))
                when = time.strftime("%Y-%m-%d %H:%M", time.localtime(change.time))
                files = self.context.translator.listed(PurePath(file.path).name for file in change.files)
                sign = SIGNS[_SIGN_OF.get(change.state.value, "note")]
                for place, words in enumerate((when, self.say(change.reason), files, f"{sign} {state}")):
                    tip = "\n".join(file.path for file in change.files) if place == _FILES else words
                    self.table.put(row, place, words, tip)
                if before is not None and change.id == before.id:
                    self.table.selectRow(row)
        self.table.fit()

    # -- what undoing would do

    def _chosen(self) -> None:
        one, self._diffs = self.selected, None
        if one is not None and one.state.value != _UNDONE:
            self.beside("diff", lambda is_cancelled, note: self.api.undo_diffs(one), self._compared)
        self.render_state()
        self.changed.emit()

    def _compared(self, diffs: tuple[UndoDiff, ...]) -> None:
        self._diffs = diffs
        self.render_state()
        self.changed.emit()

    def _show_diffs(self) -> None:
        diffs = self._diffs
        empty(self._diff_rows)
        self._diff_title.setVisible(diffs is not None)
        self._diff.setVisible(diffs is not None)
        self._diff_title.setText(self.tr("Undo will do this:"))
        for diff in diffs or ():
            for words in self._words(diff):
                self._diff_rows.addWidget(label(words))
            if diff.text:
                shown = Diff(Tool.PIP, Path(diff.path), diff.text, b"", b"", ())
                self._diff_rows.addWidget(FileDiff(shown, self.context.theme))

    def _words(self, diff: UndoDiff) -> Iterator[str]:
        yield self.say(message(f"flow.undo-will.{diff.how.value}", path=diff.path))
        for key in diff.left:
            yield self.say(message("settings-file.undo.left", path=diff.path, name=key))

    # -- undoing

    def _taken_back(self, undone: Undone) -> None:
        self._undone, self._diffs = undone, None
        self._look()
        self.render_state()
        self.announce(self._result_words.text(), urgent=True)

    def _show_result(self) -> None:
        undone = self._undone
        self._result.setVisible(undone is not None)
        if undone is None:
            return
        lines = [self.tr("Taken back: %1").replace("%1", self.say(undone.change.reason))]  # the table has no numbers
        for file in undone.files:
            lines.append(self.say(message(f"settings-file.how.{file.how.value}", path=file.path)))
            lines += [self.say(message("settings-file.undo.left", path=file.path, name=key)) for key in file.left]
        self._result_pill.show_state("ok", self.tr("Undone"))
        self._result_words.setText("\n".join(lines))
