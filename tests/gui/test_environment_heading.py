"""The heading among the environments: a heading for who hears it, and nothing that a click, key or reader chooses."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.test_environments import cell, cells, opened
from tests.gui.walking import press
from wizard.gui.tools.environments.page import EnvironmentsPage

WORDS = "System and base Pythons"


def _unfolded(qtbot: QtBot, make_window: MakeWindow) -> tuple[EnvironmentsPage, int]:
    """Return the page, and the last row that is the person's own."""
    page = opened(qtbot, make_window())
    assert not page._list.heading.isVisible()
    press(qtbot, page.nobodys)
    return page, page.table.rowCount() - 3  # two are nobody's


def test_it_stands_between_the_persons_own_and_the_systems(qtbot: QtBot, make_window: MakeWindow) -> None:
    page, last = _unfolded(qtbot, make_window)
    table, heading = page.table, page._list.heading
    assert (heading.isVisible(), heading.text()) == (True, WORDS)
    for chosen in (last, last + 1, 0):
        table.selectRow(chosen)
        qtbot.wait(50)
        top, room = table.viewport().y(), heading.geometry()
        assert room.y() >= top + table.rowViewportPosition(last) + table.closed_height
        assert room.bottom() < top + table.rowViewportPosition(last + 1)
        assert not room.intersects(page.card.geometry()), "what was opened is below its row's words, above the heading"
    page.search.setText("base")
    assert not heading.isVisible(), "none of the person's own is above it"
    page.search.clear()
    page.table.sort_by(0)
    assert heading.isVisible()
    press(qtbot, page.nobodys)
    assert not heading.isVisible()


def test_a_screen_reader_has_a_heading_and_no_row_to_choose(qtbot: QtBot, make_window: MakeWindow) -> None:
    page, last = _unfolded(qtbot, make_window)
    told = QAccessible.queryAccessibleInterface(page._list.heading)
    assert told is not None
    assert (told.role(), told.text(QAccessible.Text.Name)) == (QAccessible.Role.Heading, WORDS)
    assert (told.state().selectable, told.state().focusable, told.state().selectableText) == (0, 0, 0)
    assert WORDS not in cells(page, 0)
    described = [cell(page.table, row, 0, Qt.ItemDataRole.AccessibleDescriptionRole) for row in (last, last + 1)]
    assert [WORDS in words for words in described] == [False, True], "who goes from cell to cell hears it, too"


def test_a_click_on_it_leaves_what_was_chosen(qtbot: QtBot, make_window: MakeWindow) -> None:
    page, last = _unfolded(qtbot, make_window)
    page.table.selectRow(1)
    before = page.table.selected
    middle = page._list.heading.mapToGlobal(page._list.heading.rect().center())
    under = QApplication.widgetAt(middle)
    assert under is page._list.heading
    qtbot.mouseClick(under, Qt.MouseButton.LeftButton)
    assert (page.table.selected, page.table.currentRow()) == (before, 1)
    page.table.selectRow(last)
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    assert page.table.chosen_row == last + 1
