"""The window as its helpers see it: which parts it has, without what it does with them.

Nothing is imported here for its values, since the first picture must not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.gui.bare import BareWindow

if TYPE_CHECKING:
    from wizard.flow.navigator import Navigator
    from wizard.flow.session_api import SessionApi
    from wizard.flow.side_pages import SideFlow, SideId
    from wizard.gui.ask_bar import AskBar
    from wizard.gui.desk import Desk
    from wizard.gui.errands import Errands
    from wizard.gui.footer import Footer
    from wizard.gui.pages.base import Page
    from wizard.gui.rail import Rail
    from wizard.gui.serving import ServingNow
    from wizard.gui.theme import Theme
    from wizard.gui.voice import Voice
    from wizard.gui.wizard_pages import WizardPages


class WindowParts(BareWindow):
    session: SessionApi
    navigator: Navigator
    errands: Errands
    side: SideFlow
    voice: Voice
    theme: Theme
    desk: Desk
    rail: Rail
    footer: Footer
    ask: AskBar
    pages: WizardPages
    side_pages: dict[SideId, Page]
    serving: ServingNow

    @property
    def page(self) -> Page:
        """Return the page that is shown."""
        raise NotImplementedError
