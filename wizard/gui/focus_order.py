"""Where the keyboard goes: the order of the Tab key, and what a page is entered at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore  # `QtCore.Qt` only where it is needed: see first_picture.py
from PySide6.QtWidgets import QAbstractButton, QWidget

if TYPE_CHECKING:
    from wizard.gui.window import WizardWindow


def order_tabs(window: WizardWindow, known: list[QWidget]) -> list[QWidget]:
    """The page from top to bottom, then the footer, then the rail. `known`: the order that is in force."""
    within = (one for one in window.page.findChildren(QWidget) if one.window() is window)  # no box's unfolded list
    tab = QtCore.Qt.FocusPolicy.TabFocus.value
    inside = [one for one in within if one.focusPolicy().value & tab]
    asked: list[QWidget] = [window.ask.go, window.ask.cancel, window.ask.stay]
    chain = [*inside, *asked, *window.footer.controls(), *window.rail.controls()]
    if chain != known:
        for before, after in zip(chain, chain[1:], strict=False):
            QWidget.setTabOrder(before, after)
    return chain


def focus_page(window: WizardWindow) -> None:
    first = window.page.first_control()
    if first is not None and first.isEnabled():
        first.setFocus(QtCore.Qt.FocusReason.OtherFocusReason)
    else:
        window.footer.primary.setFocus(QtCore.Qt.FocusReason.OtherFocusReason)


def press_focused(window: WizardWindow) -> None:
    """Return presses the focused button, else the primary one."""
    focused = window.focusWidget()
    button = focused if isinstance(focused, QAbstractButton) else window.footer.primary
    if button.isVisible() and button.isEnabled():
        button.click()
