"""The window without a screen, with a folder of its own, and without dialogs: any that opens fails the test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox
from pytestqt.qtbot import QtBot

from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import put_away
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences
from wizard.gui.widgets import announce as announcing

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if os.name == "nt":  # without a screen Qt looks for fonts in its own folder, and warns that there is none
    os.environ.setdefault("QT_QPA_FONTDIR", os.path.expandvars("%SYSTEMROOT%\\Fonts"))

MakeWindow = Callable[..., WizardWindow]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("TORCH_WIZARD_LANG", raising=False)


@pytest.fixture(autouse=True)
def last_words(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[None]:
    """What Qt says before it ends the process: pytest-qt keeps it for a report that nobody writes any more."""
    errors = request.config.stash.get(fault_handler_stderr_fd_key, 2)  # of the process, where pytest's own go

    def handle(kind: QtMsgType, context: QMessageLogContext, words: str) -> None:
        if kind is QtMsgType.QtFatalMsg:
            os.write(errors, f"Qt ends: {words}\n".encode())
        if before is not None:
            before(kind, context, words)

    before = qInstallMessageHandler(handle)
    yield
    qInstallMessageHandler(before)


@pytest.fixture(autouse=True)
def no_dialogs(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(self: QDialog) -> int:
        raise AssertionError(f"a dialog was opened: {self.windowTitle()}")

    for name in ("exec", "open"):
        monkeypatch.setattr(QDialog, name, opened)
        monkeypatch.setattr(QMessageBox, name, opened)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is said aloud: a screen reader is there, and hears."""
    said: list[str] = []
    if announcing._Announcement is None:
        pytest.skip("Qt can announce from 6.8 on")

    class Listener:
        Event, AnnouncementPoliteness = announcing.QAccessible.Event, announcing.QAccessible.AnnouncementPoliteness

        @staticmethod
        def isActive() -> bool:
            return True

        @staticmethod
        def updateAccessibility(event: object) -> None:
            said.append(event.message())  # type: ignore[attr-defined]

    monkeypatch.setattr(announcing, "QAccessible", Listener)
    return said


@pytest.fixture
def session(tmp_path: Path) -> FakeSession:
    return FakeSession(tmp_path / "runs")


@pytest.fixture
def side(session: FakeSession) -> FakeTools:
    return session.tools


@pytest.fixture
def make_window(
    qapp: QApplication, qtbot: QtBot, session: FakeSession, side: FakeTools, tmp_path: Path
) -> Iterator[MakeWindow]:
    made: list[WizardWindow] = []

    def make(language: str = "en", theme: str = "light") -> WizardWindow:
        wishes = Preferences(tmp_path / "settings.json")
        wishes.put(language=language, theme=theme)
        window = WizardWindow(qapp, session, wishes, None)
        made.append(window)
        with qtbot.waitExposed(window):
            window.show()
        qtbot.waitUntil(lambda: not window.tasks.busy)
        return window

    yield make
    session.let_go.set()
    side.let_go.set()
    put_away(*made)
