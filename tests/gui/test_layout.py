"""No words are cut off, and none is a command: on every page, in the smallest and the usual window, in both languages.

DejaVu, which is here, is wider than Segoe UI and Noto Sans; Chinese letters have one width in every font. One file:
each test measures one page or state in the same way.
"""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QLabel,
    QLayout,
    QLayoutItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QWidget,
)
from pytestqt.exceptions import TimeoutError as TooLate
from pytestqt.qtbot import QtBot

from tests.gui import fake_tools, scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.test_words import UNMARKED
from tests.gui.walking import LEAST, go_to, lower, press, settle, texts, visible
from wizard.app.pages.order import SIDE_ORDER, PageId, SideId
from wizard.app.pages.run import FileView
from wizard.gui.pages.build.grid import BuildGrid
from wizard.gui.pages.choosing import ChoosingPage
from wizard.gui.pages.file_bars import FileBars
from wizard.gui.pages.install import InstallPage
from wizard.gui.pages.proof import LinkBox
from wizard.gui.pages.verify.page import VerifyPage
from wizard.gui.pages.verify.parts import SpeedGauge
from wizard.gui.pages.welcome.page import WelcomePage
from wizard.gui.shell.splash import SIZE, SMALLEST
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.environments.page import EnvironmentsPage
from wizard.gui.widgets.fields import Tick
from wizard.gui.widgets.frames import Turning
from wizard.gui.widgets.labels import OneLine, label
from wizard.gui.widgets.messages import Notice
from wizard.model.messages import LANGUAGES

HALF = (624, 360)
PAGES = (PageId.WELCOME, PageId.CHECK, PageId.BUILD, PageId.SOURCE, PageId.PLACE, PageId.REVIEW, PageId.INSTALL)


def cut(window: WizardWindow) -> list[str]:
    """Name what has less room than its words need, and a page that is wider than its window."""
    found = []
    for one in visible(window, QLabel):
        assert isinstance(one, QLabel)
        if not one.text():
            continue
        needed = one.heightForWidth(one.width()) if one.wordWrap() else one.sizeHint().height()
        if one.height() < needed - 1 or (not one.wordWrap() and one.width() < one.sizeHint().width() - 1):
            found.append(f"{one.text()!r}: {one.width()} x {one.height()}, needs {one.sizeHint().width()} x {needed}")
    for button in visible(window, QAbstractButton):
        assert isinstance(button, QAbstractButton)
        if button.text() and button.width() < button.minimumSizeHint().width() - 1:
            found.append(f"{button.text()!r}: {button.width()}, needs {button.minimumSizeHint().width()}")
    sheet = window.page.findChild(QScrollArea)
    assert isinstance(sheet, QScrollArea)
    if sheet.widget().minimumSizeHint().width() > sheet.viewport().width():
        found.append(f"the page: {sheet.viewport().width()}, needs {sheet.widget().minimumSizeHint().width()}")
    return found


def commands(window: WizardWindow) -> list[str]:
    """Name what is seen and would have to be typed. What is under a fold is not seen."""
    seen = [*visible(window, QLabel), *visible(window, QAbstractButton)]
    said = [text for one in seen for text in (one.text(), one.toolTip(), one.accessibleDescription())]  # type: ignore[attr-defined]
    return [text for text in said if UNMARKED.search(text)]


