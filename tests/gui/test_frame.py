"""The window around its pages: the pages beside the wizard, what outlives the window, titles, what is said aloud."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run, until_cancelled
from tests.gui.fake_tools import FakeTools
from tests.gui.test_opened import drop, words_of
from tests.gui.walking import go_to, mnemonics, press, settle, visible
from tests.waiting import HANG
from wizard.app.pages.order import SIDE_ORDER, PageId, SideId
from wizard.gui.shell.splash import SMALLEST
from wizard.gui.shell.tasks import TaskRunner
from wizard.gui.shell.theme import put_reduced_motion
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences
from wizard.gui.widgets import code
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text

ROOT = Path(__file__).resolve().parents[2]


def test_the_wizard_waits_where_it_was(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    welcome = window.pages[PageId.WELCOME]
    press(qtbot, welcome.manage)
    settle(qtbot, window)
    assert not window.rail.steps[PageId.WELCOME].isVisible()
    for page in SIDE_ORDER:
        press(qtbot, window.rail.tools[page])
        settle(qtbot, window)
        assert window.side.here is not None
        assert window.side.here.page is page
        assert "current" in window.rail.tools[page].accessibleName()
    press(qtbot, window.rail.back)
    assert window.navigator.page is PageId.WELCOME
    assert window.rail.steps[PageId.WELCOME].isVisible()
    assert window.focusWidget() is welcome.setup


@pytest.mark.parametrize("tile", ["check", "manage", "explain", "undo"])
def test_welcome_leads_everywhere_by_the_keyboard(tile: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    button = getattr(window.pages[PageId.WELCOME], tile)
    for _ in range(30):
        if window.focusWidget() is button:
            break
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert window.focusWidget() is button
    qtbot.keyClick(button, Qt.Key.Key_Space)
    settle(qtbot, window)
    assert window.side.here is not None
    for _ in range(40):
        if window.focusWidget() is window.footer.back:
            break
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert window.focusWidget() is window.footer.back
    qtbot.keyClick(window.footer.back, Qt.Key.Key_Return)
    assert window.side.here is None


def test_what_replaced_pytorch_is_told_on_the_first_page(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.drifts = (fake_tools.drift_in(fake_tools.HOME / "torch"),)
    window = make_window()
    qtbot.waitUntil(lambda: "PyTorch in torch has changed" in words_of(window))
    assert "some-trainer 1.2" in words_of(window)
    look = next(one for one in visible(window, QPushButton) if getattr(one, "text", str)() == "&Look into it")
    press(qtbot, look)
    settle(qtbot, window)
    assert ("examine", fake_tools.HOME / "torch") in side.calls


def test_a_control_of_one_page_never_stands_on_another(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    assert install.pause.isVisible()
    window.side.open(SideId.UNDO)
    window.rail.languages["zh_CN"].click()
    settle(qtbot, window)
    assert not install.pause.isVisible()
    window.side.close()
    assert install.pause.isVisible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_welcome_with_all_news_has_unique_letters(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools, tmp_path: Path
) -> None:
    session.known_runs = [values.run_info(name, "unfinished") for name in ("a", "b")]
    session.known_runs.append(values.run_info("c", "planned"))
    side.drifts = tuple(fake_tools.drift_in(fake_tools.HOME / name) for name in ("torch", "old"))
    window = make_window(language)
    drop(window, session.events_path("c").with_name("plan.json"))
    settle(qtbot, window)
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))


def test_the_place_on_the_screen_is_remembered(
    qapp: QApplication, qtbot: QtBot, session: FakeSession, side: FakeTools, tmp_path: Path
) -> None:
    path = tmp_path / "settings.json"
    first = WizardWindow(qapp, session, Preferences(path), None)
    first.show()
    first.setGeometry(0, 60, 800, 640)  # the screen of these tests is small
    qtbot.waitUntil(lambda: first.height() == 640)
    first.close()
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert list(saved) == ["geometry"], "what nobody chose is not written as if it were"
    second = WizardWindow(qapp, session, Preferences(path), None)
    second.show()
    assert second.height() == 640
    assert abs(second.y() - 60) < 5, "but for the frame that this screen has none of"
    second.close()
    for window in (first, second):
        window.deleteLater()


def test_on_a_screen_that_is_small_the_whole_window_is_seen(
    qapp: QApplication, session: FakeSession, side: FakeTools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1920 x 1080 at 150 and at 200 %, less the task bar; the frame comes on top."""
    for room in (QRect(0, 0, 1280, 680), QRect(0, 0, 960, 500)):
        monkeypatch.setattr(QScreen, "availableGeometry", lambda screen, room=room: room)
        window = WizardWindow(qapp, session, Preferences(tmp_path / f"{room.width()}.json"), None)
        assert window.height() < room.height() - 30
        assert room.contains(window.geometry())
        assert window.minimumHeight() <= window.height()
        window.close()
        window.tasks.stop()
        window.deleteLater()


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"language": ["en"], "theme": 3, "geometry": 7}',
        b'{"geometry": "bm9uc2Vuc2U="}',
        b'{"geometry": "\xe7\x94\xb2"}',
        b'{"reduced_motion": "yes"}',
    ],
)
def test_no_settings_file_stops_the_start(
    content: bytes, qapp: QApplication, qtbot: QtBot, session: FakeSession, side: FakeTools, tmp_path: Path
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    window = WizardWindow(qapp, session, Preferences(path), None)
    with qtbot.waitExposed(window):
        window.show()
    assert window.page.title
    window.close()
    window.tasks.stop()
    window.deleteLater()


def test_what_is_asked_when_all_is_over_is_answered_to_nobody(qtbot: QtBot, make_window: MakeWindow) -> None:
    """A timer may ask once more; the page that would hear of it is gone by then."""
    tasks, heard = make_window().tasks, list[str]()
    tasks.start(lambda is_cancelled, note: "before", heard.append, lambda error: None)
    qtbot.waitUntil(lambda: heard == ["before"])
    tasks.stop()
    tasks.start(lambda is_cancelled, note: "after", heard.append, lambda error: None)
    qtbot.waitUntil(lambda: not tasks.busy)
    qtbot.wait(50)
    assert heard == ["before"]


def test_a_task_that_outlives_its_window_goes_in_the_windows_thread(qtbot: QtBot) -> None:
    """Its answer is on the way to it when its own thread ends: gone by then, Qt calls what is no more."""
    tasks, may_end, gone_in = TaskRunner(), threading.Event(), list[threading.Thread]()
    task = tasks.start(lambda is_cancelled, note: may_end.wait(HANG), lambda answer: None, lambda error: None)
    weakref.finalize(task, lambda: gone_in.append(threading.current_thread()))
    thread = task._thread
    tasks.stop()
    del tasks, task
    gc.collect(0)
    may_end.set()
    thread.join()
    qtbot.waitUntil(lambda: gone_in != [])
    assert gone_in == [threading.current_thread()]


def test_the_title_tells_how_far_the_setup_is(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = until_cancelled
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.windowTitle() == "34 % – Installing – Torch Setup")
    press(qtbot, window.pages[PageId.INSTALL].cancel)
    qtbot.waitUntil(lambda: window.windowTitle() == "Cancelled – Torch Setup")


def test_beside_the_wizard_the_run_is_followed_on(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = until_cancelled
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    press(qtbot, install.pause)
    window.side.open(SideId.UNDO)
    qtbot.waitUntil(lambda: window.windowTitle().startswith(f"{install.percent} % – Undo"))
    window.side.close()
    assert install.pause.text() == "&Resume", "the pause outlives a look at another page"
    window.side.open(SideId.UNDO)
    settle(qtbot, window)
    focused = window.focusWidget()
    session.request_cancel("run-1")
    qtbot.waitUntil(lambda: not window.navigator.state.run_is_going)
    settle(qtbot, window)
    assert window.focusWidget() is focused, "an end beside the page takes nobody's focus"
    assert "%" not in window.windowTitle()
    window.side.close()
    assert install.title == "Cancelled"


def test_who_wants_no_motion_gets_words(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.hold.add("select_build")
    window = make_window()
    put_reduced_motion(qapp, True)
    go_to(qtbot, window, PageId.BUILD)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "select_build" in session.names())
    busy = window.page.busy
    assert busy.isVisible()
    assert busy._words.text()
    assert not busy._bar.isVisible()
    put_reduced_motion(qapp, False)


def test_pages_and_ends_are_said_aloud(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, heard: list[str]
) -> None:
    session.script = until_cancelled
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    found = [text(row.fact, "en") for row in session.facts.requirements if row.state == "warning"]
    qtbot.waitUntil(lambda: found != [] and all(any(one in told for told in heard) for one in found))
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    press(qtbot, install.cancel)
    qtbot.waitUntil(install.rest.isVisible)
    assert "Your computer" in heard
    assert len([words for words in heard if words.startswith("What happens\n") and "Download: " in words]) == 1
    assert "Create environment: Done" in heard
    assert any(words.startswith("The setup was cancelled.") for words in heard)
    assert heard.count("Create environment: Done") == 1
    for _ in range(2):  # as for each letter of a wrong name
        window.page.trouble.show_error(WizardError("wrong-name", "This is no name.", "Choose one."))
    assert heard[-1] == "Error: This is no name. Choose one."
    assert heard.count(heard[-1]) == 1


def test_return_presses_nothing_while_the_page_is_at_work(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """A button that is switched off hands the focus on; Back is not what the next Return shall press."""
    window = make_window()
    go_to(qtbot, window, PageId.PLACE)
    session.hold.add("preview")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.REVIEW)
    assert window.focusWidget() is window.page
    qtbot.keyClick(window.page, Qt.Key.Key_Return)
    assert window.navigator.page is PageId.REVIEW
    session.let_go.set()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: window.focusWidget() is window.footer.primary)


def test_a_button_that_is_switched_off_does_not_hand_on_to_back(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.PLACE)
    window.footer.primary.setFocus()
    window.footer.primary.setEnabled(False)
    assert window.focusWidget() is not window.footer.back


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_copy_button_says_so_for_a_moment(
    language: str, qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "SAID_FOR_MS", 50)
    window = make_window(language)
    go_to(qtbot, window, PageId.CHECK)
    copy = window.pages[PageId.CHECK].copy
    before = copy.text()
    press(qtbot, copy)
    press(qtbot, copy)
    assert copy.text() == code.copied_word()
    assert QGuiApplication.clipboard().text()
    qtbot.waitUntil(lambda: copy.text() == before)


def test_the_log_unfolds_where_it_is_seen(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages.install
    assert install is not None
    qtbot.waitUntil(lambda: len(install.watch.view.steps) > 3)
    window.resize(900, 600)
    install.progress.setMinimumHeight(400)  # as much as a long run has to say
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: install.log.geometry().top() > install.progress.geometry().bottom())  # laid out anew
    qtbot.waitUntil(lambda: install.log.visibleRegion().boundingRect().height() >= install.log.minimumHeight())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_footers_words_are_whole_on_a_small_screen(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """911 pixels at 150 % are less than Chinese needs on Build with Windows' fonts."""
    window = make_window(language)
    go_to(qtbot, window, PageId.BUILD)
    window.setMinimumSize(1, 1)
    window.resize(1400, window.height())
    footer, room = window.footer, window.footer.layout()
    qtbot.waitUntil(lambda: room.contentsMargins().left() == 36)
    window.resize(window.width() - footer.width() + room.minimumSize().width() - 30, window.height())
    shown = [one for one in footer.controls() if one.isVisible()]
    qtbot.waitUntil(lambda: all(one.width() >= one.sizeHint().width() for one in shown))
    window.resize(1400, window.height())
    qtbot.waitUntil(lambda: room.contentsMargins().left() == 36)


@pytest.mark.parametrize("page", [PageId.CHECK, PageId.REVIEW])
def test_keys_and_readers_go_through_the_footer_as_the_eye_does(
    page: PageId, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window()
    go_to(qtbot, window, page)
    footer = window.footer
    shown = [one for one in footer.controls() if one.isVisible()]
    assert len(shown) >= 3
    lefts = [one.mapTo(footer, QPoint()).x() for one in shown]
    assert lefts == sorted(lefts)
    assert [one for one in footer.findChildren(QPushButton) if one in shown] == shown


def test_no_page_asks_for_room_beside_the_one_before(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a large screen the window grew by it at each turn."""
    monkeypatch.setattr("wizard.gui.shell.window.room_on", lambda screen: QRect(0, 0, 1920, 1200))
    window = make_window()
    window.resize(1080, 740)
    for turn in (PageId.CHECK, PageId.BUILD, None):
        press(qtbot, window.footer.back) if turn is None else go_to(qtbot, window, turn)
        settle(qtbot, window)
        QApplication.processEvents()
        assert window.width() == 1080, turn


def test_a_narrow_window_has_a_rail_of_signs_that_say_their_names(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    rail, step = window.rail, window.rail.steps[PageId.CHECK]
    window.resize(1080, 740)
    qtbot.waitUntil(lambda: rail.width() == 224)
    assert (rail.width(), step.toolTip(), rail.logs_button.text()) == (224, "", "Logs")
    window.resize(*SMALLEST)
    qtbot.waitUntil(lambda: rail.width() == 72)
    assert "Check" in step.toolTip()
    assert "Check" in step.accessibleName()
    assert (rail.logs_button.text(), rail.logs_button.accessibleName()) == ("", "Logs")
    window.resize(1080, 740)
    qtbot.waitUntil(lambda: rail.width() == 224)
    assert rail.logs_button.text() == "Logs"
