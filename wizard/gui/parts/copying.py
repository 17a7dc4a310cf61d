"""What a button copies: it says so for a moment, and so does a screen reader. Every copy button goes this way."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from wizard.gui.announce import announce

SAID_FOR_MS = 1800
_BEFORE = "words before"


def copied_word() -> str:
    return QCoreApplication.translate("CodeLine", "Copied")


def copy_out(words: str, button: QPushButton) -> None:
    QGuiApplication.clipboard().setText(words)
    said = copied_word()
    announce(button, said)
    if button.text() == said:  # pressed twice: the first press gives its words back
        return
    button.setProperty(_BEFORE, button.text())
    button.setMinimumWidth(button.width())  # its neighbours stay where they are
    button.setText(said)
    QTimer.singleShot(SAID_FOR_MS, button, lambda: _give_back(button, said))


def _give_back(button: QPushButton, said: str) -> None:
    button.setMinimumWidth(0)
    if button.text() == said:  # else the language was switched meanwhile, and the button has new words
        button.setText(str(button.property(_BEFORE)))