def look(qtbot: QtBot, window: WizardWindow, where: object) -> None:
    assert commands(window) == [], where
    for size in (SIZE, SMALLEST):
        window.resize(*size)
        try:
            qtbot.waitUntil(lambda: not cut(window), timeout=20_000)
        except Exception:
            raise AssertionError(f"{where}, {size}: {cut(window)}") from None


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_words_are_cut_on_the_way(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    scenes.rich(session)
    session.script = half_run
    window = make_window(language)
    for page in PAGES:
        go_to(qtbot, window, page)
        look(qtbot, window, page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_words_are_cut_beside_the_way(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(language)
    for page in SIDE_ORDER:
        window.side.switch(page)
        settle(qtbot, window)
        look(qtbot, window, page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_is_reached_on_a_small_screen_at_200_percent(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """1280 x 800 at 200 %: 640 x 400 less the window's frame. What is too wide for that turns, or is scrolled to."""
    scenes.rich(session)
    session.script = half_run
    window = make_window(language)
    for page in PAGES:
        go_to(qtbot, window, page)
        look_at_half(qtbot, window, page)
        if page is PageId.INSTALL:
            qtbot.waitUntil(lambda: any(one.isVisible() for one in window.page.findChildren(FileBars)))
        look_at_least(qtbot, window, page)
    for side_page in SIDE_ORDER:
        window.side.switch(side_page)
        settle(qtbot, window)
        look_at_half(qtbot, window, side_page)
        look_at_least(qtbot, window, side_page)


def test_the_keys_on_build_and_the_words_of_what_differs_are_seen_there(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    window.setMinimumSize(1, 1)
    window.resize(*HALF)
    grid = window.pages[PageId.BUILD].findChild(BuildGrid)
    assert isinstance(grid, BuildGrid)
    grid.clearFocus()
    grid.setFocus(Qt.FocusReason.TabFocusReason)

    def is_seen() -> bool:
        cell = grid.visualRect(grid.currentIndex())
        return grid.viewport().visibleRegion().contains(cell.center()) and cell.isValid()

    qtbot.waitUntil(is_seen)
    rows = [("torch", "2.13.0+cu126, not 2.15.0+cu132", "The only one that a reachable source has here", "")]
    box = Notice()
    qtbot.addWidget(box)
    window.theme.dress(box)
    box.resize(420, 200)
    box.show_rows("Different", rows)
    box.show()

    def whole() -> bool:
        said = [one for one in visible(box, QLabel) if "+cu126" in one.text()]
        words = said[0].fontMetrics().horizontalAdvance("2.13.0+cu126,") if said else 0
        return len(said) == 1 and said[0].width() >= words

    qtbot.waitUntil(whole)


def test_buttons_are_laid_out_by_the_words_that_they_have_now(qtbot: QtBot) -> None:
    room, starts, buttons = QWidget(), Turning(8), [QPushButton("Open a terminal in this folder") for _ in range(3)]
    qtbot.addWidget(room)
    starts.setParent(room)
    for button in buttons:
        starts.line.addWidget(button)
    starts.resize(2 * buttons[0].sizeHint().width(), 200)
    room.show()
    is_one_row = lambda: len({button.y() for button in buttons}) == 1  # noqa: E731
    is_one_column = lambda: len({button.x() for button in buttons}) == 1  # noqa: E731
    qtbot.waitUntil(lambda: is_one_column() and not is_one_row())
    for words, is_right in (("Ok", is_one_row), ("Open a terminal in this folder", is_one_column), ("Ok", is_one_row)):
        for button in buttons:
            button.setText(words)
        qtbot.waitUntil(is_right)


def test_what_is_measured_leaves_nothing_of_layouts_items(qtbot: QtBot) -> None:
    """What Python makes of an item stays with its layout. Where it outlives the item, as of a widget that moves to
    another layout, and the next timer of Qt comes to lie in the same place, the program ends with “free(): invalid
    pointer” as that timer goes (PySide 6.11)."""

    def items() -> list[QLayoutItem]:
        return [one for one in gc.get_objects() if isinstance(one, QLayoutItem) and not isinstance(one, QLayout)]

    before = len(items())
    turning = Turning()
    qtbot.addWidget(turning)
    for words in ("one", "two"):
        turning.line.addWidget(QPushButton(words))
    turning.show()
    turning.resize(turning.minimumSizeHint())
    qtbot.wait(1)
    assert len(items()) == before


def is_across(qtbot: QtBot, window: WizardWindow, where: object) -> None:
    """Nothing there is scrolled to at the side."""
    sheet = window.page.findChild(QScrollArea)
    assert isinstance(sheet, QScrollArea)
    wide = lambda: sheet.widget().minimumSizeHint().width() - sheet.viewport().width()  # noqa: E731
    try:
        qtbot.waitUntil(lambda: wide() <= 0 and sheet.horizontalScrollBar().maximum() == 0)
    except TooLate:
        raise AssertionError(f"{where}: wider by {wide()}") from None


def look_at_least(qtbot: QtBot, window: WizardWindow, where: object) -> None:
    window.setMinimumSize(1, 1)
    window.resize(*LEAST)
    is_across(qtbot, window, where)
    window.resize(*SIZE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_good_run_is_whole_there(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """A measured speed with its gauge and what is expected needs more than half of a large window's width."""
    window = make_window(language)
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, VerifyPage)

    def gauges() -> int:
        return sum(one.isVisible() for one in page.first.findChildren(SpeedGauge))

    qtbot.waitUntil(lambda: gauges() == 1)
    beside = next(one for one in page.first.findChildren(SpeedGauge) if one.isVisible())
    lower(window)
    is_across(qtbot, window, language)
    qtbot.waitUntil(lambda: gauges() == 1 and not beside.isVisible())
    assert sum("TFLOP/s" in one for one in texts(window)) == 1
    window.resize(*SIZE)
    qtbot.waitUntil(lambda: gauges() == 1 and beside.isVisible())


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_steps_did_is_whole_there(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """A folder's name may be left out in the middle; what is said of a step is not."""
    session.script = half_run
    window = make_window(language)
    go_to(qtbot, window, PageId.INSTALL)
    window.setMinimumSize(1, 1)
    for size in (LEAST, HALF, SIZE, LEAST):
        window.resize(*size)

        def facts() -> list[tuple[str, str]]:
            seen = [one for one in window.page.findChildren(OneLine) if one.isVisible() and one.text()]
            words = [one for one in seen if "/" not in one.text() and not isinstance(one.parentWidget(), FileBars)]
            return [(one.text(), QLabel.text(one)) for one in words]

        qtbot.waitUntil(lambda size=size: window.width() == size[0] and len(facts()) >= 2)
        try:
            qtbot.waitUntil(lambda: all(whole == shown for whole, shown in facts()), timeout=20_000)
        except TooLate:
            raise AssertionError(f"{size}: {facts()}") from None


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_joins_a_class_sees_the_whole_form_there(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(language)
    welcome = window.page
    assert isinstance(welcome, WelcomePage)
    press(qtbot, welcome.join)
    settle(qtbot, window)
    look_at_least(qtbot, window, "Join")
    form = welcome.joining
    window.resize(*LEAST)
    shown = form.code.fontMetrics().horizontalAdvance(form.code.placeholderText())
    qtbot.waitUntil(lambda: form.width() < LEAST[0] and form.code.width() > shown)
    qtbot.waitUntil(lambda: not cut(window), timeout=20_000)
    assert "\n" not in form.hand_on.accessibleName() + form.hand_on.text()


def look_at_half(qtbot: QtBot, window: WizardWindow, where: object) -> None:
    window.setMinimumSize(1, 1)
    window.resize(*HALF)
    signs = [*window.rail.steps.values(), *window.rail.tools.values()]

    def lost() -> list[str]:
        pressed = [one for one in visible(window, QAbstractButton) if one.window() is window]
        beside = [one for one in pressed if window.rail.isAncestorOf(one) or window.footer.isAncestorOf(one)]
        found = [
            one.text()
            for one in beside
            if not window.rect().contains(window.mapFromGlobal(one.mapToGlobal(one.rect().bottomRight())))
        ]
        found += [one.text() for one in beside if one.width() < one.minimumSizeHint().width()]
        found += [one.text() for one in signs if one.isVisible() and one.height() < 26]
        sheet = window.page.findChild(QScrollArea)
        assert isinstance(sheet, QScrollArea)
        wide = sheet.widget().minimumSizeHint().width() - sheet.viewport().width()
        return found + ([f"wider by {wide}"] if wide > 0 else [])

    try:
        qtbot.waitUntil(lambda: not lost())
    except TooLate:
        raise AssertionError(f"{where}: {lost()}") from None
    window.resize(*SIZE)


def test_a_label_without_room_is_found(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    look(qtbot, window, PageId.WELCOME)
    title = next(one for one in visible(window, QLabel) if isinstance(one, QLabel) and one.property("role") == "title")
    title.setFixedHeight(10)
    qtbot.waitUntil(lambda: any(title.text() in one for one in cut(window)))
    title.setText("Run: pip install torch")
    assert commands(window) == ["Run: pip install torch"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_buttons_of_an_environment_are_whole_in_a_small_window(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    window.side.open(SideId.ENVIRONMENTS, fake_tools.HOME / "torch")
    page = window.page
    assert isinstance(page, EnvironmentsPage)
    qtbot.waitUntil(page.card.isVisible)
    page.card.details.setChecked(True)
    window._fit = lambda: window.setMinimumSize(1, 1)  # type: ignore[method-assign]  # this screen is a large one
    window._fit()
    title = next(one for one in page.findChildren(QLabel) if one.property("role") == "title")
    for size in (HALF, LEAST, SIZE):
        window.resize(*size)

        def cut() -> list[str]:
            every = [one for one in page.card.findChildren(QAbstractButton) if one.isVisible()]
            ends = {one.text(): one.mapTo(page.card, one.rect().bottomRight()).x() for one in every}
            narrow = [one.text() for one in every if one.width() < one.minimumSizeHint().width()]
            return [*narrow, *(words for words, end in ends.items() if end > page.card.width())]

        qtbot.waitUntil(lambda: not cut())
        qtbot.waitUntil(lambda: title.width() >= title.fontMetrics().horizontalAdvance(title.text()))


@pytest.mark.parametrize("words", ["完全按要求(&X)", "I &accept the 2 differences", "E&xactly as asked"])
def test_a_box_that_has_the_room_it_asks_for_breaks_no_words(words: str, qtbot: QtBot) -> None:
    box = Tick()
    qtbot.addWidget(box)
    box.setText(words)
    for points in range(8, 16):
        font = box.font()
        font.setPointSize(points)
        box.setFont(font)
        box.resize(box.sizeHint())
        box.show()
        assert QCheckBox.text(box) == words, points


def test_parts_turn_when_their_words_grow_and_turn_back(qtbot: QtBot) -> None:
    """At one width they stand as their words want it, whatever they said before."""
    window, both = QWidget(), Turning()
    both.setParent(window)  # a window of its own would grow with its words
    first, second = label("A", wrap=False), label("B", wrap=False)
    both.line.addWidget(first)
    both.line.addWidget(second)
    qtbot.addWidget(window)
    both.resize(300, 80)
    window.show()
    qtbot.waitUntil(lambda: first.y() == second.y())
    first.setText("Many words that leave the second one no room")
    qtbot.waitUntil(lambda: second.y() > first.y())
    first.setText("A")
    qtbot.waitUntil(lambda: first.y() == second.y())


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_chosen_is_read_from_its_first_picture_on(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.gui.shell.auto_advance._SEEN", 3600.0)  # seconds: it stays
    window = make_window(language)
    lower(window)
    go_to(qtbot, window, PageId.CHECK)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: isinstance(window.stack.currentWidget(), ChoosingPage))
    choosing = window.stack.currentWidget()
    assert isinstance(choosing, ChoosingPage)
    values = [value for _, _, value, _ in choosing._rows.values()]
    qtbot.waitUntil(lambda: all(value.width() > 150 for value in values))
    places = [(value.x(), value.width()) for value in values]
    qtbot.waitUntil(lambda: window.navigator.state.preview is not None and all(one.text() for one in values[:3]))
    assert [(value.x(), value.width()) for value in values] == places
    words = [max(map(value.fontMetrics().horizontalAdvance, value.text().split(" "))) for value in values]
    rooms = [value.contentsRect().width() for value in values]
    assert all(word <= room for word, room in zip(words[:2], rooms, strict=False)), "no word of them is cut"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_proof_of_a_build_and_its_boxes_are_whole_there(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    go_to(qtbot, window, PageId.BUILD)
    lower(window)
    qtbot.waitUntil(lambda: not cut(window))

    def too_long() -> list[str]:
        """Words of the facts, whose lines end at a blank or a dash."""
        links = window.page.findChildren(LinkBox)
        facts = [one for link in links for one in link.findChildren(QLabel) if one.property("role") == "muted"]
        assert len(facts) == 4
        widest = {word: one for one in facts for word in one.text().replace("–", "– ").split()}
        return [word for word, one in widest.items() if one.fontMetrics().horizontalAdvance(word) > one.width()]

    try:
        qtbot.waitUntil(lambda: not too_long())
    except TooLate:
        raise AssertionError(too_long()) from None


def test_how_long_it_will_take_does_not_turn_the_card_of_install(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    install = window.page
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None and install.watch.view.bytes.rate is not None)
    install.watch.stop()
    window._fit = lambda: window.setMinimumSize(1, 1)  # type: ignore[method-assign]  # this screen is a large one
    window._fit()
    view, both = install.watch.view, install.progress.findChild(Turning)
    assert isinstance(both, Turning)
    assert view.bytes is not None
    found = set()
    for width in range(LEAST[0], 900, 20):
        window.resize(width, 500)
        ways = []
        for left in (3.0, 5000.0):
            install.progress.show_view(replace(view, bytes=replace(view.bytes, eta=left)), True, False)
            qtbot.wait(30)  # two rounds: of the words, and of what they stand in
            ways.append(both.line.direction())
        assert ways[0] is ways[1], width
        found.add(ways[0])
    assert len(found) == 2, "beside each other and below"


def is_whole(shown: QWidget) -> bool:
    return shown.isVisible() and shown.visibleRegion().boundingRect().height() == shown.height()


def test_the_name_of_a_file_gives_way_to_its_bar(qtbot: QtBot) -> None:
    bars = FileBars()
    qtbot.addWidget(bars)
    bars.show_files(
        [FileView("nvidia_cudnn_cu12-9.10.2.21-py3-none-manylinux_2_27_x86_64.whl", 400_000_000, 706_000_000)]
    )
    bars.resize(400, 60)
    bars.show()
    bar, name = bars.findChildren(QProgressBar)[0], bars.findChildren(OneLine)[0]
    qtbot.waitUntil(lambda: bar.width() >= name.width() - 2 > 80)
    bars.resize(bars.minimumSizeHint().width(), 60)
    qtbot.waitUntil(lambda: bars.layout().minimumSize().width() <= bars.width())


@pytest.mark.parametrize("language", LANGUAGES)
def test_source_never_scrolls_for_its_gaps_alone(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """From 674 to 723 pixels of the window the wider gaps alone gave it a bar."""
    scenes.rich(session)
    window = make_window(language)
    go_to(qtbot, window, PageId.SOURCE)
    bar = window.page._scroll.verticalScrollBar()
    for height in range(660, 800, 10):
        lower(window, (1080, height))
        qtbot.wait(60)
        assert bar.maximum() == 0 or window.page.body.spacing() == 10, height
    assert (bar.maximum(), window.page.body.spacing()) == (0, 16)
