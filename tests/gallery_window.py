"""What the walks of the gallery share: a window that is waited for, and its pictures."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from wizard.gui.shell.window import WizardWindow


class Pictures:
    """Inherited: a walk presses, waits and takes pictures by turns."""

    app: QApplication
    window: WizardWindow
    folder: Path

    def settle(self, done: Callable[[], bool] | None = None) -> None:
        """Without `done`: until the window is at rest."""
        until = time.monotonic() + 20
        if done is None:
            for _ in range(4):
                self.app.processEvents()
        is_done = done or (lambda: not self.window.tasks.busy)
        while not is_done():
            if time.monotonic() > until:
                raise TimeoutError(self.window.page.title)
            self.app.processEvents()
            time.sleep(0.005)

    def shoot(self, name: str) -> None:
        for _ in range(6):
            self.app.processEvents()
            time.sleep(0.01)
        self.window.grab().save(str(self.folder / f"{name}.png"))
