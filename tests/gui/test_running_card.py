"""A run that goes on as Welcome shows it, live, and in the other language."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.test_running import installing, run_of, said_on
from tests.gui.walking import press, settle
from wizard.app.pages.order import PageId
from wizard.gui.pages.welcome.cards import RunningCard
from wizard.gui.shell.window import WizardWindow
from wizard.model.events import EventKind
from wizard.model.messages import LANGUAGES, message, text


def test_the_running_card_of_welcome_is_live(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = half_run
    window, _ = installing(qtbot, make_window)
    press(qtbot, window.rail.steps[PageId.WELCOME])
    card = _card(qtbot, window)
    qtbot.waitUntil(lambda: "%" in card.pill.text() and "Running, 0 %" not in card.pill.text())
    before = card.pill.text()
    run = run_of(session)
    run.fetch((0.8,))
    qtbot.waitUntil(lambda: card.pill.text() != before)
    run.finish()
    qtbot.waitUntil(lambda: card.words.text().startswith("Finished, see the result"))
    assert card.buttons[0].text() == "&See the result"
    press(qtbot, card.buttons[0])
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)


def test_the_running_card_becomes_an_unfinished_one(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window, install = installing(qtbot, make_window)
    press(qtbot, window.rail.steps[PageId.WELCOME])
    card = _card(qtbot, window)
    session.set_state(install.watch.run_id, "unfinished")  # killed
    card._watch.ask()
    qtbot.waitUntil(
        lambda: any(one.text() == "Re&move" and one.isVisible() for one in window.page.findChildren(QPushButton))
    )


def _card(qtbot: QtBot, window: WizardWindow) -> RunningCard:
    def cards() -> list[RunningCard]:
        return [one for one in window.page.findChildren(RunningCard) if one.isVisible()]

    settle(qtbot, window)
    qtbot.waitUntil(lambda: len(cards()) == 1)
    return cards()[0]


def test_the_language_switched_on_a_running_setup_reaches_every_line(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """What a step is at, what it said and what the log gets from now on."""
    session.script = half_run
    window, install = installing(qtbot, make_window)
    run = run_of(session)
    run.emit(
        EventKind.STEP_STARTED,
        step="create",
        message=message("step.create.venv", python="3.12", prefix="/e").to_json("en"),
    )
    run.emit(
        EventKind.PROGRESS,
        step="create",
        done=0,
        total=None,
        detail=message("environments.progress.conda-plan").to_json("en"),
    )
    english, chinese = (text(message("environments.progress.conda-plan"), language) for language in LANGUAGES)
    qtbot.waitUntil(lambda: english in said_on(install))
    window.rail.languages["zh_CN"].click()
    qtbot.waitUntil(lambda: chinese in said_on(install))
    assert not re.findall(r"(?:\b[a-z]{2,}[ ,]+){3,}[a-z]{2,}\b", said_on(install)), said_on(install)
    told = message("environments.volume.temp", path="/tmp", free="4")
    run.emit(EventKind.LOG, step="preflight", text=text(told, "en"), message=told.to_json("en"))
    qtbot.waitUntil(lambda: text(told, "zh_CN") in install.log.all_words())
