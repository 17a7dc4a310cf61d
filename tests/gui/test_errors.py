"""Errors stand in the page, with cause and what to do, and the person can go on from there."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession, half_run, until_cancelled
from tests.gui.walking import failed_install, go_to, press, settle, source_page, typed
from tests.sentences import error_text
from wizard.app.pages.order import PageId
from wizard.gui.pages.run_watch import RunWatch
from wizard.model.errors import ExitStatus, UsageError, WizardError
from wizard.model.messages import LANGUAGES


@pytest.mark.parametrize(
    ("call", "page"),
    [("probe", PageId.CHECK), ("propose", PageId.BUILD), ("select_build", PageId.SOURCE), ("preview", PageId.REVIEW)],
)
def test_a_call_that_fails_says_so_in_its_page(
    call: str, page: PageId, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.fail[call] = WizardError(error_text("window-unexpected"), details="the tail", what="X")
    window = make_window()
    go_to(qtbot, window, page)
    assert window.page.trouble.isVisible()
    assert window.page.trouble.code == "error.window-unexpected.summary"
    assert "the tail" in window.page.trouble.plain_text()
    assert not window.footer.primary.isEnabled()
    session.fail.clear()
    press(qtbot, window.footer.back)
    assert not window.page.trouble.isVisible()
    go_to(qtbot, window, page)
    assert not window.page.trouble.isVisible()


def test_an_error_follows_the_language(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.fail["probe"] = WizardError(error_text("window-unexpected"), what="X")
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    english = window.page.trouble.plain_text()
    window.rail.languages["zh_CN"].click()
    assert window.page.trouble.isVisible()
    assert window.page.trouble.plain_text() != english


def test_a_mistake_of_ours_is_shown_too(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.fail["select_build"] = ZeroDivisionError("1/0")  # type: ignore[assignment]
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    assert "ZeroDivisionError" in window.page.trouble.plain_text()


def test_a_bad_name_is_refused_while_typing(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.PLACE)
    place = window.pages[PageId.PLACE]
    typed(qtbot, place.name, "a/b")
    qtbot.waitUntil(place.name_trouble.isVisible)
    assert not window.footer.primary.isEnabled()
    typed(qtbot, place.name, "ab")
    qtbot.waitUntil(window.footer.primary.isEnabled)
    assert not place.name_trouble.isVisible()


def test_a_blocking_place_stops_next(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "check_place", lambda choices, facts: (values.blocked(),))
    window = make_window()
    go_to(qtbot, window, PageId.PLACE)
    assert not window.footer.primary.isEnabled()


def test_a_failed_run_names_its_cause_and_resumes(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session)
    assert install.trouble.code == "error.fetch-unreachable.summary"
    assert "Network is unreachable" in install.trouble.plain_text()
    assert install.steps.state_of("fetch") == "Failed"
    assert window.focusWidget() is window.footer.primary
    assert install.remove.isVisible()
    assert not install.explain.isVisible(), "its own words say more"
    session.script = FakeSession(session.root).script
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    assert session.names().count("resume") == 1


def test_what_the_network_failed_is_tried_again_by_a_button(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.fail["preview"] = WizardError("lock-network")
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    qtbot.waitUntil(lambda: window.page.trouble.again.isVisible())
    assert window.focusWidget() is window.page.trouble.again
    assert not window.footer.primary.isEnabled()
    session.fail.clear()
    press(qtbot, window.page.trouble.again)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    assert not window.page.trouble.isVisible()


def test_a_double_click_on_install_does_not_cancel_it(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(install.cancel.isVisible)
    button, place = Qt.MouseButton.LeftButton, QPointF(install.cancel.rect().center())  # where Install stood
    for kind in (QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease):
        event = QMouseEvent(
            kind, place, install.cancel.mapToGlobal(place), button, button, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(install.cancel, event)
    settle(qtbot, window)
    assert "request_cancel" not in session.names()


def disk_full(run: FakeRun) -> None:
    half_run(run)
    run.step("fetch", "failed")
    run.finish(ExitStatus.FAILED, WizardError("fetch-no-space", folder="/home/li/torch-envs/torch").to_json("en"))


def test_after_a_full_disk_another_place_is_chosen(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session, disk_full)
    assert "press “Choose another place”" in install.trouble.plain_text()
    assert "below" not in install.trouble.plain_text(), "no variable to be set by hand"
    assert install.other.accessibleDescription() != install.remove.accessibleDescription()
    session.script = FakeSession(session.root).script
    assert install.other.text().replace("&", "") == "Choose another place"
    press(qtbot, install.other)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.PLACE)
    settle(qtbot, window)
    assert session.names().count("discard") == 1
    go_to(qtbot, window, PageId.INSTALL)


def gone(run: FakeRun) -> None:
    half_run(run)
    run.step("fetch", "failed")
    run.finish(ExitStatus.FAILED, WizardError(error_text("fetch-not-found"), file="torch 2.14.1").to_json("en"))


def slow(run: FakeRun) -> None:
    half_run(run)
    run.step("fetch", "failed")
    run.finish(ExitStatus.FAILED, WizardError(error_text("fetch-stalled"), file="torch 2.14.1").to_json("en"))


@pytest.mark.parametrize(("script", "is_other"), [(gone, True), (slow, False)])
def test_the_main_button_is_not_the_one_that_fails_again(
    script: Callable[[FakeRun], None],
    is_other: bool,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
) -> None:
    """A file that is gone is gone for Resume, too; a line that stood still goes on."""
    window = make_window()
    install = failed_install(qtbot, window, session, script)
    assert (install.other.text().replace("&", ""), install.other.isVisible()) == ("Choose another source", True)
    main, plain = (install.other, window.footer.primary)[:: 1 if is_other else -1]
    assert (main.property("role"), plain.property("role") or "") == ("primary", "")
    qtbot.waitUntil(lambda: window.focusWidget() is main)


def taken(run: FakeRun) -> None:
    run.begin()
    run.step("preflight", "failed")
    there = UsageError(error_text("target-is-environment"), path="/home/li/torch-envs/lesson")
    run.finish(ExitStatus.FAILED, there.to_json("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_another_made_its_environment_meanwhile_another_place_is_chosen(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window(language)
    go_to(qtbot, window, PageId.PLACE)
    typed(qtbot, window.pages[PageId.PLACE].name, "lesson")
    settle(qtbot, window)
    install = failed_install(qtbot, window, session, taken)
    before = window.navigator.state.choices
    words = re.sub(r"&|\(&?.\)", "", install.other.text())
    assert words in install.trouble.plain_text(), "what it says to press is there"
    press(qtbot, install.other)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.PLACE)
    settle(qtbot, window)
    assert window.navigator.state.choices == before
    typed(qtbot, window.pages[PageId.PLACE].name, "lesson-2")
    session.script = FakeSession(session.root).script
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


def proxy_off(run: FakeRun) -> None:
    half_run(run)
    run.step("fetch", "failed")
    off = WizardError("network-proxy-offline", proxy="http://127.0.0.1:7890", place="PyTorch")
    run.finish(ExitStatus.FAILED, off.to_json("en"))


def test_after_a_dead_proxy_its_form_is_a_button_away(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session, proxy_off)
    assert install.other.text().replace("&", "") == "Change proxy…"
    press(qtbot, install.other)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.SOURCE)
    settle(qtbot, window)
    page = source_page(window)
    assert page.network_fold.button.isChecked()
    assert not page.fold.button.isChecked()


def test_a_question_about_a_run_goes_with_it(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = until_cancelled
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    window.close()
    assert window.ask.isVisible()
    install.ask_cancel()
    qtbot.waitUntil(lambda: install.title == "Cancelled")
    qtbot.waitUntil(lambda: not window.ask.isVisible())


def test_after_a_failed_download_another_source_is_chosen(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session)
    session.script = FakeSession(session.root).script
    press(qtbot, install.other)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.SOURCE)
    settle(qtbot, window)
    assert session.names().count("discard") == 1, "its folder would be refused as unfinished"
    assert not window.page.trouble.isVisible()
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


@pytest.mark.parametrize("page", [PageId.CHECK, PageId.BUILD, PageId.SOURCE, PageId.PLACE, PageId.REVIEW])
def test_a_page_that_its_words_name_is_opened_with_what_was_chosen(
    page: PageId, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.PLACE)
    place = window.pages[PageId.PLACE]
    typed(qtbot, place.name, "lesson")
    settle(qtbot, window)
    install = failed_install(qtbot, window, session)
    before = window.navigator.state
    assert install.open_page(page.value) == ""
    qtbot.waitUntil(lambda: window.navigator.page is page)
    settle(qtbot, window)
    after = window.navigator.state
    assert after.choices.name == "lesson"
    assert (after.choices, after.facts) == (before.choices, before.facts)
    assert after.run_id is None
    assert session.names().count("discard") == 1, "its folder would be refused as unfinished"
    session.script = FakeSession(session.root).script
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


@pytest.mark.slow
def test_the_ending_of_an_earlier_attempt_does_not_end_the_next(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session)
    session.script = lambda run: None  # a worker that is slow to say its first word
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.state.run_is_going)
    for _ in range(3):
        install.watch.read()
    assert window.navigator.state.run_is_going
    half_run(_run(session))
    qtbot.waitUntil(lambda: install.watch.view.attempts == 2)


def _run(session: FakeSession):  # type: ignore[no-untyped-def]
    from tests.gui.fake_session import FakeRun

    return FakeRun(session, session.known_runs[-1].id)


def test_ctrl_l_unfolds_the_log(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    from PySide6.QtCore import Qt

    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    assert not install.log.isVisible()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert install.log.isVisible()
    qtbot.waitUntil(lambda: "resumed after 2 s" in install.log.toPlainText())
    assert " Check before starting Done " in install.log.toPlainText()
    assert "preflight" not in install.log.toPlainText()


def test_a_run_that_is_gone_has_vanished_for_who_follows_it(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(run_id: str) -> None:
        raise UsageError(error_text("no-such-run"), run=run_id)

    window = make_window()
    monkeypatch.setattr(session, "events_path", gone)
    watch = RunWatch(session, window.tasks, parent=window)
    watch.follow("r")
    with qtbot.waitSignal(watch.vanished):  # listening begins after the call, as Welcome's cards do it
        pass
    assert not watch.is_following


def test_a_page_whose_answer_cannot_be_shown_is_not_left_dead(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    page = window.page

    def wrong(answer: object) -> None:
        raise KeyError("shown")

    with capture_exceptions() as caught:
        page.start_task(None, lambda is_cancelled, note: None, wrong)
        assert not window.footer.primary.isEnabled()
        settle(qtbot, window)
        qtbot.waitUntil(window.footer.primary.isEnabled)
    assert [kind for kind, *_ in caught] == [KeyError]


def test_log_lines_come_in_bites(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    from tests.gui.fake_session import FakeRun
    from wizard.gui.pages.run_watch import LINES_PER_FLUSH

    window = make_window()
    session.known_runs = [values.run_info("r", "running")]
    run = FakeRun(session, "r")
    run.begin()
    path = session.events_path("r")
    line = path.read_text(encoding="utf-8").replace('"run-started"', '"log"').strip()
    with path.open("a", encoding="utf-8") as file:
        file.write((line[:-1] + ', "step": "fetch", "text": "x"}\n') * 5000)
    watch = RunWatch(session, window.tasks, parent=window)
    sizes: list[int] = []
    watch.logged.connect(lambda lines: sizes.append(len(lines)))
    watch.follow("r")
    qtbot.waitUntil(lambda: sum(sizes) == 5000)
    watch.stop()
    assert max(sizes) <= LINES_PER_FLUSH + 200
    assert len(sizes) > 1


def test_thousands_of_updates_leave_the_window_alive(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Some Qt bindings lose a reference on every call and die after minutes of progress."""
    from wizard.model.events import Event, EventKind

    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    total = 3_000_000
    for done in range(0, total, 1000):
        progress = Event(
            EventKind.PROGRESS, 1, 0.0, "r", {"step": "fetch", "done": done, "total": total, "unit": "bytes"}
        )
        install.watch.view = install.watch.view.after(progress)
        install.watch.changed.emit()
    assert "3.00 of 3.00 MB" in install.progress.words
