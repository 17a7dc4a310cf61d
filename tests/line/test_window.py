"""The same job through the real window: mouse and keyboard, the real session, a real worker, on loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.walking import go_to, press, put_away, settle, typed
from tests.line.fixture import live_in
from tests.line.world import PYTHON, TORCH, World
from tests.servers.index_server import Answer
from wizard.app.pages.order import ORDER, PageId
from wizard.app.tools import WindowSession
from wizard.gui.pages.review import ReviewPage
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences
from wizard.model.messages import LANGUAGES

LONG = 120_000  # milliseconds: a limit for a hang, not a speed


@pytest.fixture
def at_home(conda_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    live_in(conda_world, monkeypatch)
    return conda_world


@pytest.fixture
def open_window(at_home: World, qapp: QApplication, qtbot: QtBot) -> Iterator[type[WizardWindow]]:
    opened: list[WizardWindow] = []

    def make(language: str = "en") -> WizardWindow:
        wishes = Preferences(at_home.home / "settings.json")
        wishes.put(language=language, theme="light")
        window = WizardWindow(qapp, WindowSession(), wishes, None)
        opened.append(window)
        with qtbot.waitExposed(window):
            window.show()
        return window

    yield make  # type: ignore[misc]
    put_away(*opened)


def stay_on_loopback(window: WizardWindow, world: World) -> None:
    """What a person types under "sources by hand"; typed before the page asks, so that nothing else is asked."""
    navigator = window.navigator
    choices = replace(
        navigator.state.choices,
        python=PYTHON,
        index=world.packages.simple,
        torch_index=world.torch.simple,
        channel=world.channel,
    )
    navigator.put_sources(choices)


def walk_to_review(qtbot: QtBot, window: WizardWindow, world: World, name: str) -> None:
    go_to(qtbot, window, PageId.BUILD)
    stay_on_loopback(window, world)
    go_to(qtbot, window, PageId.PLACE)
    typed(qtbot, window.pages[PageId.PLACE].name, name)
    settle(qtbot, window)
    go_to(qtbot, window, PageId.REVIEW)


def wait_for_end(qtbot: QtBot, window: WizardWindow) -> None:
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY and window.navigator.state.run_over, timeout=LONG)


@pytest.mark.parametrize("language", ["en", pytest.param("zh_CN", marks=pytest.mark.slow)])
def test_by_mouse_to_a_tested_environment(open_window, at_home: World, qtbot: QtBot, language: str) -> None:  # type: ignore[no-untyped-def]
    window = open_window(language)
    walk_to_review(qtbot, window, at_home, "mine")
    assert window.navigator.state.preview.plan.total_bytes > 1_000_000
    press(qtbot, window.footer.primary)
    wait_for_end(qtbot, window)
    assert window.navigator.state.report["status"] == 0
    prefix = at_home.home / "state" / "envs" / "mine"
    assert at_home.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.slow), "zh_CN"])
def test_by_keyboard_alone(open_window, at_home: World, qtbot: QtBot, language: str) -> None:  # type: ignore[no-untyped-def]
    window = open_window(language)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    for page in ORDER[1:6]:
        qtbot.waitUntil(
            lambda page=page: window.navigator.page is page and window.footer.primary.isEnabled(), timeout=LONG
        )
        if page is PageId.BUILD:
            stay_on_loopback(window, at_home)
        onward = window.page.choose if page is PageId.CHECK else window.footer.primary
        for _ in range(60):
            if window.focusWidget() is onward:
                break
            qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    wait_for_end(qtbot, window)
    assert window.navigator.state.report["status"] == 0


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.slow), "zh_CN"])
def test_a_run_survives_the_window_and_the_next_one_shows_it(
    open_window, at_home: World, qtbot: QtBot, language: str
) -> None:  # type: ignore[no-untyped-def]
    first = open_window(language)
    walk_to_review(qtbot, first, at_home, "mine")
    press(qtbot, first.footer.primary)
    qtbot.waitUntil(lambda: first.navigator.page is PageId.INSTALL, timeout=LONG)
    run_id = first.navigator.state.run_id
    assert run_id
    qtbot.waitUntil(lambda: WindowSession().is_running(run_id), timeout=LONG)
    first.tasks.stop()
    first.hide()
    second = open_window(language)
    qtbot.waitUntil(lambda: second.navigator.state.run_id == run_id, timeout=LONG)
    wait_for_end(qtbot, second)
    qtbot.waitUntil(lambda: not WindowSession().is_running(run_id), timeout=LONG)
    prefix = at_home.home / "state" / "envs" / "mine"
    assert at_home.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"


@pytest.mark.parametrize("language", ["en", pytest.param("zh_CN", marks=pytest.mark.slow)])
def test_cancel_then_resume_in_the_window(open_window, at_home: World, qtbot: QtBot, language: str) -> None:  # type: ignore[no-untyped-def]
    window = open_window(language)
    walk_to_review(qtbot, window, at_home, "mine")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL, timeout=LONG)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.cancel.isVisible() and install.cancel.isEnabled(), timeout=LONG)
    press(qtbot, install.cancel)
    qtbot.waitUntil(lambda: window.navigator.state.run_over, timeout=LONG)
    qtbot.waitUntil(lambda: window.footer.primary.isVisible() and window.footer.primary.isEnabled(), timeout=LONG)
    press(qtbot, window.footer.primary)  # Resume
    wait_for_end(qtbot, window)
    assert window.navigator.state.report["status"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_failure_is_told_and_mended_in_the_window(open_window, at_home: World, qtbot: QtBot, language: str) -> None:  # type: ignore[no-untyped-def]
    window = open_window(language)
    walk_to_review(qtbot, window, at_home, "mine")
    for wheel in at_home.torch.root.rglob("torch-*.whl"):
        at_home.torch.answers[f"/files/{wheel.name}"] = Answer(status=404)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL, timeout=LONG)
    qtbot.waitUntil(window.pages[PageId.INSTALL].trouble.isVisible, timeout=LONG)
    settle(qtbot, window)
    assert window.rail.steps[PageId.INSTALL].accessibleName().endswith({"en": "failed", "zh_CN": "失败"}[language])
    told = window.pages[PageId.INSTALL].trouble.plain_text()
    assert f"torch-{TORCH}" in told
    assert "Traceback" not in told
    at_home.torch.answers.clear()
    press(qtbot, window.footer.primary)  # Resume
    wait_for_end(qtbot, window)
    assert window.navigator.state.report["status"] == 0


@pytest.mark.parametrize("language", ["en", pytest.param("zh_CN", marks=pytest.mark.slow)])
def test_next_and_next_lead_to_a_tested_environment(open_window, at_home: World, qtbot: QtBot, language: str) -> None:  # type: ignore[no-untyped-def]
    window = open_window(language)
    shown: list[str] = []
    window.stack.currentChanged.connect(lambda place: shown.append(type(window.stack.widget(place)).__name__))
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK and window.footer.primary.isEnabled(), timeout=LONG)
    stay_on_loopback(window, at_home)
    qtbot.waitUntil(window.page.choose.isVisible, timeout=LONG)  # all is well: Next chooses
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: isinstance(window.stack.currentWidget(), ReviewPage), timeout=LONG)
    assert shown == ["CheckPage", "ChoosingPage", "ReviewPage"], "one page stood for those between"
    assert window.navigator.state.preview is not None, "Review came with its plan"
    qtbot.waitUntil(window.footer.primary.isEnabled, timeout=LONG)
    press(qtbot, window.footer.primary)
    wait_for_end(qtbot, window)
    assert shown[3:] == ["InstallPage", "VerifyPage"]
    assert window.navigator.state.report["status"] == 0
