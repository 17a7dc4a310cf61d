"""The page hands a real pack out: counted, found by its code, mended, stopped, ended with the window."""

from __future__ import annotations

import threading
import urllib.request
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.classroom.pack.classes import Class, make_class, publish
from tests.classroom.profile.known import list_hosts_of
from tests.classroom.server.test_room import full
from tests.gui.fake_tools import FakeTools
from tests.gui.teaching.pages import LONG, of_pack, opened, reported, said
from tests.gui.test_layout import LEAST
from tests.gui.walking import press
from tests.servers.fault_server import FaultServer
from wizard.app.classroom import ClassTools
from wizard.classroom.code import code_of, spoken
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.make import wanted_of
from wizard.classroom.results.proof import class_key_of
from wizard.classroom.results.room import write_seats
from wizard.gui.shell.splash import SIZE
from wizard.model.messages import LANGUAGES, message
from wizard.transfer.download import Downloads


@pytest.mark.slow
def test_it_is_handed_out_counted_and_stopped(  # type: ignore[no-untyped-def]
    page_of, qtbot: QtBot, built: tuple[Class, Path], pack: Path, heard: list[str]
) -> None:
    window, page = page_of()
    opened(qtbot, page, pack)
    page._said = message("share.saved", path="/tmp/room.csv")
    page.render_state()
    assert page._news.isVisible()
    press(qtbot, page.serving.start)
    qtbot.waitUntil(lambda: window.serving.is_on, timeout=LONG)
    assert not page._news.isVisible(), "it is no news any more"
    code = code_of(built[0].file.sha256, class_key_of(pack))
    assert page.serving.code.code == code
    said_code, _, key = code.partition("+")
    spelled = ", ".join(spoken(said_code, "en"))  # as on the projector
    large = next(one for one in page.serving.findChildren(QLabel) if one.accessibleName() == spelled)
    assert large.isVisible()
    assert large.text().replace("\n", "-") == said_code, "what is enough to join, in short lines"
    assert max(map(len, large.text().splitlines())) <= 10
    assert f"add +{key}" in said(window)
    address = page.serving.addresses[0].code
    assert address.startswith("http://127.0.0.1:")
    assert page.serving.command.code == f"torch-wizard setup --pack {address} --class {code} --yes"
    page.serving.more.button.setChecked(True)
    press(qtbot, page.serving.code.button)
    assert QApplication.clipboard().text() == code
    assert not page.pack.other.isEnabled()
    file = built[0].file.profile.files[0]
    with urllib.request.urlopen(f"{address}wheels/{file.filename.replace('+', '%2B')}") as reply:
        assert len(reply.read()) == file.size
    page._look()
    qtbot.waitUntil(lambda: "have fetched: 1." in said(window), timeout=LONG)
    press(qtbot, page.serving.stop)
    assert heard[-1] == "The class is shared no more."
    qtbot.waitUntil(lambda: not window.tasks.busy, timeout=LONG)
    assert page.serving.start.isVisible()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address)


@pytest.mark.slow
def test_the_class_is_found_by_the_code_alone(page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path]) -> None:  # type: ignore[no-untyped-def]
    from wizard.classroom.server.announce import search

    window, page = page_of()
    opened(qtbot, page, pack)
    press(qtbot, page.serving.start)
    qtbot.waitUntil(lambda: window.serving.is_on, timeout=LONG)
    found = search(built[0].file.sha256, interfaces=("127.0.0.1",), seconds=10.0)
    assert [one.base for one in found] == [page.serving.addresses[0].code]


def test_a_damaged_file_is_named_not_handed_out_and_mended(page_of, qtbot: QtBot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    with FaultServer() as origin:
        course = make_class(origin.root)
        publish(origin, course)
        list_hosts_of(course.file.profile)
        pack = tmp_path / "pack"
        build(wanted_of(course.file), pack, BuildOptions(), Downloads(tmp_path / "own"))
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
        qtbot.waitUntil(lambda: not window.tasks.busy, timeout=LONG)
        press(qtbot, page.pack.go)
        qtbot.waitUntil(lambda: wheel.read_bytes() == good and page.serving.isVisible(), timeout=LONG)
    assert not window.serving.is_on


@pytest.mark.slow
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
    assert "sharing files with the class" in said(window)
    assert not window.ask.cancel.isVisible(), "there is no setup to cancel"
    press(qtbot, window.ask.stay)
    assert window.serving.is_on
    window.close()
    press(qtbot, window.ask.go)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=LONG)
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address)


def test_a_start_that_is_stopped_while_reading_leaves_no_server(
    page_of, qtbot: QtBot, pack: Path, side: FakeTools
) -> None:
    reading, go_on = threading.Event(), threading.Event()

    class Slow(ClassTools):
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_shared_fits_into_a_narrow_window(
    language: str,
    page_of,
    qtbot: QtBot,
    built: tuple[Class, Path],
    pack: Path,
    heard: list[str],
) -> None:
    """Code and room stand beside each other where there is room for both, whatever the window was before; also where
    some are ready, one needs help and others are not here."""
    window, page = page_of(language)
    reported(pack, *(of_pack(built, number) for number in range(1, 5)), of_pack(built, 5, status=1, error=full()))
    write_seats(pack, 12)
    opened(qtbot, page, pack)
    window._fit = lambda: window.setMinimumSize(1, 1)  # this screen is a large one
    window._fit()
    window.resize(*LEAST)
    bar = page._scroll.horizontalScrollBar()
    qtbot.waitUntil(lambda: window.width() == LEAST[0] and bar.maximum() == 0, timeout=LONG)
    page.serving.start.click()
    qtbot.waitUntil(lambda: window.serving.is_on and page.serving.picture.isVisible(), timeout=LONG)
    code = page.serving.code.code.partition("+")[0]
    assert code in heard[-1], "that it is shared is said aloud, with its code"
    assert ("The class is shared now." in heard[-1]) == (language == "en")
    inside = page.room.children()
    assert inside.index(page.room.head) < inside.index(page.room.seat_map), "heard as it is seen"
    for size, is_beside in ((LEAST, False), (SIZE, True), (LEAST, False)):
        window.resize(*size)
        qtbot.waitUntil(lambda is_beside=is_beside: (page.room.x() > page.serving.x()) == is_beside, timeout=LONG)
        qtbot.waitUntil(lambda: bar.maximum() == 0, timeout=LONG)
        assert page.room.width() <= page._scroll.viewport().width()
        middles = [one.mapTo(page, one.rect().center()).y() for one in (page.room.head.title, *page.room.head._pills)]
        assert (max(middles) - min(middles) < 8) == is_beside, "below its title where they do not fit beside it"
