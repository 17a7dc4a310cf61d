"""A run that goes on, as the window shows it: silence, endings of before, resumes elsewhere, and the keyboard."""

from __future__ import annotations

import os
import re
import time

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar, QPushButton, QScrollArea, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession, half_run, until_cancelled
from tests.gui.walking import failed_install, go_to, leave_the_run, lower, press, settle
from wizard.app.pages.order import PageId
from wizard.gui.pages import file_bars
from wizard.gui.pages.install import InstallPage
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets import announce
from wizard.gui.widgets.icons import Sign
from wizard.model.errors import UsageError
from wizard.model.events import EventKind
from wizard.model.messages import LANGUAGES


def installing(qtbot: QtBot, make_window: MakeWindow, language: str = "en") -> tuple[WizardWindow, InstallPage]:
    window = make_window(language)
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    return window, install


def cancelled(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> tuple[WizardWindow, InstallPage]:
    session.script = until_cancelled
    window, install = installing(qtbot, make_window)
    press(qtbot, install.cancel)
    qtbot.waitUntil(install.rest.isVisible)
    settle(qtbot, window)
    return window, install


def run_of(session: FakeSession) -> FakeRun:
    return FakeRun(session, session.known_runs[-1].id)


def said_on(page: QWidget) -> str:
    return "\n".join(one.text() for one in page.findChildren(QLabel) if one.isVisible())


def in_rail(window: WizardWindow, widget: QWidget | None) -> bool:
    return widget is not None and (widget is window.footer.back or window.rail.isAncestorOf(widget))


@pytest.mark.parametrize("language", LANGUAGES)
def test_silence_is_told_with_its_seconds_and_ends_with_the_next_word(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window, install = installing(qtbot, make_window, language)
    assert not install.quiet.isVisible()
    leave_the_run(qtbot, window)
    path = session.events_path(session.known_runs[-1].id)
    os.utime(path, (time.time() - 40, time.time() - 40))
    again = make_window(language)
    install = again.pages[PageId.INSTALL]
    qtbot.waitUntil(lambda: install.quiet.isVisible() and install.watch.view.bytes is not None)
    assert int(re.findall(r"\d+", install.quiet.words)[0]) >= 40, install.quiet.words
    assert "MB/s" not in install.progress.words, "a rate of before is no rate now"
    assert again.navigator.state.run_is_going
    run_of(session).fetch((0.6,))
    qtbot.waitUntil(lambda: not install.quiet.isVisible())
    assert "MB/s" in install.progress.words


def test_an_old_ending_and_an_empty_line_do_not_end_a_resumed_run(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window, install = cancelled(qtbot, make_window, session)
    session.script = lambda run: None  # slow to say its first word
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.state.run_is_going)
    ending = session.events_path(install.watch.run_id).read_text(encoding="utf-8").splitlines()[-2]
    with session.events_path(install.watch.run_id).open("a", encoding="utf-8") as file:
        file.write(f"{ending}\n\n")  # even one that stands after the beginning: its worker is there
    for _ in range(5):
        install.watch.ask()
        settle(qtbot, window)
        install.watch.read()
    assert window.navigator.state.run_is_going
    assert not install.rest.isVisible()
    assert not install.trouble.isVisible()
    run = run_of(session)
    half_run(run)
    run.finish()
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


def test_who_resumes_elsewhere_brings_the_view_back(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session)
    session.script = half_run
    session.resume(install.watch.run_id)  # in a terminal
    install.watch.ask()
    qtbot.waitUntil(lambda: window.navigator.state.run_is_going and install.pause.isVisible())
    assert not install.trouble.isVisible()
    run_of(session).finish()
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


@pytest.mark.parametrize("call", ["discard", "resume"])
def test_a_run_that_was_finished_elsewhere_is_shown_not_removed(
    call: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window, install = cancelled(qtbot, make_window, session)
    code = {"discard": "run-finished", "resume": "nothing-to-resume"}[call]
    session.fail[call] = UsageError(code, run=install.watch.run_id)
    session.verified = True
    FakeRun(session, install.watch.run_id).finish()
    press(qtbot, install.remove if call == "discard" else window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    assert not install.trouble.isVisible()
    assert session.known_runs


def test_a_run_that_was_removed_elsewhere_leads_to_the_start(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window, install = cancelled(qtbot, make_window, session)
    session.known_runs = []
    install.watch.ask()
    qtbot.waitUntil(lambda: window.navigator.page is PageId.WELCOME)


def test_a_wish_of_before_is_shown_by_the_next_window(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window, install = installing(qtbot, make_window)
    press(qtbot, install.pause)
    settle(qtbot, window)
    leave_the_run(qtbot, window)
    again = make_window()
    qtbot.waitUntil(lambda: again.page.title == "Paused")
    press(qtbot, again.pages[PageId.INSTALL].cancel)
    settle(qtbot, again)
    assert again.page.title == "Cancelling…"


def test_a_line_for_the_log_ends_silence_that_was_shown_between_two_readings(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """The answer to a question about the run shows the page anew: what it shows then has to be taken back, too."""
    session.script = half_run
    window, install = installing(qtbot, make_window)
    press(qtbot, install.cancel)
    settle(qtbot, window)
    leave_the_run(qtbot, window)
    path = session.events_path(session.known_runs[-1].id)
    os.utime(path, (time.time() - 40, time.time() - 40))
    again = make_window()
    install = again.pages[PageId.INSTALL]
    install.watch.every(3_600_000)  # so that a reading comes when it is wanted here
    qtbot.waitUntil(lambda: again.page.title == "Cancelling…")
    run_of(session).log("a line")
    for _ in range(50):
        install.watch.read()
    assert install.watch.silence == 0
    assert not install.quiet.isVisible()


def test_cancel_and_resume_by_keyboard_keep_the_focus_off_the_rail(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window, install = installing(qtbot, make_window)
    install.cancel.setFocus()
    qtbot.keyClick(install.cancel, Qt.Key.Key_Space)
    assert not install.cancel.isEnabled()
    assert not in_rail(window, window.focusWidget())
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    assert window.navigator.page is PageId.INSTALL
    until_cancelled(run_of(session))
    qtbot.waitUntil(lambda: window.focusWidget() is window.footer.primary)
    session.hold.add("resume")
    session.script = half_run
    qtbot.keyClick(window.footer.primary, Qt.Key.Key_Return)
    assert not in_rail(window, window.focusWidget())
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    session.let_go.set()
    qtbot.waitUntil(lambda: window.focusWidget() is install.pause)
    qtbot.keyClick(install.pause, Qt.Key.Key_Return)
    assert not install.is_paused, "a second Return meant what was there before"
    assert window.navigator.page is PageId.INSTALL
    assert window.rail.steps[PageId.INSTALL].isEnabled()


def test_a_failure_is_a_cross_in_the_rail_and_later_steps_were_not_started(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session)
    assert window.rail.steps[PageId.INSTALL].accessibleName().endswith("failed")
    states = [install.steps.state_of(step.name) for step in install.watch.view.steps]
    assert "Not started" in states
    assert "Waiting" not in states


def test_after_the_download_nothing_can_be_paused_and_nothing_has_jumped(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window, install = installing(qtbot, make_window)
    qtbot.waitUntil(lambda: "36.2 MB/s" in said_on(install.progress))
    settle(qtbot, window)
    for _ in range(5):  # what was told last has its place then, also where it turned the line
        QApplication.processEvents()
    before = install.progress.height()
    install.pause.setFocus()
    run_of(session).step("fetch")
    qtbot.waitUntil(lambda: not install.pause.isVisible())
    assert install.cancel.isVisible()
    qtbot.waitUntil(lambda: window.focusWidget() is install.log_button)  # a Return must not cancel
    assert install.progress.height() == before


@pytest.mark.parametrize("width", [1280, 1024, 640, 496, 480])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pause_moves_nothing(
    language: str,
    width: int,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_bars, "_STAYS", 60.0)
    session.script = half_run
    window, install = installing(qtbot, make_window, language)
    lower(window, (width, 740))
    qtbot.waitUntil(lambda: "36.2 MB/s" in said_on(install.progress))

    def places() -> list[tuple[QPoint, QSize]]:
        bars = [one for one in install.findChildren(QProgressBar) if one.isVisible()]
        assert len(bars) == 3
        words = [one for row in install.steps._rows.values() for one in (row.name, row.words, row.right)]
        seen = [*install.steps.findChildren(Sign), *bars, install.progress, install.cancel, window.footer, *words]
        return [(one.mapTo(window, QPoint()), one.size()) for one in seen]

    def at_rest() -> list[tuple[QPoint, QSize]]:
        """Where all is once it has its place: on a busy computer that comes late."""
        last, now = None, places()
        while now != last:
            qtbot.wait(100)
            last, now = now, places()
        return now

    before = at_rest()
    assert install.steps._is_narrow is (install.steps._card.grid.verticalSpacing() == 0) is (width < 700)
    for _ in range(2):  # and as it goes on
        press(qtbot, install.pause)
        settle(qtbot, window)
        assert at_rest() == before
    assert is_across(install)


def is_across(install: InstallPage) -> bool:
    """Whether nothing is scrolled to at the side."""
    sheet = install.findChild(QScrollArea)
    return isinstance(sheet, QScrollArea) and sheet.horizontalScrollBar().maximum() == 0


def test_what_comes_when_it_is_cancelled_comes_elsewhere(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = until_cancelled
    window, install = installing(qtbot, make_window)
    place = install.cancel.mapTo(window, install.cancel.rect().center())
    assert window.childAt(place) is install.cancel
    press(qtbot, install.cancel)
    qtbot.waitUntil(window.footer.primary.isVisible)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: not isinstance(window.childAt(place), QPushButton))  # until the footer is laid out


def test_a_cancelled_run_is_no_failure(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window, _ = cancelled(qtbot, make_window, session)
    assert "failed" not in window.rail.steps[PageId.INSTALL].accessibleName()


def test_a_test_that_failed_is_a_cross_in_the_rail(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.gpu_ok = False
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    settle(qtbot, window)
    assert window.rail.steps[PageId.VERIFY].accessibleName().endswith("failed")


def test_a_package_is_named_by_what_is_in_it(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = half_run
    _, install = installing(qtbot, make_window)
    wheel = "torch-2.14.1+cu126-cp312-manylinux_2_28_x86_64.whl"
    run_of(session).emit(EventKind.PROGRESS, step="fetch", done=1, total=2, unit="bytes", detail=wheel)  # no count
    qtbot.waitUntil(lambda: "torch 2.14.1+cu126" in said_on(install.steps))
    assert ".whl" not in said_on(install.steps)


@pytest.mark.parametrize("is_elsewhere", [True, False])
def test_the_end_is_told_by_the_desktop_to_who_works_elsewhere(
    is_elsewhere: bool,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A screen that is none has no tray: a stand-in takes the notice."""
    told: list[str] = []

    class Tray(QSystemTrayIcon):
        @staticmethod
        def isSystemTrayAvailable() -> bool:
            return True

        def show(self) -> None:
            pass

        def showMessage(self, title: str, words: str, *_: object) -> None:
            told.append(f"{title}: {words}")

    monkeypatch.setattr(announce, "QSystemTrayIcon", Tray)
    session.script = half_run
    window, install = installing(qtbot, make_window)
    other = QWidget()
    qtbot.addWidget(other)
    if is_elsewhere:
        with qtbot.waitExposed(other):
            other.show()
        other.activateWindow()
        qtbot.waitUntil(lambda: not window.isActiveWindow())
    session.verified = True
    FakeRun(session, install.watch.run_id).finish()
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    assert told == (["Torch Setup: PyTorch is installed and tested."] if is_elsewhere else [])


def test_the_tiles_say_what_was_seen_of_this_computer(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    page = window.page
    said = lambda: {one.text() for one in page.findChildren(QLabel) if one.isVisible()}  # noqa: E731
    qtbot.waitUntil(lambda: {"GTX 1660 Ti", "old is broken"} <= said())
    assert page.manage.text().endswith("(5)")  # type: ignore[attr-defined]


def test_the_first_second_has_its_steps(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = lambda run: None  # the worker has said nothing yet
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.page
    assert isinstance(install, InstallPage)
    assert "0 %" in install.progress.words
    assert [install.steps.state_of(name) for name in ("preflight", "fetch", "verify")] == ["Waiting"] * 3
    assert install.steps.isVisible()


def test_a_run_of_something_else_is_not_for_the_class(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window = make_window()
    window.navigator.open_setup_for_class()
    qtbot.waitUntil(lambda: "for the class" in window.page.of_class.text())
    session.known_runs = [values.run_info("repair", "planned", "/srv/env")]
    session.start("repair")
    window.navigator.show_run("repair")
    qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL)
    assert window.page.of_class.text() == ""
