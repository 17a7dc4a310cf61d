"""A mirror for good: chosen on the Source page, written with Install, and its difference shown before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.walking import go_to, press, settle, source_page, texts
from tests.sentences import error_text
from wizard.app.pages.order import PageId
from wizard.gui.pages.verify.page import VerifyPage
from wizard.model.errors import WizardError
from wizard.model.messages import message
from wizard.sources.model import Availability, Origin, SourceStatus


def test_nobody_is_offered_the_official_place_for_good(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    assert not source_page(window).persistent.isVisible()


def test_an_address_of_ones_own_can_be_kept_too(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    scenes.write_settings(session)
    typed = replace(values.TUNA, id="by-hand-index", origin=Origin.BY_HAND, url="https://lab.example/simple", name="")
    status = SourceStatus(typed, Availability.COMPLETE, message("truth.complete"), kind="packages")
    session.selected = replace(values.PROBED_SELECTED, package_sources=(typed,), states=(status,))
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    qtbot.waitUntil(page.persistent.isVisible)
    page.persistent.tick.click()
    settle(qtbot, window)
    assert session.calls[-1] == ("plan_use", ("https://lab.example/simple", ("packages",)))
    lines = page.persistent.diff.files[0].view.toPlainText().splitlines()
    assert "+index-url = https://lab.example/simple" in lines


def test_the_difference_is_shown_first_and_written_with_install(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    pip = _rich(session)
    before = pip.read_bytes()
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    assert page.persistent.isVisible()
    assert not page.persistent.tick.isChecked()
    assert "plan_use" not in session.names()
    page.persistent.tick.click()
    settle(qtbot, window)
    files = page.persistent.diff.files
    assert [file.view.toPlainText().splitlines()[0][:2] for file in files] == ["@@", "@@"]
    lines = files[0].view.toPlainText().splitlines()
    assert [line for line in lines if line.startswith("-")] == ["-index-url = https://pypi.douban.com/simple"]
    assert len([line for line in lines if line.startswith("+")]) == 1
    press(qtbot, files[0].copy)
    assert "--- " in QGuiApplication.clipboard().text()
    assert pip.read_bytes() == before, "shown, not written"
    go_to(qtbot, window, PageId.REVIEW)
    review = window.pages[PageId.REVIEW]
    qtbot.waitUntil(lambda: {f"{pip.name}, uv.toml", "Will change; you can undo it."} <= set(texts(window)))
    press(qtbot, review.settings.button)
    qtbot.waitUntil(lambda: any(str(pip) in text for text in texts(window)))
    assert not any("No setting" in text for text in texts(window))
    assert pip.read_bytes() == before
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    assert pip.read_bytes() != before
    names = [name for name in session.names() if name in ("use", "start")]
    assert names == ["use", "start"]
    used = window.navigator.state.used
    assert len(used) == 1
    assert used[0].change is not None
    verify = window.page
    assert isinstance(verify, VerifyPage)
    assert pip.name in verify.changes.button.accessibleName()
    press(qtbot, verify.changes.button)
    qtbot.waitUntil(lambda: any("Changed settings files" in text and str(pip) in text for text in texts(window)))


@pytest.mark.slow
def test_a_file_that_was_changed_meanwhile_stops_the_start_and_is_shown_anew(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    pip = _rich(session)
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    source_page(window).persistent.tick.click()
    settle(qtbot, window)
    go_to(qtbot, window, PageId.REVIEW)
    pip.write_text("[global]\nindex-url = https://other.example/simple\n", encoding="utf-8")
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert window.navigator.page is PageId.REVIEW
    assert window.page.trouble.code == "error.undo-changed-meanwhile.summary"
    assert "start" not in session.names()
    diff = window.navigator.state.persistent[0].diffs[0]
    assert "other.example" in diff.text
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    assert "other.example" not in pip.read_text(encoding="utf-8")


def test_settings_that_cannot_be_planned_are_said_and_the_box_is_empty_again(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    _rich(session)
    session.fail["plan_use"] = WizardError(error_text("undo-read-only"), path="/x/pip.conf")
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    page.persistent.tick.click()
    settle(qtbot, window)
    assert page.trouble.code == "error.undo-read-only.summary"
    assert not page.persistent.tick.isChecked()
    assert window.footer.primary.isEnabled(), "the setup itself can go on"


def test_unticking_and_choosing_again_forget_it(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    _rich(session)
    window = make_window()
    go_to(qtbot, window, PageId.SOURCE)
    page = source_page(window)
    for _ in range(2):
        page.persistent.tick.click()
        settle(qtbot, window)
    assert window.navigator.state.persistent == ()
    assert not page.persistent.diff.isVisible()
    page.persistent.tick.click()
    settle(qtbot, window)
    assert window.navigator.state.persistent
    press(qtbot, page.again)
    settle(qtbot, window)
    assert window.navigator.state.persistent == ()
    assert not page.persistent.tick.isChecked()


def _rich(session: FakeSession) -> Path:
    scenes.rich(session)
    return session.around.home / ".config" / "pip" / "pip.conf"
