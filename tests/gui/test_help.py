"""Help: one line for every control, a longer text for every page, all of it there in both languages and offline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.walking import go_to, mnemonics, settle, visible
from wizard.app.pages.order import ORDER, SIDE_ORDER, PageId, SideId
from wizard.gui.pages.base import Page
from wizard.gui.shell import wording
from wizard.gui.shell.window import WizardWindow
from wizard.gui.shell.wording import control_at, hints_of
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.diff_view import FileDiff
from wizard.gui.widgets.frames import Fold
from wizard.model.messages import LANGUAGES, Message, catalogue


def every_page(qtbot: QtBot, window: WizardWindow, session: FakeSession) -> Iterator[tuple[str, Page]]:
    session.script = half_run
    for name in ORDER[:7]:
        go_to(qtbot, window, name)
        yield name.value, window.page
    window.navigator.put_run_over({**session.report("a")}, "/x")
    window.navigator.go_next()
    yield PageId.VERIFY.value, window.page
    for side in SIDE_ORDER:
        window.side.open(side)
        settle(qtbot, window)
        yield side.value, window.page


def controls(page: QWidget) -> Iterator[QWidget]:
    """What a person can reach with Tab. Copy buttons say what they copy in their name, cells of a table theirs."""
    for one in page.findChildren(QWidget):
        if not one.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(one.parent(), CodeLine | FileDiff):
            continue
        if isinstance(one, QLineEdit) and one.objectName() == "qt_spinbox_lineedit":
            continue
        yield one


def test_every_hint_leads_to_a_control_and_every_control_has_one(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    for path in hints_of("window", "en"):
        control_at(window, path)
    for name, page in every_page(qtbot, window, session):
        for path, words in hints_of(name, "en").items():
            assert control_at(page, path).accessibleDescription() == words, (name, path)
        page.trouble.setVisible(True)
        for part in page.findChildren(Fold):
            part.button.setChecked(True)
        shown = [*controls(page), *page.footer_left, *page.footer_right]
        bare = [one for one in shown if one.isVisible() and not one.accessibleDescription() and _is_control(one)]
        assert bare == [], (name, [(one, getattr(one, "text", str)()) for one in bare])


def _is_control(one: QWidget) -> bool:
    """What a page makes by itself for each row has a name that says what it does to which row."""
    is_row_button = isinstance(one, QAbstractButton) and ": " in one.accessibleName()
    return not is_row_button and one.focusPolicy() & Qt.FocusPolicy.TabFocus != 0


def test_hints_change_with_the_language(qapp: QApplication, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    english = window.rail.theme_button.toolTip()
    window.rail.languages["zh_CN"].click()
    assert window.rail.theme_button.toolTip() != english
    assert window.rail.theme_button.accessibleDescription() == window.rail.theme_button.toolTip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_has_a_longer_help(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    known = catalogue(language)
    assert all(f"page.help.{one.value}" in known for one in (*PageId, *SideId))
    window = make_window(language)
    for name, page in every_page(qtbot, window, session):
        before = window.focusWidget()
        qtbot.keyClick(before or window, Qt.Key.Key_F1)
        panel = page._help
        assert panel is not None, name
        assert panel.isVisible()
        assert panel.words == window.translator.say(Message(f"page.help.{name}"))
        letters = [letter for letter, _ in mnemonics(window)]
        assert len(letters) == len(set(letters)), (name, sorted(mnemonics(window)))
        assert window.focusWidget() is panel.close_button
        qtbot.keyClick(panel.close_button, Qt.Key.Key_Escape)
        assert not panel.isVisible()
        assert window.focusWidget() is not None
        assert window.focusWidget().isVisible()
        assert before in (window.focusWidget(), None), name


def test_the_help_of_verify_is_true_without_a_card_and_without_a_failure() -> None:
    words = catalogue("en")["page.help.verify"]
    assert "on the processor where PyTorch uses no card" in words
    assert "If the test fails, the page says why, and a button “Repair” appears" in words


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_what_is_seen_and_what_ssh_asks(language: str) -> None:
    known = catalogue(language)
    assert all(sign in known["page.help.build"] for sign in (" ✕ ", "“–”"))
    shape = {"en": "four circles", "zh_CN": "四个圆点"}[language]
    assert shape in known["page.help.build"], "they are drawn so"
    assert "yes" in known["page.help.far-host"], "the first time"


def test_the_help_is_opened_with_the_mouse_and_speaks_the_other_language(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    qtbot.mouseClick(window.rail.help_button, Qt.MouseButton.LeftButton)
    panel = window.page._help
    assert panel is not None
    assert "CUDA" not in panel.words, "the first page is for who does not know the word"
    window.rail.languages["zh_CN"].click()
    assert panel.words.startswith("PyTorch 是一个")
    assert "请选择“诊断或修复”" in panel.words
    qtbot.mouseClick(panel.close_button, Qt.MouseButton.LeftButton)
    assert not panel.isVisible()
    assert panel not in list(visible(window, type(panel)))


def test_a_stray_key_in_a_translation_does_not_stop_the_window(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    stray = {"no_such_control": "words", "network.nothing": "words", "tr": "no control"}
    monkeypatch.setattr(wording, "hints_of", lambda name, language: stray)
    window = make_window()
    assert window.page is not None
