"""The page "Class" with real packs and a real server: opened, built, cancelled, handed out, and the room beside it."""

from __future__ import annotations

import csv
import shutil
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_side import FakeSide
from tests.gui.walking import mnemonics, press, settle, typed, visible
from tests.pack.classes import Class, make_class, publish
from tests.servers.fault_server import Faults, FaultServer
from tests.share.test_room import full, told
from wizard.flow.class_session import ClassSession
from wizard.flow.side_pages import SideId
from wizard.gui.pages.class_page import ClassPage
from wizard.gui.window import WizardWindow
from wizard.i18n import LANGUAGES
from wizard.pack.build import BuildOptions, build, code_of
from wizard.packages.fetch import Store
from wizard.session.pack import wanted_of
from wizard.share.certificate import Certificate, write_into
from wizard.share.room import room

LONG = 60_000  # milliseconds: a limit for a hang, not a speed


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Class, Path]:
    folder = tmp_path_factory.mktemp("class")
    with FaultServer() as origin:
        made = make_class(origin.root)
        publish(origin, made)
        build(wanted_of(made.file), folder / "pack", BuildOptions(), Store(folder / "own"))
    return made, folder / "pack"


@pytest.fixture
def pack(built: tuple[Class, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(built[1], tmp_path / "pack"))


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("wizard.share.announce", "wizard.session.share"):
        monkeypatch.setattr(f"{module}.own_addresses", lambda: ["127.0.0.1"])


@pytest.fixture
def page_of(make_window: MakeWindow, qtbot: QtBot) -> Iterator[object]:
    windows: list[WizardWindow] = []

    def make(language: str = "en") -> tuple[WizardWindow, ClassPage]:
        window = make_window(language)
        windows.append(window)
        window.side.open(SideId.CLASS)
        page = window.page
        assert isinstance(page, ClassPage)
        return window, page

    yield make
    for window in windows:
        window.serving.end()


def said(window: WizardWindow) -> str:
    return "\n".join(one.text() for one in visible(window, QLabel) if isinstance(one, QLabel))


def opened(qtbot: QtBot, page: ClassPage, pack: Path) -> None:
    page.open_pack(pack)
    qtbot.waitUntil(lambda: page.room.room is not None, timeout=LONG)


def reported(pack: Path, *values: Certificate) -> None:
    for value in values:
        write_into(pack / "results", value)


def of_pack(built: tuple[Class, Path], number: int, **more: object) -> Certificate:
    value = told(number, profile=built[0].file.sha256, **more)  # type: ignore[arg-type]
    return replace(value, machine=f"{number:08x}" * 4)


# -- opening and building


def test_a_pack_is_opened_from_its_folder(
    page_of, qtbot: QtBot, built: tuple[Class, Path], pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(pack))
    press(qtbot, page.pack.open)
    qtbot.waitUntil(lambda: page.room.room is not None, timeout=LONG)
    assert "Deep learning 101" in said(window)
    assert str(pack) in said(window)
    assert "No computer has reported yet" in said(window)
    press(qtbot, page.pack.other)
    assert page.pack.open.isVisible()
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
) -> None:  # type: ignore[no-untyped-def]
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
) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    monkeypatch.setattr("wizard.pack.volume.file_system", lambda folder: "vfat")
    page.plan_pack(built[0].write(tmp_path / "course.torchlab"), tmp_path / "stick")
    settle(qtbot, window)
    assert "(vfat) holds no file over 4 GiB" in said(window)
    assert page.pack.split.isChecked()
    assert not page.pack.split.isEnabled()


