"""Environments: the table, and one from near with all that can be done with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import cell, mnemonics, press, settle, typed
from tests.sentences import error_text
from wizard.app.pages.order import PageId, SideId
from wizard.app.use.environments import Replaced
from wizard.environment.inspect.in_use import RunningProgram
from wizard.gui.pages.verify.page import VerifyPage
from wizard.gui.shell import splash
from wizard.gui.shell.window import SMALLEST, WizardWindow
from wizard.gui.tools.environments.page import EnvironmentsPage
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import LANGUAGES
from wizard.system import paths

SIZE, STATE = 4, 6


def opened(qtbot: QtBot, window: WizardWindow, prefix: Path | None = None) -> EnvironmentsPage:
    window.side.open(SideId.ENVIRONMENTS, prefix)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, EnvironmentsPage)
    return page


def cells(page: EnvironmentsPage, column: int) -> list[str]:
    return [cell(page.table, row, column) for row in range(page.table.rowCount())]


def test_all_are_listed_and_sizes_fill_in_after(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    side.hold.add("sizes")
    window.side.open(SideId.ENVIRONMENTS)
    page = window.page
    assert isinstance(page, EnvironmentsPage)
    assert not page.nobodys.isChecked()
    qtbot.waitUntil(lambda: page.table.rowCount() == len(fake_tools.ENVIRONMENTS) - 2)
    press(qtbot, page.nobodys)
    assert page.table.rowCount() == len(fake_tools.ENVIRONMENTS), "conda's own and the system's, too"
    assert cells(page, SIZE)[:-1] == ["…"] * (len(fake_tools.ENVIRONMENTS) - 1)
    assert cells(page, SIZE)[-1] == "–", "the system's own folder is not counted"
    side.let_go.set()
    qtbot.waitUntil(lambda: cells(page, SIZE)[0] == "5.31 GB")
    assert cells(page, SIZE)[-1] == "–"
    assert cells(page, STATE)[:5] == ["✓ OK", "✓ OK", "✓ OK", "✕ Broken", "! Unfinished"]


def test_who_has_none_yet_may_see_the_systems(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.known = tuple(one for one in side.known if not one.is_persons)
    page = opened(qtbot, make_window())
    assert not page.table.isVisible()
    press(qtbot, page.nobodys)
    assert page.table.isVisible()
    press(qtbot, page.nobodys)
    assert not page.table.isVisible()


def test_the_selection_stays_with_its_environment(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = opened(qtbot, window)
    page.table.selectRow(1)
    side.known = tuple(reversed(side.known))
    press(qtbot, page.again)
    settle(qtbot, window)
    assert page.table.selected is not None
    assert page.table.selected.name == "lesson-3"


def test_one_from_near_says_what_is_in_it_and_how_it_is_used(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    qtbot.waitUntil(lambda: page.card.ways.first is not None)
    press(qtbot, page.card.details)
    assert "torch 2.14.1+cu126" in page.card._inside.text()
    press(qtbot, page.card.ways.fold.button)
    press(qtbot, page.card.ways.first.button)
    assert QGuiApplication.clipboard().text() == "source /home/li/torch-envs/torch/bin/activate"
    press(qtbot, page.card.buttons["copy"])
    assert QGuiApplication.clipboard().text() == "/home/li/torch-envs/torch"
    press(qtbot, page.card.buttons["terminal"])
    settle(qtbot, window)
    assert ("open_terminal", fake_tools.HOME / "torch") in side.calls
    press(qtbot, page.card.buttons["check"])
    assert window.side.here is not None
    assert (window.side.here.page, window.side.here.prefix) == (SideId.DOCTOR, fake_tools.HOME / "torch")
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert window.page is page


def test_a_notebook_opens_or_what_it_lacks_is_added(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, session: FakeSession
) -> None:
    window = make_window()
    window.resize(*splash.SIZE)
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    qtbot.waitUntil(page.card.buttons["notebook"].isVisible)
    assert page.card.buttons["notebook"].text() == "Open &notebook"
    side.fail["open_notebook"] = WizardError(error_text("terminal-none-for"), command="jupyter lab")
    press(qtbot, page.card.buttons["notebook"])
    qtbot.waitUntil(page.card.to_type.isVisible)
    assert page.card.to_type.code == "jupyter lab"
    assert page.card._reason.text().endswith("and type:")
    assert ("open_notebook", fake_tools.HOME / "torch") in side.calls
    side.calls.clear()
    del side.fail["open_notebook"]
    press(qtbot, page.card.buttons["notebook"])
    qtbot.waitUntil(page.card.address.isVisible)
    assert page.card.address.code.code == "http://localhost:8888/?token=secret"
    side.lacks = "notebook"
    press(qtbot, page.again)
    page.table.select(None)
    page.table.select(fake_tools.HOME / "torch")
    qtbot.waitUntil(lambda: page.card.buttons["notebook"].text() == "Add &Jupyter…")
    press(qtbot, page.card.buttons["notebook"])
    qtbot.waitUntil(page.adding.go.isVisible)
    assert ("plan_add", ("notebook",)) in session.calls
    assert not [call for call in session.calls if call[0] == "start"], "nothing is done before it is read"
    prefix = str(fake_tools.HOME / "torch")
    session.known_runs = [values.run_info("run-kernel", "planned", prefix)]
    press(qtbot, page.adding.go)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    verify = window.pages[PageId.VERIFY]
    assert isinstance(verify, VerifyPage)
    qtbot.waitUntil(lambda: "Jupyter lists this environment" in verify.kernel.words)
    assert verify.jupyter.text() == "Added"


def test_a_folder_that_nothing_opens_is_said_with_its_path(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.gui.widgets.code.QDesktopServices.openUrl", lambda url: False)
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    press(qtbot, page.card.details)
    press(qtbot, page.card.buttons["folder"])
    assert str(fake_tools.HOME / "torch") in page.card._reason.text()
    assert page.card._reason.label.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    press(qtbot, window.rail.logs_button)
    assert page.trouble.code == "error.folder-not-opened.summary"
    assert str(paths.logs_dir()) in page.trouble.plain_text()
    for number, names in ((1, ("plan.json", "log.txt")), (2, ("plan.json", "log.txt")), (3, ("plan.json",))):
        run = paths.runs_dir() / f"20261128-02000{number}-ab1{number}"
        run.mkdir(parents=True)
        for name in names:
            (run / name).touch()
    press(qtbot, window.rail.logs_button)
    assert "20261128-020002-ab12" in page.trouble.plain_text(), "the newest run that has a log"


def test_return_on_a_row_opens_it_and_leads_into_it(qtbot: QtBot, make_window: MakeWindow) -> None:
    page = opened(qtbot, make_window())
    assert not page.card.isVisible()
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert page.card.isVisible()
    assert page.window().focusWidget() is page.card.buttons["check"]


def test_one_that_somebody_moved_is_named_once(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = opened(qtbot, window)
    side.known = tuple(one for one in side.known if one.name not in ("old", "base"))
    press(qtbot, page.again)
    settle(qtbot, window)
    assert page._said.text() == f"old is no longer at {fake_tools.HOME / 'old'}."
    press(qtbot, page.again)
    settle(qtbot, window)
    assert not page._said.isVisible()


def test_a_broken_one_says_why_and_offers_no_terminal(qtbot: QtBot, make_window: MakeWindow) -> None:
    page = opened(qtbot, make_window(), fake_tools.HOME / "old")
    assert "/usr/bin/python3.9" in page.card._reason.text()
    assert not page.card.buttons["terminal"].isVisible()


def test_what_a_repair_replaced_is_brought_back(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.kept = Replaced(("torch", "numpy", "sympy", "pillow", "rich", "tqdm"), 2_900_000_000, 0.0)
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    undo, delete = page.card.back.button, page.card.buttons["delete"]
    qtbot.waitUntil(undo.isVisible)
    assert "Last change: torch, numpy, sympy, pillow and 2 more." in page.card.back.kept_words.text()
    is_beside = undo.mapTo(window, undo.rect().topRight()).x() < delete.mapTo(window, delete.rect().topLeft()).x()
    assert is_beside, "the words of the end move the page: Delete must not come under the mouse"
    press(qtbot, undo)
    assert page.card.back.question.isVisible(), "it is asked first"
    assert "Jupyter" not in shown_words(page)
    assert window.focusWidget() is page.card.back.keep
    press(qtbot, page.card.back.keep)
    assert not page.card.back.question.isVisible()
    press(qtbot, undo)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not page.card.back.question.isVisible())
    assert window.page is page
    assert "bring_back" not in side.names()
    press(qtbot, undo)
    press(qtbot, page.card.back.go)
    qtbot.waitUntil(page._said.isVisible)
    assert "torch, numpy" in page._said.text()


def shown_words(page: EnvironmentsPage) -> str:
    return "\n".join(one.text() for one in page.card.back.question.findChildren(QLabel))


def test_jupyter_is_named_as_that_and_goes_with_its_entry(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    names = ("notebook", "ipykernel", *(f"part-{number}" for number in range(87)))
    side.kept = Replaced(names, 53_000_000, 0.0, "run", ("PyTorch (torch)",))
    page = opened(qtbot, make_window(), fake_tools.HOME / "torch")
    qtbot.waitUntil(page.card.back.button.isVisible)
    assert "Last change: Jupyter: notebook, ipykernel and 87 more." in page.card.back.kept_words.text()
    press(qtbot, page.card.back.button)
    assert "Undo the change “Jupyter: notebook, ipykernel and 87 more”?" in shown_words(page)
    assert "Jupyter will no longer list “PyTorch (torch)”." in shown_words(page)


def test_a_jupyter_that_runs_is_stopped_in_the_row(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that an earlier visit has started; its page is not opened by being looked at."""
    opened_pages: list[str] = []
    monkeypatch.setattr("wizard.gui.pages.verify.kernel.QDesktopServices.openUrl", opened_pages.append)
    side.notebook_runs = "http://localhost:8888/?token=secret"
    page = opened(qtbot, make_window(), fake_tools.HOME / "torch")
    qtbot.waitUntil(page.card.address.stop.isVisible)
    assert opened_pages == []
    side.notebook_runs = ""
    press(qtbot, page.card.address.stop)
    qtbot.waitUntil(lambda: not page.card.address.isVisible())
    assert ("stop_notebook", (fake_tools.HOME / "torch", False)) in side.calls
    assert page._said.text() == "Jupyter has ended."


