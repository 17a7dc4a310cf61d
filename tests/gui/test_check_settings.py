"""The row of a setting on Check: it waits for its last words, and its badge stands off them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.test_check import _found, check_page
from tests.gui.walking import go_to, lower, press, settle, texts
from tests.sentences import error_text
from wizard.app.pages.check import restart_rows
from wizard.app.pages.order import PageId
from wizard.gui.shell.window import WizardWindow
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text


def test_a_settings_row_says_nothing_before_its_last_words_are_known(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """It had other words and another button first."""
    scenes.rich(session)
    session.hold.add("look_over")
    window = make_window()
    go_to_check(qtbot, window)
    page = check_page(window)
    assert "Settings" in texts(window)
    assert "• Checking…" in texts(window)
    assert not any("douban.com/simple: no answer" in words for words in texts(window))
    before = [one.y() for one in page.rows.findChildren(QLabel) if one.isVisible() and one.text() == "Settings"]
    session.hold.clear()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: page.rows.fixes["dead-mirror"].isVisible())
    assert "• Checking…" not in texts(window)
    after = [one.y() for one in page.rows.findChildren(QLabel) if one.isVisible() and one.text() == "Settings"]
    assert len(before) == len(after) == 1


def test_a_settings_row_that_waits_for_a_look_that_fails_is_shown(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    scenes.rich(session)
    session.fail["look_over"] = WizardError(error_text("window-unexpected"), what="X")
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    assert any("douban.com/simple: no answer" in words for words in texts(window))


@pytest.mark.parametrize("width", [496, 640])
def test_a_badge_stands_off_the_words_beside_it(
    width: int, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    _, window = _found(qtbot, make_window, session)
    lower(window, (width, 900))
    page = check_page(window)
    qtbot.waitUntil(lambda: page.rows._is_narrow)
    assert page.rows.grid.horizontalSpacing() >= 8, "pixels"


def go_to_check(qtbot: QtBot, window: WizardWindow) -> None:
    """And not further: the look beside the facts goes on."""
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK and window.navigator.state.facts is not None)
    qtbot.wait(100)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_restart_names_no_file_that_says_it_is_due(language: str) -> None:
    (row,) = restart_rows("pending.xml")
    assert row.fix is not None
    assert "pending" not in text(row.fix, language)
