"""Three clicks for the person whose computer is fine: Next, Next, Install. And what ends the hurry on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.walking import press, settle, visible
from tests.sentences import error_text
from wizard.app.pages.order import ORDER, PageId
from wizard.gui.pages.check import CheckPage
from wizard.gui.pages.choosing import ChoosingPage
from wizard.gui.pages.welcome.page import WelcomePage
from wizard.gui.shell import auto_advance
from wizard.gui.shell.auto_advance import UNMEANT
from wizard.gui.shell.page_factory import BEHIND_CHECK
from wizard.gui.shell.theme import colour_now
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets.icons import Sign
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES
from wizard.run.model import Requirement, SelectedBuild
from wizard.run.plan.place import tight_row


@pytest.fixture(autouse=True)
def all_well(session: FakeSession) -> None:
    rows = tuple(row for row in values.FACTS.requirements if row.state != "problem")
    session.facts = replace(values.FACTS, requirements=rows)


def click_next(qtbot: QtBot, window: WizardWindow) -> None:
    qtbot.waitUntil(lambda: window.footer.primary.isVisible() and window.footer.primary.isEnabled())
    press(qtbot, window.footer.primary)


def wait_for(qtbot: QtBot, window: WizardWindow, page: PageId) -> None:
    qtbot.waitUntil(lambda: window.navigator.page is page and not window.page.is_busy)


@pytest.mark.parametrize("language", LANGUAGES)
def test_next_next_install(language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window(language)
    words = []
    for page in (PageId.CHECK, PageId.REVIEW, PageId.INSTALL):
        qtbot.waitUntil(window.footer.primary.isEnabled)
        words.append(window.footer.primary.text())
        click_next(qtbot, window)
        qtbot.waitUntil(lambda page=page: ORDER.index(window.navigator.page) >= ORDER.index(page))
    assert words[0] == words[1] != words[2]
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    names = session.names()
    assert [name for name in names if name in ("propose", "select_build", "check_place", "preview", "start")] == [
        "propose",
        "select_build",
        "check_place",
        "preview",
        "start",
    ], "nothing was left out, and nothing was done twice"


@pytest.mark.slow
def test_by_return_alone(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = half_run
    window = make_window()
    for page in (PageId.WELCOME, PageId.CHECK, PageId.REVIEW):
        wait_for(qtbot, window, page)
        qtbot.waitUntil(window.footer.primary.isEnabled)
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL)


def test_what_was_chosen_can_be_changed_from_review(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    click_next(qtbot, window)
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.REVIEW)
    qtbot.waitUntil(lambda: not window.navigator.chooses)
    for page in (PageId.BUILD, PageId.SOURCE, PageId.PLACE):
        assert window.rail.steps[page].isEnabled()
    press(qtbot, window.rail.steps[PageId.BUILD])
    settle(qtbot, window)
    assert window.navigator.page is PageId.BUILD, "nobody hurries a person who came back to change something"
    click_next(qtbot, window)
    settle(qtbot, window)
    assert window.navigator.page is PageId.SOURCE


def test_who_wants_to_choose_goes_page_by_page(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.CHECK)
    page = window.page
    assert isinstance(page, CheckPage)
    press(qtbot, page.choose)
    settle(qtbot, window)
    assert window.navigator.page is PageId.BUILD


@pytest.mark.parametrize("row", [("driver", "problem"), ("disk", "warning")])
def test_a_problem_is_not_passed_over(
    row: tuple[str, str], qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    bad = Requirement(*row, values.blocked().fact)
    session.facts = replace(session.facts, requirements=(*session.facts.requirements, bad))
    window = make_window()
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.CHECK)
    page = window.page
    assert isinstance(page, CheckPage)
    assert not page.choose.isVisible(), "the one way on is page by page"
    click_next(qtbot, window)
    settle(qtbot, window)
    assert window.navigator.page is PageId.BUILD


def test_a_tight_disk_is_said_and_its_place_is_a_button_away(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    tight = tight_row(values.blocked().fact, "cpu")
    session.facts = replace(session.facts, requirements=(*session.facts.requirements, tight))
    window = make_window()
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.CHECK)
    page = window.page
    assert isinstance(page, CheckPage)
    assert "shows each step" in page._subtitle.text()
    press(qtbot, page.place)
    wait_for(qtbot, window, PageId.PLACE)
    settle(qtbot, window)
    assert window.page is window.pages[PageId.PLACE]
    assert window.navigator.page is PageId.PLACE, "the person says where"
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.REVIEW)


def test_an_error_on_the_way_is_shown_where_it_is(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.fail["select_build"] = WizardError(error_text("no-source"), build="torch 2.14.1", tried="-")
    window = make_window()
    click_next(qtbot, window)
    click_next(qtbot, window)
    qtbot.waitUntil(lambda: window.page.trouble.isVisible())
    assert window.navigator.page is PageId.SOURCE
    session.fail.clear()
    press(qtbot, window.page.again)
    settle(qtbot, window)
    assert window.navigator.page is PageId.SOURCE, "the person is asked again"


def ticked(choosing: QWidget) -> int:
    return sum(one.accessibleName().endswith(": done") for one in choosing.findChildren(Sign))


def test_each_choice_is_named_beside_its_tick(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.selected = values.PROBED_SELECTED
    choose = session.select_build

    def find_older(*asked: Any) -> SelectedBuild:
        found = choose(*asked)
        return replace(found, candidate=replace(found.candidate, torch="2.13.0"))

    session.select_build = find_older  # type: ignore[method-assign]
    session.hold.add("preview")
    window = make_window()
    click_next(qtbot, window)
    click_next(qtbot, window)
    qtbot.waitUntil(lambda: "preview" in session.names())
    choosing = window.stack.currentWidget()
    assert isinstance(choosing, ChoosingPage)
    said = " ".join(one.text() for one in choosing.findChildren(QLabel))
    assert "torch 2.13.0" in said, "what the source has"
    assert "38.2 MB/s" in said
    assert str(session.environments_dir() / "torch") in said, "the folder as Place will propose it"
    assert ticked(choosing) == 3, "Review is still at work"


@pytest.mark.parametrize("how", ["key", "choose", "return"])
def test_a_person_who_steps_in_is_listened_to(
    how: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.hold.add("select_build")
    window = make_window()
    click_next(qtbot, window)
    click_next(qtbot, window)
    qtbot.waitUntil(lambda: "select_build" in session.names())
    choosing = window.stack.currentWidget()
    assert isinstance(choosing, ChoosingPage)
    qtbot.wait(round(UNMEANT * 1000) + 50)
    if how == "key":
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Escape)
    elif how == "return":
        choosing.myself.setFocus()
        qtbot.keyClick(choosing.myself, Qt.Key.Key_Return)
    else:
        press(qtbot, choosing.myself)
    assert window.navigator.page is (PageId.SOURCE if how == "key" else PageId.BUILD)
    assert window.stack.currentWidget() is window.page, "what waited behind is shown"
    session.let_go.set()
    settle(qtbot, window)
    qtbot.wait(30)
    assert window.navigator.page is (PageId.SOURCE if how == "key" else PageId.BUILD)


def test_return_ends_the_look_at_what_was_chosen_and_presses_nothing(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.gui.shell.auto_advance._SEEN", 3600.0)  # seconds: nothing but the key ends it
    window = make_window()
    click_next(qtbot, window)
    click_next(qtbot, window)
    choosing = lambda: window.stack.currentWidget()  # noqa: E731
    qtbot.waitUntil(lambda: isinstance(choosing(), ChoosingPage) and window.navigator.state.preview is not None)
    qtbot.wait(round(UNMEANT * 1000) + 50)
    assert isinstance(choosing(), ChoosingPage), "the last tick is seen"
    assert ticked(choosing()) == 4
    qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Return)
    assert choosing() is window.page
    assert window.navigator.page is PageId.REVIEW, "and Install was not pressed"


def test_a_second_press_of_an_impatient_hand_chooses_nothing(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.hold.add("select_build")
    window = make_window()
    click_next(qtbot, window)
    monkeypatch.setattr(auto_advance, "UNMEANT", 600.0)  # however long this computer takes until it presses again
    click_next(qtbot, window)
    qtbot.waitUntil(lambda: isinstance(window.stack.currentWidget(), ChoosingPage))
    choosing = window.stack.currentWidget()
    assert isinstance(choosing, ChoosingPage)
    qtbot.mouseDClick(choosing.myself, Qt.MouseButton.LeftButton)
    for _ in range(3):
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Return)
        qtbot.wait(round(UNMEANT * 500))
    session.let_go.set()
    wait_for(qtbot, window, PageId.REVIEW)


def test_one_calm_page_is_shown_while_the_program_chooses(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.hold.add("select_build")
    window = make_window()
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.CHECK)
    shown: list[str] = []
    window.stack.currentChanged.connect(lambda place: shown.append(type(window.stack.widget(place)).__name__))
    click_next(qtbot, window)
    qtbot.waitUntil(lambda: "select_build" in session.names())
    said = [one.text() for one in visible(window, QLabel) if isinstance(one, QLabel)]
    assert said.count("checking…") == 1, "the build is asked for at the sources"
    assert not any("torch" in words or "fits" in words for words in said), "no source has answered that it has one"
    choosing = window.stack.currentWidget()
    assert choosing is not None
    rings = [one.accessibleName() for one in choosing.findChildren(Sign) if one.accessibleName().endswith("progress")]
    assert rings == ["Source: in progress"]
    passed = [step.accessibleName() for page, step in window.rail.steps.items() if page in ORDER[2:6]]
    assert [name.endswith("done") for name in passed] == [True, False, False, False]
    assert ticked(choosing) == 1, "the rail ticks the same"
    title = next(one for one in choosing.findChildren(QLabel) if one.property("role") == "title")
    card = next(one for one in choosing.findChildren(QFrame) if one.property("role") == "info")
    assert window.focusWidget() is card, "the keys are somewhere seen"
    qtbot.waitUntil(lambda: card.grab().toImage().pixelColor(card.width() // 2, 0) == colour_now("text"))
    below = card.mapTo(window, QPoint(0, 0)).y() - title.mapTo(window, title.rect().bottomLeft()).y()
    assert title.alignment() & Qt.AlignmentFlag.AlignHCenter
    assert below < 48, "the title stands right above them"
    assert not window.footer.primary.isVisible(), "there is nothing to press but the way to choose by hand"
    session.let_go.set()
    qtbot.waitUntil(lambda: window.footer.primary.isVisible() and window.footer.primary.isEnabled())
    assert window.navigator.page is PageId.REVIEW
    assert shown == ["ChoosingPage", "ReviewPage"], "no page flies by"


def test_while_check_is_read_what_next_leads_to_is_made(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    assert set(window.pages) == {PageId.WELCOME}, "nobody has begun a setup"
    click_next(qtbot, window)
    qtbot.waitUntil(lambda: set(BEHIND_CHECK) < set(window.pages))
    assert any(isinstance(window.stack.widget(place), ChoosingPage) for place in range(window.stack.count()))
    assert window.stack.currentWidget() is window.pages[PageId.CHECK]
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.REVIEW)


class PaintWatch(QObject):
    """Notes which parts of the window were painted while its page was kept back."""

    def __init__(self, window: WizardWindow) -> None:
        super().__init__(window)
        self.window, self.alone, self.painted = window, set[str](), 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and isinstance(watched, QWidget) and watched.window() is self.window:
            self.painted += 1
            if not self.window.stack.updatesEnabled():
                self.alone.add(type(watched).__name__)
        return False


def test_a_new_page_rail_and_footer_are_painted_together(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window()
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.CHECK)
    watch = PaintWatch(window)
    qapp.installEventFilter(watch)
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.REVIEW)
    qtbot.waitUntil(lambda: window.footer.primary.isVisible() and window.updatesEnabled())
    qapp.removeEventFilter(watch)
    assert watch.painted
    assert watch.alone == set(), "rail and footer would paint the ground over the page"


def test_every_page_on_the_way_has_its_words(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("zh_CN")
    click_next(qtbot, window)
    wait_for(qtbot, window, PageId.CHECK)
    assert "程序会选好方案" in window.footer.primary.toolTip()


def test_one_button_alone_looks_chosen_beside_an_unfinished_setup(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Next does what the framed tile says; Resume is plain, and has the keys."""
    session.known_runs = [values.run_info("old", "unfinished")]
    window = make_window()
    page = window.page
    assert isinstance(page, WelcomePage)
    qtbot.waitUntil(lambda: page._left is not None and page._left.isVisible())
    settle(qtbot, window)
    buttons = [one for one in window.findChildren(QPushButton) if one.isVisible() and one.property("role") == "primary"]
    assert buttons == [window.footer.primary]
    assert page._left is not None
    assert (page._left.text(), page._left.property("role"), window.focusWidget()) == ("&Resume", None, page._left)
    assert page.setup.property("role") == "tile-first"
