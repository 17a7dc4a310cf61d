"""A small screen at 200 %: the buttons have room for their words, and what the keys would press is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.test_doctor import opened
from tests.gui.test_layout import is_whole, lower
from tests.gui.test_pictures import MACHINES, MachineSession
from tests.gui.test_verify import reached
from tests.gui.walking import go_to, press, settle, visible
from wizard.app.pages.order import PageId
from wizard.gui.pages.base import LAID_OUT
from wizard.gui.pages.build.cards import VerdictCard
from wizard.gui.pages.install import InstallPage
from wizard.model.messages import LANGUAGES

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_question_before_the_window_closes_is_whole(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Cut, the button that lets the run go on looked like the one that cancels it."""
    session.script = half_run
    window = make_window(language)
    lower(window)
    go_to(qtbot, window, PageId.INSTALL)
    settle(qtbot, window)
    window.close()
    qtbot.wait(3 * LAID_OUT)
    buttons = (window.ask.go, window.ask.cancel, window.ask.stay)
    assert all(one.width() >= one.sizeHint().width() for one in buttons)
    assert all(map(is_whole, buttons))
    places = [QRect(one.mapTo(window, QPoint()), one.size()) for one in buttons]
    assert not any(one.intersects(other) for one in places for other in places if one is not other)
    press(qtbot, window.ask.stay)
    assert window.footer.isVisible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_fetched_is_whole_while_paused(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """The curve of the speed is hidden then and keeps its room, which the parts beside it did not count."""
    session.script = half_run
    window = make_window(language)
    lower(window)
    go_to(qtbot, window, PageId.INSTALL)
    install = window.page
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    press(qtbot, install.pause)
    qtbot.wait(3 * LAID_OUT)
    said = [one for one in visible(install.progress, QLabel) if one.text()]  # type: ignore[attr-defined]
    assert any("1.34" in one.text() for one in said)  # type: ignore[attr-defined]
    for one in said:
        assert one.width() >= one.minimumSizeHint().width(), one.text()  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_button_of_a_repair_is_whole_and_its_size_is_told(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    lower(window)
    opened(qtbot, window)
    qtbot.wait(3 * LAID_OUT)
    for one in (one for one in window.footer.controls() if one.isVisible()):
        assert one.width() >= one.minimumSizeHint().width(), one
    assert "1.20 GB" in window.footer.primary.toolTip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_repair_is_seen_with_its_cause_when_the_test_has_failed(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Return presses it."""
    session.gpu_ok = False
    window = make_window(language)
    lower(window)
    page = reached(qtbot, window)
    qtbot.wait(5 * LAID_OUT)
    assert window.focusWidget() is page.mend
    seen: QWidget = page._failure.cause
    high = seen.visibleRegion().boundingRect().height()
    assert is_whole(page.mend)
    assert high >= seen.fontMetrics().height()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_build_that_does_not_fit_scrolls_nothing_sideways(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    """The longest name with the longest verdict; that was cut."""
    window = make_window(language)
    lower(window)
    go_to(qtbot, window, PageId.BUILD)
    settle(qtbot, window)
    card = window.page.findChild(VerdictCard)
    assert isinstance(card, VerdictCard)
    card._build.setText("torch 2.15.0 + CUDA 13.2")
    card._pill.show_state("warning", card.tr("does not fit here"))
    qtbot.wait(3 * LAID_OUT)
    area = window.page._scroll
    assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    assert area.horizontalScrollBar().maximum() == 0
    assert card._pill.width() >= card._pill.sizeHint().width()


def test_the_longest_way_out_on_check_scrolls_nothing_sideways(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path
) -> None:
    other = MachineSession(tmp_path / "other", MACHINES["nouveau"]())
    session.facts, session.looks = other.facts, other.looks
    window = make_window()
    lower(window)
    go_to(qtbot, window, PageId.CHECK)
    settle(qtbot, window)
    assert any(one.text() == "How to install it" for one in visible(window, QPushButton))  # type: ignore[attr-defined]
    qtbot.wait(3 * LAID_OUT)
    area = window.page._scroll
    assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    assert area.horizontalScrollBar().maximum() == 0
