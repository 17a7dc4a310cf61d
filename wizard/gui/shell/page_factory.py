"""Makes each page when it is first wanted: the first picture must not wait for them.

The wizard's eight pages, each made when it is first wanted: the first picture must not wait for the other seven.

A mapping of what was made so far; asking for another one makes it, and `on_made` takes it into the window.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from wizard.app.pages.order import PageId, SideId
from wizard.gui.pages.base import Page
from wizard.gui.shell.context import AppContext
from wizard.gui.startup.application import forget_sources
from wizard.gui.tools.base import SidePage

if TYPE_CHECKING:
    from wizard.gui.pages.install import InstallPage


def make_side_page(page: SideId, desk: AppContext) -> SidePage:
    return _SIDE_MAKERS[page](desk)


def _environments(desk: AppContext) -> SidePage:
    from wizard.gui.tools.environments import EnvironmentsPage

    return EnvironmentsPage(desk)


def _doctor(desk: AppContext) -> SidePage:
    from wizard.gui.tools.doctor import DoctorPage

    return DoctorPage(desk)


def _explain(desk: AppContext) -> SidePage:
    from wizard.gui.tools.explain import ExplainPage

    return ExplainPage(desk)


def _undo(desk: AppContext) -> SidePage:
    from wizard.gui.tools.undo import UndoPage

    return UndoPage(desk)


def _class(desk: AppContext) -> SidePage:
    from wizard.gui.tools.class_page import ClassPage

    return ClassPage(desk)


_SIDE_MAKERS: dict[SideId, Callable[[AppContext], SidePage]] = {
    SideId.ENVIRONMENTS: _environments,
    SideId.DOCTOR: _doctor,
    SideId.EXPLAIN: _explain,
    SideId.UNDO: _undo,
    SideId.CLASS: _class,
}


class WizardPages(dict[PageId, Page]):
    def __init__(self, desk: AppContext, opened: str | None, on_made: Callable[[PageId, Page], None]) -> None:
        super().__init__()
        self._desk, self._opened, self._on_made = desk, opened, on_made

    def __missing__(self, page: PageId) -> Page:
        made = self[page] = self._welcome() if page is PageId.WELCOME else _MAKERS[page](self._desk)
        forget_sources()
        self._on_made(page, made)
        return made

    @property
    def install(self) -> InstallPage | None:
        """None while there was no run to show."""
        return cast("InstallPage | None", self.get(PageId.INSTALL))

    def _welcome(self) -> Page:
        from wizard.gui.pages.welcome import WelcomePage

        return WelcomePage(self._desk, self._opened)


def _check(desk: AppContext) -> Page:
    from wizard.gui.pages.check import CheckPage

    return CheckPage(desk)


def _build(desk: AppContext) -> Page:
    from wizard.gui.pages.build import BuildPage

    return BuildPage(desk)


def _source(desk: AppContext) -> Page:
    from wizard.gui.pages.source.page import SourcePage

    return SourcePage(desk)


def _place(desk: AppContext) -> Page:
    from wizard.gui.pages.place import PlacePage

    return PlacePage(desk)


def _review(desk: AppContext) -> Page:
    from wizard.gui.pages.review import ReviewPage

    return ReviewPage(desk)


def _install(desk: AppContext) -> Page:
    from wizard.gui.pages.install import InstallPage

    return InstallPage(desk)


def _verify(desk: AppContext) -> Page:
    from wizard.gui.pages.verify import VerifyPage

    return VerifyPage(desk)


_MAKERS: dict[PageId, Callable[[AppContext], Page]] = {
    PageId.CHECK: _check,
    PageId.BUILD: _build,
    PageId.SOURCE: _source,
    PageId.PLACE: _place,
    PageId.REVIEW: _review,
    PageId.INSTALL: _install,
    PageId.VERIFY: _verify,
}
