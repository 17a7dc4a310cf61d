"""The environments as a table: what a search and a sort show, and which columns a narrow window has room for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.test_environments import SIZE, cells, opened
from tests.gui.walking import press
from wizard.gui.tools.environments.page import EnvironmentsPage
from wizard.model.messages import LANGUAGES


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


@pytest.mark.qt_log_ignore("does not support propagateSizeHints")
@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_read_in_a_narrow_window(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """At 200 % the name had thirty pixels. No width is one at which columns come and go for ever."""
    window = make_window(language)
    page = opened(qtbot, window)
    press(qtbot, page.nobodys)
    window._fit = lambda: window.setMinimumSize(1, 1)  # type: ignore[method-assign]  # this screen is a large one
    window._fit()
    resized = Resized(page.table.viewport())
    for size in ((496, 280), (624, 360)):
        window.resize(*size)
        qtbot.waitUntil(lambda: page.table.columnWidth(0) > 100)
        assert len(shown_signs(page)) == 1
    for width in range(640, 880, 8):
        window.resize(width, 360)
        qtbot.wait(10)
        assert len(shown_signs(page)) == 1, "what the rows are sorted by is shown in any width"
    qtbot.wait(100)
    seen = resized.count
    qtbot.wait(100)
    assert resized.count == seen
    assert page.table.columnWidth(0) > 100
    page.table.sort_by(1)
    window.resize(624, 360)
    qtbot.waitUntil(lambda: page.table.columnWidth(0) > 80 and len(shown_signs(page)) == 1)


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
