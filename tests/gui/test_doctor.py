"""Doctor: cause, evidence, one repair button with bytes; nothing wrong and not known look right; reports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.fake_tools import FakeTools
from tests.gui.test_access import heard
from tests.gui.walking import LEAST, lower, mnemonics, press, settle, texts
from tests.sentences import error_text
from wizard.app.pages.order import PageId, SideId
from wizard.compatibility.model import Choices
from wizard.gui.shell.window import SMALLEST, WizardWindow
from wizard.gui.tools.doctor import DoctorPage
from wizard.gui.widgets.headings import _role_of
from wizard.gui.widgets.labels import Pill, label
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES

PREFIX = fake_tools.HOME / "torch"
RUN = "20261101-121212-beef"


def opened(qtbot: QtBot, window: WizardWindow, prefix: Path | None = PREFIX) -> DoctorPage:
    window.side.open(SideId.DOCTOR, prefix)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, DoctorPage)
    return page


def test_an_environment_is_chosen_from_the_list_and_examined(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    window = make_window()
    page = opened(qtbot, window, None)
    assert page.choice.count() == len(fake_tools.ENVIRONMENTS)
    assert window.focusWidget() is page.choice
    assert "examine" not in side.names(), "nothing is looked at unasked"
    assert page.choice.itemData(0) == fake_tools.ENVIRONMENTS[1].prefix, "the CPU build, which most who ask have"
    last = page.choice.itemText(page.choice.count() - 1)
    assert "–  no PyTorch  –" in last, "the system's come last"
    page.choice.setCurrentIndex(1)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert ("examine", fake_tools.ENVIRONMENTS[0].prefix) in side.calls


def test_it_opens_on_the_one_that_it_was_opened_for(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    opened(qtbot, window, None).choice.setCurrentIndex(1)
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    other = fake_tools.ENVIRONMENTS[2].prefix
    page = opened(qtbot, window, other)
    assert page.choice.currentData() == other
    assert [what for name, what in side.calls if name == "examine"] == [other]
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    opened(qtbot, window, PREFIX)
    assert page.choice.currentData() == PREFIX


def test_who_comes_again_gets_a_new_look(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.answer = lambda prefix: fake_tools.examination(fake_tools.answer("nothing-wrong", prefix))
    window = make_window()
    page = opened(qtbot, window)
    assert "Nothing is wrong" in page.answer.words
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    side.answer = lambda prefix: fake_tools.examination(fake_tools.answer("found", prefix, fake_tools.CPU_BUILD))
    opened(qtbot, window)
    assert "Nothing is wrong" not in page.answer.words
    assert [what for name, what in side.calls if name == "examine"] == [PREFIX, PREFIX]
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    opened(qtbot, window, None)
    assert not page.answer.isVisible(), "what was found before may be true no more"


def test_what_was_found_goes_with_its_environment(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = opened(qtbot, window, None)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert page.answer.isVisible()
    gone = page.choice.currentData()
    page._listed(tuple(one for one in fake_tools.ENVIRONMENTS if one.prefix != gone))
    assert page.choice.currentData() != gone
    assert not page.answer.isVisible(), "it says nothing of the one that stands there now"
    settle(qtbot, window)


def test_a_long_place_is_shortened_in_its_middle(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    choice = opened(qtbot, window).choice
    choice.setMaximumWidth(180)  # as with large letters in the smallest window
    whole = choice.currentText()
    assert whole.endswith(str(PREFIX))
    qtbot.waitUntil(lambda: "…" in choice.shown_text())
    assert choice.shown_text()[-5:] == whole[-5:]
    assert choice.fontMetrics().horizontalAdvance(choice.shown_text()) < choice.width() - 26, "the arrow is not covered"


def test_a_folder_in_no_list_is_examined_too(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = opened(qtbot, window, None)
    page.take_folder(Path("/data/other env"))
    settle(qtbot, window)
    assert ("examine", Path("/data/other env")) in side.calls
    assert page.choice.currentData() == Path("/data/other env")


def test_the_cause_is_said_with_evidence_and_one_repair_button_with_bytes(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, session: FakeSession
) -> None:
    window = make_window()
    page = opened(qtbot, window)
    assert "The CPU build of PyTorch (2.15.0+cpu) is installed" in page.answer.words
    assert not page.answer._evidence.isVisible()
    page.answer.evidence.button.click()
    assert "2.15.0+cpu" in page.answer._evidence.text()
    assert window.footer.primary.text() == "&Repair now"
    assert "1.2 GB" in window.footer.primary.toolTip(), "not 2.9: some is here"
    assert any("1.2 GB" in one for one in texts(window))
    session.known_runs = [values.run_info(RUN, "planned")]
    session.script = half_run
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.side.here is None)
    assert window.navigator.page is PageId.INSTALL
    assert window.navigator.state.run_id == RUN
    assert ("start", RUN) in session.calls
    assert ("discard", RUN) not in session.calls, "the worker has it now"


def test_a_repair_that_is_not_wanted_is_dropped(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    window = make_window()
    opened(qtbot, window)
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert ("discard", RUN) in session.calls


def test_another_environment_makes_the_answer_worthless(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    page = opened(qtbot, window)
    page.choice.setCurrentIndex(2)
    page.choice.activated.emit(2)
    settle(qtbot, window)
    assert not page.answer.isVisible()
    assert window.footer.primary.text() == "&Check"
    assert ("discard", RUN) in session.calls


@pytest.mark.parametrize(
    ("verdict", "pill", "said"),
    [
        ("nothing-wrong", "ok", "Nothing is wrong"),
        ("unknown", "note", "The cause is not known"),
        ("not-tested", "note", "was not tested"),
    ],
)
def test_no_cause_looks_right(
    verdict: str, pill: str, said: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.answer = lambda prefix: fake_tools.examination(fake_tools.answer(verdict, prefix))
    window = make_window()
    page = opened(qtbot, window)
    assert said in page.answer.words
    assert page.answer._pill.property("pill") == pill
    assert not window.footer.primary.isVisible(), "nothing to repair"
    assert page.again.isVisible()
    assert window.focusWidget() is page.again
    page.answer.looks.button.click()
    shown = [one.text() for one in page.answer._looks.findChildren(Pill) if one.isVisible()]
    assert shown == ["✓ Ruled out", "✓ Ruled out", "• Could not look"]


def test_what_replaced_the_build_is_named(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.answer = lambda prefix: fake_tools.examination(
        fake_tools.answer("found", prefix, fake_tools.CPU_BUILD), fake_tools.drift_in(prefix)
    )
    page = opened(qtbot, make_window())
    assert "some-trainer 1.2" in page.answer._drift.text()


def test_headings_and_lists_are_heard_as_such(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.answer = lambda prefix: fake_tools.examination(
        fake_tools.answer("found", prefix, fake_tools.CPU_BUILD), fake_tools.drift_in(prefix)
    )
    page = opened(qtbot, make_window())
    shown = [one for one in page.answer.findChildren(QLabel) if one.isVisible()]
    heads = [one.text() for one in shown if _role_of(one) is QAccessible.Role.Heading]
    assert heads[0] == "✕ Cause found"
    assert page.answer._drift_title.text() in heads
    for points in (page.answer._plan, page.answer._drift):
        assert _role_of(points) is QAccessible.Role.List
        assert points.points
        for row in points.points:
            assert _role_of(row) is QAccessible.Role.ListItem
            assert row.text() == f"•  {row.accessibleName()}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_a_point_begins_below_its_dot(
    language: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.answer = lambda prefix: fake_tools.examination(
        fake_tools.answer("found", prefix, fake_tools.CPU_BUILD), fake_tools.drift_in(Path("/home/li/a folder" * 20))
    )
    page = opened(qtbot, make_window(language))
    for points in (page.answer._plan, page.answer._drift):
        for row in points.points:
            dot, words = sorted(row.findChildren(QLabel), key=lambda one: one.x())
            assert (dot.text(), words.text()) == ("•", row.accessibleName())
            assert words.x() >= dot.geometry().right() + 8
    first = page.answer._drift.points[0]
    assert first.height() > 2 * first.fontMetrics().height(), "it has several lines"


def test_who_listens_while_it_comes_hears_headings_and_named_lists(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    """With a reader on, Qt asks each label what it is as soon as it gets its words."""
    side.answer = lambda prefix: fake_tools.examination(
        fake_tools.answer("found", prefix, fake_tools.CPU_BUILD), fake_tools.drift_in(prefix)
    )
    QAccessible.setActive(True)
    try:
        page = opened(qtbot, make_window())
        assert heard(page.answer._pill).role == QAccessible.Role.Heading
        for points, name in ((page.answer._plan, "What the repair changes"), (page.answer._drift, "")):
            assert heard(points).name == (name or page.answer._drift_title.text())
            rows = [heard(one) for one in points.points]
            assert rows
            assert {row.role for row in rows} == {QAccessible.Role.ListItem}
        assert heard(label("Words", "heading")).role == QAccessible.Role.Heading
        assert heard(label("Words", "strong", spoken_as="heading")).role == QAccessible.Role.Heading
    finally:
        QAccessible.setActive(False)


def test_a_repair_that_cannot_be_planned_keeps_the_cause(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.fail["plan_repair"] = WizardError(error_text("repair-system"), path="/usr")
    window = make_window()
    page = opened(qtbot, window)
    assert page.trouble.code == "error.repair-system.summary"
    assert "The CPU build of PyTorch (2.15.0+cpu) is installed" in page.answer.words
    assert not window.footer.primary.isVisible()


def test_a_source_that_it_asks_for_is_named_on_the_page_source(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    side.fail["plan_repair"] = WizardError(error_text("no-source"), build="torch 2.6.0+cpu")
    window = make_window()
    page = opened(qtbot, window)
    way = next(one for one in page.trouble.ways if one.isVisible())
    assert way.text() == "Open “Source”"
    press(qtbot, way)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.SOURCE)
    settle(qtbot, window)
    named = replace(window.navigator.state.choices, torch_index="https://wheels.example/simple")
    window.navigator.put_sources(named)
    side.fail.clear()
    page = opened(qtbot, window)
    assert side.named_sources == Choices(torch_index="https://wheels.example/simple")


def test_an_examination_can_be_left(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.hold.add("examine")
    window = make_window()
    window.side.open(SideId.DOCTOR, PREFIX)
    qtbot.waitUntil(lambda: "examine" in side.names())
    assert window.page.busy.isVisible()
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert window.side.here is None


def test_the_report_is_copied_and_saved(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    page = opened(qtbot, window)
    press(qtbot, page.copy)
    settle(qtbot, window)
    assert "The CPU build of PyTorch (2.15.0+cpu) is installed" in QGuiApplication.clipboard().text()
    for ending in ("json", "html", "txt"):
        page.save_to(tmp_path / f"report.{ending}")
        settle(qtbot, window)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["verdict"] == "found"
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
    page.save_to(tmp_path / "report.txt" / "below.txt")
    qtbot.waitUntil(page.trouble.isVisible)


@pytest.mark.parametrize("language", LANGUAGES)
def test_letters_are_unique_and_all_fits(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(language)
    window.resize(*SMALLEST)
    page = opened(qtbot, window)
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    sheet, view = page._scroll.widget(), page._scroll.viewport()
    qtbot.waitUntil(lambda: sheet.width() <= view.width())
    assert window.width() == SMALLEST[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_deeper_look_tells_what_is_read_and_can_be_stopped(
    language: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    """The terminal had it alone. Stopped, what was found before counts as it did; ended, it stands in its place."""
    side.answer = lambda prefix: fake_tools.examination(fake_tools.answer("nothing-wrong", prefix))
    window = make_window(language)
    page = opened(qtbot, window)
    before = page.answer.words
    assert not page.stop.isVisible()
    side.hold.add("examine-deep")
    press(qtbot, page.deeper)
    qtbot.waitUntil(lambda: "torch" in page.answer.busy._words.text() and page.stop.isVisible())
    assert window.focusWidget() is page.stop
    assert not page.deeper.isEnabled()
    assert page.answer.words == before, "it is read meanwhile"
    press(qtbot, page.stop)
    settle(qtbot, window)
    assert page.answer.words == before
    assert "12" not in before, "nothing says that every file was read"
    assert page.deeper.isVisible()
    assert page.deeper.isEnabled()
    assert not page.stop.isVisible()
    side.let_go.set()
    side.hold.clear()
    side.answer = lambda prefix: fake_tools.examination(fake_tools.answer("found", prefix, fake_tools.CPU_BUILD))
    qtbot.wait(QApplication.doubleClickInterval())
    press(qtbot, page.deeper)
    settle(qtbot, window)
    assert page.answer.words != before
    assert not page.deeper.isVisible(), "there is no deeper one"
    assert [what for name, what in side.calls if name == "examine-deep"] == [PREFIX, PREFIX]


@pytest.mark.parametrize("size", [(1080, 740), (640, 400), LEAST])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_deeper_look_moves_nothing_and_says_what_it_does(
    language: str, size: tuple[int, int], qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    window = make_window(language)
    lower(window, size)
    page = opened(qtbot, window)

    def places() -> list[tuple[int, int]]:
        shown = [page.answer._card, page.answer.evidence, page.answer.looks, window.footer.back, window.footer.primary]
        return [
            (one.mapTo(page._scroll.widget() if page.isAncestorOf(one) else window, QPoint()).y(), one.height())
            for one in shown
        ]

    qtbot.waitUntil(lambda: page.deeper.isVisible())
    qtbot.wait(200)
    before = places()
    side.hold.add("examine-deep")
    page.deeper.click()
    qtbot.waitUntil(lambda: "torch" in page.answer.busy._words.text() and page.stop.hasFocus())
    qtbot.wait(200)
    assert not page.busy.isVisible()
    assert places() == before
    for one in (page.stop, page.answer.busy):
        assert one.visibleRegion().boundingRect().height() == one.height(), "seen whole"
    assert heard(page.stop).name == {"en": "Stop reading every file"}.get(language, "停止读取每个文件")
    where = page.stop.mapTo(window, page.stop.rect().center())
    count = len(side.calls)
    press(qtbot, page.stop)
    met = window.childAt(where)
    if isinstance(met, QPushButton):  # as in a narrow window
        qtbot.mouseClick(met, Qt.MouseButton.LeftButton)
    qtbot.wait(200)
    assert places() == before
    assert side.calls[count:] == []
    assert size[0] < 640 or not isinstance(met, QPushButton), "nothing comes under the mouse"
    side.let_go.set()


def test_return_twice_on_stop_starts_nothing(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, session: FakeSession
) -> None:
    window = make_window()
    page = opened(qtbot, window)
    side.hold.add("examine-deep")
    page.deeper.click()
    qtbot.waitUntil(lambda: window.focusWidget() is page.stop)
    count = len(side.calls)
    for _ in range(4):
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
        qtbot.wait(150)
    assert window.focusWidget() is page.deeper
    assert side.calls[count:] == []
    assert "start" not in session.names()
    side.let_go.set()
    settle(qtbot, window)


def test_return_again_and_again_on_check_repairs_nothing(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, session: FakeSession
) -> None:
    """Repair now comes where Check was: it is meant by who leaves it a moment."""
    window = make_window()
    opened(qtbot, window, None)
    window.footer.primary.setFocus()
    for _ in range(12):
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Return)
        qtbot.wait(150)
    assert window.focusWidget() is window.footer.primary
    assert window.footer.primary.text() == "&Repair now"
    assert "start" not in session.names()
    session.known_runs = [values.run_info(RUN, "planned")]
    session.script = half_run
    qtbot.wait(QApplication.doubleClickInterval() + 100)
    qtbot.keyClick(window.footer.primary, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: ("start", RUN) in session.calls)


@pytest.mark.parametrize("size", [(1080, 740), (640, 400), LEAST])
def test_a_deeper_look_that_fails_gives_all_back_and_shows_why(
    size: tuple[int, int], qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    window = make_window()
    lower(window, size)
    page = opened(qtbot, window)
    side.fail["examine-deep"] = WizardError(error_text("no-environment"), path="/gone")
    page.deeper.click()
    qtbot.waitUntil(page.trouble.isVisible)
    assert not page.stop.isVisible()
    for one in (page.copy, page.save, page.deeper, page.again):
        assert one.isVisible()
        assert one.isEnabled()
    qtbot.waitUntil(page.again.hasFocus)
    qtbot.waitUntil(lambda: page.trouble.visibleRegion().boundingRect().height() > 2 * page.fontMetrics().height())


def test_what_is_done_is_said_aloud(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(DoctorPage, "announce", lambda page, words, urgent=False: said.append(words))
    window = make_window()
    page = opened(qtbot, window)
    assert said[0] == "Checking…"
    side.hold.add("examine-deep")
    page.deeper.click()
    qtbot.waitUntil(page.stop.isVisible)
    assert said[-1] == "Reading every file; takes minutes."
    press(qtbot, page.stop)
    assert said[-1] == "Stopped. What was found before still counts."
    side.let_go.set()
    side.hold.clear()
    settle(qtbot, window)
    page.deeper.click()
    settle(qtbot, window)
    read = "Every file of 12 packages was read: whole."
    assert read in said[-1]
    assert read in page.answer._evidence.text()
