"""Place: the person's own conda, and an environment that is there as the target."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import dragged_in, go_to, mnemonics, press, settle, typed, visible
from tests.sentences import error_text
from wizard.app.pages.order import PageId
from wizard.compatibility.model import Choices
from wizard.gui.pages.place import PlacePage
from wizard.gui.shell.splash import SIZE, SMALLEST
from wizard.gui.shell.window import WizardWindow
from wizard.machine.model import CondaInstall
from wizard.model.errors import UsageError
from wizard.model.messages import LANGUAGES, message
from wizard.run.model import Facts, Requirement
from wizard.run.plan.place import check_place
from wizard.system import paths

CONDAS = (
    CondaInstall("/home/li/miniforge3/bin/conda", "26.3.1", "/home/li/miniforge3", "conda"),
    CondaInstall("/opt/micromamba", "2.1.0", "/opt/mamba", "micromamba"),
)


def reached(qtbot: QtBot, window: WizardWindow) -> PlacePage:
    go_to(qtbot, window, PageId.PLACE)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, PlacePage)
    return page


def with_condas(session: FakeSession, *condas: CondaInstall) -> None:
    session.facts = replace(session.facts, machine=replace(session.facts.machine, condas=condas))


def test_without_a_conda_none_is_offered(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    with_condas(session)
    page = reached(qtbot, make_window())
    assert not page.engines["conda"].isVisible()


def test_one_of_several_condas_is_chosen(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    with_condas(session, *CONDAS)
    window = make_window()
    page = reached(qtbot, window)
    assert not page.engine.condas.isVisible()
    press(qtbot, page.engine_fold.button)
    press(qtbot, page.engines["conda"])
    assert page.engine.condas.isVisible()
    window.resize(*SMALLEST)
    settle(qtbot, window)
    condas = page.engine.condas
    qtbot.waitUntil(lambda: condas.shown_text() == condas.currentText(), timeout=5000)
    page.engine.condas.setCurrentIndex(1)
    page.engine.condas.activated.emit(1)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    choices = window.navigator.state.choices
    assert (choices.engine, choices.conda) == ("conda", "/opt/micromamba")
    go_to(qtbot, window, PageId.REVIEW)
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert page.engines["conda"].isChecked()
    assert page.engine.condas.currentData() == "/opt/micromamba"


def test_what_was_said_of_a_name_goes_with_it(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = reached(qtbot, window)
    assert page.rows.isVisible()
    page.name.clear()
    page.name.textEdited.emit("")
    qtbot.waitUntil(page.name_trouble.isVisible)
    assert not page.rows.isVisible(), "it is of the name before"
    typed(qtbot, page.name, "torch-9")
    qtbot.waitUntil(page.rows.isVisible)


def test_the_programs_own_environment_is_not_offered(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.known = (*side.known, replace(fake_tools.ENVIRONMENTS[0], prefix=Path(sys.prefix), name=".venv"))
    page = reached(qtbot, make_window())
    press(qtbot, page.there)
    qtbot.waitUntil(lambda: bool(page.existing._known))
    assert ".venv" not in [one.name for one in page.existing._known or ()]
    assert page.existing._note.isVisible()
    page.existing.show_known((), None)
    assert page.existing._none.isVisible()
    assert not page.existing._note.isVisible(), "of what is there none is spoken where none is"


def test_packages_go_into_an_environment_that_is_there(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, session: FakeSession
) -> None:
    window = make_window()
    page = reached(qtbot, window)
    press(qtbot, page.there)
    assert not page.name.isVisible()
    names = [one.name for one in page.existing._known or ()]
    assert names == ["torch", "lesson-3", "项目 甲"], "whole ones only, and none of the system's"
    assert not window.footer.primary.isEnabled(), "none is chosen yet"
    page.existing.table.selectRow(1)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    choices = window.navigator.state.choices
    assert choices.reuse
    assert choices.prefix == str(fake_tools.ENVIRONMENTS[1].prefix)
    assert ("check_reuse", choices) in side.calls
    selections = session.names().count("select_build")
    go_to(qtbot, window, PageId.REVIEW)
    assert session.names().count("select_build") == selections, "its own Python decides, so nothing is elected again"
    assert "preview" not in session.names()
    assert window.navigator.state.preview is not None
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert page.existing.prefix == fake_tools.ENVIRONMENTS[1].prefix
    press(qtbot, page.new)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    assert not window.navigator.state.choices.reuse
    assert window.navigator.state.choices.name == "torch"


def test_nothing_to_do_is_said_calmly(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.would_change = False
    window = make_window()
    page = reached(qtbot, window)
    press(qtbot, page.there)
    page.existing.table.selectRow(0)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    go_to(qtbot, window, PageId.REVIEW)
    review = window.pages[PageId.REVIEW]
    qtbot.waitUntil(review.nothing.isVisible)
    assert review.nothing.code == "reuse.nothing"
    assert not review.trouble.isVisible()
    assert not window.footer.primary.isVisible(), "there is nothing to press"
    assert not review.copy.isVisible()
    assert all("Install" not in one.text() for one in visible(window, QLabel) if one.parent() is not window.rail)
    assert window.focusWidget() is not window.footer.back, "a stray Return turns no page"


def test_a_name_that_is_taken_is_not_proposed(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, look = {"torch", "torch-2"}, session.check_place

    def check(choices: Choices, facts: Facts) -> tuple[Requirement, ...]:
        if choices.name in there:
            raise UsageError(error_text("target-is-environment"), path=f"/home/li/torch-envs/{choices.name}")
        return look(choices, facts)

    monkeypatch.setattr(session, "check_place", check)
    window = make_window()
    page = reached(qtbot, window)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    assert (page.name.text(), window.navigator.state.choices.name) == ("torch-3", "torch-3")
    typed(qtbot, page.name, "torch")
    qtbot.waitUntil(page.name_trouble.isVisible)
    assert page.name.text() == "torch", "what the person types stays"


def test_one_that_may_not_be_used_says_why(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.fail["check_reuse"] = UsageError(error_text("reuse-not-writable"), path="/srv/envs/x")
    window = make_window()
    page = reached(qtbot, window)
    press(qtbot, page.there)
    page.existing.table.selectRow(0)
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.trouble.code == "error.reuse-not-writable.summary"
    assert not window.footer.primary.isEnabled()


@pytest.mark.parametrize("language", LANGUAGES)
def test_letters_are_unique(language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    with_condas(session, *CONDAS)
    window = make_window(language)
    page = reached(qtbot, window)
    page.volumes_fold.button.setChecked(True)
    for mode in (page.new, page.there):
        press(qtbot, mode)
        letters = [letter for letter, _ in mnemonics(window)]
        assert len(letters) == len(set(letters)), sorted(mnemonics(window))


def test_a_prefix_of_an_earlier_choice_is_kept(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = reached(qtbot, window)
    page.folder.setText("/data/envs")
    page.folder.textEdited.emit("/data/envs")
    qtbot.waitUntil(window.footer.primary.isEnabled)
    assert window.navigator.state.choices.prefix == str(Path("/data/envs/torch"))


@pytest.fixture
def nothing_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set first, so that it is taken back."""
    for name in (paths.CACHE_VARIABLE, paths.TEMP_VARIABLE):
        monkeypatch.setenv(name, "/x")
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("nothing_in_force")
def test_other_places_are_a_wish_only_where_they_were_edited(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(paths.TEMP_VARIABLE, "/mnt/fast/tmp")
    window = make_window()
    page = reached(qtbot, window)
    assert page.volumes_fold.button.isChecked(), "what is in force is shown"
    assert (page.volumes.cache.text(), page.volumes.temp.text()) == ("", "/mnt/fast/tmp")
    assert window.navigator.state.choices.temp_dir is None
    selected = session.names().count("select_build")
    page.volumes.cache.setText("/data/缓存")
    page.volumes.cache.textEdited.emit("/data/缓存")
    qtbot.waitUntil(window.footer.primary.isEnabled)
    choices = window.navigator.state.choices
    assert (choices.cache_dir, choices.temp_dir) == ("/data/缓存", None)
    assert ("check_place", choices) in session.calls
    go_to(qtbot, window, PageId.REVIEW)
    assert session.names().count("select_build") == selected, "no source hangs on it"
    assert "remember_volumes" not in session.names(), "nothing is kept before Install"
    go_to(qtbot, window, PageId.INSTALL)
    assert ("remember_volumes", ("/data/缓存", None)) in session.calls
    assert session.names().index("remember_volumes") < session.names().index("start")


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_in_force")
def test_an_emptied_field_takes_the_place_back(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(paths.CACHE_VARIABLE, "/data/cache")
    window = make_window()
    page = reached(qtbot, window)
    page.volumes.cache.clear()
    page.volumes.cache.textEdited.emit("")
    qtbot.waitUntil(window.footer.primary.isEnabled)
    assert window.navigator.state.choices.cache_dir == "default"
    go_to(qtbot, window, PageId.REVIEW)
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert page.volumes.cache.text() == ""
    press(qtbot, page.there)
    assert page.volumes_fold.isVisible(), "a setup into an environment downloads too"


@pytest.mark.slow
def test_a_folder_dropped_on_its_field_is_its_path(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    page = reached(qtbot, window)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "课 堂"))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    drop = QDropEvent(QPointF(5, 5), copy, data, left, none, QEvent.Type.Drop)
    QApplication.sendEvent(page.folder, dragged_in(data))
    QApplication.sendEvent(page.folder, drop)
    assert page.folder.text() == str(tmp_path / "课 堂")
    settle(qtbot, window)
    assert window.navigator.state.choices.prefix == str(tmp_path / "课 堂" / "torch")


def under(page: PlacePage, one: QWidget) -> int:
    return one.mapTo(page, one.rect().topLeft()).y()


def bottom(page: PlacePage, one: QWidget) -> int:
    return one.mapTo(page, one.rect().bottomLeft()).y()


def touching(page: PlacePage) -> list[QLineEdit]:
    """Return the fields right below which the error stands."""
    shown = {page.name: page.name_trouble, page.folder: page.trouble}
    return [
        field for field, one in shown.items() if one.isVisible() and 0 < under(page, one) - bottom(page, field) < 16
    ]


def test_what_is_wrong_stands_below_its_field_and_the_whole_path_is_shown(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    window = make_window()
    window.resize(*SIZE)
    page = reached(qtbot, window)
    qtbot.waitUntil(page.rows.isVisible)
    parts = (page.name, page.folder, page.engine_fold, page.volumes_fold)

    def places() -> list[int]:
        return [part.mapTo(page, part.rect().topLeft()).y() for part in parts]

    before = places()
    usual = page.name.accessibleDescription()
    typed(qtbot, page.name, "a/b")
    qtbot.waitUntil(lambda: touching(page) == [page.name])
    assert places() == before, "nothing moves while one types"
    assert (page.name.property("wrong"), page.folder.property("wrong")) == (True, False)
    assert "“/”" in page.name.accessibleDescription(), "who hears the window gets it with the field"
    session.fail["check_place"] = UsageError(error_text("target-is-system"), path="/proc/x")
    typed(qtbot, page.folder, "/proc/x")
    qtbot.waitUntil(lambda: touching(page) == [page.name, page.folder], timeout=5000)
    assert places() == before, "each field has its own"
    assert not window.footer.primary.isEnabled()
    session.fail.clear()
    typed(qtbot, page.folder, str(tmp_path))
    qtbot.waitUntil(lambda: touching(page) == [page.name])
    assert not window.footer.primary.isEnabled()
    typed(qtbot, page.name, "ab")
    qtbot.waitUntil(lambda: touching(page) == [])
    assert page.name.accessibleDescription() == usual
    session.fail["check_place"] = UsageError(error_text("target-is-system"), path="/proc/x")
    typed(qtbot, page.folder, "/proc/x")
    qtbot.waitUntil(lambda: page.folder in touching(page), timeout=5000)
    assert places() == before
    assert (page.name.property("wrong"), page.folder.property("wrong")) == (False, True)
    assert not page._path.isVisible(), "the error has its place"
    session.fail.clear()
    typed(qtbot, page.folder, "labs")
    assert page._path.text() == str(tmp_path / "labs" / "ab")
    qtbot.waitUntil(page.rows.isVisible)
    assert page._path.isVisible()


def test_what_is_wrong_is_said_of_the_name_that_stands_there(
    qtbot: QtBot, make_window: MakeWindow, heard: list[str]
) -> None:
    page = reached(qtbot, make_window())
    for name in ("a/b", "x/y", "long/er/one"):
        typed(qtbot, page.name, name)
        qtbot.waitUntil(lambda name=name: f"“{name}”" in page.name_trouble.plain_text(), timeout=5000)
        assert f"“{name}”" in page.name.accessibleDescription()
    assert sum("contains" in words for words in heard) == 1, "aloud once, and not for each letter"


def test_a_shortcut_of_a_grey_button_is_not_typed(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    page = reached(qtbot, window)
    typed(qtbot, page.name, "a/b")
    qtbot.waitUntil(page.name_trouble.isVisible)
    typed(qtbot, page.folder, str(tmp_path))
    qtbot.waitUntil(lambda: not window.footer.primary.isEnabled())
    assert window.focusWidget() is page.folder
    qtbot.keyClick(page.folder, Qt.Key.Key_N, Qt.KeyboardModifier.AltModifier)
    assert page.folder.text() == str(tmp_path)
    qtbot.keyClick(page.folder, Qt.Key.Key_N)
    assert page.folder.text() == f"{tmp_path}n"


def composed(field: QLineEdit, typed_letters: str, words: str) -> None:
    """As an input method does it: letters that are no text yet, then the words."""
    field.setFocus()
    field.selectAll()
    QApplication.sendEvent(field, QInputMethodEvent(typed_letters, []))
    done = QInputMethodEvent()
    done.setCommitString(words)
    QApplication.sendEvent(field, done)


def test_chinese_is_typed_by_an_input_method(
    qtbot: QtBot, make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch, session: FakeSession, tmp_path: Path
) -> None:
    monkeypatch.setattr(session, "check_place", lambda choices, facts: check_place(choices))
    window = make_window("zh_CN")
    page = reached(qtbot, window)
    composed(page.name, "shenduxuexi", "深度学习")
    qtbot.waitUntil(lambda: window.navigator.state.place is not None and window.footer.primary.isEnabled())
    assert window.navigator.state.choices.name == "深度学习"
    composed(page.folder, "kecheng", str(tmp_path / "课 程"))
    qtbot.waitUntil(lambda: window.navigator.state.place is not None and window.footer.primary.isEnabled())
    assert window.navigator.state.choices.prefix == str(tmp_path / "课 程" / "深度学习")
    assert page._path.text() == str(tmp_path / "课 程" / "深度学习")
    assert not page.trouble.isVisible()


def test_places_in_force_are_told_in_their_fold_and_what_opens_is_seen(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = session.check_place
    temp = Requirement("disk", "ok", message("environments.place.temp", path="/tmp", gigabytes=37.2))
    monkeypatch.setattr(session, "check_place", lambda choices, facts: (*look(choices, facts), temp))
    window = make_window()
    window.resize(*SMALLEST)
    page = reached(qtbot, window)
    qtbot.waitUntil(page.rows.isVisible)
    shown = [one.text() for one in page.rows.findChildren(QLabel)]
    assert sum("free" in words for words in shown) == 1
    width = page._form.width()
    press(qtbot, page.volumes_fold.button)
    area, facts = page._scroll, page.volumes._facts
    assert "37.2 GB" in facts.text()

    def is_seen() -> bool:
        return 0 < facts.mapTo(area.viewport(), facts.rect().bottomLeft()).y() <= area.viewport().height()

    qtbot.waitUntil(lambda: area.verticalScrollBar().value() > 0 and is_seen())
    assert page._form.width() == width, "the bar breaks no line anew"
