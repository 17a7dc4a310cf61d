"""The window as its helpers see it: which parts it has, without what it does with them.

Nothing is imported here for its values, since the first picture must not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.gui.shell.splash import BareWindow

if TYPE_CHECKING:
    from PySide6.QtWidgets import QStackedWidget

    from wizard.app.pages.navigator import Navigator
    from wizard.app.pages.order import SideFlow, SideId
    from wizard.app.tools import WindowSession
    from wizard.gui.pages.base import Page
    from wizard.gui.shell.context import AppContext
    from wizard.gui.shell.footer import AskBar, Footer
    from wizard.gui.shell.page_factory import WizardPages
    from wizard.gui.shell.rail import Rail
    from wizard.gui.shell.serving import ServingNow
    from wizard.gui.shell.tasks import TaskRunner
    from wizard.gui.shell.theme import Theme
    from wizard.gui.shell.translator import Translator


class WindowParts(BareWindow):
    session: WindowSession
    navigator: Navigator
    tasks: TaskRunner
    side: SideFlow
    translator: Translator
    theme: Theme
    context: AppContext
    rail: Rail
    footer: Footer
    ask: AskBar
    stack: QStackedWidget
    pages: WizardPages
    side_pages: dict[SideId, Page]
    serving: ServingNow

    @property
    def page(self) -> Page:
        """Return the page that is shown."""
        raise NotImplementedError