def test_a_deletion_offers_to_stop_the_jupyter_that_is_in_its_way(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.running = (RunningProgram(10777, "jupyter-lab", "/x"), RunningProgram(4711, "python3.12", "/y"))
    page = opened(qtbot, make_window(), fake_tools.HOME / "torch")
    press(qtbot, page.card.buttons["delete"])
    qtbot.waitUntil(page.panel.stop.isVisible)
    ours, other = page.panel._users.text().splitlines()[:2]
    assert ours == "! jupyter-lab (process 10777) is using it. “Stop Jupyter” ends it, with its notebooks."
    assert other == "! python3.12 (process 4711) is using it. Close it first."
    plan = fake_tools.deletion(fake_tools.ENVIRONMENTS[0], running=side.running)
    press(qtbot, page.panel.stop)
    qtbot.waitUntil(page.panel.name.isVisible)
    assert ("stop_notebook", (fake_tools.HOME / "torch", True)) in side.calls
    page.panel.show_plan(plan)
    assert "“Shut Down” in the “File” menu" in page.panel._users.text(), "one that somebody else has started"
    assert not page.panel.stop.isVisible()


def test_an_earlier_state_is_gone_back_to(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.kept = Replaced(("torch",), 2_900_000_000, 0.0, "third")
    side.older = (Replaced(("numpy",), 60_000_000, 0.0, "second"), Replaced(("sympy",), 9_000_000, 0.0, "first"))
    page = opened(qtbot, make_window(), fake_tools.HOME / "torch")
    press(qtbot, page.card.details)
    older = page.card.back.older
    qtbot.waitUntil(older.isVisible)
    assert older.button.accessibleName() == "Earlier states 2"
    older.button.setChecked(True)
    rows = older.findChildren(QPushButton)
    first = [one for one in rows if one.isVisible() and one.accessibleName().startswith("Go back to before this")][-1]
    press(qtbot, first)
    assert "every change after it" in shown_words(page)
    press(qtbot, page.card.back.go)
    qtbot.waitUntil(page._said.isVisible)
    assert ("bring_back", (fake_tools.HOME / "torch", "first")) in side.calls


@pytest.mark.parametrize("call", ["environments", "plan_deletion", "delete"])
def test_every_failure_stands_in_the_page(call: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    if call != "environments":
        page = opened(qtbot, window, fake_tools.HOME / "torch")
    side.fail[call] = UsageError(error_text("delete-base"), path="/opt/conda")
    if call == "environments":
        page = opened(qtbot, window)
    else:
        press(qtbot, page.card.buttons["delete"])
        settle(qtbot, window)
        if call == "delete":
            typed(qtbot, page.panel.name, "torch")
            press(qtbot, page.panel.go)
    qtbot.waitUntil(page.trouble.isVisible)
    settle(qtbot, window)
    assert page.trouble.isVisible(), "the list that is looked at again leaves the words"
    assert page.trouble.code == "error.delete-base.summary"


def test_without_a_terminal_the_row_says_so_with_the_line_to_paste(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    window = make_window()
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    side.fail["open_terminal"] = WizardError(error_text("terminal-none"), path="/x")
    press(qtbot, page.card.buttons["terminal"])
    qtbot.waitUntil(lambda: "No terminal program was found" in page.card._reason.text())
    assert not page.trouble.isVisible(), "the list stays where it is"
    qtbot.waitUntil(lambda: page.card.ways.fold is not None and page.card.ways.fold.button.isChecked())


def test_no_environment_is_said(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.known = ()
    page = opened(qtbot, make_window())
    assert page._none.isVisible()
    assert not page.table.isVisible()
    side.known = tuple(one for one in fake_tools.ENVIRONMENTS if not one.is_persons)
    press(qtbot, page.again)
    settle(qtbot, page.window())
    assert page._none.text() == "No environment was found on this computer.", "what is folded away is nobody's"
    press(qtbot, page.set_up)
    assert page.context.side.here is None


def test_one_whose_folder_went_while_it_was_shown_leaves_the_list(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.fail["open_terminal"] = WizardError(error_text("terminal-gone"), path=str(fake_tools.HOME / "torch"))
    page = opened(qtbot, make_window(), fake_tools.HOME / "torch")
    assert page.table.selected is not None
    side.known = tuple(one for one in side.known if one.name != "torch")
    press(qtbot, page.card.buttons["terminal"])
    settle(qtbot, page.window())
    assert "torch" not in cells(page, 0)
    assert page._said.text() == f"torch is no longer at {fake_tools.HOME / 'torch'}."


def test_sizes_say_what_is_counted_twice(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = {prefix: replace(one, freed=one.apparent) for prefix, one in fake_tools.SIZES.items()}
    monkeypatch.setattr(fake_tools, "SIZES", alone)
    page = opened(qtbot, make_window())
    assert "share" not in page._subtitle.text()
    shared = {prefix: replace(one, freed=one.apparent // 2) for prefix, one in alone.items()}
    monkeypatch.setattr(fake_tools, "SIZES", shared)
    press(qtbot, page.again)
    settle(qtbot, page.window())
    assert page._subtitle.text().endswith("GB, files that they share count in each)")


@pytest.mark.parametrize("language", LANGUAGES)
def test_letters_are_unique_and_all_fits(language: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.kept = Replaced(("torch",), 1, 0.0)
    window = make_window(language)
    window.resize(*SMALLEST)
    page = opened(qtbot, window, fake_tools.HOME / "torch")
    qtbot.waitUntil(page.card.back.button.isVisible)
    for step in (lambda: None, lambda: press(qtbot, page.card.buttons["delete"])):
        step()
        settle(qtbot, window)
        letters = [letter for letter, _ in mnemonics(window)]
        assert len(letters) == len(set(letters)), sorted(mnemonics(window))
        sheet, view = page._scroll.widget(), page._scroll.viewport()
        qtbot.waitUntil(lambda sheet=sheet, view=view: sheet.width() <= view.width())
