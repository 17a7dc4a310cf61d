"""A path of Windows is shown whole in a narrow window, and copied as it is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from wizard.gui.parts.labels import label, selectable

PATH = "C:\\" + "\\".join(["folders"] * 20) + "\\pip.ini"


def test_a_path_with_backslashes_ends_lines(qtbot: QtBot) -> None:
    made = label(PATH)
    qtbot.addWidget(made)
    longest = made.fontMetrics().horizontalAdvance("folders\\" * 6)
    assert made.heightForWidth(longest) >= 4 * made.fontMetrics().lineSpacing()
    assert made.text() == PATH


def test_what_is_copied_has_no_breaks(qtbot: QtBot) -> None:
    made = selectable(label(PATH))
    qtbot.addWidget(made)
    made.setSelection(0, len(PATH) + PATH.count("\\"))
    QApplication.clipboard().clear()
    qtbot.keyClick(made, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == PATH
