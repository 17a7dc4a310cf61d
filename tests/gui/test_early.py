"""The first picture, before anything is in the window: the same window, in the same place, and nothing is lost."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from wizard.app.pages.order import PageId, SideId
from wizard.cli.main import main
from wizard.cli.window import is_plain_window
from wizard.gui.shell.theme import colours
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup import app as opening
from wizard.gui.startup import first as early
from wizard.gui.startup.crash import CrashWindow
from wizard.gui.startup.preferences import Preferences
from wizard.gui.startup.single import SingleInstance, _path, may_be_open
from wizard.model.messages import LANGUAGE_VARIABLE
from wizard.system import paths

ROOT = Path(__file__).resolve().parents[2]
# The screen of these tests has no decoration that a changed smallest size could be told to.
MakeBare = Callable[..., WizardWindow]


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)


@pytest.fixture
def make_bare(qapp: QApplication, session: FakeSession, side: FakeTools) -> Iterator[MakeBare]:
    made: list[WizardWindow] = []

    def make(theme: str = "light") -> WizardWindow:
        Preferences().put(language="en", theme=theme)
        window = early.first_picture()
        assert window is not None
        made.append(window)
        return window

    yield make
    session.let_go.set()
    side.let_go.set()
    for window in made:
        if window.is_furnished:
            window.side.close()
            window.navigator.restart()
        window.close()
        window.deleteLater()
    qapp.processEvents()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_of_the_first_picture_jumps(
    qtbot: QtBot, make_bare: MakeBare, session: FakeSession, side: FakeTools, theme: str
) -> None:
    window = make_bare(theme)
    window.resize(1080, 740)  # wider than this screen: the rail has its name there
    QApplication.processEvents()
    brand, place, handle = QRect(0, 0, 224, 60), window.geometry(), window.winId()
    first = window.grab().toImage()
    assert first.pixelColor(112, 600) == QColor(colours(theme)["rail"])
    assert first.pixelColor(600, 300) == QColor(colours(theme)["window"])
    assert len({first.pixel(x, y) for x in range(18, 140) for y in range(24, 50)}) > 8, "there is no name"
    window.furnish(session, None)
    qtbot.waitUntil(lambda: not window.tasks.busy and window.updatesEnabled())
    then = window.grab().toImage()
    assert (window.geometry(), window.winId()) == (place, handle)
    assert then.copy(brand) == first.copy(brand)
    assert then.pixelColor(600, 12) == first.pixelColor(600, 12)


def test_what_is_put_into_the_first_picture_is_painted(
    qtbot: QtBot, make_bare: MakeBare, session: FakeSession, side: FakeTools
) -> None:
    window = make_bare()
    window.furnish(session, None)
    seen: list[QEvent] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            seen.extend([event] if event.type() is QEvent.Type.Paint else [])
            return False

    watch = Watch(window)
    window.page.installEventFilter(watch)
    qtbot.waitUntil(lambda: bool(seen))


def test_a_key_and_a_click_before_there_is_anything_to_press_are_not_lost(
    qtbot: QtBot, make_bare: MakeBare, session: FakeSession, side: FakeTools
) -> None:
    pressed = make_bare()
    qtbot.keyClick(pressed, Qt.Key.Key_Return)
    pressed.furnish(session, None)
    qtbot.waitUntil(lambda: pressed.navigator.page is not PageId.WELCOME)
    pressed.navigator.restart()
    at = pressed.pages[PageId.WELCOME].check.mapTo(pressed, QPoint(30, 20))
    clicked = make_bare()
    qtbot.mouseClick(clicked.windowHandle(), Qt.MouseButton.LeftButton, pos=at)
    clicked.furnish(session, None)
    qtbot.waitUntil(lambda: clicked.side.here is not None)
    assert clicked.side.here is not None
    assert clicked.side.here.page is SideId.DOCTOR


def test_a_window_that_is_closed_at_once_stays_closed(
    make_bare: MakeBare, session: FakeSession, side: FakeTools, hooks: None
) -> None:
    window = make_bare()
    window.close()
    assert opening.run_window(session, None, bare=window) == 0
    assert not window.isVisible()
    assert not window.is_furnished


def test_the_program_goes_on_in_the_window_that_is_there(
    qapp: QApplication, make_bare: MakeBare, session: FakeSession, side: FakeTools, hooks: None
) -> None:
    bare = make_bare()
    seen: list[WizardWindow] = []

    def look(app: QApplication, window: WizardWindow) -> int:
        seen.extend(one for one in app.topLevelWidgets() if isinstance(one, WizardWindow) and one.isVisible())
        while window.tasks.busy:
            app.processEvents()
        window.close()
        return 0

    assert opening.run_window(session, None, loop=look, bare=bare) == 0
    assert seen == [bare]
    assert bare.page is bare.pages[PageId.WELCOME]


def test_what_breaks_while_it_is_furnished_is_told(
    make_bare: MakeBare, session: FakeSession, side: FakeTools, hooks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_bare()
    told: list[str] = []
    monkeypatch.setattr(CrashWindow, "show", lambda crash: told.append(crash.words.text()))
    monkeypatch.setattr(window, "_connect", lambda: {}["primary"])
    assert opening.run_window(session, None, self_test=True, bare=window) == 1
    assert "KeyError" in told[0]
    assert not window.isVisible()


def test_nothing_is_shown_where_a_window_is_open_already(qapp: QApplication) -> None:
    before = set(qapp.topLevelWidgets())
    first = SingleInstance()
    assert not may_be_open()
    assert first.listen()
    try:
        assert may_be_open()
        assert early.first_picture() is None
        assert set(qapp.topLevelWidgets()) == before
    finally:
        first.close()
    assert not may_be_open()


def test_the_socket_is_for_this_user_alone(qapp: QApplication) -> None:
    first = SingleInstance()
    assert first.listen()
    try:
        path = Path(_path(first._name))
        if sys.platform != "win32":
            assert path.stat().st_mode & 0o777 == 0o600
    finally:
        first.close()
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a socket is a file")
@pytest.mark.parametrize(
    "kind", ["link", "other user's"] if sys.platform != "win32" and os.geteuid() == 0 else ["link"]
)
def test_a_socket_that_somebody_else_put_there_is_told_nothing_and_stops_nobody(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    mine, heard = SingleInstance(), []
    path = Path(_path(mine._name))
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(tmp_path / "theirs"))
        theirs.listen()

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    caller, _ = theirs.accept()
                    with caller:
                        heard.append(caller.recv(1000))
                        caller.sendall(b"ok\n")

        threading.Thread(target=answer, daemon=True).start()
        if kind == "link":
            path.symlink_to(tmp_path / "theirs")
        else:
            (tmp_path / "theirs").rename(path)
            os.chown(path, 54321, 54321)
        assert not may_be_open()
        assert not mine.hand_over("thesis/plan.json")
        mine.listen()  # with a socket or without one
        mine.close()
        theirs.shutdown(socket.SHUT_RDWR)
    assert heard == []
    assert os.path.lexists(path), "it is not ours to remove"


@pytest.mark.skipif(sys.platform == "win32", reason="a socket is a file")
def test_a_folder_of_this_user_alone_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    assert Path(_path("x")).parent != tmp_path / "run", "not there"
    (tmp_path / "run").mkdir(mode=0o700)
    assert Path(_path("x")).parent == tmp_path / "run"
    (tmp_path / "run").chmod(0o755)
    assert Path(_path("x")).parent != tmp_path / "run"


@pytest.mark.parametrize(
    ("argv", "plain"),
    [
        ((), True),
        (("window",), True),
        (("window", "课 堂.torchlab"), True),
        (("window", "--self-test"), False),
        (("window", "a", "b"), False),
        (("--lang", "en"), False),
        (("probe",), False),
        (("-h",), False),
    ],
)
def test_only_a_plain_start_goes_before_the_command_line(argv: tuple[str, ...], plain: bool) -> None:
    assert is_plain_window(argv) is plain


@pytest.mark.parametrize(
    ("argv", "language"), [(["--lang", "en", "window"], "en"), (["window", "--lang=en"], "en"), (["window"], "zh_CN")]
)
def test_the_language_that_is_asked_for_wins_over_the_remembered_one(
    argv: list[str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LANGUAGE_VARIABLE, "")  # gone again when the test is over
    Preferences().put(language="zh_CN")
    seen: list[str] = []

    def open_window(*given: object) -> int:
        seen.append(Preferences().wishes.language)
        return 0

    assert main(argv, open_window) == 0
    assert seen == [language]


def test_the_icon_is_the_drawing(qapp: QApplication) -> None:
    """After a change of app.svg: `QImage` of the size below, rendered by QSvgRenderer, saved as app.png."""
    icons = paths.resources_dir() / "icons"
    drawn, kept = QIcon(str(icons / "app.svg")).pixmap(128, 128).toImage(), QImage(str(icons / "app.png"))
    assert kept.size() == drawn.size()
    spots = [(x, y) for x in range(0, 128, 4) for y in range(0, 128, 4)]
    pairs = [(drawn.pixelColor(*at).getRgb(), kept.pixelColor(*at).getRgb()) for at in spots]
    apart = [pair for pair in pairs if max(abs(a - b) for a, b in zip(*pair, strict=True)) > 24]
    assert len(apart) <= len(spots) // 50  # another Qt may draw an edge in another way


SHOWN = """
import json, sys
import wizard.__main__ as program
def open_window(session, file, self_test, bare):
    from PySide6.QtWidgets import QApplication
    shown = [one.isVisible() for one in QApplication.topLevelWidgets() if one is bare]
    print(json.dumps({"file": file, "shown": shown, "first": first}))
    return 0
