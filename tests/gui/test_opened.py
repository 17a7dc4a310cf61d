"""Files that are opened with the program or dropped on its window; where Browse… opens."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession, half_run
from tests.gui.walking import dragged_in, go_to, press, put_away, settle, visible
from wizard.app.pages.order import PageId, SideId
from wizard.gui.pages.place import PlacePage
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences


def drop(window: WizardWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = dragged_in(data)
    window.dragEnterEvent(entered)
    assert entered.isAccepted()
    window.dropEvent(QDropEvent(QPointF(5, 5), copy, data, left, none, QEvent.Type.Drop))


def words_of(window: WizardWindow) -> str:
    return "\n".join(one.text() for one in visible(window, QLabel) if isinstance(one, QLabel))


@pytest.mark.parametrize(
    ("state", "words", "button"),
    [("planned", "Carry out this plan: lesson", "&Begin"), ("finished", "carried out already", "&Check it")],
)
def test_a_plan_of_this_computer_is_opened(
    state: str, words: str, button: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.known_runs = [values.run_info("run-9", state, "/envs/lesson")]
    session.script = half_run
    window = make_window()
    drop(window, session.events_path("run-9").with_name("plan.json"))
    settle(qtbot, window)
    qtbot.waitUntil(lambda: words in words_of(window))
    way = next(one for one in visible(window, QPushButton) if isinstance(one, QPushButton) and one.text() == button)
    press(qtbot, way)
    if state == "planned":
        qtbot.waitUntil(lambda: window.navigator.page is PageId.INSTALL)
        assert window.navigator.state.run_id == "run-9"
    else:
        assert window.side.here is not None
        assert (window.side.here.page, window.side.here.prefix) == (SideId.DOCTOR, Path("/envs/lesson"))


def test_an_opened_plan_is_told_as_carried_out_when_it_is(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    press(qtbot, window.rail.steps[PageId.WELCOME])
    settle(qtbot, window)
    run_id = session.known_runs[-1].id
    window.page.open_file(session.events_path(run_id).with_name("plan.json"))
    qtbot.waitUntil(lambda: "is being carried out" in words_of(window))
    FakeRun(session, run_id).finish()
    qtbot.waitUntil(lambda: "Finished, see the result" in words_of(window))
    qtbot.waitUntil(lambda: "carried out already" in words_of(window))
    assert "is being carried out" not in words_of(window)


@pytest.mark.parametrize(
    ("name", "words"),
    [("plan.json", "was not made on this computer"), ("a.torchlab", "class profile"), ("x.json", "can open")],
)
def test_other_files_are_named_for_what_they_are(
    name: str, words: str, qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window()
    go_to(qtbot, window, PageId.CHECK)
    drop(window, tmp_path / name)
    settle(qtbot, window)
    assert window.navigator.page is PageId.WELCOME
    qtbot.waitUntil(lambda: words in words_of(window))


def test_a_file_does_not_take_a_running_setup_away(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path
) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)
    drop(window, tmp_path / "plan.json")
    assert window.navigator.page is PageId.INSTALL
    assert window.page.trouble.code == "error.window-run-going.summary"


def test_several_files_at_once_are_not_passed_over(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    drop(window, tmp_path / "a.txt", tmp_path / "b.txt")
    settle(qtbot, window)
    assert window.navigator.page is PageId.WELCOME
    assert window.page.trouble.code == "error.window-several-files.summary"
    assert "2 files" in words_of(window)


def test_a_pack_that_is_given_at_the_start_is_opened(
    qtbot: QtBot, qapp: QApplication, session: FakeSession, tmp_path: Path
) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "profile.torchlab").write_text("", encoding="utf-8")
    window = WizardWindow(qapp, session, Preferences(tmp_path / "settings.json"), str(tmp_path / "pack"))
    window.show()
    qtbot.waitUntil(lambda: "class profile" in words_of(window))
    put_away(window)


@pytest.mark.parametrize("inside", ["profile.torchlab", "pyvenv.cfg", "notes.txt"])
def test_a_folder_is_opened_as_what_it_is(inside: str, qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / inside).write_text("", encoding="utf-8")
    window = make_window()
    drop(window, folder)
    settle(qtbot, window)
    if inside == "pyvenv.cfg":
        assert window.side.here is not None
        assert (window.side.here.page, window.side.here.prefix) == (SideId.DOCTOR, folder)
        return
    assert window.side.here is None, "a folder is no error text"
    expected = "nothing to open" if inside == "notes.txt" else "class profile"
    qtbot.waitUntil(lambda: expected in words_of(window))


def test_browse_opens_at_the_nearest_folder_that_is_there(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt itself would open the folder in which the program happens to run."""
    window, opened = make_window(), list[str]()
    go_to(qtbot, window, PageId.PLACE)
    page = window.page
    assert isinstance(page, PlacePage)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda parent, title, start: opened.append(start))
    for field, choose in (
        (page.folder, page._choose_folder),
        (page.volumes.cache, lambda: page.volumes._choose(page.volumes.cache)),
    ):
        for typed_in in (str(tmp_path), str(tmp_path / "not" / "yet"), "", "~", "not-yet"):
            field.setText(typed_in)
            choose()
    home = str(Path.home())
    assert opened == [str(tmp_path), str(tmp_path), home, home, home] * 2
