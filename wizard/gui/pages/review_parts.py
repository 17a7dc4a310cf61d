"""Parts of Review: four tiles (what is made, where, how much comes, how much room it takes), and the class profile."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QGridLayout, QPushButton, QWidget

from wizard.app.classroom import local_source
from wizard.app.pages.order import PageId, SideId
from wizard.app.pages.sources import download_seconds
from wizard.gui.widgets.figures import about_text, variant_text
from wizard.gui.widgets.frames import DiskBar, column, line_up
from wizard.gui.widgets.icons import IconView
from wizard.gui.widgets.labels import label, spoken, told_of
from wizard.gui.widgets.messages import Remark
from wizard.model.distributions import FAMILY
from wizard.model.errors import WizardError
from wizard.model.messages import bytes_text, message, three_digits
from wizard.run.model import Preview, SelectedBuild, gigabytes_taken

if TYPE_CHECKING:
    from wizard.classroom.profile.model import ProfileFile
    from wizard.gui.pages.base import Page

_ROOM = "environments.volume.environment"  # the disk of which is drawn
_UNIT, _NO_BREAK = re.compile(r"(?<=\d) (?=[^\W\d])"), "\N{NO-BREAK SPACE}"  # a number and its unit do not part
_NARROW = 560  # pixels: less has no room for two buttons beside the names of tiles


def _figure(gigabytes: object) -> str:
    return three_digits(gigabytes) if isinstance(gigabytes, float) else str(gigabytes)


class _Tile(QFrame):
    def __init__(self, icon_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "info")
        rows = column(self, (24, 12, 24, 16), 5)
        self._name, self._value, self._more = label("", "muted"), label("", "value"), label("", "muted")
        head = line_up(gap=10)
        head.addWidget(IconView(icon_name, 18))
        head.addWidget(self._name, 1)
        self.change = QPushButton()  # what it says, on the page that decides it
        self.change.setProperty("role", "change")
        self.change.setVisible(False)
        head.addWidget(self.change)
        rows.addLayout(head)
        rows.addWidget(self._value)
        below = line_up(gap=12)
        self.bar = DiskBar(self)  # of the disk's tile alone
        self.bar.setVisible(False)
        below.addWidget(self.bar)
        below.addWidget(self._more, 1)
        rows.addLayout(below)
        rows.addStretch(1)

    def keep_height(self, high: int) -> None:
        """Keep the first line as high as the button of another tile, in pixels."""
        self._name.setMinimumHeight(high)

    def show_words(self, name: str, value: str, more: str) -> None:
        for part, words in ((self._name, name), (self._value, value), (self._more, more)):
            part.setText(_UNIT.sub(_NO_BREAK, words))
        self._more.setVisible(bool(more))
        self.setAccessibleName(told_of(name, spoken(filter(None, (value, more)))))
        self.change.setText(self.tr("Change"))
        self.change.setAccessibleName(told_of(name, self.change.text()))

    @property
    def words(self) -> str:
        return self.accessibleName()


class PlanTiles(QWidget):
    """Two and two, of the same size: what, where, how much to download, how much room."""

    wanted = Signal(object)  # PageId: the page that decides what a tile says

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(16)
        self._changeable: frozenset[PageId] = frozenset()
        icons = ("gpu", "folder", "download", "hard-drive")
        self.what, self.where, self.download, self.disk = (_Tile(name) for name in icons)
        for place, tile in enumerate((self.what, self.where, self.download, self.disk)):
            grid.addWidget(tile, place // 2, place % 2)
        for tile, page in self._decided().items():
            tile.change.clicked.connect(lambda checked=False, page=page: self.wanted.emit(page))
        for number in range(2):
            grid.setColumnStretch(number, 1)
            grid.setColumnMinimumWidth(number, 100)

    def _decided(self) -> dict[_Tile, PageId]:
        return {self.what: PageId.BUILD, self.where: PageId.PLACE}

    def show_changeable(self, pages: Collection[PageId]) -> None:
        """Offer to change what these pages decide; the rail does so, too, and alone where two tiles have no room."""
        self._changeable = frozenset(pages)
        for tile in (self.what, self.where, self.download, self.disk):  # shown or not, all are equally high
            tile.keep_height(self.what.change.sizeHint().height())
        for tile, page in self._decided().items():
            tile.change.setVisible(page in pages and self.width() >= _NARROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_changeable(self._changeable)

    @property
    def words(self) -> tuple[str, ...]:
        """What a screen reader says of them."""
        return tuple(tile.words for tile in (self.what, self.where, self.download, self.disk))

    def show_plan(self, preview: Preview, selected: SelectedBuild | None) -> None:
        """Show what a plan makes; `selected`: the sources, whose speed says how long it takes."""
        plan = preview.plan
        beside = [
            f"{file.name} {file.version.partition('+')[0]}" for file in preview.lock.files if file.name in FAMILY[1:]
        ]
        self.what.show_words(
            self.tr("What"),
            f"torch {plan.candidate.torch} + {variant_text(plan.candidate.variant)}",
            " • ".join((*beside, f"Python {plan.python}")),
        )
        is_new = not plan.choices.reuse
        words = self.tr("New environment") if is_new else self.tr("Existing environment")
        self.where.show_words(self.tr("Where"), plan.prefix, words)
        self.download.show_words(self.tr("Download"), *self._to_download(preview, selected))
        said = {change.key: change.params for change in preview.changes}
        needed = said.get("change.disk", {}).get("gigabytes")
        room = next((params for key, params in said.items() if key.startswith(_ROOM)), {})
        taken = gigabytes_taken(preview.changes) if room else "?"
        value = f"{_figure(taken if needed is None else needed)} GB"
        free = self.tr("%1 GB free").replace("%1", _figure(room.get("free", "?"))) if room else ""
        self.disk.show_words(self.tr("Disk"), value, free)
        self.disk.bar.show_room(room)

    def _to_download(self, preview: Preview, selected: SelectedBuild | None) -> tuple[str, str]:
        """How much (the environment's Python too), and in how many files."""
        total, every = preview.download_bytes, len(preview.lock.files) + len(preview.python_packages)
        count = every - len(preview.here) - sum(one.is_cached for one in preview.python_packages)
        if not count:
            return bytes_text(0), self.tr("All of it is on this computer already.")
        if total is None:
            sizes = [one.size for one in preview.lock.files if one.filename not in preview.here]
            words = self.tr("Size not known yet (files: %1)")
            return f"≥ {bytes_text(sum(filter(None, sizes)))}", words.replace("%1", str(sizes.count(None)))
        files = self.tr("Files: %1 of %2") if count != every else self.tr("Files: %1")
        seconds = download_seconds(preview, selected.states) if selected else None
        said = (
            about_text(seconds).capitalize() if seconds else files.replace("%1", str(count)).replace("%2", str(every))
        )
        return bytes_text(total + sum(one.size or 0 for one in preview.python_packages if not one.is_cached)), said


class ClassProfile(QObject):
    """What Review shows, saved as a class profile: asked for, said that it is done, or why not and what to do."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._page = page
        self.said = Remark(page.context.translator, lambda: self.tr("Class profile"))

    def ask(self) -> None:
        """Ask where to save it; where the students cannot reach a source, say so before."""
        preview = self._page.state.preview
        if preview is None:
            return
        local = local_source(preview.lock, self._page.state.choices)
        if local:
            self._offer_pack(local)
            return
        start = str(Path.home() / f"{Path(preview.plan.prefix).name}.torchlab")
        title = self.tr("Save class profile")
        chosen, _ = QFileDialog.getSaveFileName(self._page, title, start, "Torch Setup (*.torchlab)")
        if chosen:
            self.save_to(Path(chosen))

    def save_to(self, path: Path | None) -> None:
        """Make a class profile of this plan, in the background; None: one that only a pack can serve."""
        state, api = self._page.state, self._page.context.session.tools
        facts, preview, choices = state.facts, state.preview, state.choices
        if facts is None or preview is None:
            return
        self.said.clear()
        name = Path(preview.plan.prefix).name
        self._page.start_task(
            lambda: self.tr("Making the class profile: asking the sources for its files…"),
            lambda is_cancelled, note: api.make_profile(facts, preview, choices, path, is_cancelled),
            lambda made: self._saved(path, made) if path else self._open_pack_of(made, name),
            on_failed=self._not_saved,
        )
        self._page.render_state()

    def _saved(self, path: Path, made: ProfileFile) -> None:
        from wizard.classroom.code import code_of

        words = message("flow.profile.saved-in", "The class profile is saved in {path}.", path=str(path))
        after = message(
            "flow.profile.after",
            "Next, build a pack from it, which downloads each file once for the whole class, and share it. Students "
            "then type the class code {code} under “Join a class”.",
            code=code_of(made.sha256),
        )
        self.said.show_words(words, after, [(lambda: self.tr("B&uild the pack…"), lambda: self._open_class(path))])
        self._shown()

    def _shown(self) -> None:
        self._page.render_state()
        self._page.announce(self.said.words)
        self.said.buttons[0].setFocus()

    def _not_saved(self, error: WizardError) -> None:
        if error.code == "profile-local":
            self._offer_pack(str(error.params["url"]))
        else:
            self._page.trouble.show_error(error)
            self._page.render_state()
            self._page.footer_left[0].setFocus()  # its own button, which was switched off meanwhile

    def _offer_pack(self, local: str) -> None:
        """`local`: a place of this computer that the setup takes files from."""
        words = message(
            "flow.profile.local",
            "No class profile was saved: the setup takes files from {place}, where the students' computers cannot "
            "reach them.",
            place=local,
        )
        hint = message(
            "flow.profile.local-ways",
            "Build a pack, which carries these files to the class, or choose another source for the setup.",
        )
        ways = [(lambda: self.tr("B&uild a pack…"), lambda: self.save_to(None))]
        navigator = self._page.context.navigator
        if navigator.may_go_to(PageId.SOURCE):
            ways.append((lambda: self.tr("Choose another s&ource"), lambda: navigator.go_to(PageId.SOURCE)))
        self.said.show_words(words, hint, ways)
        self._shown()

    def _open_pack_of(self, made: ProfileFile, name: str) -> None:
        from wizard.classroom.join import profile_path

        self._page.render_state()
        self._open_class(profile_path(made.sha256), str(Path.home() / f"{name}-pack"))

    def _open_class(self, profile: Path, folder: str = "") -> None:
        self._page.context.side.open(SideId.CLASS, profile, folder)
