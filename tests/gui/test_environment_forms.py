"""The forms of an environment: a copy under its own name, packages that are added, updated or exported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.test_environments import cells, opened
from tests.gui.test_layout import is_across
from tests.gui.walking import LEAST, cell, is_heard_as_seen, lower, mnemonics, press, settle, typed
from tests.sentences import error_text
from wizard.app.pages.order import PageId, SideId
from wizard.compatibility.model import Choices
from wizard.gui.tools.environments.page import EnvironmentsPage
from wizard.model.errors import UsageError
from wizard.model.messages import LANGUAGES, message, text


def test_a_copy_is_made_under_its_own_name(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.hold.add("clone")
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    press(qtbot, page.card.details)
    press(qtbot, page.card.buttons["clone"])
    assert window.focusWidget() is page.copying.name
    assert page.copying.name.text() == "torch-copy"
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    typed(qtbot, page.copying.name, "lesson-4")
    press(qtbot, page.copying.go)
    qtbot.waitUntil(lambda: page.copying.bar.value() == 250)
    assert "1.00 GB of 4.00 GB" in page.copying.bar.accessibleName()
    side.let_go.set()
    settle(qtbot, window)
    assert ("clone", "lesson-4") in side.calls
    assert "lesson-4" in cells(page, 0)
    assert "lesson-4 is a copy of torch now" in page._said.text()


def test_a_copy_is_stopped_and_refused_in_the_page(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.hold.add("clone")
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    press(qtbot, page.card.details)
    press(qtbot, page.card.buttons["clone"])
    press(qtbot, page.copying.go)
    qtbot.waitUntil(lambda: "clone" in side.names())
    press(qtbot, page.copying.keep)
    settle(qtbot, window)
    assert page.table.isVisible()
    assert "torch-copy" not in cells(page, 0)
    side.hold.clear()
    side.fail["clone"] = UsageError(error_text("clone-taken"), name="torch-copy", path="/x/torch-copy")
    press(qtbot, page.card.buttons["clone"])
    press(qtbot, page.copying.go)
    qtbot.waitUntil(page.copying.trouble.isVisible)
    assert page.copying.trouble.code == "error.clone-taken.summary"
    assert not page.trouble.isVisible(), "below the field, and nowhere else"
    assert "torch-copy" in page.copying.name.accessibleDescription()
    assert window.focusWidget() is page.copying.name
    typed(qtbot, page.copying.name, "another")
    assert not page.copying.trouble.isVisible()
    press(qtbot, page.copying.keep)
    assert page.table.isVisible()


def test_return_in_a_form_presses_its_own_button_alone(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, session: FakeSession
) -> None:
    side.hold.add("clone")
    page = opened(qtbot, make_window(), fake_tools.HOME / "torch")
    press(qtbot, page.card.details)
    press(qtbot, page.card.buttons["clone"])
    qtbot.keyClick(page.copying.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "clone" in side.names())
    qtbot.wait(50)
    assert page.copying.is_going, "and not Stop, which has the focus by then"
    side.let_go.set()
    settle(qtbot, page.window())
    page.table.select(fake_tools.HOME / "torch")
    press(qtbot, page.card.buttons["packages"])
    qtbot.keyClick(page.adding.names, Qt.Key.Key_Return)
    assert not page.is_busy, "nothing is typed yet"
    typed(qtbot, page.adding.names, "pandas")
    qtbot.keyClick(page.adding.names, Qt.Key.Key_Return)
    qtbot.waitUntil(page.adding.go.isVisible)
    assert ("plan_add", ("pandas",)) in session.calls


def test_the_form_of_packages_says_what_has_no_use_here(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = message("project.native.no-card", name="flash-attn", place="named by you", least="")

    made = values.preview("run-kernel", str(fake_tools.HOME / "torch"), Choices())
    told = replace(made, plan=replace(made.plan, notices=(left,)), changes=())
    monkeypatch.setattr(session, "_changing", lambda choices: told)
    page = opened(qtbot, make_window("en"), fake_tools.HOME / "torch")
    press(qtbot, page.card.buttons["packages"])
    typed(qtbot, page.adding.names, "flash-attn pandas")
    press(qtbot, page.adding.look)
    qtbot.waitUntil(page.adding.go.isVisible)
    assert any(text(left, "en") in one.text() for one in page.adding.findChildren(QLabel))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_of_packages_scrolls_nothing_sideways(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    """With a look's answer, whose button is the widest."""
    window = make_window(language)
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    press(qtbot, page.card.buttons["packages"])
    typed(qtbot, page.adding.names, "pandas")
    press(qtbot, page.adding.look)
    qtbot.waitUntil(page.adding.go.isVisible)
    for size in ((640, 400), LEAST):
        lower(window, size)
        is_across(qtbot, window, size)
        qtbot.waitUntil(lambda: page.adding.names.width() >= 160)


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_cannot_take_a_package_says_why(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """In its row, before it is opened by a tip, and to a screen reader."""
    window = make_window(language)
    window.side.open(SideId.ENVIRONMENTS, text="einops")
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, EnvironmentsPage)
    press(qtbot, page.nobodys)
    said = {}
    for one in fake_tools.ENVIRONMENTS:
        page.table.select(one.prefix)
        row, card = page.table.chosen_row, page.card
        words = card.cannot.text() if card.cannot.isVisible() else ""
        assert bool(words) is card.buttons["packages"].isHidden(), one.name
        for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            assert cell(page.table, row, 0, role).endswith(words)
        said[one.name] = words
    told = list(filter(None, said.values()))
    assert len(told) == len(set(told)) == len(said) - 2, "each has its own reason"
    assert all("einops" in words for words in told)
    page.table.select(fake_tools.HOME / "torch")
    press(qtbot, page.card.buttons["packages"])
    press(qtbot, page.adding.keep)
    page.table.select(fake_tools.HOME / "half")
    assert not page.card.cannot.isVisible(), "it is chosen for nothing any more"


@pytest.mark.parametrize("way", ["add", "update"])
def test_packages_are_added_or_updated_after_a_look(
    way: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools, session: FakeSession
) -> None:
    window = make_window()
    page = opened(qtbot, window, fake_tools.ENVIRONMENTS[0].prefix)
    press(qtbot, page.card.buttons["packages"])
    adding = page.adding
    assert adding.isVisible()
    assert not adding.look.isEnabled()
    assert not adding.go.isVisible()
    typed(qtbot, adding.names, "pandas einops>=0.8,<1, rich")
    press(qtbot, adding.look if way == "add" else adding.update_all)
    qtbot.waitUntil(adding.go.isVisible)
    assert is_heard_as_seen(adding)
    wish = ("plan_add", ("pandas", "einops>=0.8,<1", "rich")) if way == "add" else ("plan_update", ())
    assert wish in session.calls
    assert any("ipykernel 1.0, comm 1.0" in one.text() for one in adding.findChildren(QLabel))
    typed(qtbot, adding.names, "pandas")
    assert not adding.go.isVisible(), "another wish is another plan"
    qtbot.waitUntil(lambda: ("discard", "run-kernel") in session.calls)
    settle(qtbot, window)  # the stand-in's plans have one number
    press(qtbot, adding.look)
    qtbot.waitUntil(adding.go.isVisible)
    press(qtbot, adding.go)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL)


def test_the_packages_are_exported(qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path) -> None:
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    page.export_to(tmp_path / "lesson.txt")
    settle(qtbot, window)
    assert ("export", tmp_path / "lesson.txt") in side.calls
    assert str(tmp_path / "lesson.txt") in page._said.text()
