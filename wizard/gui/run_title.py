"""How far the run is, where it is seen without the window: in its title, and on its button in Windows' task bar.

On every page, not on Install only: who looks something up meanwhile still sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from wizard.system.traits import this

if TYPE_CHECKING:
    from wizard.windows.taskbar import TaskbarButton


class RunTitle:
    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._shown: tuple[int | None, bool] = (None, False)
        self._button: TaskbarButton | None = None

    def show(self, words: str, percent: int | None, paused: bool) -> None:
        """`percent` None: no run is going."""
        parts = [f"{percent} %"] if percent is not None else []
        self._window.setWindowTitle(" – ".join([*parts, *([words] if words else []), "Torch Setup"]))
        if self._shown != (percent, paused):
            self._shown = (percent, paused)
            self._show_button(percent, paused)

    def _show_button(self, percent: int | None, paused: bool) -> None:
        if this().has_task_bar and self._button is None:
            from wizard.windows.taskbar import taskbar_button

            self._button = taskbar_button()
        if self._button is not None:
            self._button.show(int(self._window.winId()), percent, paused)
