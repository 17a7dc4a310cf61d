"""Deleting an environment, asked in the page: what goes, what stays, who uses it, and the typed name.

What belongs to no package stands first: it is what would be missed. Nothing is deleted before the name is typed whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QPlainTextEdit, QProgressBar, QPushButton, QWidget

from wizard.gui.shell.theme import code_font
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.frames import column, line_up
from wizard.gui.widgets.labels import Pill, label, restyle
from wizard.model.messages import bytes_text

if TYPE_CHECKING:
    from wizard.environment.inspect.owned import Unowned
    from wizard.environment.remove.delete import DeletionPlan

_MOST_UNOWNED = 500
_MOST_PROGRAMS = 8


class DeletionPanel(QFrame):
    agreed = Signal(str)  # the name that was typed
    kept = Signal()  # the person would rather not
    look_again = Signal()
    stop_jupyter = Signal()

    def __init__(self, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "error")
        self._translator = translator
        self._plan: DeletionPlan | None = None
        self.is_going = False
        rows = column(self, (16, 14, 16, 14), 8)
        self._pill, self._title = Pill("problem"), label("", "heading")
        self._unowned_title, self.unowned = label("", "strong"), QPlainTextEdit(self)
        self.unowned.setReadOnly(True)
        self.unowned.setTabChangesFocus(True)
        self.unowned.setFont(code_font())
        self.unowned.setFixedHeight(104)
        self._users, self._goes, self._stays = label(""), label(""), label("", "muted")
        self._ask = QLabel(self)
        self._ask.setWordWrap(True)
        self.name = QLineEdit(self)
        self._ask.setBuddy(self.name)
        self.go, self.keep, self.again, self.stop = (QPushButton(self) for _ in range(4))
        self.go.setProperty("role", "danger")
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self._progress = label("", "muted")
        buttons = line_up()
        for button in (self.go, self.stop, self.again, self.keep):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for widget in (
            self._pill,
            self._title,
            self._unowned_title,
            self.unowned,
            self._users,
            self._goes,
            self._stays,
            self._ask,
            self.name,
            self._progress,
            self.bar,
        ):
            rows.addWidget(widget)
        rows.addLayout(buttons)
        self.name.textChanged.connect(self._typed)
        self.go.clicked.connect(self._agree)
        self.keep.clicked.connect(self.kept)
        self.again.clicked.connect(self.look_again)
        self.stop.clicked.connect(self.stop_jupyter)

    def show_plan(self, plan: DeletionPlan) -> None:
        self._plan, self.is_going = plan, False
        self.name.clear()
        self.retranslate()

    @property
    def first(self) -> QWidget:
        """Where it can be answered: nothing is typed while somebody uses it."""
        return self.keep if self._plan is not None and self._plan.running else self.name

    @property
    def words(self) -> str:
        """What is asked and what would be lost, for who cannot see it come."""
        told = (self._title, self._unowned_title, self._users, self._goes, self._stays)
        return "\n".join(one.text() for one in told if one.text() and not one.isHidden())

    def show_going(self) -> None:
        self.is_going = True
        self.bar.setRange(0, 0)
        self.retranslate()

    def show_progress(self, files: int, size: int) -> None:
        """Show how many files and bytes are removed by now."""
        if self._plan is None:
            return
        total = max(1, self._plan.sizes.files)
        self.bar.setRange(0, total)
        self.bar.setValue(min(files, total))
        words = self.tr("Files removed: %1 of %2, %3").replace("%1", f"{files:,}").replace("%2", f"{total:,}")
        self._progress.setText(words.replace("%3", bytes_text(size)))
        self.bar.setAccessibleName(self._progress.text())

    def retranslate(self) -> None:
        plan = self._plan
        self.keep.setText(self.tr("&Keep it"))
        self.again.setText(self.tr("Check a&gain"))
        self.stop.setText(self.tr("Stop &Jupyter"))
        self.go.setText(self.tr("De&lete for good"))
        self.name.setAccessibleName(self.tr("Name of the environment to delete"))
        if plan is None:
            return
        self._pill.show_state("note", self.tr("Deleting"))
        self._pill.setVisible(self.is_going)  # before, nothing has been done yet
        self._title.setText(self.tr("Delete %1?").replace("%1", plan.name))
        self._title.setVisible(not self.is_going)
        self._show_unowned(plan.unowned)
        self._show_users(plan)
        goes = self.tr("%1 will be deleted (packages: %2, files: %3, %4). This frees %5.")
        facts = (
            plan.name,
            str(plan.environment.packages),
            f"{plan.sizes.files:,}",
            bytes_text(plan.sizes.apparent),
            bytes_text(plan.sizes.freed),
        )
        for number, fact in enumerate(facts, start=1):
            goes = goes.replace(f"%{number}", fact)
        self._goes.setText(goes)
        self._stays.setText("\n".join(self._translator.say(words) for words in plan.stays))
        self._ask.setText(self.tr("T&ype %1 to delete it").replace("%1", plan.name))
        self._show_controls(plan)

    def _show_unowned(self, rows: tuple[Unowned, ...]) -> None:
        shown = bool(rows) and not self.is_going
        self._unowned_title.setVisible(shown)
        self.unowned.setVisible(shown)
        count = str(sum(row.files for row in rows))
        words = self.tr("Files of your own that would be deleted: %1")
        self._unowned_title.setText(words.replace("%1", count))
        self.unowned.setPlainText("\n".join(_unowned_lines(rows)))
        self.unowned.setAccessibleName(self._unowned_title.text())

    def _show_users(self, plan: DeletionPlan) -> None:
        lines = []
        for running in plan.running[:_MOST_PROGRAMS]:
            words = self.tr("%1 (process %2) is using it. Close it first.")
            if running.pid in plan.notebooks:
                words = self.tr("%1 (process %2) is using it. “Stop Jupyter” ends it, with its notebooks.")
            elif running.program.startswith("jupyter"):
                words = self.tr("%1 (process %2) is using it. In its page, choose “Shut Down” in the “File” menu.")
            words = words.replace("%1", running.program)
            lines.append(f"! {words.replace('%2', str(running.pid))}")
        for one in plan.dependants:
            words = self.tr("%1 uses this Python and would stop working.")
            lines.append(f"! {words.replace('%1', one.name)}")
        self._users.setText("\n".join(lines))
        self._users.setVisible(bool(lines) and not self.is_going)

    def _show_controls(self, plan: DeletionPlan) -> None:
        asks = not self.is_going and not plan.running
        for widget in (self._ask, self.name, self.go):
            widget.setVisible(asks)
        self.again.setVisible(bool(plan.running) and not self.is_going)
        self.stop.setVisible(bool(plan.notebooks) and not self.is_going)
        self.keep.setVisible(not self.is_going)
        self.bar.setVisible(self.is_going)
        self._progress.setVisible(self.is_going)
        if self.is_going and not self._progress.text():
            self._progress.setText(self.tr("Removing it…"))
            self.bar.setAccessibleName(self._progress.text())
        self._typed()

    def _typed(self) -> None:
        may = self._plan is not None and self.name.text() == self._plan.name
        if may != self.go.isEnabled():
            self.go.setEnabled(may)
            restyle(self.go)

    def _agree(self) -> None:
        self._progress.setText("")
        self.agreed.emit(self.name.text())


def _unowned_lines(rows: tuple[Unowned, ...]) -> Iterator[str]:
    for row in rows[:_MOST_UNOWNED]:
        if row.is_folder:
            yield f"{row.path}/  ({row.files}, {bytes_text(row.size)})"
        else:
            yield f"{row.path}  ({bytes_text(row.size)})"
    if len(rows) > _MOST_UNOWNED:
        yield "…"
