"""Where an answer of Explain leads: a page of the setup, which keeps what was chosen, or says why it is closed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, until_cancelled
from tests.gui.fake_tools import FakeTools
from tests.gui.test_explain import SHORT, failed_engine, opened
from tests.gui.test_running import said_on
from tests.gui.walking import failed_install, go_to, press, settle
from wizard.app.pages.order import PageId, SideId
from wizard.compatibility.model import Choices
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.explain import ExplainPage
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.code import CodeLine
from wizard.model.messages import LANGUAGES


def test_a_pages_name_in_an_advice_leads_there(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText("AssertionError: Torch not compiled with CUDA enabled")
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert "<a " not in page.words, "a screen reader hears words"
    assert any('<a href="doctor">Check or repair</a>' in one.text() for one in window.findChildren(QLabel))
    page.open_page("doctor")
    settle(qtbot, window)
    assert window.side.here is not None
    assert window.side.here.page is SideId.DOCTOR


@pytest.mark.parametrize(
    "words",
    [
        SHORT,
        "ERROR: Could not find a version that satisfies the requirement torch",
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_setup_mends_has_a_button_for_it_that_is_seen(
    words: str, language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    window.resize(1080, 700)
    page = opened(qtbot, window)
    page.text.setPlainText(words)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    name = {"en": "&Set up PyTorch", "zh_CN": "安装 PyTorch(&S)"}[language]
    (setup,) = (one for one in page.findChildren(QPushButton) if one.text() == name)
    qtbot.waitUntil(lambda: setup.visibleRegion().boundingRect().height() == setup.height() > 0)
    causes = [one.text() for one in page._said]
    assert causes.index({"en": "Cause", "zh_CN": "原因"}[language]) == 1, "it comes first"
    assert not any(one.isVisible() for one in page.findChildren(CodeLine)), "commands are folded"
    press(qtbot, setup)
    settle(qtbot, window)
    assert (window.side.here, window.navigator.page) == (None, PageId.CHECK)


@pytest.mark.parametrize("href", ["build", "source", "place", "review"])
def test_a_page_of_the_setup_is_led_to_where_none_has_been_begun(
    href: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    rows = tuple(row for row in values.FACTS.requirements if row.state != "problem")
    session.facts = replace(values.FACTS, requirements=rows)
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText("ERROR: No matching distribution found for torch==2.9.0")
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    fix = next(one for one in window.findChildren(Advice) if 'href="build"' in one.label.text())
    fix.label.linkActivated.emit(href)
    qtbot.waitUntil(lambda: window.navigator.page is PageId(href))
    settle(qtbot, window)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.pages[PageId(href)])
    assert (window.side.here, window.navigator.page) == (None, PageId(href)), "and no further"


def test_a_page_that_is_closed_says_why_below_the_sentence(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = until_cancelled
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    page = opened(qtbot, window)
    page.text.setPlainText("ERROR: No matching distribution found for torch==2.9.0")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: bool(page.words))
    fix = next(one for one in page.findChildren(Advice) if 'href="build"' in one.label.text())
    fix.label.linkActivated.emit("build")
    refused = fix.findChildren(Advice)[0]
    assert refused.isVisible()
    assert refused.text().startswith("The setup has begun, so the page “Build” is closed.")
    refused.label.linkActivated.emit("welcome")
    assert (window.side.here, window.navigator.page) == (None, PageId.WELCOME)


def _with_audio(qtbot: QtBot, window: WizardWindow) -> Choices:
    """Choose torchaudio, too; return what is chosen then."""
    go_to(qtbot, window, PageId.BUILD)
    press(qtbot, window.page.companions["torchaudio"])
    settle(qtbot, window)
    return window.navigator.state.choices


def test_a_page_that_is_named_beside_a_failed_run_keeps_what_was_chosen(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    chosen = _with_audio(qtbot, window)
    assert chosen.companions == ("torchvision", "torchaudio")
    failed_install(qtbot, window, session)
    window.side.open(SideId.EXPLAIN)
    settle(qtbot, window)
    assert window.page.open_page(PageId.BUILD.value) == ""
    qtbot.waitUntil(lambda: window.navigator.page is PageId.BUILD)
    settle(qtbot, window)
    assert (window.side.here, window.navigator.state.choices.companions) == (None, chosen.companions)
    assert "discard" in session.names(), "the failed run is removed, as by the links on Install"


def test_explain_and_back_keeps_a_failed_run(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session, failed_engine)
    failed, said = window.navigator.state, said_on(install.trouble)
    press(qtbot, install.explain)
    settle(qtbot, window)
    assert isinstance(window.page, ExplainPage)
    assert window.page.open_page(SideId.ENVIRONMENTS.value) == ""
    settle(qtbot, window)
    while window.side.here:
        press(qtbot, window.footer.back)
        settle(qtbot, window)
    assert window.page is install
    assert window.navigator.state is failed
    assert (install.trouble.isVisible(), said_on(install.trouble)) == (True, said)
    assert "discard" not in session.names()


def test_a_setup_by_explains_button_keeps_what_was_chosen_for_a_failed_one(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    chosen = _with_audio(qtbot, window)
    failed_install(qtbot, window, session)
    window.side.open(SideId.EXPLAIN, text="ModuleNotFoundError: No module named 'torch'")
    settle(qtbot, window)
    (setup,) = (one for one in window.page.findChildren(QPushButton) if one.text() == "&Set up PyTorch")
    press(qtbot, setup)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.BUILD)
    settle(qtbot, window)
    assert (window.side.here, window.navigator.state.choices.companions) == (None, chosen.companions)
