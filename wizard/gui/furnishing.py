"""What the window is furnished with: the parts that all pages share, and where rail, page and footer stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QWidget

from wizard.flow.navigator import Navigator
from wizard.flow.side_pages import SideFlow
from wizard.gui.ask_bar import AskBar
from wizard.gui.desk import Desk
from wizard.gui.errands import Errands
from wizard.gui.footer import Footer
from wizard.gui.motion import put_reduced_motion
from wizard.gui.parts.boxes import column, line_up
from wizard.gui.rail import Rail
from wizard.gui.serving import ServingNow
from wizard.gui.theme import Theme
from wizard.gui.voice import Voice

if TYPE_CHECKING:
    from wizard.flow.session_api import SessionApi
    from wizard.flow.side_api import SideApi
    from wizard.gui.window_parts import WindowParts


def make_parts(window: WindowParts, session: SessionApi, side_api: SideApi, on_drop: Callable[[str], None]) -> None:
    """`on_drop`: of a plan that nobody wants any more."""
    wishes = window.preferences.wishes
    put_reduced_motion(window.app, wishes.reduced_motion)
    window.errands = Errands()
    window.theme = Theme(window.app, wishes.theme)
    window.voice = Voice(window.app, wishes.language)
    window.navigator = Navigator(on_drop)
    window.session = session
    window.side = SideFlow()
    window.serving = ServingNow(window.errands, window)
    window.desk = Desk(
        session, window.navigator, window.voice, window.theme, window.errands, window.side, side_api, window.serving
    )
    window.rail = Rail(window.theme, window.voice)
    window.footer, window.ask = Footer(), AskBar()


def lay_out(rail: Rail, stack: QStackedWidget, ask: AskBar, footer: Footer) -> QWidget:
    """The rail on the left; beside it the page, what is asked below it, and the footer."""
    shell = QWidget()
    shell.setObjectName("shell")
    line = line_up(shell, gap=0)
    line.addWidget(rail)
    right = column(gap=0)
    right.addWidget(stack, 1)
    asked = column(margins=(36, 0, 36, 10))
    asked.addWidget(ask)
    right.addLayout(asked)
    right.addWidget(footer)
    line.addLayout(right, 1)
    return shell
