"""Whether this person wants things to move. What moves here only says "still at it", and words say that too."""

from __future__ import annotations

from PySide6 import QtWidgets  # QStyle where it is needed: its enums take 6 ms to make
from PySide6.QtWidgets import QApplication

_PROPERTY = "reduced_motion"


def put_reduced_motion(app: QApplication, is_reduced: bool) -> None:
    """From the settings file; the system's own wish is asked each time."""
    app.setProperty(_PROPERTY, is_reduced)


def is_motion_reduced() -> bool:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return False
    if app.property(_PROPERTY):
        return True
    return app.style().styleHint(QtWidgets.QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