def test_a_build_that_is_stopped_keeps_what_it_has_and_is_gone_on_with(page_of, qtbot: QtBot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    with FaultServer() as origin:
        course = make_class(origin.root)
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
        qtbot.waitUntil(lambda: not window.errands.busy, timeout=LONG)
        before = sum(origin.sent.values())
        assert before
        origin.add(f"/{slow.filename}", course.data[slow.sha256])
        page.plan_pack(tmp_path / "course.torchlab", tmp_path / "pack")
        settle(qtbot, window)
        assert "is gone on with" in said(window)
        press(qtbot, page.pack.go)
        qtbot.waitUntil(lambda: page.room.room is not None, timeout=LONG)
    assert (tmp_path / "pack" / "pack.json").is_file()


# -- handing out


def test_it_is_handed_out_counted_and_stopped(page_of, qtbot: QtBot, built: tuple[Class, Path], pack: Path) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    opened(qtbot, page, pack)
    press(qtbot, page.serving.start)
    qtbot.waitUntil(lambda: window.serving.is_on, timeout=LONG)
    code = code_of(built[0].file.sha256)
    assert page.serving.code.code == code
    address = page.serving.addresses[0].code
    assert address.startswith("http://127.0.0.1:")
    assert page.serving.command.code == f"torch-wizard setup --pack {address} --class {code} --yes"
    press(qtbot, page.serving.code.button)
    assert QApplication.clipboard().text() == code
    assert not page.pack.other.isEnabled()
    file = built[0].file.profile.files[0]
    with urllib.request.urlopen(f"{address}wheels/{file.filename.replace('+', '%2B')}") as reply:
        assert len(reply.read()) == file.size
    page._look()
    qtbot.waitUntil(lambda: "have fetched: 1." in said(window), timeout=LONG)
    press(qtbot, page.serving.stop)
    qtbot.waitUntil(lambda: not window.errands.busy, timeout=LONG)
    assert page.serving.start.isVisible()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address)


def test_the_class_is_found_by_the_code_alone(page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path]) -> None:  # type: ignore[no-untyped-def]
    from wizard.share.announce import search

    window, page = page_of()
    opened(qtbot, page, pack)
    press(qtbot, page.serving.start)
    qtbot.waitUntil(lambda: window.serving.is_on, timeout=LONG)
    found = search(code_of(built[0].file.sha256), interfaces=("127.0.0.1",), seconds=10.0)
    assert [one.base for one in found] == [page.serving.addresses[0].code]


def test_a_damaged_file_is_named_not_handed_out_and_mended(page_of, qtbot: QtBot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    with FaultServer() as origin:
        course = make_class(origin.root)
        publish(origin, course)
        pack = tmp_path / "pack"
        build(wanted_of(course.file), pack, BuildOptions(), Store(tmp_path / "own"))
        wheel = next((pack / "wheels").glob("numpy*"))
        good = wheel.read_bytes()
        wheel.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        opened(qtbot, page, pack)
        page.serving.announce.setChecked(False)
        press(qtbot, page.serving.start)
        qtbot.waitUntil(lambda: window.serving.is_on, timeout=LONG)
        assert wheel.name in page.serving._problems.text()
        assert "not announced" in said(window)
        press(qtbot, page.serving.mend)
        qtbot.waitUntil(page.pack.go.isVisible, timeout=LONG)
        qtbot.waitUntil(lambda: not window.errands.busy, timeout=LONG)
        press(qtbot, page.pack.go)
        qtbot.waitUntil(lambda: wheel.read_bytes() == good and page.serving.isVisible(), timeout=LONG)
    assert not window.serving.is_on


def test_closing_the_window_asks_and_ends_the_server(page_of, qtbot: QtBot, pack: Path) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    opened(qtbot, page, pack)
    press(qtbot, page.serving.start)
    qtbot.waitUntil(lambda: window.serving.is_on, timeout=LONG)
    address = page.serving.addresses[0].code
    window.side.close()
    assert window.serving.is_on, "it is the window's, not the page's"
    window.close()
    assert window.isVisible()
    assert "serving the class" in said(window)
    assert not window.ask.cancel.isVisible(), "there is no setup to cancel"
    press(qtbot, window.ask.stay)
    assert window.serving.is_on
    window.close()
    press(qtbot, window.ask.go)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=LONG)
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address)


def test_a_start_that_is_stopped_while_reading_leaves_no_server(
    page_of, qtbot: QtBot, pack: Path, side: FakeSide
) -> None:  # type: ignore[no-untyped-def]
    reading, go_on = threading.Event(), threading.Event()

    class Slow(ClassSession):
        def serve(self, folder, announce, on_bytes, is_cancelled):  # type: ignore[no-untyped-def]
            def heard(count: int) -> None:
                reading.set()
                go_on.wait(20)
                on_bytes(count)

            return super().serve(folder, announce, heard, is_cancelled)

    side.classes = Slow()
    window, page = page_of()
    opened(qtbot, page, pack)
    press(qtbot, page.serving.start)
    qtbot.waitUntil(reading.is_set, timeout=LONG)
    press(qtbot, page.serving.stop)
    go_on.set()
    qtbot.waitUntil(lambda: not window.serving.is_starting, timeout=LONG)
    assert not window.serving.is_on
    assert not page.trouble.isVisible()
    assert page.serving.start.isEnabled()


