"""The window around the pages: a second start, its place on the screen, files, titles, motion, what is said aloud."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.flow import values
from tests.gui import fake_side
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run, until_cancelled
from tests.gui.fake_side import FakeSide
from tests.gui.walking import go_to, mnemonics, press, settle, visible
from wizard.flow.pages import PageId
from wizard.flow.side_pages import SIDE_ORDER, SideId
from wizard.gui import announce as announcing
from wizard.gui.motion import put_reduced_motion
from wizard.gui.pages.explain import ExplainPage
from wizard.gui.preferences import Preferences
from wizard.gui.single import SingleInstance, _path
from wizard.gui.window import WizardWindow
from wizard.i18n import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]


# -- one window for one home


@pytest.fixture
def single(qapp: QApplication) -> Iterator[SingleInstance]:
    made = SingleInstance()
    assert not made.hand_over("x"), "nobody is there yet"
    assert made.listen()
    yield made
    made.close()


SECOND = """
import sys
from PySide6.QtCore import QCoreApplication
app = QCoreApplication([])
from wizard.gui.single import SingleInstance
sys.exit(0 if SingleInstance().hand_over(sys.argv[1]) else 7)
"""


def second_start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SECOND, *arguments], cwd=ROOT)


def test_a_second_start_hands_its_file_over_and_ends(qtbot: QtBot, single: SingleInstance) -> None:
    heard: list[str] = []
    single.asked.connect(heard.append)
    process = second_start("/data/课 堂/plan.json")
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=20_000)
    assert process.returncode == 0
    assert heard == ["/data/课 堂/plan.json"]


def test_another_home_is_another_window(
    qtbot: QtBot, single: SingleInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "other"))
    process = second_start("")
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=20_000)
    assert process.returncode == 7


KILLED = """
import os, signal
from PySide6.QtCore import QCoreApplication
app = QCoreApplication([])
from wizard.gui.single import SingleInstance
assert SingleInstance().listen()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_start_that_was_killed_stops_nobody(qapp: QApplication) -> None:
    subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, check=False)
    after = SingleInstance()
    assert not after.hand_over("x")
    assert after.listen()
    after.close()


def test_nonsense_on_the_socket_is_not_listened_to(qtbot: QtBot, single: SingleInstance) -> None:
    from PySide6.QtNetwork import QLocalSocket

    heard: list[str] = []
    single.asked.connect(heard.append)
    socket = QLocalSocket()
    socket.connectToServer(_path(single._name) if sys.platform != "win32" else single._name)
    assert socket.waitForConnected(1000)
    socket.write(b"{nonsense}\n")
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState)
    assert heard == []


@pytest.mark.qt_log_ignore("does not support raise")  # the screen of these tests has one window only
def test_the_first_window_comes_forward_with_the_file(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, single: SingleInstance
) -> None:
    window = make_window()
    single.asked.connect(window.come_forward)
    window.showMinimized()
    log = tmp_path / "error.log"
    log.write_text("RuntimeError: CUDA error: out of memory\n", encoding="utf-8")
    process = second_start(str(log))
    qtbot.waitUntil(lambda: isinstance(window.page, ExplainPage), timeout=20_000)
    process.wait()
    assert not window.isMinimized()
    settle(qtbot, window)
    assert "out of memory" in window.page.text.toPlainText()


# -- files


def drop(window: WizardWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPointF(5, 5).toPoint(), copy, data, left, none)
    window.dragEnterEvent(entered)
    assert entered.isAccepted()
    window.dropEvent(QDropEvent(QPointF(5, 5), copy, data, left, none, QEvent.Type.Drop))


def words_of(window: WizardWindow) -> str:
    return "\n".join(one.text() for one in visible(window, QLabel) if isinstance(one, QLabel))


@pytest.mark.parametrize(
    ("state", "words", "button"),
    [("planned", "Carry out this plan: lesson", "&Begin"), ("finished", "carried out already", "&Check it")],
)
def test_a_plan_of_this_computer_is_opened(
    state: str, words: str, button: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.known_runs = [values.run_info("run-9", state, "/envs/lesson")]
    session.script = half_run
    window = make_window()
    drop(window, session.events_path("run-9").with_name("plan.json"))
    settle(qtbot, window)
    qtbot.waitUntil(lambda: words in words_of(window))
    way = next(one for one in visible(window, QPushButton) if isinstance(one, QPushButton) and one.text() == button)
    press(qtbot, way)
    if state == "planned":
        qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL)
        assert window.navigator.state.run_id == "run-9"
    else:
        assert window.side.here is not None
        assert (window.side.here.page, window.side.here.prefix) == (SideId.DOCTOR, Path("/envs/lesson"))


