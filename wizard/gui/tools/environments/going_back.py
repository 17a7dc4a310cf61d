"""Going back to before a change of one environment: what it was, and what goes with it, is asked before it is done.

In the row of the environment; the states before the newest stand among its details.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from wizard.environment.activate.programs import KERNEL_PACKAGE, NOTEBOOK_PACKAGE
from wizard.gui.shell.translator import Translator
from wizard.gui.tools.base import SidePage
from wizard.gui.widgets.frames import Fold, RowCard, box, column, line_up
from wizard.gui.widgets.labels import label, told_of
from wizard.model.messages import bytes_text, message

if TYPE_CHECKING:
    from wizard.app.use.environments import Replaced
    from wizard.environment.model import Environment

_MOST_NAMES = 4  # of packages
_OF_JUPYTER = (NOTEBOOK_PACKAGE, KERNEL_PACKAGE)


def change_words(names: tuple[str, ...], translator: Translator) -> str:
    """Return what a change was: what was asked for, which stands first in `names`, and how many packages came with
    it."""
    is_jupyter = names[:1] in ((NOTEBOOK_PACKAGE,), (KERNEL_PACKAGE,))
    first = [name for name in names if name in _OF_JUPYTER] if is_jupyter else names[:_MOST_NAMES]
    words, more = translator.listed(first) or "–", len(names) - len(first)
    if more > 0:
        and_more = QCoreApplication.translate("GoingBack", "%1 and %2 more")
        words = and_more.replace("%1", words).replace("%2", str(more))
    return f"Jupyter: {words}" if is_jupyter else words


class GoingBack(QWidget):
    """The newest change, with the button that asks; and the question, also for a state before it."""

    gone_back = Signal(object)  # the words of it

    def __init__(self, page: SidePage) -> None:
        super().__init__()
        self._page, self._translator = page, page.context.translator
        self._one: Environment | None = None
        self._kept: Replaced | None = None
        self._older: tuple[Replaced, ...] = ()
        self._asked: Replaced | None = None
        rows = column(self, gap=8)
        self.kept_words, self.button = label("", "muted"), QPushButton(self)
        self.button.setProperty("role", "small")
        self._newest = QWidget(self)
        kept = line_up(self._newest)
        kept.addWidget(self.button)  # not below Delete, which comes under the mouse as the page moves
        kept.addWidget(self.kept_words, 1)
        self.question = box("card")
        asked = column(self.question, (16, 14, 16, 14), 8)
        self._title, self._words = label("", "strong"), label("")
        self.go, self.keep = QPushButton(self), QPushButton(self)
        buttons = line_up()
        buttons.addWidget(self.go)
        buttons.addWidget(self.keep)
        buttons.addStretch(1)
        asked.addWidget(self._title)
        asked.addWidget(self._words)
        asked.addLayout(buttons)
        rows.addWidget(self._newest)
        rows.addWidget(self.question)
        self.older = Fold(self)
        self._older_rows = RowCard(3, 1)
        self._older_rows.setProperty("role", "fold")
        self._older_note = label("", "muted")
        self.older.body.addWidget(self._older_note)
        self.older.body.addWidget(self._older_rows)
        self.button.clicked.connect(lambda: self._ask(self._kept))
        self.go.clicked.connect(self._go)
        self.keep.clicked.connect(self.drop)

    @property
    def is_asked(self) -> bool:
        return self._asked is not None

    def show_states(self, one: Environment, kept: Replaced | None, older: tuple[Replaced, ...]) -> None:
        """`kept`: of the newest change; `older`: of those before it."""
        self._one, self._kept, self._older, self._asked = one, kept, older, None
        self.retranslate()

    def drop(self) -> None:
        """Ask no more; the keys go back to what was pressed."""
        self._asked = None
        self.retranslate()
        self.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask(self, state: Replaced | None) -> None:
        self._asked = state
        self.retranslate()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)
        self._page.bring_into_view(self.keep)
        self._page.announce(f"{self._title.text()} {self._words.text()}")

    def _go(self) -> None:
        one, state, api = self._one, self._asked, self._page.api
        if one is None or state is None:
            return
        run = "" if state is self._kept else state.run
        self._asked = None
        self.retranslate()
        self._page.start_task(
            lambda: self.tr("Bringing back what was there before…"),
            lambda is_cancelled, note: api.bring_back(one.prefix, run),
            lambda names: self._is_back(one, names),
        )

    def _is_back(self, one: Environment, names: tuple[str, ...]) -> None:
        listed = change_words(names, self._translator)
        self.gone_back.emit(
            message("flow.brought-back", "{name} is as it was before: {names}.", name=one.name, names=listed)
        )

    def retranslate(self) -> None:
        kept, asked = self._kept, self._asked
        self.button.setText(self.tr("Undo this chan&ge…"))
        self.go.setText(self.tr("Undo it no&w"))
        self.keep.setText(self.tr("&Keep it"))
        self.setVisible(kept is not None)
        self._newest.setVisible(asked is None)
        self.question.setVisible(asked is not None)
        self._show_older()
        if kept is not None:
            words = self.tr("Last change: %1. What was there before is kept (%2).")
            words = words.replace("%1", change_words(kept.names, self._translator))
            self.kept_words.setText(words.replace("%2", bytes_text(kept.size)))
        if asked is not None:
            self._show_question(asked)

    def _show_question(self, asked: Replaced) -> None:
        words = self.tr("Undo the change “%1”?")
        self._title.setText(words.replace("%1", change_words(asked.names, self._translator)))
        told = [self.tr("What it added goes, and what it replaced comes back.")]
        told += [self._older_note.text()] if asked is not self._kept else []
        off = self.tr("Jupyter will no longer list “%1”.")
        told += [off.replace("%1", title) for title in asked.kernels]
        self._words.setText("\n".join(told))

    def _show_older(self) -> None:
        self.older.setVisible(bool(self._older))
        self.older.show_words(self.tr("Earl&ier states"), str(len(self._older)))
        self._older_note.setText(self.tr("Going back to one of them takes back every change after it, too."))
        self._older_rows.clear()
        for one in self._older:
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.moved))
            go = QPushButton(self.tr("Go back to before this…"))
            go.setProperty("role", "small")
            go.setAccessibleName(told_of(go.text(), when))
            go.setAccessibleDescription(self._older_note.text())
            go.clicked.connect(lambda checked=False, state=one: self._ask(state))
            names = change_words(one.names, self._translator)
            self._older_rows.add_row(label(when, "muted", wrap=False), label(f"{names} ({bytes_text(one.size)})"), go)
