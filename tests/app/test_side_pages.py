"""The pages beside the wizard: opened on top, left again, never twice on the way back."""

from __future__ import annotations

from pathlib import Path

from wizard.app.pages.order import SideFlow, SideId


def test_a_page_lies_on_top_of_another_and_back_takes_it_off() -> None:
    flow, told = SideFlow(), []
    flow.listen(lambda: told.append(flow.here))
    assert flow.here is None
    flow.open(SideId.ENVIRONMENTS)
    flow.open(SideId.DOCTOR, Path("/envs/a"))
    assert flow.here is not None
    assert flow.here.prefix == Path("/envs/a")
    flow.back()
    assert flow.here is not None
    assert flow.here.page is SideId.ENVIRONMENTS
    flow.back()
    assert flow.here is None
    assert len(told) == 4


def test_a_page_is_never_twice_on_the_way_back() -> None:
    flow = SideFlow()
    flow.open(SideId.ENVIRONMENTS)
    flow.open(SideId.DOCTOR, Path("/envs/a"))
    flow.open(SideId.ENVIRONMENTS, Path("/envs/b"))
    flow.back()
    assert flow.here is not None
    assert flow.here.page is SideId.DOCTOR
    flow.back()
    assert flow.here is None


def test_the_rail_switches_in_place_and_stays_where_it_is() -> None:
    flow, told = SideFlow(), []
    flow.open(SideId.ENVIRONMENTS)
    flow.listen(lambda: told.append(flow.here))
    flow.switch(SideId.ENVIRONMENTS)
    assert told == []
    flow.switch(SideId.UNDO)
    flow.back()
    assert flow.here is None
    flow.close()
    assert len(told) == 2
