"""The Build page beyond the grid: news of the sources, and a build that does not fit, taken after one question."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.compatibility.machines import FOLDER
from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.test_pictures import MACHINES
from tests.gui.test_words import of_machine
from tests.gui.walking import cell, go_to, lower, press, settle
from tests.sentences import error_text
from wizard.app.pages.build import arrange, cell_words, worth_showing
from wizard.app.pages.order import PageId
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.explain import why_not
from wizard.compatibility.model import Choices, Reason
from wizard.compatibility.resolve import resolve
from wizard.gui.pages.build.grid import BuildGrid
from wizard.gui.pages.build.page import BuildPage
from wizard.gui.pages.check import CheckPage
from wizard.gui.pages.proof import LinkBox
from wizard.gui.shell.splash import SIZE, SMALLEST
from wizard.gui.shell.window import WizardWindow
from wizard.machine.machine_file import read_machine_file
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, message, text


def build_page(window: WizardWindow) -> BuildPage:
    page = window.pages[PageId.BUILD]
    assert isinstance(page, BuildPage)
    return page


def press_cell(qtbot: QtBot, page: BuildPage, torch: str, variant: str) -> None:
    page.every.setChecked(True)
    page.grid.setCurrentCell(*page.grid.cell_of(torch, variant))
    qtbot.keyClick(page.grid, Qt.Key.Key_Space)


@pytest.mark.parametrize("name", ["two-cards", "too-old"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_short_grid_shows_all_of_its_rows_and_the_page_scrolls(
    language: str, name: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """It scrolled in itself, and nobody saw that there are more rows."""
    of_machine(name)(session)
    window = make_window(language)
    lower(window, (900, 600))
    go_to_build(qtbot, window)
    settle(qtbot, window)
    page = build_page(window)
    bar = page._scroll.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    assert page.grid.rowCount() > 3
    assert page.grid.verticalScrollBar().maximum() == 0


def test_news_are_told_when_they_are_known_and_nobody_waits(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.found_news = scenes.news()
    session.hold.add("news")
    window = make_window()
    go_to_build(qtbot, window)
    page = build_page(window)
    assert window.footer.primary.isEnabled()
    assert not page.news.isVisible()
    session.hold.clear()
    qtbot.waitUntil(page.news.isVisible)
    assert "2.15.1 + CUDA 13.2" in page.news.words
    assert "would not fit: needs driver 580" in page.news.words
    assert "2.15.1 + CPU (PyTorch Foundation): would fit" in page.news.words
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert session.names().count("news") == 1, "asked once for this look at the computer"
    assert page.news.isVisible()


def test_a_build_that_no_source_has_is_no_longer_the_best(qtbot: QtBot, make_window: MakeWindow) -> None:
    """What the sources have was asked on a later page, and the person goes back."""
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    verdict, selected = window.navigator.state.verdict, window.navigator.state.selected
    assert verdict is not None
    assert selected is not None
    assert verdict.best is not None
    best = verdict.best
    other = next(one for one in verdict.candidates if one.fits and one.torch != best.torch)
    said = {"build": f"torch {other.torch}+{other.variant}", "wanted": f"torch {best.torch}+{best.variant}"}
    notices = (message("notice.second-choice", **said),)
    window.navigator.put_selected_build(replace(selected, candidate=other, wanted=best, notices=notices))
    window.navigator.go_to(PageId.BUILD)
    settle(qtbot, window)
    page = build_page(window)
    shown = [one.text() for one in page.card.findChildren(QLabel) if one.isVisible()]
    assert any("which no reachable source has" in words for words in shown)
    cells = [cell(page.grid, *page.grid.cell_of(one.torch, one.variant)) for one in (best, other)]
    assert cells == ["✓ chosen", "✓ best"]


def test_news_that_cannot_be_had_are_no_error(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.fail["news"] = WizardError(error_text("window-unexpected"), what="X")
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    page = build_page(window)
    assert not page.trouble.isVisible()
    assert not page.news.isVisible()


def test_a_build_that_does_not_fit_is_taken_after_one_question(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    page = build_page(window)
    press_cell(qtbot, page, "2.15.0", "cu132")
    assert page.force.isVisible()
    assert window.focusWidget() is page.force.leave_it, "the harmless answer"
    assert "580" in page.force.accessibleName()
    assert window.navigator.state.choices.variant is None
    press(qtbot, page.force.take)
    assert not page.force.isVisible()
    choices = window.navigator.state.choices
    assert (choices.torch, choices.variant) == ("2.15.0", "cu132")
    assert page.card.words == "torch 2.15.0 + CUDA 13.2"
    assert page.grid.currentItem().text() == "! chosen"
    assert window.footer.primary.isEnabled()
    go_to(qtbot, window, PageId.SOURCE)
    asked = [value for name, value in session.calls if name == "select_build"]
    assert (asked[0].torch, asked[0].variant) == ("2.15.0", "cu132")
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    press_cell(qtbot, page, "2.14.1", "cu126")
    assert window.navigator.state.choices.variant is None, "back to the best"


def test_the_question_can_be_put_away(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    page = build_page(window)
    for close in (lambda: press(qtbot, page.force.leave_it), page.escape, window.footer.primary.click):
        press_cell(qtbot, page, "2.15.0", "cu132")
        assert page.force.isVisible()
        close()
        assert not page.force.is_asking
    assert window.navigator.state.picked == values.BEST


def test_what_was_never_published_is_not_asked_about(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    page = build_page(window)
    page.every.setChecked(True)
    absent = values.candidate("2.15.0", "cu132", Reason("not-published", {}))
    row, column = page.grid.cell_of("2.15.0", "cu132")
    page.grid._grid.cells["2.15.0", "cu132"] = absent  # type: ignore[union-attr]
    page.grid._press(row, column)
    assert not page.force.isVisible()


def is_whole(qtbot: QtBot, grid: BuildGrid) -> None:
    qtbot.waitUntil(lambda: grid.horizontalScrollBar().maximum() == 0)
    hints = {column: grid.sizeHintForColumn(column) for column in range(grid.columnCount())}
    assert {column: hint for column, hint in hints.items() if hint > grid.columnWidth(column)} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_grid_is_whole_in_a_window_of_the_usual_size(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """No cell is cut, no column is beyond the edge; what was never published is a dash, and says so when asked."""
    window = make_window(language)
    window.resize(*SIZE)
    go_to(qtbot, window, PageId.BUILD)
    page = build_page(window)
    grid = page.grid
    is_whole(qtbot, grid)
    assert "cu132" not in grid._grid.variants  # type: ignore[union-attr]
    page.every.click()
    is_whole(qtbot, grid)
    absent = grid.cell_of("2.13.0", "cu132")
    assert cell(grid, *absent) == "–"
    assert text(message("plan.cell.not-published"), language) in cell(grid, *absent, role=Qt.ItemDataRole.ToolTipRole)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_grid_is_whole_in_the_smallest_window(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """With its words: the rail has left its room to the page."""
    window = make_window(language)
    window.resize(*SMALLEST)
    go_to(qtbot, window, PageId.BUILD)
    page = build_page(window)
    grid = page.grid
    is_whole(qtbot, grid)
    page.every.click()
    is_whole(qtbot, grid)
    cell = grid.model().index(*grid.cell_of("2.14.1", "cu130"))
    assert grid.shown_words(cell) == cell.data()
    best = grid.model().index(*grid.cell_of("2.14.1", "cu126"))
    assert grid.shown_words(best) == best.data()


def go_to_build(qtbot: QtBot, window: WizardWindow) -> None:
    """`go_to` would wait for the news."""
    go_to(qtbot, window, PageId.CHECK)
    check = window.page
    assert isinstance(check, CheckPage)
    press(qtbot, check.choose if check.choose.isVisible() else window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.state.verdict is not None)


def test_another_python_touches_only_the_cells_that_say_something_else(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    page = build_page(window)
    touched: list[str] = []
    page.grid.model().dataChanged.connect(lambda first, last: touched.append(str(first.data())))
    links = page.card.findChildren(QFrame)
    page.render_state()
    assert touched == [], "what says the same is not written again"
    before = texts(page)
    page.python.setCurrentIndex(page.python.findData("3.11"))
    settle(qtbot, window)
    changed = sum(old != new for old, new in zip(before, texts(page), strict=True))
    assert len(touched) <= 4 * changed, "each has a text, a kind, a sentence and a tip"
    assert page.card.findChildren(QFrame) == links, "the proof's widgets are filled anew, not made anew"


def texts(page: BuildPage) -> list[str]:
    places = product(range(page.grid.rowCount()), range(page.grid.columnCount()))
    return [cell(page.grid, *place) for place in places]


def test_the_whole_page_is_seen_at_once(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    window.resize(1280, 800)
    go_to_build(qtbot, window)
    page = build_page(window)
    assert page.grid.rowCount() == 5
    bars = (page._scroll.verticalScrollBar(), page.grid.verticalScrollBar(), page.grid.horizontalScrollBar())
    qtbot.waitUntil(lambda: [bar.maximum() for bar in bars] == [0, 0, 0])


@pytest.mark.parametrize(
    ("machine", "first"),
    [("machines/no-gpu-linux", "No NVIDIA"), ("other_makers/rx-6700-xt-windows", "This AMD card is not used.")],
)
def test_a_computer_without_a_card_for_it_is_told_so_first(
    machine: str,
    first: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = read_machine_file(FOLDER.parent / f"{machine}.json")
    session.facts = replace(session.facts, machine=found)
    monkeypatch.setattr(session, "propose", lambda facts, choices: resolve(found, load_matrix(), choices))
    window = make_window()
    go_to_build(qtbot, window)
    page = build_page(window)
    lines = [one for one in page.findChildren(QLabel) if one.isVisible() and one.text() not in ("", page.title)]
    top = min(lines, key=lambda one: one.mapTo(page, one.rect().topLeft()).y())
    assert top.text().startswith(first)
    link = page.card._links[0]
    fact = "no NVIDIA card" if "no-gpu" in machine else "Radeon RX 6700 XT"
    assert (link.state, link._name.text(), fact in link._words.text()) == ("idle", "Your card", True)


def without_a_card(session: FakeSession, monkeypatch: pytest.MonkeyPatch, name: str = "no-gpu-linux") -> None:
    found = read_machine_file(FOLDER / f"{name}.json")
    session.facts = replace(session.facts, machine=found)
    monkeypatch.setattr(session, "propose", lambda facts, choices: resolve(found, load_matrix(), choices))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_version_is_seen_without_a_bar_below_and_with_one_bar_at_the_side(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_a_card(session, monkeypatch)
    window = make_window(language)
    go_to_build(qtbot, window)
    page = build_page(window)
    page_bar, grid_bar = page._scroll.verticalScrollBar(), page.grid.verticalScrollBar()
    for size in (SIZE, SMALLEST):
        window.resize(*size)
        page.every.setChecked(True)
        is_whole(qtbot, page.grid)
        assert page.grid.columnCount() > 15
        heads = [page.grid.horizontalHeaderItem(column).text() for column in range(page.grid.columnCount())]
        assert heads[:2] == ["13.2", "13.0"]
        qtbot.waitUntil(lambda: page_bar.maximum() == 0 and grid_bar.maximum() > 0)
        page.every.setChecked(False)
        qtbot.waitUntil(lambda: grid_bar.maximum() == 0)
        assert page.grid.rowCount() == 1, "a few builds for the processor stand side by side"
        assert page.grid.horizontalHeaderItem(1).text() == "2.14.1"


@pytest.mark.parametrize("name", MACHINES)
def test_what_is_said_of_a_cell_is_seen_in_the_smallest_window(
    name: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    of_machine(name)(session)
    window = make_window()
    window.resize(*SMALLEST)
    go_to_build(qtbot, window)
    page = build_page(window)
    qtbot.waitUntil(lambda: page.strip.isVisible() and bool(page.strip.words))
    view = page._scroll.viewport()

    def is_seen(widget: QWidget) -> bool:
        edges = (widget.rect().topLeft(), widget.rect().bottomRight())
        return all(view.rect().contains(widget.mapTo(view, edge)) for edge in edges)

    def is_chosen_seen() -> bool:
        return page.grid.viewport().rect().contains(page.grid.visualItemRect(page.grid.currentItem()))

    qtbot.waitUntil(lambda: is_seen(page.strip) and is_chosen_seen())


def test_the_strip_speaks_of_the_chosen_cell_and_of_the_one_that_is_looked_at(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window()
    go_to_build(qtbot, window)
    page = build_page(window)
    said = page.strip.words
    assert said.startswith("2.14.1 + CUDA 12.6: the newest that uses your card with driver ")
    assert page.strip.beyond == "torch 2.15.0 + CUDA 13.2 needs NVIDIA driver 580 or newer."
    page.grid.setCurrentCell(*page.grid.cell_of("2.13.0", "cu126"))
    assert page.strip.words == "2.13.0 + CUDA 12.6: fits, but 2.14.1 is newer"
    page.grid.setCurrentCell(*page.grid.cell_of("2.14.1", "cpu"))
    assert page.strip.words == "2.14.1 + CPU: fits, but would not use the graphics card"
    heard = Qt.ItemDataRole.AccessibleDescriptionRole, Qt.ItemDataRole.AccessibleTextRole
    assert page.grid.currentItem().data(heard[0]) == "fits, but would not use the graphics card"
    best = page.grid.item(*page.grid.cell_of("2.14.1", "cu126"))
    assert best.data(heard[1]) == "torch 2.14.1, CUDA 12.6: fits, best, chosen"
    qtbot.keyClick(page.grid, Qt.Key.Key_Space)
    assert page.strip.words == "2.14.1 + CPU: fits, but would not use the graphics card", "it is chosen now"


def test_builds_for_the_processor_alone_are_taken_from_their_row(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_a_card(session, monkeypatch)
    window = make_window()
    go_to_build(qtbot, window)
    page = build_page(window)
    assert page.strip.words == "2.15.0 + CPU: the newest that works on this computer"
    assert page.grid.cell_of("2.14.1", "cpu") == (0, 1)
    qtbot.keyClick(page.grid, Qt.Key.Key_Right)
    assert page.strip.words == "2.14.1 + CPU: fits, but 2.15.0 is newer"
    qtbot.keyClick(page.grid, Qt.Key.Key_Space)
    assert window.navigator.state.choices.torch == "2.14.1"
    assert page.grid.currentItem().text() == "✓ chosen"
    page.every.click()
    assert page.grid.cell_of("2.14.1", "cpu")[0] > 0
    assert page.grid.currentItem().text() == "✓ chosen"


def test_the_plain_build_for_the_processor_is_no_doubt(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_a_card(session, monkeypatch)
    window = make_window()
    go_to_build(qtbot, window)
    page = build_page(window)

    def shown() -> list[str]:
        return [one.text() for one in page.findChildren(QLabel) if one.isVisible()]

    qtbot.waitUntil(
        lambda: "no NVIDIA card" in shown()
    )  # what is new on a shown card gets visible by an event of its own
    said = shown()
    assert "✓ fits" in said
    assert not any("unsure" in words or "not proven" in words for words in said)
    assert page.card._links[0].state == "idle", "no green sign at a card that is not there"
    page.python.setCurrentIndex(page.python.findData("3.10"))
    settle(qtbot, window)
    assert page.strip.beyond == "torch 2.15.0: made for Python 3.11 to 3.15, not for 3.10."
    offered = [page.python.itemText(number) for number in range(1, page.python.count())]
    assert offered[:2] == ["Python 3.15", "Python 3.14"], "sorted, also where one was chosen"


def test_a_system_without_any_build_has_no_empty_grid(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = replace(read_machine_file(FOLDER / "intel-only-windows.json"), arch="arm64")
    session.facts = replace(session.facts, machine=arm)
    monkeypatch.setattr(session, "propose", lambda facts, choices: resolve(arm, load_matrix(), choices))
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    press(qtbot, window.page.choose if window.page.choose.isVisible() else window.footer.primary)  # type: ignore[attr-defined]
    page = build_page(window)
    qtbot.waitUntil(lambda: window.navigator.state.verdict is not None and page.card.isVisible())
    assert not page.grid.isVisible()
    assert not page.strip.isVisible()
    assert not window.footer.primary.isEnabled()


@pytest.mark.parametrize(
    ("language", "words"), [("en", ("unsure", "not confirmed")), ("zh_CN", ("不确定", "尚未确认"))]
)
def test_a_build_that_may_not_run_is_no_plain_fit(
    language: str, words: tuple[str, str], qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    go_to(qtbot, window, PageId.BUILD)
    page, verdict = build_page(window), window.navigator.state.verdict
    assert verdict is not None
    other = next(one for one in verdict.candidates if one.fits and one != verdict.best and one.variant != "cpu")
    unsure = replace(other, confidence="medium")
    candidates = tuple(unsure if one == other else one for one in verdict.candidates)
    changed = replace(verdict, candidates=candidates)
    page.grid.show_grid(arrange(worth_showing(candidates, unsure)), None, verdict.best)
    at = page.grid.cell_of(unsure.torch, unsure.variant)
    assert cell(page.grid, *at) == f"! {words[0]}"
    (said,) = (text(one, language) for one in cell_words(unsure, changed))
    assert words[1] in said
    assert unsure.torch not in said, "its name stands before it"
    assert text(why_not(unsure, changed) or "", language) in said, "what speaks against it is not lost"
    best = replace(verdict.best, confidence="medium") if verdict.best else unsure
    (said,) = (text(one, language) for one in cell_words(best, replace(changed, best=best)))
    assert words[1] not in said, "a notice above says it"
    doubted = tuple(replace(one, confidence="medium") if one.kind == "kernels" else one for one in unsure.proof)
    page.card.show_build(replace(unsure, proof=doubted), Choices())
    states = {box.state for box in page.card.findChildren(LinkBox)}
    assert states == {"ok", "unsure"}, "the link that is not sure has another colour"
    (open_link,) = (box for box in page.card.findChildren(LinkBox) if box.state == "unsure")
    doubt = {"en": "(not confirmed)", "zh_CN": "(尚未确认)"}[language]
    assert open_link._words.accessibleName().endswith(doubt), "it is heard, too"


@pytest.mark.parametrize(
    ("language", "words"), [("en", "535.183.01, needs 525.60.13"), ("zh_CN", "535.183.01 够用（需要 525.60.13）")]
)
def test_of_the_driver_it_is_said_what_is_needed_without_a_third_line(
    language: str, words: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    window.resize(*SMALLEST)
    go_to_build(qtbot, window)
    page = build_page(window)
    (fact,) = (box._words for box in page.card.findChildren(LinkBox) if box._words.text().startswith("535"))
    assert fact.text() == words
    qtbot.waitUntil(lambda: fact.width() > 100)
    assert fact.heightForWidth(fact.width()) <= 2 * fact.fontMetrics().lineSpacing()


@pytest.mark.parametrize("has_driver", [True, False])
def test_the_way_to_the_driver_is_called_as_on_check(
    has_driver: bool, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    scenes.rich(session)
    if not has_driver:
        session.facts = replace(session.facts, machine=replace(session.facts.machine, driver=None))
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    qtbot.waitUntil(lambda: window.navigator.state.looks is not None and not window.tasks.busy)
    go_to(qtbot, window, PageId.BUILD)
    page = build_page(window)
    qtbot.waitUntil(page.driver.isVisible)
    assert page.driver.text() == ("&How to update" if has_driver else "&How to install")
    press(qtbot, page.driver)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.CHECK)
