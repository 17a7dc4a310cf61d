"""A small screen at 200 %: the buttons have room for their words, and what the keys would press is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.test_doctor import opened
from tests.gui.test_environment_table import Resized, at_rest
from tests.gui.test_layout import is_across, is_whole
from tests.gui.test_pictures import MACHINES, MachineSession, failing_at
from tests.gui.test_verify import reached
from tests.gui.walking import LEAST, go_to, lower, press, settle, visible
from wizard.app.pages.order import PageId
from wizard.gui.pages.build.cards import VerdictCard
from wizard.gui.pages.build.page import BuildPage
from wizard.gui.pages.install import InstallPage
from wizard.gui.shell.window import WizardWindow
from wizard.model.messages import LANGUAGES


@pytest.fixture(params=LANGUAGES)
def window(request: pytest.FixtureRequest, make_window: MakeWindow) -> WizardWindow:
    """Return the window on such a screen, in each language."""
    made = make_window(request.param)
    lower(made)
    return made


@pytest.mark.parametrize("told", ["running", "paused", "sharing"])
def test_the_question_before_the_window_closes_is_whole(
    told: str, qtbot: QtBot, window: WizardWindow, session: FakeSession
) -> None:
    """Cut, the button that lets the run go on looked like the one that cancels it."""
    session.script = half_run
    go_to(qtbot, window, PageId.INSTALL)
    settle(qtbot, window)
    install = window.page
    assert isinstance(install, InstallPage)
    if told == "paused":
        qtbot.waitUntil(install.pause.isVisible)
        press(qtbot, install.pause)
        settle(qtbot, window)
    window.close()
    if told == "sharing":
        window.ask.ask(ends="serving")
    buttons = (window.ask.go, window.ask.cancel, window.ask.stay)
    qtbot.waitUntil(lambda: all(is_whole(one) and one.width() >= one.sizeHint().width() for one in buttons))
    places = [QRect(one.mapTo(window, QPoint()), one.size()).adjusted(-2, -2, 2, 2) for one in buttons]
    assert not any(one.intersects(other) for one in places for other in places if one is not other)
    assert not window.footer.isVisible()
    press(qtbot, window.ask.stay)
    assert window.footer.isVisible()


def test_the_footer_comes_and_goes_with_the_height_of_the_window(
    qtbot: QtBot, window: WizardWindow, session: FakeSession
) -> None:
    """Also where the height alone changes: the question keeps its size then."""
    session.script = half_run
    go_to(qtbot, window, PageId.INSTALL)
    settle(qtbot, window)
    window.resize(900, 700)
    window.close()
    qtbot.waitUntil(lambda: is_whole(window.ask.stay) and window.footer.isVisible())
    for height in (280, 700, 280):
        window.resize(900, height)
        qtbot.waitUntil(lambda low=height < 360: window.footer.isHidden() == low)
    window.translator.set_language("en")
    assert window.footer.isHidden()
    window.hide()
    window.show()
    assert window.footer.isHidden()
    press(qtbot, window.ask.stay)
    assert window.footer.isVisible()


def test_what_was_fetched_is_whole_while_paused(qtbot: QtBot, window: WizardWindow, session: FakeSession) -> None:
    session.script = half_run
    go_to(qtbot, window, PageId.INSTALL)
    install = window.page
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)
    press(qtbot, install.pause)

    def said() -> list[QLabel]:
        return [one for one in install.progress.findChildren(QLabel) if one.isVisible() and one.text()]

    qtbot.waitUntil(lambda: any("1.34" in one.text() for one in said()))
    qtbot.waitUntil(lambda: all(one.width() >= one.minimumSizeHint().width() for one in said()))


def test_what_a_step_did_lies_below_its_name_however_many_lines_it_has(
    qtbot: QtBot, window: WizardWindow, session: FakeSession
) -> None:
    """The card was no higher than its words need on wider lines."""
    session.script = half_run
    window.resize(640, 400)
    go_to(qtbot, window, PageId.INSTALL)
    install = window.page
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None)

    def are_whole() -> bool:
        said = [row.words for row in install.steps._rows.values() if row.words.isVisible() and row.words.text()]
        return len(said) == 3 and all(one.height() >= one.heightForWidth(one.width()) for one in said)

    for width in (640, 560, 510, 496):
        window.resize(width, 280)
        qtbot.waitUntil(lambda high=width: window.width() == high)
        qtbot.waitUntil(are_whole)


def test_the_speeds_curve_gives_way_to_the_steps(qtbot: QtBot, window: WizardWindow, session: FakeSession) -> None:
    session.script = half_run
    go_to(qtbot, window, PageId.INSTALL)
    install = window.page
    assert isinstance(install, InstallPage)
    curve = install.progress._curve
    for _ in range(2):
        curve.add(1e6, False)
    assert curve.isHidden()
    assert not curve.sizePolicy().retainSizeWhenHidden(), "its place is not kept empty"
    window.resize(900, 700)
    qtbot.waitUntil(lambda: not curve.has_no_room)
    curve.add(1e6, False)
    assert not curve.isHidden()
    lower(window)
    qtbot.waitUntil(curve.isHidden)
    assert not curve.sizePolicy().retainSizeWhenHidden()


def test_the_button_of_a_repair_is_whole_and_its_size_is_told(qtbot: QtBot, window: WizardWindow) -> None:
    opened(qtbot, window)
    controls = [one for one in window.footer.controls() if one.isVisible()]
    assert window.footer.primary in controls
    qtbot.waitUntil(lambda: all(one.width() >= one.minimumSizeHint().width() for one in controls))
    assert "1.2 GB" in window.footer.primary.toolTip()


def test_repair_is_seen_with_its_cause_when_the_test_has_failed(
    qtbot: QtBot, window: WizardWindow, session: FakeSession
) -> None:
    """Return presses it."""
    session.gpu_ok = False
    page = reached(qtbot, window)
    qtbot.waitUntil(lambda: window.focusWidget() is page.mend and is_whole(page.mend))
    cause = page._failure.cause
    assert cause.visibleRegion().boundingRect().height() >= cause.fontMetrics().height()


def test_a_build_that_does_not_fit_scrolls_nothing_sideways(qtbot: QtBot, window: WizardWindow) -> None:
    """The longest name with the longest verdict; that was cut."""
    go_to(qtbot, window, PageId.BUILD)
    settle(qtbot, window)
    card = window.page.findChild(VerdictCard)
    assert isinstance(card, VerdictCard)
    card._build.setText("torch 2.15.0 + CUDA 13.2")
    card._pill.show_state("warning", card.tr("does not fit here"))
    is_across(qtbot, window, card._pill.text())
    qtbot.waitUntil(lambda: card._pill.width() >= card._pill.sizeHint().width())


def test_the_longest_way_out_on_check_scrolls_nothing_sideways(
    qtbot: QtBot, window: WizardWindow, session: FakeSession, tmp_path: Path
) -> None:
    other = MachineSession(tmp_path / "other", MACHINES["nouveau"]())
    session.facts, session.looks = other.facts, other.looks
    go_to(qtbot, window, PageId.CHECK)
    settle(qtbot, window)
    shown = {one.text() for one in visible(window, QPushButton) if isinstance(one, QPushButton)}
    assert shown & {"How to install", "如何安装"}
    is_across(qtbot, window, "nouveau")


def test_the_buttons_of_a_setup_that_failed_are_whole(qtbot: QtBot, window: WizardWindow, session: FakeSession) -> None:
    """Another source lacked two pixels."""
    session.script = failing_at("create")
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: not window.navigator.state.run_is_going)
    settle(qtbot, window)
    buttons = [one for one in window.footer.findChildren(QPushButton) if one.isVisible()]
    assert len(buttons) > 3
    qtbot.waitUntil(lambda: all(one.width() >= one.minimumSizeHint().width() for one in buttons))
    lower(window, (1080, 740))
    qtbot.waitUntil(lambda: window.footer._right.spacing() == 10)


def test_each_step_of_the_rail_has_a_circle_of_its_own(qtbot: QtBot, window: WizardWindow) -> None:
    """They lay over each other: a row has 23 pixels there."""
    go_to(qtbot, window, PageId.BUILD)
    rail, steps = window.rail, [*window.rail.steps.values()]

    def colours(down: int) -> list[str]:
        """Return those in the middle of each step, so many pixels below its upper edge."""
        drawn = rail.grab().toImage()
        middle = [step.mapTo(rail, QPoint(step.width() // 2, down)) for step in steps]
        return [drawn.pixelColor(one * drawn.devicePixelRatio()).name() for one in middle]

    ground = rail.grab().toImage().pixelColor(QPoint(1, 1)).name()
    qtbot.waitUntil(lambda: any(one != ground for one in colours(0) + colours(2)))
    assert set(colours(0)) == {ground}
    assert ground not in colours(2) + colours(3)


def test_what_is_chosen_beside_a_build_is_whole(qtbot: QtBot, window: WizardWindow) -> None:
    """The box of Pythons lost the number, or a part of it."""
    go_to(qtbot, window, PageId.BUILD)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, BuildPage)
    assert "3.12" in page.python.currentText()
    parts, resized = (page.python, *page.companions.values()), Resized(page.python)

    def are_whole() -> bool:
        return all(is_whole(one) and one.width() >= one.sizeHint().width() for one in parts)

    qtbot.waitUntil(are_whole)
    at_rest(qtbot, resized)
    qtbot.waitUntil(are_whole)  # on a busy computer the last change of size comes later than that
    assert window.width() == LEAST[0]
