"""What the class sees: the code as a picture that a camera reads, large on request, and a seat for each computer."""

from __future__ import annotations

from pathlib import Path

import pytest
import segno
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QTextDocument
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.classroom.pack.classes import Class
from tests.classroom.server.test_room import full
from tests.gui.conftest import MakeWindow
from tests.gui.teaching.pages import LONG, of_pack, opened, reported
from tests.gui.test_theme import contrast
from tests.gui.walking import press
from wizard.classroom.results.room import GREEN, RED, ClassResults, MachineRow
from wizard.classroom.results.room_page import brief_cause
from wizard.gui.shell.theme import colours
from wizard.gui.tools.class_board import LargeCode, QrCode, Seat, SeatDetail, SeatMap, seat_number
from wizard.model.messages import LANGUAGES, catalogue

ADDRESS = "http://192.168.1.20:8765/"
QUIET = 3


def test_the_picture_is_the_code_of_the_address(qtbot: QtBot) -> None:
    modules = [list(row) for row in segno.make(ADDRESS, error="m", micro=False).matrix]
    wide = len(modules) + 2 * QUIET
    shown = QrCode(wide * 8)
    qtbot.addWidget(shown)
    shown.show_words(ADDRESS)
    picture = shown.grab().toImage()

    def dark(across: int, down: int) -> bool:
        return picture.pixelColor(across * 8 + 4, down * 8 + 4).lightness() < 128

    seen = [[int(dark(QUIET + x, QUIET + y)) for x in range(len(modules))] for y in range(len(modules))]
    assert seen == modules
    assert not any(dark(x, 0) or dark(0, x) for x in range(wide)), "white all around"


def test_large_it_has_code_and_address_and_any_key_closes_it(qtbot: QtBot, page_of, pack: Path) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    for language, called in (
        ("en", {"7 Yankee Delta, 2 5 Charlie 8", "7 Sierra Papa, 8 Yankee Whiskey Zulu"}),
        ("zh_CN", {"7 Y D – 2 5 C 8", "7 S P – 8 Y W Z"}),
    ):
        large = LargeCode(page, "Class code", "7YD-25C8-7SP-8YWZ", ADDRESS, language)
        qtbot.addWidget(large)
        assert {"7YD-25C8-7SP-8YWZ", ADDRESS, *called} <= {one.text() for one in large.findChildren(QLabel)}
    (shown,) = (one for one in large.findChildren(QLabel) if one.text() == "7YD-25C8-7SP-8YWZ")
    wide = {shown.fontMetrics().horizontalAdvance(sign) for sign in "1WZ0-"}
    assert len(wide) == 1, "a narrow sign is seen beside a wide one"
    large.show()
    qtbot.keyClick(large, Qt.Key.Key_Escape)
    assert not large.isVisible()
    assert window.isVisible()


def test_each_computer_has_its_seat(
    page_of,
    qtbot: QtBot,
    pack: Path,
    built: tuple[Class, Path],
    heard: list[str],
) -> None:
    _, page = page_of()
    opened(qtbot, page, pack)
    reported(pack, of_pack(built, 2, status=1, error=full()), of_pack(built, 3), of_pack(built, 5))
    qtbot.waitUntil(lambda: page.room.table.rowCount() == 3, timeout=LONG)
    page.room.seats.setValue(5)
    seats = page.room.seat_map._seats
    qtbot.waitUntil(lambda: [one.text() for one in seats if one.isVisible()] == ["1", "2", "3", "4", "5"], timeout=LONG)
    assert [one.property("state") for one in seats] == ["away", "problem", "ok", "away", "ok"]
    assert seats[1].accessibleName() == "seat 2: needs help"
    assert seats[3].accessibleName() == "seat 4: has not reported", "called as the others are"
    assert [one._cause for one in seats] == ["", "Disk full", "", "", ""]
    assert [one.property("told") for one in seats] == [False, True, False, False, False]
    press(qtbot, seats[2])
    assert "seat 3" in page.room.detail._name.text()
    assert [one.property("told") for one in seats] == [False, False, True, False, False]
    press(qtbot, page.room.next_problem)
    assert heard[-1].startswith("seat 2, needs help, "), "who it is and what is the matter, aloud"
    assert page.room.detail._why.text() in heard[-1]
    assert "What to do: " in heard[-1]
    assert "seat 2" in page.room.detail._name.text()


