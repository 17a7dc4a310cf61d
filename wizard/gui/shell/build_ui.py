"""What the window is furnished with: the parts that all pages share, and where rail, page and footer stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QWidget

from wizard.app.pages.navigator import Navigator
from wizard.app.pages.order import SideFlow
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.footer import AskBar, Footer
from wizard.gui.shell.rail import Rail
from wizard.gui.shell.serving import ServingNow
from wizard.gui.shell.tasks import TaskRunner
from wizard.gui.shell.theme import Theme, put_reduced_motion
from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.frames import column, line_up

if TYPE_CHECKING:
    from wizard.app.tools import WindowSession
    from wizard.gui.shell.parts import WindowParts


def make_parts(window: WindowParts, session: WindowSession, on_drop: Callable[[str], None]) -> None:
    """`on_drop`: of a plan that nobody wants any more."""
    wishes = window.preferences.wishes
    put_reduced_motion(window.app, wishes.reduced_motion)
    window.tasks = TaskRunner()
    window.theme = Theme(window.app, wishes.theme)
    window.translator = Translator(window.app, wishes.language)
    window.navigator = Navigator(on_drop)
    window.session = session
    window.side = SideFlow()
    window.serving = ServingNow(window.tasks, window)
    window.context = AppContext(
        session, window.navigator, window.translator, window.theme, window.tasks, window.side, window.serving
    )
    window.rail = Rail(window.theme, window.translator)
    window.footer = Footer()
    window.ask = AskBar(window.footer)


def lay_out(rail: Rail, stack: QStackedWidget, ask: AskBar, footer: Footer) -> QWidget:
    """The rail on the left; beside it the page, what is asked below it, and the footer."""
    shell = QWidget()
    shell.setObjectName("shell")
    line = line_up(shell, gap=0)
    line.addWidget(rail)
    right = column(gap=0)
    stack.setMinimumHeight(1)  # the question before the window closes is whole, whatever is left to the page
    right.addWidget(stack, 1)
    asked = column(margins=(36, 0, 36, 10))
    asked.addWidget(ask)
    right.addLayout(asked)
    right.addWidget(footer)
    line.addLayout(right, 1)
    return shell