program.open_window = open_window
before = program._first_picture
def _first_picture(argv):
    global first
    made = before(argv)
    first = sorted(sys.modules)
    return made
program._first_picture = _first_picture
sys.argv[1:] = ["window", "class.torchlab"]
sys.exit(program.main())
"""


def test_the_first_picture_waits_for_nothing_that_it_does_not_show(tmp_path: Path) -> None:
    """No wall clock: what is loaded by then. Each of these costs more than the picture itself."""
    done = subprocess.run([sys.executable, "-c", SHOWN], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["file"], told["shown"]) == ("class.torchlab", [True])
    modules = {"tomllib", "tomli", "hashlib", "psutil", "socket", "subprocess", "ctypes", "packaging"}
    rooms = {"wizard.process", "wizard.app", "wizard.run", "wizard.compatibility", "wizard.gui.pages"}
    ours = {
        "wizard.gui.shell.rail",
        "wizard.gui.startup.crash",
        "wizard.gui.startup.app",
        "wizard.cli.root",
        "click",
    }
    late = {"PySide6.QtNetwork", *modules, *rooms, *ours}
    assert late & set(told["first"]) == set()
    assert paths.home().name == "home"


USABLE = """
import json, os, sys
import wizard.__main__ as program
def open_window(session, file, self_test, bare):
    from wizard.gui.startup.app import run_window
    def loop(app, window):
        while window.tasks.busy:
            app.processEvents()
        print(json.dumps(sorted(sys.modules)), flush=True)
        os._exit(0)
    return run_window(session, file, loop=loop, bare=bare)
program.open_window = open_window
sys.argv[1:] = []
program.main()
"""


def test_welcome_waits_for_nothing_that_it_does_not_ask() -> None:
    """No wall clock here, either: the network, the solver and the doctor were more than half of the wait."""
    done = subprocess.run([sys.executable, "-c", USABLE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "wizard.gui.pages.welcome.page" in loaded
    modules = {"requests", "urllib3", "ssl", "http.server", "rattler", "packaging.requirements"}
    rooms = {"wizard.transfer.http", "wizard.classroom", "wizard.project", "wizard.machine.probe", "wizard.install"}
    assert (modules | rooms) & loaded == set()
