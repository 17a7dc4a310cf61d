"""The rows of Check in their room: where words and buttons stand, and what is told with them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.test_check import _found, check_page
from tests.gui.walking import LEAST, go_to, lower, press, texts, visible
from wizard.app.pages.check import restart_rows
from wizard.app.pages.order import PageId
from wizard.gui.pages.check_rows import CheckRows
from wizard.gui.shell.splash import SIZE
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.frames import RowCell
from wizard.gui.widgets.labels import SPOKEN_AS, Pill
from wizard.model.messages import LANGUAGES


def test_a_setting_is_told_with_its_places_where_its_way_out_opens(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    _, window = _found(qtbot, make_window, session)
    page = check_page(window)
    dead = [words for words in texts(window) if ": no answer" in words]
    assert len(dead) == 1, "a file and a variable name the same mirror: one row"
    assert not any("Setup skips it" in words for words in texts(window))
    press(qtbot, page.rows.fixes["dead-mirror"])
    qtbot.waitUntil(lambda: any("Setup skips it" in words for words in texts(window)))
    told = next(words for words in texts(window) if "Setup skips it" in words)
    assert told.startswith("Set in ")
    assert "pip.conf" in told
    assert "PIP_INDEX_URL" in told


def test_a_row_without_a_button_has_its_room_for_words(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    scenes.rich(session)
    window = make_window()
    window.resize(*SIZE)
    go_to(qtbot, window, PageId.CHECK)

    def facts() -> list[QWidget]:
        shown = visible(window, QLabel)
        return [one for one in shown if isinstance(one, QLabel) and one.text().startswith(("NVIDIA GeForce", "535."))]

    qtbot.waitUntil(lambda: len(facts()) == 2)
    card, driver = facts()
    assert card.width() > driver.width() + 50, "beside the driver stands a button"


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_a_small_window_the_buttons_stand_below_the_words(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    scenes.rich(session)
    window = make_window(language)
    window.resize(*SIZE)
    go_to(qtbot, window, PageId.CHECK)
    rows = check_page(window).rows

    def words() -> list[QWidget]:
        shown = visible(window, QLabel)
        return [one for one in shown if isinstance(one, QLabel) and rows.isAncestorOf(one) and "535." in one.text()]

    qtbot.waitUntil(lambda: len(words()) == 1)
    buttons = [one for one in visible(window, QPushButton) if isinstance(one, QPushButton) and rows.isAncestorOf(one)]
    button = next(one for one in buttons if one.isCheckable())

    def left(one: QWidget) -> int:
        return one.mapTo(rows, QPoint(0, 0)).x()

    assert left(button) > left(words()[0]) + words()[0].width()
    button.setFocus()
    rows.setMaximumWidth(560)  # what large letters leave in the smallest window
    qtbot.waitUntil(lambda: left(button) == left(words()[0]))
    qtbot.waitUntil(lambda: words()[0].width() > 0.45 * rows.width())
    assert button.isVisible()
    assert window.focusWidget() is button
    rows.setMaximumWidth(10_000)
    qtbot.waitUntil(lambda: left(button) > left(words()[0]) + words()[0].width())


@pytest.mark.parametrize("size", [(784, 600), (640, 400), LEAST])
@pytest.mark.parametrize("language", LANGUAGES)
def test_in_a_small_window_the_words_have_its_width_below_name_and_state(
    language: str, size: tuple[int, int], qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """In what was left beside them they stood in up to nine lines, and the state in their middle, out of sight."""
    scenes.rich(session)
    window = make_window(language)
    lower(window, size)
    go_to(qtbot, window, PageId.CHECK)
    page = check_page(window)
    page.fold.button.setChecked(True)
    qtbot.waitUntil(lambda: page.others.isVisible() and page.drifted.isVisible())

    def is_below(rows: CheckRows) -> bool:
        pills = [one for one in rows.findChildren(Pill) if one.isVisible()]
        cells = [one for one in rows.findChildren(RowCell) if one.isVisible() and one.property(SPOKEN_AS) == "item"]
        assert len(pills) == len(cells) > 0
        return all(
            pill.mapTo(rows, pill.rect().bottomLeft()).y() < cell.mapTo(rows, QPoint()).y() + 2
            and cell.width() > 0.9 * rows.width()
            for pill, cell in zip(pills, cells, strict=True)
        )

    for rows in (page.rows, page.drifted, page.others):
        qtbot.waitUntil(lambda rows=rows: is_below(rows))  # type: ignore[misc]

    def empty() -> int:
        above = (one for kind in (QLabel, QPushButton) for one in page.drifted.findChildren(kind) if one.isVisible())
        below = (one for one in page.others.findChildren(QLabel) if one.isVisible())
        end = max(one.mapTo(page, one.rect().bottomLeft()).y() for one in above)
        return min(one.mapTo(page, QPoint()).y() for one in below) - end

    qtbot.waitUntil(lambda: 8 <= empty() <= 32)  # pixels: one list, though of two cards
    lower(window, (1280, 800))
    qtbot.waitUntil(lambda: not is_below(page.others))


def test_a_problem_outside_this_setup_is_no_plain_line(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    _, window = _found(qtbot, make_window, session)
    page = check_page(window)
    assert page.fold._value.text() == "4 · ✕ Problems: 1"
    assert page.fold._value.property("role") == "problem"
    assert page.fold.button.accessibleName() == "Outside this setup 4 Problems: 1"
    looks = window.navigator.state.looks
    assert looks is not None
    window.navigator.put_looks(replace(looks, drifts=()))
    assert page.fold._value.text() == "3", "of warnings only how many"
    assert page.fold._value.property("role") == "muted"


def test_why_it_matters_opens_with_what_to_do_where_the_setup_goes_on(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.facts = replace(
        session.facts, requirements=(*session.facts.requirements, *restart_rows("/run/reboot-required"))
    )
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    assert "A restart is pending." in texts(window)
    why = "An update takes effect after the restart"
    assert not any(why in words for words in texts(window))
    press(qtbot, next(one for one in visible(window, QPushButton) if one.accessibleName() == "What to do: Restart"))
    qtbot.waitUntil(lambda: any(words.startswith(why) for words in texts(window)))


def test_a_long_answer_of_a_row_is_not_bold(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    """What to do about a dead mirror, and why, was six bold lines."""
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    button = next(one for one in visible(window, QPushButton) if one.text() == "What to do")
    press(qtbot, button)
    told = [one for one in visible(window, Advice) if one.text() == button.accessibleDescription()]
    assert len(told) == 1
    assert told[0].label.property("role") != "strong"