# -- the room


def test_results_come_in_by_themselves_and_who_needs_help_comes_first(
    page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path]
) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    opened(qtbot, page, pack)
    reported(pack, of_pack(built, 1), of_pack(built, 2, status=1, error=full()), of_pack(built, 3))
    qtbot.waitUntil(lambda: page.room.table.rowCount() == 3, timeout=LONG)
    first = [page.room.table.item(0, column).text() for column in range(4)]
    assert first[0] == "✕ needs help"
    assert first[1] == "seat 2"
    assert "D:/class" in first[2]
    assert first[3]
    assert "D:/class" in page.room.detail._why.text()
    page.room.table.selectRow(2)
    assert "seat 3" in page.room.detail._name.text()
    reported(pack, of_pack(built, 2))
    qtbot.waitUntil(lambda: page.room.table.item(0, 0).text() == "✓ ok", timeout=LONG)
    assert "seat 3" in page.room.detail._name.text(), "the selection stays with its computer"


def test_expected_computers_are_kept_and_the_missing_counted(
    page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path], tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    reported(pack, of_pack(built, 1), of_pack(built, 2, status=1, error=full()))
    window, page = page_of()
    opened(qtbot, page, pack)
    page.room.seats.setValue(30)
    qtbot.waitUntil(lambda: "2 of 30 computers have reported: 1 are ready, 1 need help" in said(window), timeout=LONG)
    page.save_to(tmp_path / "room.csv")
    settle(qtbot, window)
    rows = list(csv.reader((tmp_path / "room.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert len(rows) == 31
    assert [row[0] for row in rows[1:]].count("not reported") == 28
    page.save_to(tmp_path / "room.html")
    settle(qtbot, window)
    assert "2 of 30" in (tmp_path / "room.html").read_text(encoding="utf-8")
    assert str(tmp_path / "room.html") in said(window)
    page.close_pack()
    opened(qtbot, page, pack)
    assert page.room.seats.value() == 30


def test_the_filter_shows_who_is_looked_for(page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path]) -> None:  # type: ignore[no-untyped-def]
    reported(pack, of_pack(built, 1), of_pack(built, 2, status=1, error=full()), of_pack(built, 3))
    window, page = page_of()
    opened(qtbot, page, pack)
    page.room.only_red.setChecked(True)
    assert page.room.table.rowCount() == 1
    page.room.only_red.setChecked(False)
    typed(qtbot, page.room.filter, "SEAT 3")
    assert [page.room.table.item(row, 1).text() for row in range(page.room.table.rowCount())] == ["seat 3"]
    typed(qtbot, page.room.filter, "nobody")
    assert page.room.table.rowCount() == 0
    assert "No row has these words" in said(window)
    assert not page.room.detail.isVisible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_state_of_the_page_has_its_own_letters(
    language: str, page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path], tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of(language)

    def unique() -> None:
        letters = [letter for letter, _ in mnemonics(window)]
        assert len(letters) == len(set(letters)), sorted(mnemonics(window))

    unique()
    page.plan_pack(built[0].write(tmp_path / "course.torchlab"), tmp_path / "new")
    settle(qtbot, window)
    unique()
    page.escape()
    reported(pack, of_pack(built, 1), of_pack(built, 2, status=1, error=full()))
    opened(qtbot, page, pack)
    unique()
    press(qtbot, page.serving.start)
    qtbot.waitUntil(lambda: window.serving.is_on, timeout=LONG)
    window.close()
    assert window.ask.isVisible()
    unique()
    press(qtbot, window.ask.stay)
    window.rail.languages["en" if language == "zh_CN" else "zh_CN"].click()
    assert ("需要处理" in page.room.table.item(0, 0).text()) == (language == "en")
    window.rail.languages[language].click()


def test_a_thousand_rows_are_shown_at_once(page_of, qtbot: QtBot, pack: Path) -> None:  # type: ignore[no-untyped-def]
    _, page = page_of()
    page.room.show_room(room("x", "5" * 64, [told(number) for number in range(1000)]))
    assert page.room.table.rowCount() == 1000
