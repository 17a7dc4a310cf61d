"""The program's own start: the self test that the frozen program is checked with, and its size."""

from __future__ import annotations

import json
import linecache
import sys

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import go_to
from wizard.app.pages.order import ORDER, PageId
from wizard.gui.shell.window import SMALLEST
from wizard.gui.startup.app import run_window
from wizard.system import paths


def test_the_self_test_shows_the_first_page_and_ends(
    qapp: QApplication, session: FakeSession, side: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    assert run_window(session, "class.toml", self_test=True) == 0
    assert (paths.logs_dir() / "window.log").is_file()


def test_every_page_fits_into_the_smallest_window(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    window.resize(*SMALLEST)
    for page in ORDER[:7]:
        go_to(qtbot, window, page)
        assert (window.width(), window.height()) == SMALLEST
        sheet = window.page._scroll.widget()
        view = window.page._scroll.viewport()
        qtbot.waitUntil(lambda sheet=sheet, view=view: sheet.width() <= view.width())


def test_no_source_is_kept_for_a_page_that_was_made(make_window: MakeWindow, session: FakeSession) -> None:
    window = make_window()
    read = linecache.getlines(json.__file__)
    assert read
    assert json.__file__ in linecache.cache
    assert window.pages[PageId.CHECK] is not None
    assert json.__file__ not in linecache.cache
