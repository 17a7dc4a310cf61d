"""The order of the Tab key: the page from top to bottom, then the footer, then the rail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore  # `QtCore.Qt` only where it is needed: see first_picture.py
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from wizard.gui.window_parts import WindowParts


def order_tabs(window: WindowParts, known: list[QWidget]) -> list[QWidget]:
    """The order that is in force now; `known`: the one before."""
    within = (one for one in window.page.findChildren(QWidget) if one.window() is window)  # no box's unfolded list
    tab = QtCore.Qt.FocusPolicy.TabFocus.value
    inside = [one for one in within if one.focusPolicy().value & tab]
    asked: list[QWidget] = [window.ask.go, window.ask.cancel, window.ask.stay]
    chain = [*inside, *asked, *window.footer.controls(), *window.rail.controls()]
    if chain != known:
        for before, after in zip(chain, chain[1:], strict=False):
            QWidget.setTabOrder(before, after)
    return chain
