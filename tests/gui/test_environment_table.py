"""The environments as a table: what a search and a sort show, and which columns a narrow window has room for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.test_environments import SIZE, STATE, cells, opened
from tests.gui.walking import lower, press, settle
from wizard.app.pages.order import SideId
from wizard.gui.tools.environments.page import EnvironmentsPage
from wizard.model.messages import LANGUAGES

PYTHON, TORCH, USED = 1, 2, 5


def test_a_search_and_a_sort_show_what_is_meant(qtbot: QtBot, make_window: MakeWindow) -> None:
    page = opened(qtbot, make_window())
    assert page._subtitle.text() == "Yours: 5 (12.1 GB)"
    names = cells(page, 0)
    assert {one.accessibleName() for one in page.search.findChildren(QToolButton)} == {"Search", "Clear"}
    page.search.setText("venv 2.14")
    assert cells(page, 0) == ["old"]
    page.search.setText("项目")
    assert cells(page, 0) == ["项目 甲"]
    page.search.setText("nothing like it")
    assert cells(page, 0) == []
    assert page._none.text() == "Nothing found."
    assert page._none.isVisible()
    page.search.clear()
    assert not page._none.isVisible()
    assert cells(page, 0) == names
    page.table.sort_by(0)
    assert cells(page, 0)[:3] == ["half", "lesson-3", "old"]
    page.table.sort_by(0)
    assert cells(page, 0)[:2] == ["项目 甲", "torch"]
    page.table.sort_by(SIZE)
    assert cells(page, SIZE)[:2] == ["5.31 GB", "2.66 GB"]
    assert shown_signs(page) == ["Size ▼"]
    press(qtbot, page.nobodys)
    assert cells(page, 0)[-2:] == ["base", "python3.12"], "nobody's to delete: last in any order"


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_read_in_a_narrow_window(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """At 200 % the name had thirty pixels. No width is one at which columns come and go for ever."""
    window = make_window(language)
    page = opened(qtbot, window)
    table = page.table
    press(qtbot, page.nobodys)
    resized = Resized(table.viewport())
    for place in (USED, SIZE, 1, 2, 0, STATE):  # the first is what they are sorted by from the start
        if place != USED:
            table.sort_by(place)
        for width in (*range(496, 880, 16), 880, 496):
            lower(window, (width, 360))
            at_rest(qtbot, resized)
            assert table.columnWidth(0) > 90, (place, width)
            assert table.columnWidth(STATE) >= table.sizeHintForColumn(STATE)
            assert table.horizontalScrollBar().maximum() == table.verticalScrollBar().maximum() == 0
            is_hidden = place == USED and table.isColumnHidden(USED)
            assert len(shown_signs(page)) == (0 if is_hidden else 1), "what the rows are sorted by is shown"
            assert not is_hidden or table.width() < 540


@pytest.mark.parametrize("width", [640, 900, 1000, 1024, 1056, 1088, 1120, 1280])
def test_folders_are_read_in_a_wider_window_as_in_a_narrow_one(
    width: int, qtbot: QtBot, make_window: MakeWindow
) -> None:
    """With the rail and more columns the name had half of what it has at 640."""
    window = make_window()
    page = opened(qtbot, window)
    lower(window, (width, 640))
    at_rest(qtbot, Resized(page.table.viewport()))
    assert page.table.columnWidth(0) >= 180, "pixels"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [900, 1024, 1080, 1280])
def test_every_column_is_seen_in_a_common_window(
    width: int, language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    """At 1024 pixels no size was seen, and at 1080 no Python; a bar that is too long for its column goes below."""
    window = make_window(language)
    page = opened(qtbot, window)
    table = page.table
    head = table.horizontalHeader()
    for place in (USED, 0):
        if place != USED:
            table.sort_by(place)
        lower(window, (width, 640))
        at_rest(qtbot, Resized(table.viewport()))
        for column in (0, PYTHON, TORCH, SIZE, USED, STATE):
            assert not table.isColumnHidden(column)
            if column:
                assert table.columnWidth(column) >= table.sizeHintForColumn(column), "no cell is cut"
                words = head.model().headerData(column, Qt.Orientation.Horizontal)
                assert head.fontMetrics().horizontalAdvance(words) + 11 <= table.columnWidth(column), words
        assert table.columnWidth(0) >= 180, "pixels"


@pytest.mark.parametrize("language", LANGUAGES)
def test_sizes_are_compared_where_there_is_room(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """The name had 352 pixels and more, and a size none."""
    window = make_window(language)
    page = opened(qtbot, window)
    lower(window, (900, 600))
    at_rest(qtbot, Resized(page.table.viewport()))
    assert not page.table.isColumnHidden(SIZE)
    assert page.table.columnWidth(0) >= 200, "pixels"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_column_goes_as_the_window_gets_wider(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """Python was gone from 1000 to 1015 pixels, where the rail has words, too."""
    window = make_window(language)
    page = opened(qtbot, window)
    for width in (900, 999, 1000, 1008, 1015, 1024):
        lower(window, (width, 700))
        at_rest(qtbot, Resized(page.table.viewport()))
        assert not page.table.isColumnHidden(PYTHON), width
        assert page.table.columnWidth(0) >= 180, "pixels"


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_lines_of_an_open_row_are_read_in_a_narrow_window(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    """Why an environment cannot take a package was cut: bars made the table narrower than its rows were for."""
    window = make_window(language)
    window.side.open(SideId.ENVIRONMENTS, text="einops")
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, EnvironmentsPage)
    press(qtbot, page.nobodys)
    resized, seen = Resized(page.card), 0
    for width in (496, 560, 640):
        lower(window, (width, 360))
        for row in range(page.table.rowCount()):
            page.table.selectRow(row)
            at_rest(qtbot, resized)
            lines = [one for one in (page.card.cannot, page.card._reason) if one.isVisible()]
            seen += len(lines)
            assert all(one.height() >= one.heightForWidth(one.width()) for one in lines), (width, row)
    assert seen > 9


def at_rest(qtbot: QtBot, resized: Resized) -> None:
    """Wait until nothing has got another size for some rounds of Qt's loop; fails where that never comes."""
    for _ in range(50):
        before = resized.count
        qtbot.wait(20)
        if resized.count == before:
            return
    pytest.fail("it is never at rest")


def shown_signs(page: EnvironmentsPage) -> list[str]:
    """Return the shown heads that say how the rows are sorted."""
    shown = (place for place in range(page.table.columnCount()) if not page.table.isColumnHidden(place))
    heads = (page.table.horizontalHeaderItem(place) for place in shown)
    return [head.text() for head in heads if head is not None and head.text()[-1] in "▼▲"]


class Resized(QObject):
    """How often a widget has got another size."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.Resize
        return False
