"""Makes the pages beside the wizard, each when it is first wanted: the first picture must not wait for them."""

from __future__ import annotations

from collections.abc import Callable

from wizard.flow.side_pages import SideId
from wizard.gui.desk import Desk
from wizard.gui.pages.side_base import SidePage


def make_side_page(page: SideId, desk: Desk) -> SidePage:
    return _SIDE_MAKERS[page](desk)


def _environments(desk: Desk) -> SidePage:
    from wizard.gui.pages.environments import EnvironmentsPage

    return EnvironmentsPage(desk)


def _doctor(desk: Desk) -> SidePage:
    from wizard.gui.pages.doctor import DoctorPage

    return DoctorPage(desk)


def _explain(desk: Desk) -> SidePage:
    from wizard.gui.pages.explain import ExplainPage

    return ExplainPage(desk)


def _undo(desk: Desk) -> SidePage:
    from wizard.gui.pages.undo import UndoPage

    return UndoPage(desk)


def _class(desk: Desk) -> SidePage:
    from wizard.gui.pages.class_page import ClassPage

    return ClassPage(desk)


_SIDE_MAKERS: dict[SideId, Callable[[Desk], SidePage]] = {
    SideId.ENVIRONMENTS: _environments,
    SideId.DOCTOR: _doctor,
    SideId.EXPLAIN: _explain,
    SideId.UNDO: _undo,
    SideId.CLASS: _class,
}
