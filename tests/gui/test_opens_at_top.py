"""Each page opens at its top, with its headline in sight, in the smallest useful window too."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.test_layout import is_whole
from tests.gui.walking import LEAST, go_to, lower, press, settle, source_page
from wizard.app.pages.order import ORDER, SIDE_ORDER, PageId, SideId
from wizard.gui.pages.base import LAID_OUT
from wizard.gui.pages.source.page import SourcePage
from wizard.gui.pages.source.rows import _Line
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.versions import VersionsPage
from wizard.model.messages import LANGUAGES


@pytest.fixture(autouse=True)
def small_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window takes no more than the screen has, whatever its pages would need."""
    monkeypatch.setattr("wizard.gui.shell.window.room_on", lambda screen: QRect(0, 0, *LEAST))


def _is_at_top(window: WizardWindow) -> bool:
    front = window._front or window.page
    area = front.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    title = next(one for one in front.findChildren(QLabel) if one.property("role") == "title")
    seen = area.viewport().rect().contains(title.mapTo(area.viewport(), QPoint(0, 0)))
    return seen and area.verticalScrollBar().value() == 0


def _wait(qtbot: QtBot, window: WizardWindow) -> None:
    settle(qtbot, window)
    qtbot.wait(LAID_OUT * 3)  # what scrolls does so once the page has its place


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_opens_with_its_headline_in_sight(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    scenes.rich(session)
    window = make_window(language)
    window.resize(*LEAST)
    for page in ORDER:
        go_to(qtbot, window, page)
        if page is PageId.INSTALL:
            qtbot.waitUntil(lambda: window.navigator.page is not PageId.INSTALL or window.navigator.state.run_over)
        _wait(qtbot, window)
        assert window.size().toTuple() == LEAST
        assert _is_at_top(window), page
    for side_page in SIDE_ORDER:
        window.side.switch(side_page)
        _wait(qtbot, window)
        if side_page is SideId.CLASS:  # it has no main button to have the keys of what lies below the edge
            qtbot.waitUntil(lambda: is_whole(window.focusWidget()))
        else:
            assert _is_at_top(window), side_page


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_that_come_back_into_a_high_table_or_box_show_it(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    """With Shift+Tab the builds of a release lay below the edge, and the box of Explain above it."""
    window = make_window(language)
    window.resize(*LEAST)
    window.side.open(SideId.VERSIONS)
    _wait(qtbot, window)
    page = window.page
    assert isinstance(page, VersionsPage)
    window.page.is_opening = False
    page._scroll.verticalScrollBar().setValue(0)
    page.builds.setFocus(Qt.FocusReason.BacktabFocusReason)
    qtbot.waitUntil(lambda: not page.builds.visibleRegion().isEmpty())


def test_a_page_that_was_scrolled_opens_at_its_top_again_and_keys_scroll_it(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    scenes.rich(session)
    window = make_window()
    window.resize(*LEAST)
    go_to(qtbot, window, PageId.SOURCE)
    _wait(qtbot, window)
    area = window.page.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    for _ in range(40):
        focused = window.focusWidget()
        if focused is not None and area.isAncestorOf(focused) and area.verticalScrollBar().value() > 0:
            break
        qtbot.keyClick(focused or window, Qt.Key.Key_Tab)
        qtbot.wait(LAID_OUT * 2)
    assert area.verticalScrollBar().value() > 0, "what the person goes to with Tab is seen"
    press(qtbot, window.footer.back)
    _wait(qtbot, window)
    go_to(qtbot, window, PageId.SOURCE)
    _wait(qtbot, window)
    assert _is_at_top(window)


@pytest.mark.parametrize(("page", "stops"), [(PageId.BUILD, ["grid"]), (PageId.PLACE, ["new", "name"])])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_has_the_keys_of_a_page_that_opens_is_seen(
    language: str, page: PageId, stops: list[str], qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """The grid and the field of the name lay below the edge: the main button has the keys, and Tab leads to them. On
    Place it led past the choice above the name."""
    window = make_window(language)
    window.resize(*LEAST)
    go_to(qtbot, window, page)
    _wait(qtbot, window)
    meant = window.page.first_control()
    assert meant is not None
    qtbot.waitUntil(lambda: window.focusWidget() is window.footer.primary)
    assert _is_at_top(window)
    for stop in stops:
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        qtbot.wait(LAID_OUT * 3)
        control = getattr(window.page, stop)
        assert window.focusWidget() is control
        assert not control.visibleRegion().isEmpty()
    assert window.focusWidget() is meant


def test_where_there_is_room_the_first_control_keeps_the_keys(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    lower(window, (1080, 740))
    for page in (PageId.BUILD, PageId.PLACE):
        go_to(qtbot, window, page)
        _wait(qtbot, window)
        assert window.focusWidget() is window.page.first_control()


def _at_rest(qtbot: QtBot, page: SourcePage) -> int:
    """Return how many pixels from the top the last fold stands once it stays there: on a busy computer that is late."""
    last, now = -1, page.fold.mapTo(page, QPoint()).y()
    while now != last:
        qtbot.wait(LAID_OUT * 3)
        last, now = now, page.fold.mapTo(page, QPoint()).y()
    return now


def test_measured_again_source_keeps_its_tick_its_place_and_its_ring(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """The tick went, what lies below it moved up and back, and nothing had a ring."""
    scenes.rich(session)
    window = make_window()
    lower(window, (1080, 740))
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    _wait(qtbot, window)
    assert page.persistent.isVisible()
    before = _at_rest(qtbot, page)
    session.hold.add("select_build")
    asked = session.names().count("select_build")
    qtbot.keyClick(window, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: session.names().count("select_build") > asked)
    qtbot.wait(LAID_OUT * 3)
    assert page.persistent.isVisible()
    assert not page.persistent.tick.isEnabled()
    assert _at_rest(qtbot, page) == before
    assert window.focusWidget() is page.again
    session.hold.clear()
    _wait(qtbot, window)
    assert page.persistent.tick.isEnabled()
    assert page.fold.mapTo(page, QPoint()).y() == before
    assert window.focusWidget() is page.tables["torch"].chosen_choice


@pytest.mark.parametrize("way", ["key", "mouse", "again"])
def test_asked_anew_source_stays_at_its_top_and_its_choice_gets_the_keys_back(
    way: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """The row that had them goes, and Qt gave them to the open fold below, or to nobody."""
    scenes.rich(session)
    window = make_window()
    window.resize(*LEAST)
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.fold.button.setChecked(True)
    _wait(qtbot, window)
    before = page.tables["torch"].chosen_choice
    assert before is not None
    assert before is window.focusWidget()
    if way == "key":
        qtbot.keyClick(before, Qt.Key.Key_Down)
    elif way == "mouse":
        press(qtbot, page.tables["torch"].lines[1].radio)
    else:
        qtbot.keyClick(window, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    asked = session.names().count("select_build")
    qtbot.waitUntil(lambda: session.names().count("select_build") > asked)
    _wait(qtbot, window)
    if way == "again":
        assert _is_at_top(window)
        assert window.focusWidget() is page.tables["torch"].chosen_choice
    else:  # the row keeps its place and the keys
        row = page.tables["torch"].lines[1].radio
        assert window.focusWidget() is row
        assert way == "mouse" or not row.visibleRegion().isEmpty(), "who pressed it had it in sight"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_folds_of_source_fit_into_it(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """The fold's words and its value lay over each other, and the whole page was scrolled to the side."""
    scenes.rich(session)
    window = make_window(language)
    window.resize(*LEAST)
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    area = page.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    for fold in (page.fold, page.network_fold):
        fold.button.setChecked(True)
    for mode in page.network.modes.values():
        mode.setChecked(True)
    _wait(qtbot, window)
    assert area.horizontalScrollBar().maximum() == 0
    for line in (one for one in page.findChildren(_Line) if one.isVisible()):
        assert line.time.geometry().right() < line.width(), line.time.text()
    value = page.fold._value
    lines = page.fold.button.text().split("\n")
    words = page.fold.button.fontMetrics().horizontalAdvance(lines[0].replace("&", ""))
    assert len(lines) == 2 or words + page.fold.button.iconSize().width() < value.x()
    assert value.isVisible() is (len(lines) == 1)
