"""The room beside it: results as they come in, the expected and the missing, the filter, a thousand rows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.classroom.pack.classes import Class
from tests.classroom.server.test_room import full, told
from tests.gui.teaching.pages import LONG, of_pack, opened, reported, said
from tests.gui.walking import cell, mnemonics, press, settle, typed
from wizard.classroom.results.proof import RefusedResult, note_refused
from wizard.classroom.results.room import room
from wizard.gui.shell.splash import SMALLEST
from wizard.model.messages import LANGUAGES


def test_results_come_in_by_themselves_and_who_needs_help_comes_first(
    page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path]
) -> None:
    window, page = page_of()
    opened(qtbot, page, pack)
    reported(pack, of_pack(built, 1), of_pack(built, 2, status=1, error=full()), of_pack(built, 3))
    qtbot.waitUntil(lambda: page.room.table.rowCount() == 3, timeout=LONG)
    first = [cell(page.room.table, 0, column) for column in range(4)]
    assert first[0] == "✕ needs help"
    assert first[1] == "seat 2"
    assert "D:/class" in first[2]
    assert first[3]
    assert "D:/class" in page.room.detail._why.text()
    page.room.table.selectRow(2)
    assert "seat 3" in page.room.detail._name.text()
    reported(pack, of_pack(built, 2))
    qtbot.waitUntil(lambda: cell(page.room.table, 0, 0) == "✓ ok", timeout=LONG)
    assert "seat 3" in page.room.detail._name.text(), "the selection stays with its computer"


def test_expected_computers_are_kept_and_the_missing_counted(
    page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path], tmp_path: Path
) -> None:
    reported(pack, of_pack(built, 1), of_pack(built, 2, status=1, error=full()))
    window, page = page_of()
    opened(qtbot, page, pack)
    page.room.seats.setValue(30)
    qtbot.waitUntil(
        lambda: {"✓ 1 ready", "✕ 1 needs help", "• 28 not here"} <= set(said(window).splitlines()), timeout=LONG
    )
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
    assert [cell(page.room.table, row, 1) for row in range(page.room.table.rowCount())] == ["seat 3"]
    typed(qtbot, page.room.filter, "nobody")
    assert page.room.table.rowCount() == 0
    assert "No row has these words" in said(window)
    assert not page.room.detail.isVisible()


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_state_of_the_page_has_its_own_letters(
    language: str, page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path], tmp_path: Path
) -> None:
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
    assert ("需要处理" in cell(page.room.table, 0, 0)) == (language == "en")
    window.rail.languages[language].click()


def test_the_room_fits_into_the_smallest_window(page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path]) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    window.resize(*SMALLEST)
    reported(pack, of_pack(built, 1))
    opened(qtbot, page, pack)
    sheet, view, field = page._scroll.widget(), page._scroll.viewport(), page.room.filter
    qtbot.waitUntil(lambda: sheet.width() <= view.width())
    page.room.listed.button.setChecked(True)
    qtbot.waitUntil(lambda: field.width() > field.fontMetrics().horizontalAdvance(field.placeholderText()))
    assert page.room.seats.lineEdit().textMargins().left() > 0, "the number keeps off its border"


def test_a_thousand_rows_are_shown_at_once(page_of, qtbot: QtBot, pack: Path) -> None:  # type: ignore[no-untyped-def]
    _, page = page_of()
    page.room.show_room(room("x", "5" * 64, [told(number) for number in range(1000)]))
    assert page.room.table.rowCount() == 1000


def test_who_forged_a_result_is_named(page_of, qtbot: QtBot, pack: Path, built: tuple[Class, Path]) -> None:  # type: ignore[no-untyped-def]
    window, page = page_of()
    reported(pack, of_pack(built, 1))
    opened(qtbot, page, pack)
    note_refused(pack, RefusedResult(1_800_000_000.0, "192.0.2.7", "0123abcd", "forged"))
    qtbot.waitUntil(lambda: "A result from 192.0.2.7 was refused" in said(window), timeout=LONG)
    assert "could have sent it" in cell(page.room.table, 0, 2)
