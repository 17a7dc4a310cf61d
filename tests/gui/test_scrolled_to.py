"""What has the keys, was opened or went wrong is scrolled to, also on a small screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QScrollArea,
)
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession, failed_run, half_run
from tests.gui.test_layout import HALF, is_whole
from tests.gui.walking import failed_install, go_to, lower, press, settle, source_page, typed, visible
from tests.sentences import error_text
from wizard.app.pages.order import PageId, SideId
from wizard.gui.pages.base import LAID_OUT
from wizard.gui.pages.install import InstallPage
from wizard.gui.pages.place import PlacePage
from wizard.gui.pages.welcome.page import WelcomePage
from wizard.gui.tools.explain import ExplainPage
from wizard.gui.widgets.advice import Advice
from wizard.model.errors import WizardError
from wizard.model.marks import in_window
from wizard.model.messages import LANGUAGES


def test_an_answer_is_scrolled_to_there(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    window.side.open(SideId.EXPLAIN)
    settle(qtbot, window)
    window.page.setMinimumSize(1, 1)
    lower(window, HALF)
    page = window.page
    assert isinstance(page, ExplainPage)
    page.text.setPlainText("AssertionError: Torch not compiled with CUDA enabled")
    page.press()

    def is_seen() -> bool:
        heads = [one for one in visible(window, QLabel) if one.text() == "Cause"]
        return bool(heads) and heads[0].visibleRegion().boundingRect().height() == heads[0].height()

    qtbot.waitUntil(is_seen)


@pytest.mark.parametrize("language", LANGUAGES)
def test_install_opens_at_its_top_there(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Where the keys are is seen as it comes and with the log unfolded, and Return alone goes there and back."""
    session.script = half_run
    window = make_window(language)
    lower(window)
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(lambda: window.focusWidget() is install.pause and install.watch.view.bytes is not None)
    bar = install._scroll.verticalScrollBar()
    qtbot.wait(3 * LAID_OUT)
    assert (bar.value(), is_whole(install.pause)) == (0, True)
    install.log_button.setFocus()
    qtbot.keyClick(install.log_button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: install.log.visibleRegion().boundingRect().height() > install.log.height() // 2)
    assert (window.focusWidget(), is_whole(install.log_button)) == (install.log_button, True)
    qtbot.keyClick(install.log_button, Qt.Key.Key_Return)
    assert (window.focusWidget(), install.log.isVisible()) == (install.log_button, False)


def test_the_field_of_an_own_source_stays_in_sight_there(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """The rows above it go and come anew while its address is looked for."""
    session.told = scenes.told()
    window = make_window()
    lower(window)
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.fold.button.setChecked(True)
    field = page.by_hand.torch
    typed(qtbot, field, "https://mirror.example.org/whl")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, window)
    qtbot.wait(3 * LAID_OUT)
    assert window.focusWidget() is field
    qtbot.waitUntil(lambda: is_whole(field))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wider_than_the_page_is_scrolled_to(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(language)
    window.setMinimumSize(1, 1)
    window.resize(300, 360)
    sheet = window.page.findChild(QScrollArea)
    assert isinstance(sheet, QScrollArea)
    qtbot.waitUntil(lambda: sheet.horizontalScrollBar().maximum() > 0)


def test_the_name_that_the_keys_are_in_is_seen_in_a_low_window(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    lower(window)
    go_to(qtbot, window, PageId.PLACE)
    name = next(iter(visible(window, QLineEdit)))
    name.setFocus(Qt.FocusReason.TabFocusReason)  # as from Next, which has the keys where the field is out of sight
    qtbot.keyClick(name, Qt.Key.Key_End)  # until then the page shows its headline
    qtbot.waitUntil(lambda: name.visibleRegion().boundingRect().height() == name.height())


def test_a_link_that_has_the_keys_is_seen_whichever_way_one_comes(qtbot: QtBot, make_window: MakeWindow) -> None:
    """A sentence may be higher than the window, and its links lie anywhere in it."""
    window = make_window()
    lower(window)
    window.side.open(SideId.EXPLAIN)
    qtbot.waitUntil(lambda: not window.page.is_opening)
    much = " ".join(["Much is said between."] * 30)
    said = Advice(in_window(f"First {{page.check}}. {much} Then {{page.source}}. {much} Last {{page.place}}."))
    window.page.body.addWidget(said)
    said.show()
    window._refresh()

    def is_seen(name: str) -> bool:
        rings = said.label.rings() if said.label.selectedText() == name else ()
        return bool(rings) and said.label.visibleRegion().boundingRect().contains(rings[0].toAlignedRect())

    for first, key, names in (
        (Qt.FocusReason.BacktabFocusReason, Qt.Key.Key_Backtab, ("Place", "Source", "Check")),
        (Qt.FocusReason.TabFocusReason, Qt.Key.Key_Tab, ("Check", "Source", "Place")),
    ):
        window.footer.back.setFocus()
        said.label.setFocus(first)
        for name in names:
            qtbot.waitUntil(lambda name=name: is_seen(name))
            qtbot.keyClick(said.label, key)


def test_what_gets_the_keys_is_scrolled_to_unless_the_mouse_is_on_it(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    lower(window)
    go_to(qtbot, window, PageId.PLACE)
    qtbot.waitUntil(lambda: not window.page.is_opening)
    fold = window.page.volumes_fold.button
    window.footer.primary.setFocus()
    fold.setFocus()
    qtbot.waitUntil(lambda: fold.visibleRegion().boundingRect().height() == fold.height())
    scroll = window.page._scroll
    bar = scroll.verticalScrollBar()
    window.footer.primary.setFocus()
    bar.setValue(fold.mapTo(scroll.widget(), QPoint(0, 0)).y() + fold.height() // 2 - scroll.viewport().height())
    assert 0 < fold.visibleRegion().boundingRect().height() < fold.height()
    before, place = bar.value(), QPoint(12, 4)
    qtbot.mousePress(fold, Qt.MouseButton.LeftButton, pos=place)
    qtbot.wait(3 * LAID_OUT)
    assert bar.value() == before, "it would go from under the mouse"
    qtbot.mouseRelease(fold, Qt.MouseButton.LeftButton, pos=place)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_has_gone_wrong_is_seen_there_each_time(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Whoever reads the log below is told that the setup has failed again."""
    window = make_window(language)
    lower(window, HALF)
    install = failed_install(qtbot, window, session)
    qtbot.waitUntil(lambda: is_whole(install.trouble))
    for _ in range(2):
        session.script = half_run
        press(qtbot, window.footer.primary)
        qtbot.waitUntil(lambda: not install.trouble.isVisible() and install.is_going)
        qtbot.wait(3 * LAID_OUT)
        bar = install._scroll.verticalScrollBar()
        bar.setValue(bar.maximum())
        assert bar.value() > 0
        failed_run(FakeRun(session, session.known_runs[-1].id))
        qtbot.waitUntil(lambda: is_whole(install.trouble))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_with_a_field_of_place_is_seen_there(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """It was below the edge: a red line and a grey Next were all that told of it."""
    session.fail["check_place"] = WizardError(error_text("window-unexpected"), what="X")
    window = make_window(language)
    lower(window)
    go_to(qtbot, window, PageId.PLACE)
    place = window.page
    assert isinstance(place, PlacePage)
    qtbot.waitUntil(lambda: is_whole(place.trouble))
    session.fail.clear()
    place._scroll.verticalScrollBar().setValue(0)
    typed(qtbot, place.name, "a?")
    qtbot.waitUntil(lambda: is_whole(place.name_trouble) and is_whole(place.name))


@pytest.mark.parametrize("name", ["x.json", "a.torchlab"])
def test_what_was_opened_is_seen_there_beside_what_was_left(
    name: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path
) -> None:
    """Resume had the keys, and what is said of the file stood above the visible part."""
    session.known_runs = [values.run_info("old", "unfinished", "/home/li/torch-envs/classroom")]
    window = make_window()
    lower(window)
    page = window.page
    assert isinstance(page, WelcomePage)
    page._scroll.verticalScrollBar().setValue(1000)
    (tmp_path / name).write_text("", encoding="utf-8")
    page.open_file(tmp_path / name)
    settle(qtbot, window)
    shown = lambda: page.trouble if name == "a.torchlab" else page._told_of_file  # noqa: E731
    qtbot.waitUntil(lambda: (told := shown()) is not None and is_whole(told))
    qtbot.wait(3 * LAID_OUT)
    assert is_whole(shown() or page)
