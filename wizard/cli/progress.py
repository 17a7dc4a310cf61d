"""Bars on a terminal, below what is said. Imports rich: loaded when the first one is drawn (`Terminal.draw`)."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, Task, TaskID, TextColumn
from rich.progress_bar import ProgressBar
from rich.table import Column

_REDRAW_SECONDS = 0.1


class _KnownBar(BarColumn):
    """Nothing where it is not known how much there is."""

    def get_table_column(self) -> Column:
        return Column(no_wrap=True)

    def render(self, task: Task) -> ProgressBar:
        self.bar_width = _BAR if task.total else 0
        return super().render(task)


_BAR = 24


class Bars:
    """One for each name, in the order in which they came. rich knows colours, NO_COLOR and Windows' older consoles."""

    def __init__(self) -> None:
        self._shown = Progress(
            TextColumn("   "),
            _KnownBar(),
            TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")),
            console=Console(stderr=True),
            auto_refresh=False,  # no thread: what is said comes between two pictures
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._tasks: dict[str, TaskID] = {}
        self._drawn = 0.0

    def draw(self, name: str, words: str, done: float, total: float | None) -> None:
        """Show it, several times a second at most. `total` None: how much there is is not known."""
        is_new = name not in self._tasks
        if is_new:
            self._tasks[name] = self._shown.add_task(words, total=total)
        self._shown.update(self._tasks[name], description=words, completed=done, total=total)
        if is_new or time.monotonic() - self._drawn >= _REDRAW_SECONDS:
            self._drawn = time.monotonic()
            self._shown.start()
            self._shown.refresh()

    def drop(self, name: str | None) -> None:
        """Take one away; None: all of them."""
        for each in list(self._tasks) if name is None else [name]:
            if each in self._tasks:
                self._shown.remove_task(self._tasks.pop(each))
        if not self._tasks:
            self.hide()

    def hide(self) -> None:
        """Erase them until the next picture."""
        self._shown.stop()
        self._drawn = 0.0
