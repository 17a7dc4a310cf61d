"""Python's collection of garbage, on the window's thread only.

By itself it runs in whatever thread makes the next object. What it finds may be a slot whose receiver is gone: PySide
then takes Qt's lock of connections and waits for Python's, while the window's thread has Python's and waits for Qt's.
Both would stand still for ever.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 250


class Collecting(QObject):
    """From its making to `stop`; Python's own stays off after that too: other threads may outlive the window."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._is_frozen = False
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        if self._is_frozen:
            gc.unfreeze()

    def _look(self) -> None:
        """The same thresholds as Python's own."""
        if not self._is_frozen:  # the furnished window lives as long as we do: not looked through again and again
            self._is_frozen = True
            gc.freeze()
        counts, most = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if most[generation] and counts[generation] > most[generation]:
                gc.collect(generation)
                return
