"""The wizard's eight pages and those beside it, each made when it is first wanted: the first picture must not wait.

`WizardPages` is a mapping of what was made so far; asking for another one makes it, and `on_made` takes it into the
window. What Next leads to from Check is made while Check is read (`shell/auto_advance.py`).
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


def make_side_page(page: SideId, context: AppContext) -> SidePage:
    return _SIDE_MAKERS[page](context)


def _environments(context: AppContext) -> SidePage:
    from wizard.gui.tools.environments.page import EnvironmentsPage

    return EnvironmentsPage(context)


def _doctor(context: AppContext) -> SidePage:
    from wizard.gui.tools.doctor import DoctorPage

    return DoctorPage(context)


def _explain(context: AppContext) -> SidePage:
    from wizard.gui.tools.explain import ExplainPage

    return ExplainPage(context)


def _undo(context: AppContext) -> SidePage:
    from wizard.gui.tools.undo import UndoPage

    return UndoPage(context)


def _versions(context: AppContext) -> SidePage:
    from wizard.gui.tools.versions import VersionsPage

    return VersionsPage(context)


def _class(context: AppContext) -> SidePage:
    from wizard.gui.tools.class_page import ClassPage

    return ClassPage(context)


def _far_host(context: AppContext) -> SidePage:
    from wizard.gui.tools.far_host import FarHostPage

    return FarHostPage(context)


_SIDE_MAKERS: dict[SideId, Callable[[AppContext], SidePage]] = {
    SideId.ENVIRONMENTS: _environments,
    SideId.DOCTOR: _doctor,
    SideId.EXPLAIN: _explain,
    SideId.UNDO: _undo,
    SideId.VERSIONS: _versions,
    SideId.CLASS: _class,
    SideId.FAR_HOST: _far_host,
}


BEHIND_CHECK = (PageId.BUILD, PageId.SOURCE, PageId.PLACE, PageId.REVIEW)


def load_behind_check(*_: object) -> None:
    """Import those pages with all that they need: 0.2 s, so in a thread, which leaves the window its turns."""
    import wizard.gui.pages.build.page
    import wizard.gui.pages.choosing
    import wizard.gui.pages.place
    import wizard.gui.pages.review
    import wizard.gui.pages.source.page  # noqa: F401


class WizardPages(dict[PageId, Page]):
    def __init__(self, context: AppContext, opened: str | None, on_made: Callable[[PageId, Page], None]) -> None:
        super().__init__()
        self._context, self._opened, self._on_made = context, opened, on_made

    def __missing__(self, page: PageId) -> Page:
        made = self[page] = self._welcome() if page is PageId.WELCOME else _MAKERS[page](self._context)
        forget_sources()
        self._on_made(page, made)
        return made

    @property
    def install(self) -> InstallPage | None:
        """None while there was no run to show."""
        return cast("InstallPage | None", self.get(PageId.INSTALL))

    def _welcome(self) -> Page:
        from wizard.gui.pages.welcome.page import WelcomePage

        return WelcomePage(self._context, self._opened)


def _check(context: AppContext) -> Page:
    from wizard.gui.pages.check import CheckPage

    return CheckPage(context)


def _build(context: AppContext) -> Page:
    from wizard.gui.pages.build.page import BuildPage

    return BuildPage(context)


def _source(context: AppContext) -> Page:
    from wizard.gui.pages.source.page import SourcePage

    return SourcePage(context)


def _place(context: AppContext) -> Page:
    from wizard.gui.pages.place import PlacePage

    return PlacePage(context)


def _review(context: AppContext) -> Page:
    from wizard.gui.pages.review import ReviewPage

    return ReviewPage(context)


def _install(context: AppContext) -> Page:
    from wizard.gui.pages.install import InstallPage

    return InstallPage(context)


def _verify(context: AppContext) -> Page:
    from wizard.gui.pages.verify.page import VerifyPage

    return VerifyPage(context)


_MAKERS: dict[PageId, Callable[[AppContext], Page]] = {
    PageId.CHECK: _check,
    PageId.BUILD: _build,
    PageId.SOURCE: _source,
    PageId.PLACE: _place,
    PageId.REVIEW: _review,
    PageId.INSTALL: _install,
    PageId.VERIFY: _verify,
}
