"""Versions: which release of PyTorch goes with which CUDA, Python and driver, and the builds of the chosen one."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from wizard.app.pages.order import SideId
from wizard.gui.pages.base import LAID_OUT
from wizard.gui.shell.context import AppContext
from wizard.gui.tools.base import SidePage, button
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.labels import label
from wizard.gui.widgets.row_table import RowTable, scroll_page
from wizard.model.errors import UsageError
from wizard.model.messages import Message, message
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.app.pages.versions import BuildRow, ReleaseRow
    from wizard.app.update.offer import Offered, UpdateSource
    from wizard.gui.shell.tasks import IsCancelled, OnNote

_MOST_RELEASES = 5
_MOST_BUILDS = 12
_NOTHING = "–"
_PYTHON, _NARROW = 2, 620  # a column of the builds; pixels of the page
_RELEASED, _TORCHVISION, _NARROWEST = 1, 2, 520  # columns of the releases; pixels of the page
_SYSTEMS = {"linux": "Linux", "windows": "Windows"}


class VersionsPage(SidePage):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._releases: tuple[ReleaseRow, ...] = ()
        self._source: UpdateSource | None = None
        self._offered: Offered | None = None
        self._said: tuple[Message, ...] = ()
        self.look, self.changes = button(), button()
        self.footer_left = [self.look, self.changes]
        self._news = Advice("", "strong")
        self.body.addWidget(self._news)
        self.look.clicked.connect(self._look_for_newer)
        self.changes.clicked.connect(lambda: self.context.side.open(SideId.UNDO))
        self.changes.setVisible(False)
        self.table = RowTable(5, (4,), _MOST_RELEASES, wraps=True)
        self.builds = RowTable(5, (4,), _MOST_BUILDS, wraps=True)
        self.table.itemSelectionChanged.connect(self._show_builds)
        for table in (self.table, self.builds):
            table.currentCellChanged.connect(lambda *cells, table=table: self._follow(table, cells[2]))
        self._builds_title, self._note = label("", "strong"), label("", "muted")
        for widget in (self.table, self._builds_title, self.builds, self._note):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def enter(self) -> None:
        """Only a copy that offers updates, and where nobody has switched them off, has the button."""
        from wizard.app.update.offer import update_source

        with contextlib.suppress(UsageError):
            self._source = update_source()
        self.look.setVisible(self._source is not None)
        if not self._releases:
            self.start_task(lambda: self.tr("Checking…"), self._read, self._listed)

    def _follow(self, table: RowTable, before: int) -> None:
        """Another release has other builds, and the page is as high as they are a moment later.

        A table that has just been filled (-1 `before`) leaves the page at its top.
        """
        if before >= 0:
            QTimer.singleShot(LAID_OUT, self, lambda: scroll_page(table))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the Pythons of single builds out where the cards would have no room: the release's stand above. And of
        the releases what nobody chooses by, where the drivers would have none."""
        super().resizeEvent(event)
        self.builds.setColumnHidden(_PYTHON, self.width() < _NARROW)
        self.table.setColumnHidden(_RELEASED, self.width() < _NARROW)
        self.table.setColumnHidden(_TORCHVISION, self.width() < _NARROWEST)

    def first_control(self) -> QWidget:
        return self.table

    @property
    def news(self) -> str:
        """What was said about newer tables."""
        return self._news.text()

    def primary_text(self) -> str:
        return self.tr("&Take them") if self._offered is not None else ""

    def may_press(self) -> bool:
        return not self.is_busy and self._offered is not None

    def press(self) -> None:
        """Take the newer tables that were offered; they count from the next start."""
        offered = self._offered

        def work(is_cancelled: IsCancelled, note: OnNote) -> Message:
            from wizard.app.update.offer import update_client
            from wizard.app.update.take import take

            assert offered is not None, "the button is hidden"
            with contextlib.closing(update_client(self.context.session.network())) as client:
                take(client, offered)
            return message(
                "update.taken-here",
                "Tables number {number} count from the next start on; “{page.undo}” takes them back.",
                number=offered.document.version,
            )

        self.start_task(lambda: self.tr("Fetching and checking…"), work, self._taken)

    def retranslate(self) -> None:
        self.look.setText(self.tr("&Check for newer tables"))
        self.changes.setText(self.tr("&Undo changes"))
        self.set_head(
            self.tr("PyTorch versions"),
            self.tr("Which release goes with which CUDA, Python and NVIDIA driver."),
        )
        self.table.setHorizontalHeaderLabels(
            [
                self.tr("PyTorch"),
                self.tr("Released"),
                "torchvision",
                self.tr("Python"),
                "CUDA",
            ]
        )
        self.table.setAccessibleName(self.tr("Releases of PyTorch"))
        self.builds.setHorizontalHeaderLabels(
            [
                self.tr("Build"),
                self.tr("System"),
                self.tr("Python"),
                self.tr("Oldest driver"),
                self.tr("Cards"),
            ]
        )
        self.builds.setAccessibleName(self.tr("Builds of the chosen release"))
        self._note.setText(
            self.context.translator.join(
                [
                    self.tr(
                        "The number behind a CUDA version is the oldest NVIDIA driver that runs it on this system."
                    ),
                    self.tr("CUDA and cuDNN come inside the packages; only the driver has to be there."),
                ]
            )
        )
        self._fill()

    def render_state(self) -> None:
        self._news.show_words("\n".join(self.signed(words) for words in self._said))
        self._news.setVisible(bool(self._said))
        chosen = self.chosen
        for widget in (self._builds_title, self.builds, self._note):
            widget.setVisible(chosen is not None)

    @property
    def chosen(self) -> ReleaseRow | None:
        row = self.table.chosen_row
        return self._releases[row] if 0 <= row < len(self._releases) else None

    def _read(self, is_cancelled: IsCancelled, note: OnNote) -> tuple[ReleaseRow, ...]:
        return self.api.releases()

    def _look_for_newer(self) -> None:
        source = self._source

        def work(is_cancelled: IsCancelled, note: OnNote) -> tuple[Offered, tuple[Message, ...]]:
            from wizard.app.update.offer import ask, update_client
            from wizard.app.update.take import told

            assert source is not None, "the button is hidden"
            with contextlib.closing(update_client(self.context.session.network())) as client:
                offered = ask(client, source)
            return offered, tuple(told(offered, source))

        self._offered, self._said = None, ()
        self.start_task(lambda: self.tr("Connecting…"), work, self._answered)
        self.render_state()

    def _answered(self, answer: tuple[Offered, tuple[Message, ...]]) -> None:
        offered, self._said = answer
        self._offered = offered if offered.state == "newer" else None
        self._told()

    def _taken(self, words: Message) -> None:
        self._offered, self._said = None, (words,)
        self.changes.setVisible(True)
        self._told()

    def _told(self) -> None:
        self.render_state()
        self.announce(self._news.text(), urgent=True)

    def _listed(self, releases: tuple[ReleaseRow, ...]) -> None:
        self._releases = releases
        self._fill()
        self.table.selectRow(0)
        self.wants_focus.emit()

    def _fill(self) -> None:
        before = max(self.table.chosen_row, 0)
        with QSignalBlocker(self.table):
            self.table.setRowCount(len(self._releases))
            for row, one in enumerate(self._releases):
                pairs = (f"{cuda}\N{NO-BREAK SPACE}({driver})" for cuda, driver in one.drivers(paths.os_name()))
                drivers = ", ".join(pairs)  # a line ends between two of them
                cells = (one.torch, one.released, one.torchvision or _NOTHING, _span(one.pythons), drivers or _NOTHING)
                for place, words in enumerate(cells):
                    self.table.put(row, place, words, words if place else f"{words} ({one.released})")
        self.table.fit()
        if self._releases:
            self.table.selectRow(before)
        self._show_builds()

    def _show_builds(self) -> None:
        one = self.chosen
        if one is not None:
            self._builds_title.setText(self.tr("Builds of %1").replace("%1", one.torch))
            self.builds.setRowCount(len(one.builds))
            for row, build in enumerate(one.builds):
                for place, words in enumerate(self._cells(build)):
                    self.builds.put(row, place, words, words)
            self.builds.fit()
        self.render_state()

    def _cells(self, build: BuildRow) -> tuple[str, ...]:
        return (
            f"CUDA {build.cuda}" if build.cuda else self.tr("CPU"),
            f"{_SYSTEMS[build.system]} {build.machine}",
            _span(build.pythons),
            build.driver or _NOTHING,
            _span(build.cards),
        )


def _span(items: tuple[str, ...]) -> str:
    return " … ".join(dict.fromkeys((items[0], items[-1]))) if items else _NOTHING
