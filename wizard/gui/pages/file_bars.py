"""Bars of the large files that are on their way, below the steps.

At most three; one that is there goes after a moment, for good: what moves is what is still to come.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QProgressBar, QWidget

from wizard.app.pages.run import UNANSWERED_AFTER, FileView
from wizard.gui.widgets.figures import part_text
from wizard.gui.widgets.frames import box
from wizard.gui.widgets.labels import SPOKEN_AS, OneLine, keep_line, keep_room, label, put_words, restyle, told_of

BARS = 3
_PARTS = 1000
_STAYS = 2.0  # seconds for which the bar of a file that is there is still seen
_INDENT, _GAP = 34, 14  # pixels: below the name of its step, and beside it
_ABOVE = 6  # pixels above the line that parts them from the steps
_SMALL_INDENT = 12  # pixels, in a window that is narrow
_LEAST = 40  # pixels of a bar, and of a name, in a narrow window


class FileBars(QWidget):
    """The large files that are on their way, each with a bar."""

    def __init__(self, before: FileBars | None = None) -> None:
        """`before`: what showed them until now, in another width."""
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(_INDENT, _ABOVE, 0, 6)
        grid.setHorizontalSpacing(_GAP)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        self._grid = grid
        self._beside = 0  # pixels of the names above, below which no bar begins
        self._rows: list[tuple[QLabel, QProgressBar, QLabel]] = []
        self._was_paused = False
        self._shown: list[FileView] = before._shown if before else []
        self._done: dict[str, float] = before._done if before else {}  # since when each of them is there
        self._gone: set[str] = before._gone if before else set()  # there, and seen for long enough
        # How much of each there was, and since when.
        self._moved: dict[str, tuple[int, float]] = before._moved if before else {}
        grid.addWidget(box("line", self), 0, 0, 1, 3)
        for row in range(BARS):
            name, bar, count = OneLine(), QProgressBar(), label("", "muted", wrap=False)
            bar.setMinimumWidth(_LEAST)
            count.setAlignment(Qt.AlignmentFlag.AlignRight)
            bar.setTextVisible(False)
            bar.setProperty(SPOKEN_AS, "bar")
            bar.setRange(0, _PARTS)
            for place, widget in enumerate((name, bar, count)):
                grid.addWidget(widget, row + 1, place)
            self._rows.append((name, bar, count))
        self._show()

    def _stands_still(self, one: FileView, is_paused: bool) -> bool:
        before, now = self._moved.get(one.name), time.monotonic()
        if before is None or is_paused or one.done > before[0]:
            before = (one.done, now)
        # Fewer bytes than before are none that came: a broken connection loses some.
        self._moved[one.name] = (one.done, before[1])
        return one.done < one.size and now - before[1] > UNANSWERED_AFTER

    def stand_below(self, wide: int) -> None:
        """Begin the bars where the words of the steps begin, if there is room; `wide`: pixels of the names there."""
        self._beside = wide
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._beside_names - _INDENT + _SMALL_INDENT + _LEAST, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def _beside_names(self) -> int:
        """Return the pixels that the names can't have."""
        counts = [count.sizeHint().width() for _, _, count in self._rows if not count.isHidden()]
        return _INDENT + 2 * _GAP + _LEAST + max(counts, default=0)

    def _fit(self) -> None:
        """In a narrow window the names give way, to as much as their bars have: what is left is told by a tip."""
        is_narrow = self.width() < self._beside_names + _LEAST
        self._grid.setContentsMargins(_SMALL_INDENT if is_narrow else _INDENT, _ABOVE, 0, 6)
        names = [one.fontMetrics().horizontalAdvance(one.text()) for one, _, _ in self._rows if not one.isHidden()]
        room = max(_LEAST, (self.width() - self._beside_names + _LEAST) // 2)
        self._grid.setColumnMinimumWidth(0, min(room, max([self._beside, *names])))

    def keep_place(self, is_kept: bool) -> None:
        """Leave empty where a bar is not there: what lies around does not move when one comes or goes."""
        names = [name for name, _, _ in self._rows]
        for one in (self, *names):
            keep_room(one, is_kept)
        keep_line(*names)

    def show_files(self, files: Sequence[FileView] | None, is_paused: bool = False) -> None:
        """Show a bar for each of the large files that are coming now; one that is there stays a moment, or until
        another wants its place. None: nothing is fetched."""
        if files is None:
            self._shown, self._done = [], {}
            self._moved.clear()
        else:
            if is_paused or self._was_paused:  # nothing goes, nor as the run goes on: what lies below does not move
                self._done |= dict.fromkeys(
                    (one.name for one in self._shown if one.name in self._done), time.monotonic()
                )
            self._take(files)
        self._was_paused = is_paused
        self._show(is_paused)

    def begin_anew(self) -> None:
        """Forget the files of another run."""
        self._gone.clear()
        self.show_files(None)

    def _show(self, is_paused: bool = False) -> None:
        for place, (name, bar, count) in enumerate(self._rows):
            one = next(iter(self._shown[place:]), None)
            for widget in (name, bar, count):
                widget.setVisible(one is not None)
            if one is not None:
                words = part_text(self.tr("%1 of %2"), one.done, one.size)
                if self._stands_still(one, is_paused):
                    words = self.tr("no answer, trying again")
                put_words(name, one.name)
                put_words(count, words)
                bar.setValue(min(_PARTS, int(_PARTS * one.done / one.size)))
                bar.setAccessibleName(told_of(one.name, words))
                if bar.property("state") != (state := "done" if one.done >= one.size else "going"):
                    bar.setProperty("state", state)
                    restyle(bar)
        self._fit()
        self.setVisible(bool(self._shown))

    def _take(self, files: Sequence[FileView]) -> None:
        now = time.monotonic()
        coming = {one.name: one for one in files if one.done < one.size or one.name not in self._gone}
        for one in coming.values():
            if one.done >= one.size:
                self._done.setdefault(one.name, now)
            else:  # perhaps once more
                self._done.pop(one.name, None)
                self._gone.discard(one.name)
        self._shown = [coming.pop(one.name, one) for one in self._shown]
        for new in sorted(coming.values(), key=lambda one: one.done >= one.size):
            over = [place for place, other in enumerate(self._shown) if other.done >= other.size]
            if len(self._shown) < BARS:
                self._shown.append(new)
            elif over and new.done < new.size:
                self._gone.add(self._shown[over[0]].name)
                self._shown[over[0]] = new
        over_now = [one for one in self._shown if now - self._done.get(one.name, now) >= _STAYS]
        self._gone.update(one.name for one in over_now)
        self._shown = [one for one in self._shown if one not in over_now]
