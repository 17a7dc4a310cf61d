"""The chosen row of Environments: what can be done, by mouse and keys; and what the package store frees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_tools import FakeTools
from tests.gui.test_environments import cells, opened
from tests.gui.walking import cell, lower, press, settle
from wizard.model.messages import LANGUAGES


def test_the_store_says_what_pruning_frees_and_frees_it(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    page = opened(qtbot, make_window())
    assert page.disk.store.text() == ("Packages kept for reuse: 10.2 GB, 5.3 GB of it not in use.")
    assert page.disk.free.isVisible()
    assert page.disk.bar.isVisible()
    press(qtbot, page.disk.free)
    settle(qtbot, page.window())
    assert "prune_store" in side.names()
    assert page.disk.store.text() == "Packages kept for reuse: 4.9 GB, all in use."
    assert not page.disk.free.isVisible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_kept_for_reuse_is_read_in_a_narrow_window(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    page = opened(qtbot, window)
    for width, most in ((1080, 2), (760, 3), (640, 2), (480, 3)):
        lower(window, (width, 740))

        def is_read(wide: int = width, most: int = most) -> bool:
            words = page.disk.store
            lines = words.heightForWidth(words.width()) // words.fontMetrics().lineSpacing()
            return window.width() == wide and lines <= most and page._scroll.horizontalScrollBar().maximum() == 0

        qtbot.waitUntil(is_read)


def test_freeing_says_so_and_is_ended_by_nothing_else(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    page = opened(qtbot, make_window())
    side.hold.add("prune_store")
    press(qtbot, page.disk.free)
    assert page.disk.free.text() == "Freeing…"
    assert not page.disk.free.isEnabled()
    press(qtbot, page.again)
    qtbot.waitUntil(lambda: not page.is_busy)
    assert page.disk.free.text() == "Freeing…", "a look at the list does not end it"
    side.let_go.set()
    settle(qtbot, page.window())
    assert page._said.text() == "5.3 GB are free again."
    assert not page.disk.free.isVisible()


def test_the_chosen_row_holds_what_can_be_done(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.known = tuple(fake_tools.environment(f"lesson-{number}") for number in range(12))
    page = opened(qtbot, make_window())
    table, view = page.table, page._scroll.viewport()
    closed = table.height()
    table.setFocus()
    for row, key in ((11, Qt.Key.Key_End), (0, Qt.Key.Key_Home)):
        qtbot.keyClick(table, key, Qt.KeyboardModifier.ControlModifier)
        assert table.chosen_row == row
        qtbot.waitUntil(page.card.isVisible)
        qtbot.waitUntil(lambda: table.height() > closed)
        words = table.visualRect(table.model().index(row, 0))
        below = table.viewport().mapTo(page._list, words.topLeft()).y() + table.closed_height
        assert page.card.y() == below, "right below its words"
        card = page.card.rect()
        qtbot.waitUntil(lambda card=card: page.card.mapTo(view, card.bottomLeft()).y() <= view.height())
        assert page.card.mapTo(view, card.topLeft()).y() > 0, "the keyboard leaves nothing beyond the window"
        assert table.verticalScrollBar().maximum() == 0, "the page scrolls, not the list in it"
        heights = [table.rowHeight(one) - table.closed_height for one in range(table.rowCount())]
        assert [one for one in range(table.rowCount()) if heights[one]] == [row], "the room is in this row alone"
        assert heights[row] == page.card.height(), "nothing stands over the next row"
    before = page.card.height()
    press(qtbot, page.card.details)
    qtbot.waitUntil(lambda: page.card.height() > before)
    assert table.height() >= closed + page.card.height()
    press(qtbot, page.card.details)
    qtbot.waitUntil(lambda: page.card.height() == before)


def test_conda_itself_is_shown_where_it_is_asked_for(qtbot: QtBot, make_window: MakeWindow) -> None:
    page = opened(qtbot, make_window(), Path("/home/li/miniforge3"))
    assert page.nobodys.isChecked()
    assert page.table.selected is not None
    assert page.table.selected.name == "base"


def test_each_row_says_its_folder(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    first = side.known[0]
    side.known = (*side.known, replace(first, prefix=Path("/mnt/d/envs/torch")))
    page = opened(qtbot, make_window())
    rows = [row for row, name in enumerate(cells(page, 0)) if name == "torch"]
    folders = [cell(page.table, row, 0, Qt.ItemDataRole.AccessibleDescriptionRole) for row in rows]
    assert folders == [str(first.prefix), str(Path("/mnt/d/envs/torch"))]


def test_an_arrow_chooses_the_only_row(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.known = side.known[:1]
    page = opened(qtbot, make_window())
    page.table.clearSelection()
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    assert page.table.selected == side.known[0]


def test_the_tab_key_reaches_details_before_what_deletes(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    page = opened(qtbot, make_window(), fake_tools.HOME / "torch")
    qtbot.waitUntil(page.card.buttons["delete"].isVisible)
    page.card.buttons["packages"].setFocus()
    passed = []
    for _ in range(2):
        qtbot.keyClick(page.window().focusWidget(), Qt.Key.Key_Tab)
        passed.append(page.window().focusWidget())
    assert passed == [page.card.details, page.card.buttons["delete"]], [type(one).__name__ for one in passed]


def test_the_tab_key_goes_through_a_row_as_the_eye_does(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    """Also after the window was narrow, where some of the buttons stood among the details."""
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    buttons = page.card.buttons
    window._fit = lambda: window.setMinimumSize(1, 1)  # type: ignore[method-assign]  # this screen is a large one
    window._fit()
    for size, holder in (((500, 500), page.card._further), ((1280, 800), page.card)):
        window.resize(*size)
        qtbot.waitUntil(lambda holder=holder: buttons["notebook"].parentWidget() is holder, timeout=20_000)
    qtbot.waitUntil(buttons["notebook"].isVisible, timeout=20_000)
    page.changed.emit()
    page.search.setFocus()
    passed = []
    while page.card.details not in passed:
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        passed.append(window.focusWidget())
        assert len(passed) < 20
    row = [buttons[name] for name in ("check", "terminal", "notebook", "packages")]
    assert passed == [page.table, *row, page.card.details], [type(one).__name__ for one in passed]
