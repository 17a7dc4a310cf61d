"""Newer tables in the window: only when asked, taken after a press, taken back by Undo; no button where it is off."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.walking import press, settle
from tests.update.conftest import Maker, as_at_home, maker, next_start  # noqa: F401 - fixtures
from wizard.app.pages.order import SideId
from wizard.app.update.offer import VARIABLE
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.versions import VersionsPage
from wizard.model.table_update import in_use_file


def opened(qtbot: QtBot, window: WizardWindow) -> VersionsPage:
    window.side.open(SideId.VERSIONS)
    settle(qtbot, window)
    assert isinstance(window.page, VersionsPage)
    return window.page


def test_asked_for_taken_and_taken_back_by_undo(qtbot: QtBot, make_window: MakeWindow, maker: Maker) -> None:  # noqa: F811
    maker.publish(2)
    window = make_window()
    page = opened(qtbot, window)
    assert maker.server.sent == {}, "nobody is asked before the button is pressed"
    assert not window.footer.primary.isVisible()
    press(qtbot, page.look)
    settle(qtbot, window)
    assert "newer tables: number 2" in page.news
    assert not in_use_file().exists()
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert "number 2 count from the next start on" in page.news
    assert next_start().version == 2
    assert not window.footer.primary.isVisible()
    press(qtbot, page.changes)
    assert window.side.here is not None
    assert window.side.here.page is SideId.UNDO


def test_a_lie_is_an_error_and_changes_nothing(qtbot: QtBot, make_window: MakeWindow, maker: Maker) -> None:  # noqa: F811
    maker.publish(2)
    maker.publish_bytes(b"{}")
    window = make_window()
    page = opened(qtbot, window)
    press(qtbot, page.look)
    settle(qtbot, window)
    assert page.trouble.isVisible()
    assert not in_use_file().exists()


@pytest.mark.parametrize("value", ["off", "/nowhere/source.toml"])
def test_no_button_where_updates_are_off(
    value: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    maker: Maker,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    page = opened(qtbot, make_window())
    assert not page.look.isVisible()
