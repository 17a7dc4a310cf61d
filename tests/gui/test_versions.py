"""The page of the tables: each release with its drivers, and the builds of the chosen one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.walking import LEAST, cell, lower, settle
from wizard.app.pages.order import SideId
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.versions import VersionsPage
from wizard.gui.widgets.row_table import PADDING, RowTable
from wizard.model.messages import LANGUAGES
from wizard.system import paths


def opened(qtbot: QtBot, window: WizardWindow) -> VersionsPage:
    window.side.open(SideId.VERSIONS)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, VersionsPage)
    qtbot.waitUntil(lambda: page.table.rowCount() > 0)
    return page


def row_of(table: RowTable, first: str, second: str = "") -> list[str]:
    rows = [[cell(table, row, column) for column in range(table.columnCount())] for row in range(table.rowCount())]
    return next(row for row in rows if row[0] == first and row[1].startswith(second))


def test_a_release_names_its_pythons_and_the_oldest_driver_of_each_cuda(qtbot: QtBot, make_window: MakeWindow) -> None:
    page = opened(qtbot, make_window())
    found = row_of(page.table, "2.6.0")
    drivers = (
        "12.6 (528), 12.4 (528), 11.8 (452)" if paths.os_name() == "windows" else "12.6 (525), 12.4 (525), 11.8 (450)"
    )
    together = drivers.replace(" (", "\N{NO-BREAK SPACE}(")  # a line ends between two pairs alone
    assert found == ["2.6.0", "2025-01-29", "0.21.0", "3.9 … 3.13", together]


@pytest.mark.parametrize("size", [(640, 400), LEAST])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cuda_and_its_driver_stand_in_one_line_on_a_small_screen(
    language: str, size: tuple[int, int], qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    lower(window, size)
    page = opened(qtbot, window)
    pairs = [pair for row in range(page.table.rowCount()) for pair in cell(page.table, row, 4).split(" ")]
    assert all(pair.endswith((",", ")")) for pair in pairs)
    widest = max(map(page.table.fontMetrics().horizontalAdvance, pairs))
    qtbot.waitUntil(lambda: page.table.columnWidth(4) >= widest + PADDING, timeout=10_000)

    def are_whole() -> bool:
        rows = range(page.table.rowCount())
        return all(page.table.rowHeight(row) >= page.table._needed(row) for row in rows)

    qtbot.waitUntil(are_whole, timeout=10_000)
    assert "2026" in cell(page.table, 0, 0, Qt.ItemDataRole.ToolTipRole), "the day that has no column there"


def test_the_chosen_release_shows_its_builds_with_the_cards_by_name(qtbot: QtBot, make_window: MakeWindow) -> None:
    page = opened(qtbot, make_window())
    rows = [cell(page.table, row, 0) for row in range(page.table.rowCount())]
    page.table.selectRow(rows.index("2.6.0"))
    found = row_of(page.builds, "CUDA 12.4", "Linux x86")
    assert found == ["CUDA 12.4", "Linux x86_64", "3.9 … 3.13", "525.60.13", "Maxwell … Hopper"]
    assert row_of(page.builds, "CPU", "Windows")[3:5] == ["–", "–"]


@pytest.mark.parametrize("size", [(900, 640), (640, 400)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_cut_at_the_smallest_size(
    language: str, size: tuple[int, int], qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    lower(window, size)
    page = opened(qtbot, window)
    left_out = {(page.builds, "Python"), (page.table, page.table.horizontalHeaderItem(1).text())}  # the release's day
    for table in (page.table, page.builds):
        assert table.horizontalScrollBar().maximum() == 0
        for column in range(table.columnCount()):
            item = table.horizontalHeaderItem(column)
            assert item is not None
            seen = table.horizontalHeader().fontMetrics().horizontalAdvance(item.text()) <= table.columnWidth(column)
            assert seen or (size[0] == 640 and (table, item.text()) in left_out and table.isColumnHidden(column))


@pytest.mark.parametrize("size", [(496, 280), (640, 400)])
def test_the_page_follows_the_row_that_has_the_keys(
    size: tuple[int, int], qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window()
    lower(window, size)
    page = opened(qtbot, window)
    for table in (page.table, page.builds):
        table.setFocus()
        for _ in range(4):
            qtbot.keyClick(table, Qt.Key.Key_Down)
        assert table.currentRow() >= 4
        qtbot.waitUntil(lambda table=table: _is_seen(table))


def _is_seen(table: RowTable) -> bool:
    return table.viewport().visibleRegion().contains(table.visualRect(table.currentIndex()).center())
