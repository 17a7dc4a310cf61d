"""The page "Class" with real packs: opened, built, refused, stopped and gone on with."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from tests.classroom.pack.classes import Class, make_class, publish
from tests.classroom.profile.known import list_hosts_of
from tests.gui.teaching.pages import LONG, said
from tests.gui.walking import go_to, is_heard_as_seen, press, settle, typed
from tests.servers.fault_server import Faults, FaultServer
from wizard.app.pages.order import PageId, SideId
from wizard.gui.pages.review import ReviewPage


def test_the_first_thing_to_do_has_the_focus(page_of, qtbot: QtBot) -> None:  # type: ignore[no-untyped-def]
    """Else who hears the page begins in the middle of its buttons."""
    window, page = page_of()
    settle(qtbot, window)
    assert window.focusWidget() is page.pack.begin


def test_a_pack_is_opened_from_its_folder(
    page_of, qtbot: QtBot, built: tuple[Class, Path], pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, page = page_of()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(pack))
    press(qtbot, page.pack.open)
    qtbot.waitUntil(lambda: page.room.room is not None, timeout=LONG)
    assert "Deep learning 101" in said(window)
    assert str(pack) in said(window)
    assert "No computer has reported yet" in said(window)
    assert is_heard_as_seen(page.serving)
    press(qtbot, page.pack.other)
    assert page.pack.open.isVisible()
    assert is_heard_as_seen(page.pack)
    assert not page.serving.isVisible()


def test_a_folder_that_is_no_pack_is_refused_in_the_page(page_of, qtbot: QtBot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    page.open_pack(tmp_path)
    settle(qtbot, window)
    assert page.trouble.code == "error.pack-no-folder.summary"
    assert page.pack.open.isVisible()


def test_a_pack_is_built_from_a_profile(page_of, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    with FaultServer() as origin:
        course = make_class(origin.root)
        list_hosts_of(course.file.profile)
        publish(origin, course)
        profile = course.write(tmp_path / "course.torchlab")
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(profile), ""))
        press(qtbot, page.pack.make)
        qtbot.waitUntil(page.pack.go.isVisible, timeout=LONG)
        assert page.pack.folder.text() == str(tmp_path / "course-pack")
        other = tmp_path / "stick"
        typed(qtbot, page.pack.folder, str(other))
        page.pack.go.setFocus()
        qtbot.waitUntil(lambda: page.pack.plan is not None and page.pack.plan.folder == other, timeout=LONG)
        settle(qtbot, window)
        press(qtbot, page.pack.go)
        qtbot.waitUntil(lambda: page.room.room is not None, timeout=LONG)
        fetched = sum(origin.sent.values())
    assert fetched == course.union
    assert (other / "pack.json").is_file()
    assert "The pack is ready" in said(window)


def test_a_taken_folder_is_refused_before_anything_is_written(
    page_of, qtbot: QtBot, tmp_path: Path, built: tuple[Class, Path]
) -> None:
    window, page = page_of()
    profile = built[0].write(tmp_path / "course.torchlab")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    page.plan_pack(profile, tmp_path / "mine")
    settle(qtbot, window)
    assert page.trouble.code == "error.pack-folder-taken.summary"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_stick_is_told_of_and_its_files_are_split(
    page_of, qtbot: QtBot, tmp_path: Path, built: tuple[Class, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, page = page_of()
    monkeypatch.setattr("wizard.classroom.pack.files.file_system", lambda folder: "vfat")
    page.plan_pack(built[0].write(tmp_path / "course.torchlab"), tmp_path / "stick")
    settle(qtbot, window)
    assert "over 4 GiB are split (vfat)" in said(window)
    assert page.pack.split.isChecked()
    assert not page.pack.split.isEnabled()


def test_where_there_is_too_little_room_nothing_is_begun(
    page_of, qtbot: QtBot, tmp_path: Path, built: tuple[Class, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, page = page_of()
    monkeypatch.setattr("wizard.app.classroom._free", lambda folder: 1000)
    page.plan_pack(built[0].write(tmp_path / "course.torchlab"), tmp_path / "stick")
    settle(qtbot, window)
    assert "too little room" in said(window)
    assert not page.pack.go.isVisible()
    assert window.focusWidget() is page.pack.browse, "another folder is the way on"
    monkeypatch.undo()
    press(qtbot, page.pack.again)
    settle(qtbot, window)
    assert "too little room" not in said(window)
    assert page.pack.go.isVisible()


def test_a_build_that_is_stopped_keeps_what_it_has_and_is_gone_on_with(page_of, qtbot: QtBot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    with FaultServer() as origin:
        course = make_class(origin.root)
        list_hosts_of(course.file.profile)
        publish(origin, course)
        slow = next(file for file in course.file.profile.files if "linux" in file.filename)
        origin.add(f"/{slow.filename}", course.data[slow.sha256], Faults(bytes_per_second=30_000))
        page.plan_pack(course.write(tmp_path / "course.torchlab"), tmp_path / "pack")
        settle(qtbot, window)
        press(qtbot, page.pack.go)
        qtbot.waitUntil(
            lambda: "%" not in page.pack._how_far.text() and "of" in page.pack._how_far.text(), timeout=LONG
        )
        assert window.page.ends_with_window == "building"
        window.close()
        assert window.isVisible()
        assert window.ask.isVisible()
        assert "still being built" in said(window)
        press(qtbot, window.ask.stay)
        press(qtbot, page.pack.drop)
        assert "is used by the next build" in said(window)
        qtbot.waitUntil(lambda: not window.tasks.busy, timeout=LONG)
        before = sum(origin.sent.values())
        assert before
        origin.add(f"/{slow.filename}", course.data[slow.sha256])
        page.plan_pack(tmp_path / "course.torchlab", tmp_path / "pack")
        settle(qtbot, window)
        assert "will be continued" in said(window)
        press(qtbot, page.pack.go)
        qtbot.waitUntil(lambda: page.room.room is not None, timeout=LONG)
    assert (tmp_path / "pack" / "pack.json").is_file()


@pytest.mark.parametrize("before", [PageId.WELCOME, PageId.REVIEW])
def test_choosing_a_setup_begins_a_new_one_for_the_class(page_of, qtbot: QtBot, before: PageId) -> None:  # type: ignore[no-untyped-def]
    """Whatever the wizard shows, and each of its pages says what it is for."""
    window, page = page_of()
    window.side.close()
    go_to(qtbot, window, before)
    window.side.open(SideId.CLASS)
    press(qtbot, page.pack.begin)
    assert window.navigator.page is PageId.CHECK
    assert window.side.here is None
    qtbot.waitUntil(lambda: "“Save class profile…” on the page <a href=" in said(window))
    settle(qtbot, window)
    go_to(qtbot, window, PageId.REVIEW)
    assert "save it with “Save class profile…”" in said(window)
    review = window.page
    assert isinstance(review, ReviewPage)
    assert window.focusWidget() is review.save, "Return saves; it installs nothing here"
    assert (review.save.property("role"), window.footer.primary.property("role")) == ("primary", "")
    window.navigator.restart()
    assert not window.page.of_class.isVisible()
    assert window.footer.primary.property("role") == "primary"
