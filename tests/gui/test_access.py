"""What a screen reader meets: the accessibility tree of every page, those beside the wizard too, and the keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from PySide6 import QtGui
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.test_help import every_page
from tests.gui.walking import go_to, settle, source_page, visible
from wizard.app.pages.order import SIDE_ORDER, PageId, SideId
from wizard.gui.pages.file_bars import FileBars
from wizard.gui.pages.proof import LinkBox
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets.frames import Fold, RowCard, RowCell, column
from wizard.gui.widgets.headings import tell_headings
from wizard.gui.widgets.icons import Sign
from wizard.gui.widgets.labels import SPOKEN_AS, Pill, label
from wizard.gui.widgets.messages import Notice
from wizard.model.messages import LANGUAGES

ROLES = {
    QAccessible.Role.Button,
    QAccessible.Role.CheckBox,
    QAccessible.Role.RadioButton,
    QAccessible.Role.ComboBox,
    QAccessible.Role.EditableText,
    QAccessible.Role.SpinBox,
    QAccessible.Role.Table,
    QAccessible.Role.ButtonMenu,
    QAccessible.Role.PageTab,
    QAccessible.Role.Link,
}


@dataclass(frozen=True)
class Heard:
    """One control as the accessibility tree tells it; plain values, for the tree lives only as long as its widgets."""

    widget: QWidget
    name: str
    description: str
    role: QAccessible.Role


def heard(widget: QWidget) -> Heard:
    one = QAccessible.queryAccessibleInterface(widget)
    assert one is not None
    return Heard(widget, one.text(QAccessible.Text.Name), one.text(QAccessible.Text.Description), one.role())


def controls(window: WizardWindow) -> list[Heard]:
    """Whatever takes the keyboard; cells of a table have their own test."""
    found = [one for one in visible(window, QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    return [heard(one) for one in found if one is not window and one.objectName() != "qt_spinbox_lineedit"]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_control_has_a_name_a_role_and_says_what_it_does(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window(language)
    for name, _ in every_page(qtbot, window, session):
        found = controls(window)
        assert len(found) > 5, name
        for one in found:
            assert one.name, (name, one.widget)
            assert "&" not in one.name, (name, one.name)
            assert one.role in ROLES, (name, one.name, one.role)
            says_it = one.widget is window.footer.primary or ": " in one.name or "：" in one.name
            assert one.description or says_it, (name, one.name)


@pytest.mark.slow
def test_the_page_and_its_states_have_names(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    for name, page in every_page(qtbot, window, session):
        assert heard(page).name == page.title, name
        titles = [heard(one) for one in visible(window, QLabel) if one.property("role") == "title"]
        assert page.title in [one.name for one in titles], name
        assert all(one.role == QAccessible.Role.Heading for one in titles), name
        plain = (one for one in visible(window, QLabel) if one.property("role") == "muted")
        assert all(heard(one).role == QAccessible.Role.StaticText for one in plain), name
        for kind in (QProgressBar, Pill):
            assert all(heard(one).name for one in visible(window, kind)), name


def test_nothing_is_met_that_says_nothing(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    """A fold without a figure, a heading without a size. What lies in a row is read as that row."""
    window = make_window()
    for name, page in every_page(qtbot, window, session):
        for part in page.findChildren(Fold):
            part.button.setChecked(True)
        labels = [one for one in visible(window, QLabel) if isinstance(one, QLabel)]
        empty = [one for one in labels if not one.text() and not one.accessibleName() and one.pixmap().isNull()]
        assert [one for one in empty if not isinstance(one.parent(), RowCell)] == [], name


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_buttons_of_a_page_are_called_the_same(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Who hears them one by one does not see beside which field each of them stands."""
    window = make_window(language)
    for name, page in every_page(qtbot, window, session):
        for part in page.findChildren(Fold):
            part.button.setChecked(True)
        called = [re.sub(r"\(.\)", "", heard(one).name) for one in visible(window, QAbstractButton)]  # 选择(O)…
        assert [one for one in called if one and called.count(one) > 1] == [], name


@pytest.fixture
def listening() -> Iterator[None]:
    """A screen reader is there from the start: Qt then keeps what a widget was in its first moment."""
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


@pytest.mark.parametrize("page", [PageId.CHECK, PageId.SOURCE, PageId.INSTALL])
def test_rows_are_the_items_of_a_list(
    page: PageId, listening: None, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """A reader says how many there are, and each as a whole."""
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, page)

    def items() -> list[Heard]:
        return [one for one in map(heard, visible(window, QWidget)) if one.role == QAccessible.Role.ListItem]

    qtbot.waitUntil(lambda: len(items()) >= 2)
    if page is PageId.CHECK:
        assert items()[0].name.startswith("Graphics card: OK, NVIDIA GeForce GTX 1660 Ti, 6 GB")
    if page is PageId.INSTALL:
        names = ("Check before starting: Done, There is room", "Install: Waiting")
        qtbot.waitUntil(lambda: all(any(one.name.startswith(name) for one in items()) for name in names))
    for one in items():
        assert one.name, one.widget
        above = one.widget.parentWidget()
        assert above is not None
        assert heard(above).role == QAccessible.Role.List
        assert heard(above).name, "of its page, where it has none of its own"


