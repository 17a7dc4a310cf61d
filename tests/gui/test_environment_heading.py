"""The heading among the environments: no click, key or screen reader chooses it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.test_environments import opened
from tests.gui.walking import press
from wizard.gui.tools.environments.table import EnvironmentsTable

_MODEL = QItemSelectionModel.SelectionFlag


def _listed(qtbot: QtBot, make_window: MakeWindow) -> tuple[EnvironmentsTable, int]:
    page = opened(qtbot, make_window())
    press(qtbot, page.nobodys)
    table = page.table
    heading = table.rowCount() - 3  # two are nobody's
    assert table.is_heading(heading)
    return table, heading


def test_a_click_on_it_leaves_what_was_chosen(qtbot: QtBot, make_window: MakeWindow) -> None:
    table, heading = _listed(qtbot, make_window)
    table.selectRow(1)
    before = table.selected
    place = QPoint(20, table.rowViewportPosition(heading) + table.rowHeight(heading) // 2)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.wait(50)
    assert (table.selected, table.currentRow()) == (before, 1)


def _by_model(table: EnvironmentsTable, row: int) -> None:
    """As Qt's bridge to screen readers does it."""
    flags = _MODEL.ClearAndSelect | _MODEL.Rows
    table.selectionModel().select(table.model().index(row, 0), flags)


def _with_current(table: EnvironmentsTable, row: int) -> None:
    flags = _MODEL.ClearAndSelect | _MODEL.Rows
    table.selectionModel().setCurrentIndex(table.model().index(row, 0), flags)


def _current_alone(table: EnvironmentsTable, row: int) -> None:
    table.selectionModel().setCurrentIndex(table.model().index(row, 0), _MODEL.NoUpdate)


@pytest.mark.parametrize("choose", [_by_model, _with_current, _current_alone, EnvironmentsTable.selectRow])
@pytest.mark.parametrize("above", [True, False])
def test_whoever_chooses_it_gets_the_row_beyond(
    above: bool, choose: Callable[[EnvironmentsTable, int], None], qtbot: QtBot, make_window: MakeWindow
) -> None:
    table, heading = _listed(qtbot, make_window)
    table.selectRow(heading - 1 if above else heading + 1)
    told: list[object] = []
    table.chosen.connect(lambda: told.append(table.selected))
    choose(table, heading)
    wanted = heading + (1 if above else -1)
    qtbot.waitUntil(lambda: table.chosen_row == table.currentRow() == wanted)
    assert None not in told, "nobody hears that nothing is chosen"
    assert table.selected is not None


def test_the_arrows_step_over_it_both_ways(qtbot: QtBot, make_window: MakeWindow) -> None:
    table, heading = _listed(qtbot, make_window)
    table.selectRow(heading - 1)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert table.chosen_row == heading + 1
    qtbot.keyClick(table, Qt.Key.Key_Up)
    assert table.chosen_row == heading - 1
