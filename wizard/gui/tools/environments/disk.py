"""The disk of the environments: how full it is, what the package store holds, and the button that frees some of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from wizard.gui.widgets.frames import DiskBar, Turning, column, line_up
from wizard.gui.widgets.icons import IconView
from wizard.gui.widgets.labels import label
from wizard.model.messages import bytes_text, message

if TYPE_CHECKING:
    from wizard.environment.inspect.sizes import Sizes
    from wizard.gui.tools.base import SidePage
    from wizard.install.store.space import Usage
    from wizard.model.errors import WizardError


_WORDS = 160  # pixels: fewer broke them into a line for each
_ALONE = 0.95  # of its bytes: an environment that shares next to nothing


def counted_words(count: int, sizes: Sequence[Sizes]) -> str:
    """Return how many environments the person has, and how large those are that have been measured; '' before that."""
    size = sum(one.apparent for one in sizes)
    counted = QCoreApplication.translate("EnvironmentsPage", "Yours: %1 (%2)")
    if count > 1 and sum(one.freed for one in sizes) < _ALONE * size:
        counted = QCoreApplication.translate("EnvironmentsPage", "Yours: %1 (%2, files that they share count in each)")
    return counted.replace("%1", str(count)).replace("%2", bytes_text(size)) if size else ""


class DiskRow(QFrame):
    """The disk of the environments: how full it is, what the package store holds, and what of it can be freed."""

    counted = Signal()
    freed = Signal(object)  # Message

    def __init__(self, page: SidePage) -> None:
        super().__init__()
        self._page = page
        self._usage: Usage | None = None
        self.setProperty("role", "info")
        both = Turning(14, (16, 12, 16, 12))
        column(self).addWidget(both)
        disk, store = QWidget(), QWidget()  # one above the other where few pixels are left to the words
        both.line.addWidget(disk)
        both.line.addWidget(store, 1)
        self._room: tuple[int, int] | None = None
        self._own = 0
        self.bar, self.store, self._left = DiskBar(), label("", "muted"), label("", "", wrap=False)
        self.free = QPushButton(self)
        self.free.setProperty("role", "small")
        self.store.setMinimumWidth(_WORDS)
        line = line_up(disk, gap=14)
        for part in (IconView("hard-drive"), self.bar, self._left):
            line.addWidget(part)
        line.addStretch(1)
        line = line_up(store, gap=14)
        line.addWidget(self.store, 1)
        line.addWidget(self.free)
        self.free.clicked.connect(self._prune)
        self.setVisible(False)

    def count(self) -> None:
        """Look how full the disk is, and what of the store nobody uses."""
        api = self._page.api
        self._page.beside(
            "store",
            lambda is_cancelled, note: (api.store_usage(is_cancelled), api.disk_room()),
            self._show_count,
            on_failed=lambda error: None,
        )

    def _show_count(self, counted: tuple[Usage, tuple[int, int] | None]) -> None:
        self._usage, room = counted
        self.show_room(room)
        self.counted.emit()

    def _prune(self) -> None:
        """Beside the page's own calls, of which the next one would end it without a word; what is counted meanwhile
        would only hold it up."""
        page, api = self._page, self._page.api
        for name in ("sizes", "store"):
            page.stop_beside(name)
        page.beside(
            "prune", lambda is_cancelled, note: api.prune_store(is_cancelled), self._pruned, on_failed=self._not_pruned
        )
        self.counted.emit()

    def _pruned(self, freed: int) -> None:
        self._usage = None
        self.freed.emit(message("flow.store.freed", "{freed} are free again.", freed=bytes_text(freed)))

    def _not_pruned(self, error: WizardError) -> None:
        self.counted.emit()
        self._page.trouble.show_error(error)

    def show_beside(self, own: int, is_listed: bool) -> None:
        """Show what was counted. `own`: bytes of environments outside the store, each file once."""
        self.setVisible(is_listed and self._usage is not None)
        if self._usage is not None:
            self._show_store(self._usage, own)

    def show_room(self, room: tuple[int, int] | None) -> None:
        """Take the free and all bytes of the disk; None where nobody knows."""
        self._room = room
        self.retranslate()

    def _show_store(self, usage: Usage, own: int) -> None:
        say, is_going = self._page.say, self._page.is_beside("prune")
        self._own = own + usage.size
        size, freed = bytes_text(usage.size), bytes_text(usage.freed)
        said = "flow.store.unused" if usage.unused else "flow.store.used"
        self.store.setText(say(message(said, size=size, count=len(usage.unused), freed=freed)) if usage.stored else "")
        self.free.setVisible(bool(usage.unused))
        self.free.setEnabled(not is_going)
        free = message("flow.store.free", "Free &up {freed}", freed=freed)
        self.free.setText(self.tr("Freeing…") if is_going else say(free))
        self.retranslate()

    def retranslate(self) -> None:
        free, total = self._room or (0, 0)
        self._left.setText(self.tr("%1 free").replace("%1", bytes_text(free)) if total else "")
        self._left.setVisible(bool(total))
        self.bar.show_bytes(max(total - free - self._own, 0), self._own, total)
