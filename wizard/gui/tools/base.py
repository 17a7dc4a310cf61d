"""What the pages beside the wizard share: the visit that they are about, calls beside the page's own, the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton

from wizard.app.pages.order import ORDER, Visit
from wizard.gui.pages.base import Page
from wizard.gui.shell.context import AppContext
from wizard.gui.shell.tasks import OnNote, Task, Work
from wizard.gui.widgets.commands import page_name
from wizard.model.errors import WizardError

if TYPE_CHECKING:
    from wizard.app.tools import Tools

T = TypeVar("T")


class SidePage(Page):
    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._beside: dict[str, Task[Any]] = {}

    @property
    def api(self) -> Tools:
        return self.context.session.tools

    @property
    def visit(self) -> Visit:
        here = self.context.side.here
        assert here is not None, "the page is shown by a visit only"
        return here

    def _ways(self) -> dict[str, str]:
        """Also into a setup, which none of these pages is a part of."""
        here, led = self.context.side.here, filter(self.context.navigator.may_lead_to, ORDER)
        ways = super()._ways() | {page_name(page): page.value for page in led}
        return {name: page for name, page in ways.items() if here is None or page != here.page.value}

    @property
    def is_here(self) -> bool:
        return self.isVisible() and self.context.side.here is not None

    def show_class(self) -> None:
        """Nothing: this page is no part of the setup."""

    def primary_text(self) -> str:
        return ""

    def may_press(self) -> bool:
        return False

    def may_back(self) -> bool:
        return True

    def leave(self) -> None:
        self.cancel_task()
        for name in tuple(self._beside):
            self.stop_beside(name)

    def back_text(self) -> str:
        return QCoreApplication.translate("SidePage", "&Back")

    # -- calls beside the page's own: sizes that stream in, a look at what was selected

    def beside(
        self,
        name: str,
        work: Work[T],
        on_done: Callable[[T], None],
        on_note: OnNote | None = None,
        on_failed: Callable[[WizardError], None] | None = None,
    ) -> None:
        """One of each name is under way; a new one takes the place of the old."""
        self.stop_beside(name)

        def done(answer: T) -> None:
            self._beside.pop(name, None)
            on_done(answer)

        def failed(error: WizardError) -> None:
            self._beside.pop(name, None)
            (on_failed or self.trouble.show_error)(error)

        self._beside[name] = self.context.tasks.start(work, done, failed, on_note)

    def is_beside(self, name: str) -> bool:
        """Return whether such a call is under way."""
        return name in self._beside

    def stop_beside(self, name: str) -> None:
        task = self._beside.pop(name, None)
        if task is not None:
            task.cancel()


def button(role: str = "") -> QPushButton:
    made = QPushButton()
    if role:
        made.setProperty("role", role)
    return made
