"""What is told without the focus moving: aloud by a screen reader, or by the desktop to who works elsewhere.

Nothing where no screen reader listens.
"""

from __future__ import annotations

import contextlib
import os
import shutil

from PySide6 import QtGui
from PySide6.QtCore import QTimer
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from wizard.environment.activate.terminal import users_environment
from wizard.gui.shell.splash import BRAND
from wizard.process.detached import start_detached
from wizard.system import paths

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


def _send(words: str) -> None:
    """By the desktop's own program, where it shows no tray (GNOME)."""
    if (program := shutil.which("notify-send")) is None:
        return
    log = paths.logs_dir() / "notice.txt"
    with contextlib.suppress(OSError, RuntimeError):
        log.parent.mkdir(parents=True, exist_ok=True)
        start_detached((program, "--app-name", BRAND, BRAND, words), users_environment(os.environ), log)


_NOTICE_MS = 10_000  # how long the sign in the tray stays, which some desktops take the notice away with


def notify(window: QWidget, words: str) -> None:
    """Tell who works in another window: the task bar, and a notice where the desktop has a place for them."""
    QApplication.alert(window)
    if window.isActiveWindow():
        return
    if not QSystemTrayIcon.isSystemTrayAvailable():
        _send(words)
        return
    tray = QSystemTrayIcon(QApplication.windowIcon(), window)
    tray.messageClicked.connect(window.activateWindow)
    tray.messageClicked.connect(window.raise_)
    tray.show()
    tray.showMessage(BRAND, words, QApplication.windowIcon())
    QTimer.singleShot(_NOTICE_MS, tray.deleteLater)