def test_a_seat_has_the_number_that_ends_its_name() -> None:
    assert [seat_number(name) for name in ("seat 7", "PC-12", "row 3 left", "li", "")] == [7, 12, 3, 0, 0]


def test_a_seat_shows_the_name_that_a_computer_gave_itself_as_words(qtbot: QtBot, make_window: MakeWindow) -> None:
    """A label comes from a student: neither a key of the window nor HTML."""
    name = "<b>R&D</b>"
    row = MachineRow("m1", name, GREEN, "ok", (), (), "Linux", "none", "cpu", "2026-11-24T09:00:00Z", None)
    board = SeatMap(make_window().page.context.translator)
    qtbot.addWidget(board)
    board.show_room(ClassResults("Course", "0" * 64, (row,)))
    (seat,) = board._seats
    assert (seat.shortcut().toString(), seat.accessibleName().startswith(f"{name}: ")) == ("", True)
    document = QTextDocument()
    document.setHtml(seat.toolTip())
    assert document.toPlainText() == seat.accessibleName()


def test_number_sign_and_cause_of_a_seat_stand_apart(qtbot: QtBot, make_window: MakeWindow) -> None:
    """Number left, sign right, cause below, in each language and theme; nothing is drawn over the border."""
    row = MachineRow("m1", "seat 7", RED, "no-space", (), (), "Linux", "none", "cpu", "2026-11-24T09:00:00Z", None)
    for language in LANGUAGES:
        window = make_window(language)
        board = SeatMap(window.page.context.translator)
        qtbot.addWidget(board)
        window.theme.dress(board)
        board.resize(88, 60)
        board.show_room(ClassResults("Course", "0" * 64, (row,)))
        board.show()
        (seat,) = board._seats
        qtbot.waitUntil(lambda seat=seat: seat.width() == 88)  # type: ignore[misc]
        picture = seat.grab().toImage()
        ground = picture.pixelColor(44, 28)

        def inked(left: int, top: int, right: int, bottom: int, of: QImage = picture, plain: QColor = ground) -> bool:
            spots = ((x, y) for x in range(left, right) for y in range(top, bottom))
            return any(abs(of.pixelColor(x, y).lightness() - plain.lightness()) > 60 for x, y in spots)

        assert inked(8, 6, 30, 24), "the number"
        assert inked(62, 6, 82, 26), "the sign"
        assert not inked(30, 4, 60, 27), "nothing between them"
        assert inked(8, 34, 80, 52), "the cause"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cause_is_whole_in_the_narrowest_seat(language: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    said = {key: words for key, words in catalogue(language).items() if key.startswith("share.brief.")}
    holder = QWidget()
    qtbot.addWidget(holder)
    seat = Seat(holder)
    make_window(language).theme.dress(holder)
    holder.show()
    metrics = QFontMetrics(seat.small_font)
    assert {words: wide for words in said.values() if (wide := metrics.horizontalAdvance(words)) > 68} == {}
    codes = {"fetch-no-space": "no-space", "network-tls-clock": "clock", "driver-too-old": "driver"}
    for code, key in codes.items():
        assert brief_cause(code, language) == said[f"share.brief.{key}"]
    assert brief_cause("<b>odd</b>", language) == brief_cause("", language) == ""


def test_the_second_half_of_the_code_says_what_it_is_for(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    large = LargeCode(page, "Class code", "7YD-25C8+0VY-8GKR", ADDRESS, "en")
    assert "for signed results add +0VY-8GKR" in [one.text() for one in large.findChildren(QLabel)]
    plain = LargeCode(page, "Class code", "7YD-25C8", "", "zh_CN")
    assert all(one.text() for one in plain.findChildren(QLabel)), "no line is left empty between the others"


@pytest.mark.parametrize("size", [(800, 600), (1024, 640), (1280, 800), (1920, 1080), (1080, 1920)])
def test_large_all_of_it_fits_the_screen(size: tuple[int, int], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen:
        def availableGeometry(self) -> QRect:
            return QRect(0, 0, *size)

    page = QWidget()
    qtbot.addWidget(page)
    monkeypatch.setattr(page, "screen", Screen)
    for address in (ADDRESS, "https://a-very-long-name-of-a-computer.lab.example.org:8443/join"):
        least = LargeCode(page, "Class code", "7YD-25C8-7SP-8YWZ+0VY-8GKR", address, "en").minimumSizeHint()
        assert least.width() <= size[0]
        assert least.height() <= size[1]


def test_a_seat_is_as_high_as_a_hand_needs(qtbot: QtBot, make_window: MakeWindow) -> None:
    row = MachineRow("m1", "seat 1", GREEN, "ok", (), (), "Linux", "none", "cpu", "2026-11-24T09:00:00Z", None)
    board = SeatMap(make_window().page.context.translator)
    qtbot.addWidget(board)
    make_window().theme.dress(board)
    board.resize(400, 200)
    board.show_room(ClassResults("Course", "0" * 64, (row,)))
    board.show()
    assert board.sizeHint().height() == 56, "the style sheet had made it less"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_seat_that_is_told_of_shows_that_it_has_the_keys(theme: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(theme=theme)
    rows = tuple(
        MachineRow(
            f"m{number}", f"seat {number}", state, "ok", (), (), "Linux", "none", "cpu", "2026-11-24T09:00Z", None
        )
        for number, state in ((1, GREEN), (2, RED))
    )
    board = SeatMap(window.page.context.translator)
    qtbot.addWidget(board)
    window.theme.dress(board)
    board.resize(400, 100)
    board.show_room(ClassResults("Course", "0" * 64, rows))
    with qtbot.waitExposed(board):
        board.show()
    board.activateWindow()
    for seat, row in zip(board.findChildren(Seat), rows, strict=True):
        board.mark(row)
        board.setFocus()
        seat.clearFocus()
        plain = seat.grab().toImage()
        seat.setFocus()
        qtbot.waitUntil(seat.hasFocus, timeout=20_000)
        ringed, middle = seat.grab().toImage(), seat.height() // 2
        ring = [ringed.pixelColor(x, middle).name() for x in range(3)]
        assert set(ring) == {colours(theme)["text"]}
        assert ring != [plain.pixelColor(x, middle).name() for x in range(3)]


def test_no_line_of_a_seat_is_there_without_words(qtbot: QtBot, make_window: MakeWindow) -> None:
    """Keys of a screen reader stopped at a text that said nothing."""
    detail = SeatDetail(make_window().page.context.translator)
    qtbot.addWidget(detail)
    detail.show_row(
        MachineRow("m1", "seat 1", GREEN, "ok", (), (), "Linux", "none", "cpu", "2026-11-24T09:00:00Z", None)
    )
    lines = [detail._why, detail._fix, detail._facts]
    assert [one.isHidden() for one in lines] == [not one.text() or one is detail._fix for one in lines]
    assert detail._why.isHidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_edge_of_a_seat_that_has_not_reported_is_seen(theme: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    """As it is drawn: of a thin dash Qt lays the half of each pixel over the ground."""
    window = make_window(theme=theme)
    board = SeatMap(window.page.context.translator)
    qtbot.addWidget(board)
    window.theme.dress(board)
    board.resize(88, 60)
    row = MachineRow("m1", "seat 1", GREEN, "ok", (), (), "Linux", "none", "cpu", "2026-11-24T09:00:00Z", None)
    board.show_room(ClassResults("Course", "0" * 64, (row,), expected=2))
    board.show()
    away = board._seats[1]
    assert away.property("state") == "away"
    qtbot.waitUntil(lambda: away.width() == 88)
    picture = away.grab().toImage()
    card, window_ground = (colours(theme)[name] for name in ("card", "window"))
    edge = [picture.pixelColor(x, 0).name() for x in range(12, 76)]
    for ground in (card, window_ground):
        seen = [one for one in edge if contrast(one, ground) >= 3]
        assert len(seen) >= len(edge) // 3, (ground, edge)
