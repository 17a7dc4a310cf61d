"""From Welcome to Verify: with the mouse, with the keyboard alone, in both languages."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.walking import go_to, mnemonics, press, settle, typed, visible
from wizard.app.pages.order import ORDER, PageId
from wizard.gui.pages.check import CheckPage
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.frames import Fold
from wizard.gui.widgets.labels import Pill
from wizard.model.messages import LANGUAGES
from wizard.transfer.proxy.model import Mode


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_walk_with_the_mouse(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window(language)
    titles = []
    for page in ORDER[:-1]:
        go_to(qtbot, window, page)
        titles.append(window.page.title)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    titles.append(window.page.title)
    assert len(set(titles)) == len(ORDER)
    assert session.names().count("start") == 1
    assert "discard" not in session.names(), "a plan that was started is not dropped"
    verify = window.pages[PageId.VERIFY]
    qtbot.waitUntil(lambda: verify.ways.first is not None)
    assert verify.ways.first.code == "source /home/li/torch-envs/torch/bin/activate"
    verify.ways.fold.button.setChecked(True)
    program = next(one for one in verify.ways.findChildren(CodeLine) if "is_available" in one.code)
    qtbot.waitUntil(program.button.isVisible)
    press(qtbot, program.button)
    assert "torch.cuda.is_available()" in QGuiApplication.clipboard().text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_walk_with_the_keyboard(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(language)
    assert window.focusWidget() is window.pages[PageId.WELCOME].setup
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    for page in ORDER[1:6]:
        qtbot.waitUntil(lambda page=page: window.navigator.page is page and window.footer.primary.isEnabled())
        choose = getattr(window.page, "choose", None)  # Next would go on to Review by itself
        way = choose if choose is not None and choose.isVisible() else window.footer.primary
        for _ in range(60):  # by Tab alone to the button that leads on
            if window.focusWidget() is way:
                break
            qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        assert window.focusWidget() is way, page
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


def test_return_presses_next_from_a_field_and_the_button_that_has_the_focus(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.PLACE)
    assert window.focusWidget() is window.pages[PageId.PLACE].name
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.REVIEW)
    settle(qtbot, window)
    window.footer.back.setFocus()
    qtbot.keyClick(window.footer.back, Qt.Key.Key_Return)
    assert window.navigator.page is PageId.PLACE


def test_no_long_call_is_made_on_the_windows_thread(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_main: list[str] = []
    called = session._called

    def spy(name: str, *more: object) -> None:
        if threading.current_thread() is threading.main_thread():
            on_main.append(name)
        called(name, *more)

    monkeypatch.setattr(session, "_called", spy)
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    assert on_main == []


def test_the_window_answers_while_a_call_hangs_and_back_gives_it_up(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.hold.add("select_build")
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "select_build" in session.names())
    assert window.page.busy.isVisible()
    assert not window.footer.primary.isEnabled()
    press(qtbot, window.footer.back)
    assert window.navigator.page is PageId.BUILD
    settle(qtbot, window)
    assert window.navigator.state.selected is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_every_page_mnemonics_are_unique_and_states_have_names(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.known_runs = [values.run_info("a", "unfinished"), values.run_info("b", "unfinished")]
    session.script = _never_ending
    window = make_window(language)
    for page in ORDER[:7]:
        go_to(qtbot, window, page)
        for step in (_unfold, _ask):
            step(window)
            letters = [letter for letter, _ in mnemonics(window)]
            assert len(letters) == len(set(letters)), (page, sorted(mnemonics(window)))
            _check_names(window)
    window.navigator.put_run_over({**session.report("a")}, "/x")
    window.navigator.go_next()
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    _check_names(window)


def _never_ending(run: object) -> None:
    from tests.gui.fake_session import FakeRun, half_run

    assert isinstance(run, FakeRun)
    half_run(run)


def _unfold(window: WizardWindow) -> None:
    for fold in visible(window, Fold):
        assert isinstance(fold, Fold)
        fold.button.setChecked(True)
    form = getattr(window.page, "network", None)
    if form:
        form.modes[Mode.CUSTOM].setChecked(True)


def _ask(window: WizardWindow) -> None:
    if window.navigator.state.run_is_going:
        window.close()
        assert window.ask.isVisible()


def _check_names(window: WizardWindow) -> None:
    for kind in (Pill, QProgressBar):
        for one in visible(window, kind):
            assert one.accessibleName(), (window.page.title, one)
    for one in visible(window, QWidget):
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.parent() is not None:
            text = getattr(one, "text", str)
            assert one.accessibleName() or text(), (window.page.title, one)


def test_pills_say_their_state_as_sign_and_word(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.facts = replace(values.FACTS, requirements=(*values.FACTS.requirements, values.blocked()))
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    page = window.page
    assert isinstance(page, CheckPage)
    page.fine.button.setChecked(True)
    said = {"✓ OK", "! Warning", "• Note", "✕ Problem"}
    qtbot.waitUntil(lambda: {one.text() for one in visible(window, Pill) if isinstance(one, Pill)} == said)


def test_the_rail_leads_back_and_clears(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    assert not window.rail.steps[PageId.INSTALL].isEnabled()
    press(qtbot, window.rail.steps[PageId.BUILD])
    assert window.navigator.page is PageId.BUILD
    assert window.navigator.state.selected is None
    settle(qtbot, window)
    assert "discard" in session.names(), "the plan that nobody will carry out is removed"
    assert not window.rail.steps[PageId.REVIEW].isEnabled()


def test_esc_is_safe_everywhere(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = _never_ending
    window = make_window()
    for page in ORDER[:7]:
        go_to(qtbot, window, page)
        before = window.navigator.state
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Escape)
        assert window.isVisible()
        assert window.navigator.page is page
        assert window.navigator.state == before
    assert "request_cancel" not in session.names()


def test_a_cell_of_the_grid_is_taken_with_the_keyboard(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    build = window.pages[PageId.BUILD]
    assert build.card.words == "torch 2.14.1 + CUDA 12.6"
    assert window.focusWidget() is build.grid
    assert build.grid.currentItem().text() == "✓ best"
    qtbot.keyClick(build.grid, Qt.Key.Key_Down)
    qtbot.keyClick(build.grid, Qt.Key.Key_Space)
    assert build.card.words == "torch 2.13.0 + CUDA 12.6"
    assert build.grid.currentItem().text() == "✓ chosen"
    choices = window.navigator.state.choices
    assert (choices.torch, choices.variant) == ("2.13.0", "cu126")
    go_to(qtbot, window, PageId.SOURCE)
    asked = [value for name, value in session.calls if name == "select_build"]
    assert [(one.torch, one.variant) for one in asked] == [("2.13.0", "cu126")]


def test_a_cell_that_does_not_fit_says_why_and_cannot_be_taken(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    build = window.pages[PageId.BUILD]
    build.every.click()
    row, column = build.grid.cell_of("2.15.0", "cu132")
    build.grid.setCurrentCell(row, column)
    assert "580" in build.strip.words
    assert "580" in build.grid.currentItem().data(Qt.ItemDataRole.AccessibleTextRole)
    qtbot.keyClick(build.grid, Qt.Key.Key_Space)
    assert build.card.words == "torch 2.14.1 + CUDA 12.6"


def test_python_and_companions_are_choices(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    build = window.pages[PageId.BUILD]
    build.python.setCurrentIndex(build.python.findData("3.13"))
    settle(qtbot, window)
    press(qtbot, build.companions["torchaudio"])
    assert window.navigator.state.choices.python == "3.13"
    assert window.navigator.state.choices.companions == ("torchvision", "torchaudio")
    press(qtbot, build.companions["torchvision"])
    press(qtbot, build.companions["torchaudio"])
    assert window.navigator.state.choices.companions == ()


def test_sources_by_hand_are_asked_for_before_next_goes_on(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    source = window.pages[PageId.SOURCE]
    source.fold.button.click()
    typed(qtbot, source.by_hand.packages, "http://127.0.0.1:1/simple")
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert window.navigator.page is PageId.SOURCE
    assert session.calls[-1][1].index == "http://127.0.0.1:1/simple"
    press(qtbot, window.footer.primary)
    assert window.navigator.page is PageId.PLACE


def test_another_folder_becomes_a_prefix_and_another_engine_is_elected_again(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.PLACE)
    place = window.pages[PageId.PLACE]
    assert window.navigator.state.choices.name == "torch"
    typed(qtbot, place.folder, "/data/envs")
    assert not window.footer.primary.isEnabled(), "not before it was checked"
    qtbot.waitUntil(window.footer.primary.isEnabled)
    choices = window.navigator.state.choices
    assert (choices.name, choices.prefix) == (None, "/data/envs/torch")
    press(qtbot, place.engine_fold.button)
    press(qtbot, place.engines["venv"])
    qtbot.waitUntil(window.footer.primary.isEnabled)
    go_to(qtbot, window, PageId.REVIEW)
    assert [value.engine for name, value in session.calls if name == "select_build"] == ["auto", "venv"]
    assert window.navigator.state.preview is not None


def test_review_shows_exact_bytes_and_commands(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.REVIEW)
    review = window.pages[PageId.REVIEW]
    review.more.button.setChecked(True)
    shown = [label.text() for label in review.more.findChildren(QLabel)]
    assert any(f"{values.LOCK.total_bytes:,}" in words for words in shown)
    review.commands.button.setChecked(True)
    press(qtbot, review.copy)
    assert "conda create" in QGuiApplication.clipboard().text()
