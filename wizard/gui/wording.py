"""The window's words: said anew in another language, page by page, with the line of help of each control."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.flow.pages import PageId
    from wizard.flow.side_pages import SideId
    from wizard.gui.pages.base import Page
    from wizard.gui.voice import Voice
    from wizard.gui.window_parts import WindowParts


def put_all_words(window: WindowParts) -> None:
    from wizard.gui.hints import put_hints

    window.rail.retranslate()
    window.ask.retranslate()
    put_hints(window, "window", window.voice)
    made: list[tuple[PageId | SideId, Page]] = [*window.pages.items(), *window.side_pages.items()]
    for name, page in made:
        put_words(name, page, window.voice)
        page.render_state()


def put_words(name: PageId | SideId, page: Page, voice: Voice) -> None:
    from wizard.gui.hints import put_hints

    page.retranslate()
    put_hints(page, name.value, voice)
    put_hints(page.trouble, "trouble", voice)
    page.trouble.retranslate()
    page.busy.retranslate()
    page.retranslate_help()
