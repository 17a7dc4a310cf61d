"""The plain window of a crash, by every way that leads to it; on screen a sentence, in the log the whole."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from wizard.gui.startup import app as opening
from wizard.gui.startup.crash import CrashWatch, CrashWindow
from wizard.model.messages import LANGUAGES, message
from wizard.safety.log import SharedLog
from wizard.system import paths

# The screen of these tests has one window only.
pytestmark = pytest.mark.qt_log_ignore("does not support raise")
FATAL = 'Fatal Python error: Segmentation fault\n\nThread 0x1 (most recent call first):\n  File "{home}/x.py", line 1\n'


@pytest.fixture
def watch(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[CrashWatch]:
    for module, hook in ((sys, "excepthook"), (threading, "excepthook"), (sys, "unraisablehook")):
        monkeypatch.setattr(module, hook, getattr(module, hook))
    log = opening._write_log()
    made = CrashWatch(lambda: "en")
    yield made
    made.stop()
    assert isinstance(log, SharedLog)
    opening.logging.getLogger("wizard").removeHandler(log)
    qapp.processEvents()


def logged() -> str:
    return (paths.logs_dir() / "window.log").read_text(encoding="utf-8")


def shown(watch: CrashWatch) -> str:
    assert watch.window is not None
    assert watch.window.isVisible()
    return "\n".join(label.text() for label in watch.window.findChildren(QLabel))


def divide() -> None:
    _ = 1 / 0


def test_a_mistake_on_the_windows_thread(qtbot: QtBot, watch: CrashWatch) -> None:
    try:
        divide()
    except ZeroDivisionError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    qtbot.waitUntil(lambda: watch.window is not None)
    assert "ZeroDivisionError" in shown(watch)
    assert "Traceback" not in shown(watch)
    assert "in divide" in logged()


def test_a_mistake_in_another_thread(qtbot: QtBot, watch: CrashWatch) -> None:
    thread = threading.Thread(target=divide)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: watch.window is not None)
    assert watch.window is not None
    assert watch.window.thread() is QApplication.instance().thread()
    assert "ZeroDivisionError" in shown(watch)
    assert "in divide" in logged()


def test_the_same_mistake_again_and_again_is_one_window_and_a_short_log(qtbot: QtBot, watch: CrashWatch) -> None:
    for _ in range(200):
        watch.tell(RuntimeError("while painting"))
    qtbot.waitUntil(lambda: watch.window is not None)
    first = watch.window
    qtbot.wait(1)
    assert watch.window is first
    assert logged().count("while painting") <= 50


def test_the_report_is_copied_without_names(
    qtbot: QtBot, watch: CrashWatch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", "/home/xiaoming")
    monkeypatch.setenv("USERPROFILE", "/home/xiaoming")
    watch.tell(OSError("https://me:word@mirror.example failed in /home/xiaoming/env"))
    qtbot.waitUntil(lambda: watch.window is not None)
    assert watch.window is not None
    qtbot.mouseClick(watch.window.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("Torch Setup ")
    assert "OSError" in copied
    assert "mirror.example" in copied
    assert "word" not in copied
    assert "xiaoming" not in copied
    assert watch.window.copy.text() == "Copied"


def test_the_log_folder_is_opened(qtbot: QtBot, watch: CrashWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "wizard.gui.startup.crash.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile())
    )
    watch.tell(RuntimeError())
    qtbot.waitUntil(lambda: watch.window is not None)
    assert watch.window is not None
    qtbot.mouseClick(watch.window.folder, Qt.MouseButton.LeftButton)
    assert opened == [str(paths.logs_dir())]


def test_it_stands_on_the_window_in_the_language_of_now(qtbot: QtBot, watch: CrashWatch) -> None:
    window, spoken = QWidget(), ["en"]
    qtbot.addWidget(window)
    window.show()
    after = CrashWatch(lambda: spoken[0])
    try:
        after.over = window
        spoken[0] = "zh_CN"
        after.tell(RuntimeError())
        qtbot.waitUntil(lambda: after.window is not None)
        assert after.window is not None
        assert not after.window.words.text().isascii(), "the language was changed since the start"
        assert after.window.parent() is window
        assert QApplication.activeModalWidget() is after.window
        qtbot.keyClick(after.window, Qt.Key.Key_Escape)
        assert not after.window.isVisible()
    finally:
        after.stop()


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_both_languages_and_needs_no_theme(qtbot: QtBot, language: str) -> None:
    window = CrashWindow(message("safety.crash.now", what="X"), "details", language)
    qtbot.addWidget(window)
    window.show()
    assert window.words.text().isascii() == (language == "en")
    assert all(button.text() for button in (window.copy, window.folder, window.shut))
    assert window.sizeHint().width() < 900


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)


def test_a_hard_crash_of_the_last_start_is_told_by_this_one(
    qapp: QApplication, session: FakeSession, side: FakeTools, hooks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths.logs_dir().mkdir(parents=True)
    (paths.logs_dir() / "hard-99999999.txt").write_text(FATAL, encoding="utf-8")
    told: list[str] = []
    monkeypatch.setattr(CrashWindow, "show", lambda window: told.append(window.words.text()))
    for _ in range(2):
        assert opening.run_window(session, None, self_test=True) == 0
    (words,) = told
    assert "Segmentation fault" in words
    assert "most recent call first" in logged()
    assert list(paths.logs_dir().glob("hard-*")) == []


def test_a_window_that_cannot_be_made_says_so(
    qapp: QApplication, session: FakeSession, side: FakeTools, hooks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*told: object) -> None:
        raise KeyError("primary")

    told: list[str] = []
    monkeypatch.setattr(opening, "WizardWindow", broken)
    monkeypatch.setattr(CrashWindow, "show", lambda window: told.append(window.words.text()))
    assert opening.run_window(session, None, self_test=True) == 1
    assert "KeyError" in told[0]


def test_what_was_set_aside_is_said_in_the_window(
    qapp: QApplication, session: FakeSession, side: FakeTools, hooks: None
) -> None:
    paths.home().mkdir(parents=True)
    (paths.home() / "settings.json").write_bytes(b"\xff{")
    said: list[str] = []

    def look(app: QApplication, window: opening.WizardWindow) -> int:
        while window.tasks.busy:
            app.processEvents()
        said.append(window.page.trouble.plain_text() if window.page.trouble.isVisible() else "")
        window.close()
        return 0

    assert opening.run_window(session, None, loop=look) == 0
    assert "settings.json" in said[0]
    assert "settings.json.broken-" in said[0]
