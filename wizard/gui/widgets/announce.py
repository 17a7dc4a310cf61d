"""What a screen reader says aloud without the focus moving: a new page, the end of a job, something copied.

Nothing where no screen reader listens. Errors do not come through here: they are alerts (widgets/messages.py).
"""

from __future__ import annotations

from PySide6 import QtGui
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

# Qt 6.8 and later; before that there is no way to say something aloud.
_Announcement = getattr(QtGui, "QAccessibleAnnouncementEvent", None)


def announce(widget: QWidget, words: str, urgent: bool = False) -> None:
    """`urgent` interrupts what is being said: for what ends or stops."""
    if not words or _Announcement is None or not QAccessible.isActive():
        return
    event = _Announcement(widget, words)
    if urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)
