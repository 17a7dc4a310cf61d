"""The four tiles of Review: what is made, where, how much comes, and how much room it takes."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from wizard.app.pages.sources import download_seconds
from wizard.gui.widgets.figures import about_text, variant_text
from wizard.gui.widgets.frames import DiskBar, column, line_up
from wizard.gui.widgets.icons import IconView
from wizard.gui.widgets.labels import label
from wizard.model.distributions import FAMILY
from wizard.model.messages import bytes_text
from wizard.run.model import Preview, SelectedBuild

_ROOM = "environments.volume.environment"


def _one_digit(gigabytes: object) -> str:
    return f"{gigabytes:.1f}" if isinstance(gigabytes, float) else str(gigabytes)


class _Tile(QFrame):
    def __init__(self, icon_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "info")
        rows = column(self, (22, 16, 22, 16), 5)
        self._name, self._value, self._more = label("", "muted"), label("", "value"), label("", "muted")
        head = line_up(gap=10)
        head.addWidget(IconView(icon_name, 18))
        head.addWidget(self._name, 1)
        rows.addLayout(head)
        rows.addSpacing(4)
        rows.addWidget(self._value)
        below = line_up(gap=12)
        self.bar = DiskBar(self)  # of the disk's tile alone
        self.bar.setVisible(False)
        below.addWidget(self.bar)
        below.addWidget(self._more, 1)
        rows.addLayout(below)
        rows.addStretch(1)

    def show_words(self, name: str, value: str, more: str) -> None:
        for part, words in ((self._name, name), (self._value, value), (self._more, more)):
            part.setText(words)
        self._more.setVisible(bool(more))
        self.setAccessibleName(f"{name}: {value}. {more}".strip())

    @property
    def words(self) -> str:
        return self.accessibleName()


class PlanTiles(QWidget):
    """Two and two, of the same size: what, where, how much to download, how much room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(14)
        icons = ("gpu", "folder", "download", "hard-drive")
        self.what, self.where, self.download, self.disk = (_Tile(name) for name in icons)
        for place, tile in enumerate((self.what, self.where, self.download, self.disk)):
            grid.addWidget(tile, place // 2, place % 2)
        for number in range(2):
            grid.setColumnStretch(number, 1)
            grid.setColumnMinimumWidth(number, 100)

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
        words = self.tr("A new environment") if is_new else self.tr("An existing environment")
        self.where.show_words(self.tr("Where"), plan.prefix, words)
        self.download.show_words(self.tr("Download"), *self._to_download(preview, selected))
        said = {change.key: change.params for change in preview.changes}
        needed = said.get("change.disk", {}).get("gigabytes")
        room = next((params for key, params in said.items() if key.startswith(_ROOM)), {})
        value = f"{_one_digit(needed or room.get('needed', '?'))} GB"
        free = self.tr("%1 GB free").replace("%1", _one_digit(room.get("free", "?"))) if room else ""
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
            words = self.tr("Size not known yet of %1 files.")
            return f"≥ {bytes_text(sum(filter(None, sizes)))}", words.replace("%1", str(sizes.count(None)))
        files = self.tr("%1 of %2 files") if count != every else self.tr("%1 files")
        seconds = download_seconds(preview, selected.states) if selected else None
        said = (
            about_text(seconds).capitalize() if seconds else files.replace("%1", str(count)).replace("%2", str(every))
        )
        return bytes_text(total + sum(one.size or 0 for one in preview.python_packages if not one.is_cached)), said