@pytest.mark.parametrize("side_page", SIDE_ORDER)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_side_page_is_gone_through_by_tab_alone(
    side_page: SideId, language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    """Every control is met once, a table and a field of many lines are left again, and Return on Back leads out."""
    window = make_window(language)
    window.side.open(side_page, fake_tools.HOME / "torch" if side_page is SideId.ENVIRONMENTS else None)
    settle(qtbot, window)
    wanted = {one.widget for one in controls(window) if one.widget.isEnabled()}
    met: list[QWidget] = []
    for _ in range(80):
        focused = window.focusWidget()
        assert focused is not None
        if met and focused is met[0]:
            break
        met.append(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert len(met) == len(set(met)), "nobody is caught in a ring"
    missed = [one for one in wanted - set(met) if not isinstance(one, QAbstractItemView | QPlainTextEdit)]
    assert missed == []
    window.footer.back.setFocus()
    qtbot.keyClick(window.footer.back, Qt.Key.Key_Return)
    assert window.side.here is None


def test_the_name_of_a_difference_is_read_before_its_words(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    notice = Notice(holder)
    notice.show_rows("Different", [("Python", "3.11 instead of 3.12", "")])
    read = [one.text() for one in notice.findChildren(QLabel)]
    assert [one for one in read if one in ("Python", "3.11 instead of 3.12")] == ["Python", "3.11 instead of 3.12"]


def test_what_differs_is_a_heading_and_a_list(listening: None, qtbot: QtBot) -> None:
    """Sentences that end with a full stop are told one after the other, without a second sign."""
    tell_headings()
    holder = QWidget()
    qtbot.addWidget(holder)
    notice = Notice(holder)
    notice.show_rows("Different", [("", "No source answers.", "It was looked for."), ("Python", "3.11", "")])
    told = [heard(one) for one in notice.findChildren(QWidget)]
    assert [one.name for one in told if one.role == QAccessible.Role.Heading] == ["Different"]
    assert [one.name for one in told if one.role == QAccessible.Role.List] == ["Different"]
    items = [one.name for one in told if one.role == QAccessible.Role.ListItem]
    assert items == ["No source answers. It was looked for.", "Python: 3.11"]
    assert notice.accessibleName() == "Different: No source answers. It was looked for. Python: 3.11"


def test_a_row_says_its_name_and_its_state_once(qtbot: QtBot) -> None:
    card, sign = RowCard(4, 2), Sign("problem")
    qtbot.addWidget(card)
    sign.setAccessibleName("Failed")
    sign.setAccessibleDescription("Download")
    card.add_row(sign, QLabel("Download"), QLabel("Downloading packages: 5"), QLabel("Failed"))
    assert [one.words for one in card.findChildren(RowCell)][0] == "Download: Failed, Downloading packages: 5"


def test_a_list_holds_its_items_alone_and_an_item_what_can_be_done_there(listening: None, qtbot: QtBot) -> None:
    """Names and states are told by the item once, not once more beside it."""
    tell_headings()
    holder, card, button = QWidget(), RowCard(3, 1), QPushButton("Fix…")
    qtbot.addWidget(holder)
    column(holder).addWidget(card)
    card.add_row(Pill("ok"), QLabel("Disk"), None)
    card.add_row(Pill("problem"), QLabel("Driver"), button)
    card.add_wide(below := QPushButton("Guide"))
    holder.show()
    is_list = next(one for one in card.findChildren(QWidget) if one.property(SPOKEN_AS) == "list")
    listed = QAccessible.queryAccessibleInterface(is_list)
    assert listed is not None
    items = [listed.child(number) for number in range(listed.childCount())]
    assert [one.role() for one in items] == [QAccessible.Role.ListItem] * 2
    assert [one.text(QAccessible.Text.Name) for one in items] == ["OK, Disk", "Problem, Driver"]
    assert [one.childCount() for one in items] == [0, 2]
    for number, wanted in enumerate((button, below)):
        cell = items[1].child(number)
        assert (cell.child(0).object(), cell.parent().object()) == (wanted, items[1].object())
        assert items[1].indexOfChild(cell) == number
    assert [listed.indexOfChild(one) for one in items] == [0, 1]


def test_a_reason_that_was_opened_is_an_item_below_its_row(listening: None, qtbot: QtBot) -> None:
    tell_headings()
    notice = Notice()
    qtbot.addWidget(notice)
    notice.show_rows("Different", [("Python", "3.11, not 3.12", "No channel", "It is this computer's own.")])
    notice.show()
    is_list = next(one for one in notice.findChildren(QWidget) if one.property(SPOKEN_AS) == "list")
    listed = QAccessible.queryAccessibleInterface(is_list)
    assert listed is not None

    def items() -> list[str]:
        return [listed.child(number).text(QAccessible.Text.Name) for number in range(listed.childCount())]

    row = ["Python: 3.11, not 3.12, No channel"]
    assert items() == row
    why = next(one for one in notice.findChildren(QPushButton) if one.text() == "Why?")
    assert listed.child(0).child(0).child(0).object() is why
    why.click()
    assert items() == [*row, "It is this computer's own."]
    assert (listed.child(0).childCount(), listed.child(1).childCount()) == (1, 0)
    why.click()
    assert items() == row


def test_what_opens_something_is_a_button_that_says_whether_it_is_open(listening: None, qtbot: QtBot) -> None:
    tell_headings()
    fold = Fold()
    qtbot.addWidget(fold)
    fold.show_words("&Details", "3")
    fold.show()
    told = QAccessible.queryAccessibleInterface(fold.button)
    assert told is not None
    assert (told.role(), told.text(QAccessible.Text.Name)) == (QAccessible.Role.Button, "Details 3")
    state = told.state()
    assert (state.expandable, state.expanded, state.collapsed, state.checkable) == (1, 0, 1, 0)
    action = told.actionInterface()
    assert action is not None
    action.doAction(action.actionNames()[0])
    qtbot.waitUntil(fold.button.isChecked)
    assert (told.state().expanded, told.state().collapsed) == (1, 0)


def test_each_source_that_can_be_chosen_holds_its_choice(
    listening: None, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """Qt lets Tab reach the chosen one of a group alone; a screen reader walks by all of them."""
    session.selected = values.PROBED_SELECTED
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    held = {}
    for line in source_page(window).tables["torch"].lines:
        told = QAccessible.queryAccessibleInterface(line)
        assert told is not None
        held[line.name.text()] = [told.child(number).object() for number in range(told.childCount())] == [line.radio]
    assert held == dict.fromkeys(("Nanjing University", "PyTorch", "Alibaba Cloud"), True)


def test_the_language_is_a_choice_of_one(listening: None, make_window: MakeWindow) -> None:
    window = make_window()
    told = {name: QAccessible.queryAccessibleInterface(one) for name, one in window.rail.languages.items()}
    assert [one.role() for one in told.values() if one] == [QAccessible.Role.RadioButton] * 2
    assert {name: one.state().checked for name, one in told.items() if one} == {"zh_CN": 0, "en": 1}


@pytest.mark.skipif(not hasattr(QtGui, "QAccessibleAttributesInterface"), reason="Qt of 6.8 and newer tells levels")
def test_a_title_is_the_heading_above_the_others(listening: None, qtbot: QtBot) -> None:
    tell_headings()
    for role, wanted in (("title", 1), ("heading", 2), ("notice-title", 2)):
        qtbot.addWidget(made := label("What will happen", role))
        told = QAccessible.queryAccessibleInterface(made)
        assert told is not None
        assert told.role() == QAccessible.Role.Heading
        level = told.attributesInterface()
        assert level.attributeKeys() == [QAccessible.Attribute.Level]
        assert level.attributeValue(QAccessible.Attribute.Level) == wanted


def test_no_cell_of_a_page_that_is_not_shown_is_told_as_focused(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    grid = window.pages[PageId.BUILD].findChild(QAbstractItemView)
    assert isinstance(grid, QAbstractItemView)

    def focused() -> int:
        told = QAccessible.queryAccessibleInterface(grid)
        cells = (told.child(number) for number in range(told.childCount()))
        return sum(one.state().focused for one in cells if one is not None and one.role() == QAccessible.Role.Cell)

    here = (grid.currentIndex().row(), grid.currentIndex().column())
    assert focused() == 1
    go_to(qtbot, window, PageId.REVIEW)
    assert focused() == 0
    window.navigator.go_to(PageId.BUILD)
    assert (grid.currentIndex().row(), grid.currentIndex().column()) == here
    assert focused() == 1


def test_bars_of_files_and_the_links_of_a_proof_are_heard_by_name(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.BUILD)
    qtbot.waitUntil(lambda: any(visible(window, LinkBox)))
    links = [heard(one) for one in visible(window, LinkBox)]
    assert len(links) > 2
    assert all(one.name and one.role == QAccessible.Role.ListItem for one in links), links
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.page.findChildren(FileBars)))
    bars = next(one for one in window.page.findChildren(FileBars) if one.isVisible())
    inside = bars.parentWidget()
    assert isinstance(inside, RowCell)
    items = [one for one in visible(window, RowCell) if one.property(SPOKEN_AS) == "item"]
    told = [QAccessible.queryAccessibleInterface(one) for one in items]
    held = [one.child(place).object() for one in told for place in range(one.childCount())]
    assert inside in held, "below the download's row"
