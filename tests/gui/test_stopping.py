"""A run that is stopped: cancelled, paused, killed, left by closing the window, unfinished."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession, half_run, until_cancelled
from tests.gui.walking import go_to, leave_the_run, press, settle, texts
from wizard.app.pages.order import PageId
from wizard.gui.widgets.labels import without_key
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.events import EventKind
from wizard.model.messages import LANGUAGES


def test_cancel_says_cancelling_and_then_what_remains(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = until_cancelled
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    press(qtbot, install.cancel)
    assert install.cancel.text() == "Cancelling…"
    assert not install.cancel.isEnabled()
    qtbot.waitUntil(install.rest.isVisible)
    assert install.rest.code == "flow.cancelled"
    assert not install.trouble.isVisible(), "who cancels has no problem"
    assert install.title == "Cancelled"
    press(qtbot, install.remove)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.WELCOME)
    settle(qtbot, window)
    assert "discard" in session.names()


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_a_step_that_was_stopped_has_a_sign_and_a_word_of_its_own(
    is_cancelled: bool, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    def script(run: FakeRun) -> None:
        half_run(run)
        run.step("fetch", "cancelled" if is_cancelled else "failed")
        run.step("install", "cancelled")
        lost = None if is_cancelled else WizardError("fetch-unreachable", file="torch.whl").to_json("en")
        run.finish(ExitStatus.CANCELLED if is_cancelled else ExitStatus.FAILED, lost)

    session.script = script
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    word = "Cancelled" if is_cancelled else "Stopped"
    qtbot.waitUntil(lambda: install.steps.state_of("install") == word)
    qtbot.waitUntil(lambda: word in texts(window))


def test_pause_and_go_on(qtbot: QtBot, make_window: MakeWindow, session: FakeSession, heard: list[str]) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    run = FakeRun(session, session.known_runs[-1].id)
    run.emit(EventKind.STEP_STARTED, step="install", message=values.STEPS_WILL["install"].to_json("en"))
    for state in ("Paused", "Running"):
        press(qtbot, install.pause)
        qtbot.waitUntil(lambda: not install.is_busy)
        for step in ("fetch", "install"):  # that waits for files
            qtbot.waitUntil(lambda step=step, state=state: install.steps.state_of(step) == state)
    assert [value for name, value in session.calls if name == "request_pause"] == [True, False]
    assert [words for words in heard if words in ("Paused", "Installing")][-2:] == ["Paused", "Installing"]


def test_a_worker_that_was_killed_is_noticed(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    session.set_state(session.known_runs[-1].id, "unfinished")
    while not install.rest.isVisible():
        install.watch.ask()
        settle(qtbot, window)
    assert install.rest.code == "flow.stopped"
    assert window.footer.primary.isVisible()


def test_closing_while_paused_says_that_nothing_goes_on(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    assert "Installing" in window.windowTitle()
    press(qtbot, install.pause)
    qtbot.waitUntil(lambda: not install.is_busy)
    assert "Paused" in window.windowTitle()
    window.close()
    assert window.ask.accessibleName().startswith("The setup is paused. It stays paused until")
    assert window.ask.go.text() == "Close &window"
    press(qtbot, install.pause)
    assert "still running" in window.ask.accessibleName()
    press(qtbot, window.ask.stay)


@pytest.mark.parametrize("language", LANGUAGES)
def test_closing_while_it_is_cancelled_offers_no_way_to_go_on(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """It said that the setup is still running, and offered to let it run."""
    session.script = half_run
    window = make_window(language)
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    window.close()
    assert window.ask.cancel.isVisible()
    press(qtbot, window.ask.cancel)
    settle(qtbot, window)
    assert install.title in ("Cancelling…", "正在取消…")
    window.close()
    said = {"en": "The setup is being cancelled. The cancelling continues", "zh_CN": "正在取消安装。"}[language]
    assert window.ask.accessibleName().startswith(said)
    shown = [without_key(one.text()) for one in (window.ask.go, window.ask.cancel, window.ask.stay) if one.isVisible()]
    assert shown == {"en": ["Close window", "Stay"], "zh_CN": ["关闭窗口", "不关闭"]}[language]
    assert window.focusWidget() is window.ask.stay
    press(qtbot, window.ask.stay)


@pytest.mark.slow
def test_closing_during_a_run_asks_in_the_page_and_leaves_the_worker(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    window.close()
    assert window.isVisible()
    assert window.focusWidget() is window.ask.stay
    press(qtbot, window.ask.stay)
    assert not window.ask.isVisible()
    leave_the_run(qtbot, window)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert "request_cancel" not in session.names()
    again = make_window()
    qtbot.waitUntil(lambda: again.navigator.page is PageId.INSTALL)
    qtbot.waitUntil(lambda: again.pages[PageId.INSTALL].watch.view.bytes is not None)
    assert again.pages[PageId.INSTALL].steps.state_of("create") == "Done"


def test_an_unfinished_setup_is_offered_and_removed(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.known_runs = [values.run_info("old", "unfinished", "/envs/lesson")]
    window = make_window()
    welcome = window.pages[PageId.WELCOME]

    def shown() -> dict[str, QPushButton]:
        return {one.text(): one for one in welcome.findChildren(QPushButton) if one.isVisible()}

    qtbot.waitUntil(lambda: "Re&move" in shown())
    assert window.focusWidget() is shown()["&Resume"], "Return would begin another setup"
    press(qtbot, shown()["Re&move"])
    settle(qtbot, window)
    assert ("discard", "old") in session.calls
    assert session.known_runs == []


def test_two_unfinished_additions_are_told_apart(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    """Both were called the unfinished setup of the same environment."""
    old, new = (values.run_info(name, "unfinished", "/envs/mv") for name in ("old", "new"))
    session.known_runs = [replace(old, adds=("tqdm==4.60.0",)), replace(new, adds=("orjson",), created=1_795_086_400.0)]
    window = make_window()
    welcome = window.pages[PageId.WELCOME]

    def shown() -> list[str]:
        return [one.text() for one in welcome.findChildren(QLabel) if one.isVisible()]

    qtbot.waitUntil(lambda: "Continue changing packages: mv + tqdm==4.60.0" in shown())
    assert "Continue changing packages: mv + orjson" in shown()
    begun = [words for words in shown() if "/envs/mv, begun 2026-11-" in words]
    assert len(set(begun)) == 2
