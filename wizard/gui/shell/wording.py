"""The window's words: put anew in another language, the line of help of each control, its title, the order of Tab.

One line of help for each control: what it does, as the mouse's hint and for who hears the window.

The lines are rows of the catalogue (`page.hint.<page>.<control>`), and a control is named by the attributes that lead
to it (`network.region.choice`); so a page needs no code for them. Longer help is `widgets/messages.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.labels import plain_tip
from wizard.model.messages import sentences_of
from wizard.system.traits import this

if TYPE_CHECKING:
    from wizard.app.pages.order import PageId, SideId
    from wizard.gui.pages.base import Page
    from wizard.gui.shell.parts import WindowParts
    from wizard.system.windows.desktop import TaskbarButton


def order_tabs(window: WindowParts, known: list[QWidget]) -> list[QWidget]:
    """The order that is in force now; `known`: the one before."""
    from wizard.gui.shell.footer import tab_stops

    asked: list[QWidget] = [window.ask.go, window.ask.cancel, window.ask.stay]
    chain = [*tab_stops(window.page), *asked, *window.footer.controls(), *window.rail.controls()]
    if chain != known:
        for before, after in zip(chain, chain[1:], strict=False):
            QWidget.setTabOrder(before, after)
    return chain


# How far the run is, where it is seen without the window: in its title, and on its button in Windows' task bar.
#
# On every page, not on Install only: who looks something up meanwhile still sees it.


class RunTitle:
    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._shown: tuple[int | None, bool] = (None, False)
        self._button: TaskbarButton | None = None

    def show(self, words: str, percent: int | None, paused: bool) -> None:
        """`percent` None: no run is going."""
        parts = [f"{percent} %"] if percent is not None else []
        self._window.setWindowTitle(" – ".join([*parts, *([words] if words else []), "Torch Setup"]))
        if self._shown != (percent, paused):
            self._shown = (percent, paused)
            self._show_button(percent, paused)

    def _show_button(self, percent: int | None, paused: bool) -> None:
        if this().has_task_bar and self._button is None:
            from wizard.system.windows.desktop import taskbar_button

            self._button = taskbar_button()
        if self._button is not None:
            self._button.show(int(self._window.winId()), percent, paused)


@cache
def hints_of(name: str, language: str) -> Mapping[str, str]:
    """By the control's path."""
    return sentences_of(f"page.hint.{name}", language)


def control_at(owner: Any, path: str) -> QWidget:
    """Raises LookupError for a path that leads nowhere."""
    found = owner
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else getattr(found, part, None)
    if not isinstance(found, QWidget):
        raise LookupError(path)
    return found


def put_hints(owner: QWidget, name: str, translator: Translator) -> None:
    """A key of a translation that names no control is passed over: it is for the tests, not for the window."""
    for path, words in hints_of(name, translator.language).items():
        try:
            control = control_at(owner, path)
        except LookupError:
            continue
        control.setToolTip(plain_tip(words))
        control.setAccessibleDescription(words)


def put_all_words(window: WindowParts) -> None:
    """Put the words of the whole window into the language that is chosen now."""
    window.rail.retranslate()
    window.ask.retranslate()
    put_hints(window, "window", window.translator)
    made: list[tuple[PageId | SideId, Page]] = [*window.pages.items(), *window.side_pages.items()]
    for name, page in made:
        put_words(name, page, window.translator)
        page.render_state()


def put_words(name: PageId | SideId, page: Page, translator: Translator) -> None:
    """Put the words of one page and its hints into the language that is chosen now."""
    page.retranslate()
    put_hints(page, name.value, translator)
    put_hints(page.trouble, "trouble", translator)
    page.trouble.retranslate()
    page.busy.retranslate()
    page.retranslate_help()
