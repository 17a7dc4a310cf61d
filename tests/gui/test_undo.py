"""Undo: the list, what it would do, and doing it: recorded, and once with real files and the real journal."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import cell, mnemonics, press, put_away, settle
from tests.sentences import error_text
from wizard.app.pages.order import SideId
from wizard.app.tools import Tools
from wizard.gui.shell.splash import SMALLEST
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences
from wizard.gui.tools.undo import UndoPage
from wizard.gui.widgets.diff_view import FileDiff
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, message
from wizard.toolconfig.edit import apply, propose
from wizard.toolconfig.model import Edit, Tool


def opened(qtbot: QtBot, window: WizardWindow) -> UndoPage:
    window.side.open(SideId.UNDO)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, UndoPage)
    return page


def diff_text(page: UndoPage) -> str:
    shown = [one.view.toPlainText() for one in page._diff.findChildren(FileDiff) if one.isVisible()]
    said = [one.text() for one in page._diff.findChildren(QLabel) if one.isVisible()]
    return "\n".join((*said, *shown))


def test_the_newest_change_is_chosen_and_its_undoing_shown(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = opened(qtbot, window)
    assert page.table.rowCount() == 2
    assert page.selected is not None
    assert page.selected.id == "2"
    qtbot.waitUntil(lambda: "-index-url = https://mirror.example/simple" in diff_text(page))
    assert "channels was changed by somebody since" in diff_text(page)
    assert window.footer.primary.isEnabled()
    page.table.selectRow(1)
    settle(qtbot, window)
    assert not window.footer.primary.isEnabled(), "it is taken back already"
    assert not page._diff.isVisible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_written_is_told_whole_and_by_the_mirrors_name(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    window.resize(*SMALLEST)
    table = opened(qtbot, window).table
    assert cell(table, 0, 1).endswith({"en": "Tsinghua University TUNA", "zh_CN": "清华大学 TUNA"}[language])
    for row in range(table.rowCount()):
        width = table.columnWidth(1) - 12  # less the cell's padding
        room = table.fontMetrics().boundingRect(0, 0, width, 0, Qt.TextFlag.TextWordWrap, cell(table, row, 1))
        qtbot.waitUntil(lambda row=row, room=room: table.rowHeight(row) >= room.height())
    qtbot.waitUntil(lambda: table.verticalScrollBar().maximum() == 0)


def test_undoing_says_what_happened_to_each_file(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = opened(qtbot, window)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert "undo" in side.names()
    assert "pip.conf: exactly as before" in page._result_words.text()
    assert page._result_words.text().splitlines()[0] == f"Taken back: {cell(page.table, 0, 1)}", "as the table names it"
    assert cell(page.table, 0, 3) == "• taken back"


def test_nothing_to_undo_is_said(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.known_changes = ()
    window = make_window()
    page = opened(qtbot, window)
    assert page._none.isVisible()
    assert not window.footer.primary.isVisible()


@pytest.mark.parametrize("call", ["changes", "undo_diffs", "undo"])
def test_every_failure_stands_in_the_page(call: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.fail[call] = WizardError(error_text("undo-not-writable"), path="/etc/pip.conf")
    window = make_window()
    page = opened(qtbot, window)
    if call == "undo":
        press(qtbot, window.footer.primary)
    qtbot.waitUntil(page.trouble.isVisible)
    settle(qtbot, window)
    assert "/etc/pip.conf" in page.trouble.plain_text()
    if call != "undo":
        assert not window.footer.primary.isEnabled()


@pytest.mark.parametrize("language", LANGUAGES)
def test_letters_are_unique(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(language)
    opened(qtbot, window)
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))


def test_a_real_file_gets_its_bytes_again(
    qapp: QApplication, qtbot: QtBot, session: FakeSession, tmp_path: Path
) -> None:
    path = tmp_path / "pip.conf"
    path.write_bytes(b"# mine\r\n[global]\r\ntimeout = 20\r\n")
    before = path.read_bytes()
    edit = Edit(Tool.PIP, path, "global.index-url", "https://mirror.example/simple")
    apply(propose([edit]), message("settings-file.reason.source", id="tuna", name="tuna"))
    assert path.read_bytes() != before
    wishes = Preferences(tmp_path / "settings.json")
    wishes.put(language="en", theme="light")
    session.tools = Tools(session)
    window = WizardWindow(qapp, session, wishes, None)
    window.show()
    page = opened(qtbot, window)
    try:
        qtbot.waitUntil(lambda: "-index-url = https://mirror.example/simple" in diff_text(page))
        press(qtbot, window.footer.primary)
        settle(qtbot, window)
        assert path.read_bytes() == before
        assert "exactly as before" in page._result_words.text()
    finally:
        put_away(window)
