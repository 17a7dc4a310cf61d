"""Deleting an environment: asked in the page, by its typed name."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_tools import FakeTools
from tests.gui.test_environments import cells, opened
from tests.gui.walking import press, settle, typed


def test_deleting_shows_what_is_nobodys_first_and_wants_the_name(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, heard: list[str]
) -> None:
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    press(qtbot, page.card.buttons["delete"])
    settle(qtbot, window)
    assert page.panel.unowned.toPlainText().splitlines() == ["notes.txt  (4.21 kB)", "checkpoints/  (12, 812 MB)"]
    assert "old" in page.panel._users.text(), "who borrows its Python is named"
    assert heard[-1].startswith("Delete torch?\nFiles of your own that would be deleted: "), "aloud, with what is lost"
    assert "torch will be deleted (" in heard[-1]
    assert window.focusWidget() is page.panel.name
    assert not page.panel.go.isEnabled()
    typed(qtbot, page.panel.name, "Torch")
    assert not page.panel.go.isEnabled()
    typed(qtbot, page.panel.name, "torch")
    press(qtbot, page.panel.go)
    qtbot.waitUntil(page._said.isVisible)
    settle(qtbot, window)
    assert ("delete", "torch") in side.calls
    assert "torch" not in cells(page, 0)
    assert not page.panel.isVisible()


def test_esc_and_keep_it_leave_everything(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    for way in (lambda: press(qtbot, page.panel.keep), lambda: qtbot.keyClick(page.panel.name, Qt.Key.Key_Escape)):
        press(qtbot, page.card.buttons["delete"])
        settle(qtbot, window)
        way()
        assert not page.panel.isVisible()
        assert page.table.isVisible()
    assert "delete" not in side.names()


def test_a_deletion_shows_its_progress_and_goes_on_when_the_page_is_left(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.hold.add("delete")
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    press(qtbot, page.card.buttons["delete"])
    settle(qtbot, window)
    typed(qtbot, page.panel.name, "torch")
    press(qtbot, page.panel.go)
    qtbot.waitUntil(lambda: page.panel.bar.value() == 30_000)
    assert "30,000" in page.panel.bar.accessibleName()
    press(qtbot, window.footer.back)
    assert window.side.here is None
    side.let_go.set()
    qtbot.waitUntil(lambda: not window.tasks.busy)
    again = opened(qtbot, window)
    assert again is page
    assert "torch" not in cells(page, 0)


def test_a_program_that_uses_it_forbids_it(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.running = fake_tools.IN_USE
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    press(qtbot, page.card.buttons["delete"])
    settle(qtbot, window)
    assert "4711" in page.panel._users.text()
    assert window.focusWidget() is page.panel.keep, "nothing can be typed"
    assert not page.panel.go.isVisible()
    side.running = ()
    press(qtbot, page.panel.again)
    settle(qtbot, window)
    assert page.panel.go.isVisible()