@pytest.mark.parametrize(
    ("name", "words"),
    [("plan.json", "was not made on this computer"), ("a.torchlab", "class profile"), ("x.json", "can open")],
)
def test_other_files_are_named_for_what_they_are(
    name: str, words: str, qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    drop(window, tmp_path / name)
    settle(qtbot, window)
    assert window.navigator.page is PageId.WELCOME
    qtbot.waitUntil(lambda: words in words_of(window))


def test_a_file_does_not_take_a_running_setup_away(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    drop(window, tmp_path / "plan.json")
    assert window.navigator.page is PageId.INSTALL
    assert window.page.trouble.code == "error.window-run-going.summary"


# -- the pages beside the wizard


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


def test_what_replaced_pytorch_is_told_on_the_first_page(qtbot: QtBot, make_window: MakeWindow, side: FakeSide) -> None:
    side.drifts = (fake_side.drift_in(fake_side.HOME / "torch"),)
    window = make_window()
    qtbot.waitUntil(lambda: "Something replaced PyTorch in torch" in words_of(window))
    assert "some-trainer 1.2" in words_of(window)
    look = next(one for one in visible(window, QPushButton) if getattr(one, "text", str)() == "&Look into it")
    press(qtbot, look)
    settle(qtbot, window)
    assert ("examine", fake_side.HOME / "torch") in side.calls


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
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeSide, tmp_path: Path
) -> None:
    session.known_runs = [values.run_info(name, "unfinished") for name in ("a", "b")]
    session.known_runs.append(values.run_info("c", "planned"))
    side.drifts = tuple(fake_side.drift_in(fake_side.HOME / name) for name in ("torch", "old"))
    window = make_window(language)
    drop(window, session.events_path("c").with_name("plan.json"))
    settle(qtbot, window)
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))


# -- what outlives the window


def test_the_place_on_the_screen_is_remembered(
    qapp: QApplication, qtbot: QtBot, session: FakeSession, side: FakeSide, tmp_path: Path
) -> None:
    path = tmp_path / "settings.json"
    first = WizardWindow(qapp, session, Preferences(path), None, side)
    first.show()
    first.setGeometry(0, 60, 800, 640)  # the screen of these tests is small
    qtbot.waitUntil(lambda: first.height() == 640)
    first.close()
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert list(saved) == ["geometry"], "what nobody chose is not written as if it were"
    second = WizardWindow(qapp, session, Preferences(path), None, side)
    second.show()
    assert second.height() == 640
    assert abs(second.y() - 60) < 5, "but for the frame that this screen has none of"
    second.close()
    for window in (first, second):
        window.deleteLater()


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b"\xff\xfe\x00", b"[" * 100_000, b'{"language": ["en"], "theme": 3, "geometry": 7}',
     b'{"geometry": "bm9uc2Vuc2U="}', b'{"geometry": "\xe7\x94\xb2"}', b'{"reduced_motion": "yes"}'],
)  # fmt: skip
def test_no_settings_file_stops_the_start(
    content: bytes, qapp: QApplication, qtbot: QtBot, session: FakeSession, side: FakeSide, tmp_path: Path
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    window = WizardWindow(qapp, session, Preferences(path), None, side)
    window.show()
    qtbot.waitExposed(window)
    assert window.page.title
    window.close()
    window.errands.stop()
    window.deleteLater()


# -- titles, motion, what is said aloud


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
    assert install.pause.text() == "&Go on", "the pause outlives a look at another page"
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
    session.hold.add("elect")
    window = make_window()
    put_reduced_motion(qapp, True)
    go_to(qtbot, window, PageId.BUILD)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "elect" in session.names())
    busy = window.page.busy
    assert busy.isVisible()
    assert busy._words.text()
    assert not busy._bar.isVisible()
    put_reduced_motion(qapp, False)


def test_pages_and_ends_are_said_aloud(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    if announcing._Announcement is None:
        pytest.skip("Qt can announce from 6.8 on")

    class Listener:
        """A screen reader is there, and hears."""

        Event, AnnouncementPoliteness = announcing.QAccessible.Event, announcing.QAccessible.AnnouncementPoliteness

        @staticmethod
        def isActive() -> bool:
            return True

        @staticmethod
        def updateAccessibility(event: object) -> None:
            said.append(event.message())  # type: ignore[attr-defined]

    monkeypatch.setattr(announcing, "QAccessible", Listener)
    session.script = until_cancelled
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    press(qtbot, install.cancel)
    qtbot.waitUntil(install.rest.isVisible)
    assert "Your computer" in said
    assert "Create environment: Done" in said
    assert any(words.startswith("The setup was cancelled.") for words in said)
    assert said.count("Create environment: Done") == 1
