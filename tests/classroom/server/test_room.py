"""The room page shows who needs help first, why and what to do, and nothing in it can harm who opens it."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from wizard.classroom.results import certificate as certificates
from wizard.classroom.results.certificate import (
    Certificate,
    certificate,
    clean_label,
    machine_id,
    parse,
    read_all,
    to_json,
    write_into,
)
from wizard.classroom.results.room import ClassResults, read_seats, room, write_seats
from wizard.classroom.results.room_page import cell_of, room_csv, room_page, sentences
from wizard.classroom.results.submit import hand_in_present
from wizard.model.errors import WizardError
from wizard.run.report.document import report_document
from wizard.system import paths

PROFILE = "5" * 64
DAY = 86400.0
CREATED = 1_800_000_000.0


def told(
    number: int,
    status: int = 0,
    error: WizardError | None = None,
    label: str = "",
    off: float = 0.0,
    profile: str = PROFILE,
) -> Certificate:
    report = report_document(
        None,
        None,
        status=status,
        error=error,
        created=CREATED + off,
        machine={"os": "windows", "gpus": [{"name": "NVIDIA GeForce RTX 3060"}]},
    )
    return Certificate(f"{number:032x}", profile, label or f"seat {number}", report, CREATED)


def full() -> WizardError:
    return WizardError("fetch-no-space", folder="D:/class", file="", needed=3.1, free=0.2)


def some_room(*more: Certificate) -> ClassResults:
    return room("Room 101", PROFILE, [told(1), told(2, 1, full()), told(3), *more])


def test_red_comes_first_with_cause_and_cure() -> None:
    found = some_room(told(4, off=400 * DAY), told(5, profile="6" * 64), told(6, 130))
    assert [row.state for row in found.rows] == ["red"] * 4 + ["green"] * 2
    codes = {row.label: row.code for row in found.rows}
    assert codes["seat 2"] == "fetch-no-space"
    assert codes["seat 4"] == "clock"
    assert codes["seat 5"] == "other-profile"
    assert codes["seat 6"] == "cancelled"
    (disk,) = (row for row in found.rows if row.code == "fetch-no-space")
    assert "D:/class" in sentences(disk.why, "en")
    assert sentences(disk.fix, "en")
    assert sentences(disk.why, "zh_CN") != sentences(disk.why, "en")


def test_seat_9_comes_before_seat_10() -> None:
    labels = ["seat 10", "seat 9", "B 2", "第10排", "第9排", "7", "10"]
    found = room("x", PROFILE, [told(number, label=label) for number, label in enumerate(labels)])
    ordered = [row.label for row in found.rows]
    assert ordered.index("seat 9") < ordered.index("seat 10")
    assert ordered.index("第9排") < ordered.index("第10排")
    assert ordered.index("7") < ordered.index("10")


def test_a_clock_is_ahead_or_behind() -> None:
    found = some_room(told(4, off=400 * DAY), told(5, off=-3 * DAY))
    said = [sentences(row.why, "en").partition(". ")[0] for row in found.rows if row.code == "clock"]
    assert said == ["Its clock is 400 days ahead", "Its clock is 3 days behind"]


def test_chinese_sentences_have_no_space_between_them() -> None:
    [clock] = (row for row in some_room(told(4, off=400 * DAY)).rows if row.code == "clock")
    twice = (*clock.why, *clock.why)
    assert "。" in sentences(twice, "zh_CN")
    assert "。 " not in sentences(twice, "zh_CN")
    assert ". Its clock" in sentences(twice, "en")


def test_a_clock_that_is_minutes_off_is_no_matter() -> None:
    assert some_room(told(4, off=3600.0)).red == 1


def test_the_page_has_both_languages_and_loads_nothing() -> None:
    page = room_page(some_room(), "zh_CN")
    assert "needs help" in page
    assert "需要处理" in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert page.index("seat 2") < page.index("seat 1")
    assert "<td>2027-01-15 08:00 UTC" in page


_HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def test_words_of_a_stranger_are_only_words() -> None:
    value = told(9, 1, full(), label=_HOSTILE)
    report = dict(value.report)
    report["machine"] = {"os": _HOSTILE, "gpus": [{"name": _HOSTILE}]}
    report["error"] = {"code": _HOSTILE, "params": {"folder": _HOSTILE}, "summary": _HOSTILE, "hint": _HOSTILE}
    hostile = parse(to_json(Certificate(value.machine, PROFILE, _HOSTILE, report)))
    seen: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.append(tag)

    Tags().feed(room_page(room(_HOSTILE, PROFILE, [hostile])))
    assert not {"script", "img"} & set(seen)


@pytest.mark.parametrize(
    "report",
    [
        {"status": 0, "machine": "x"},
        {"status": 0, "machine": {"gpus": [1]}},
        {"status": 1, "error": ["x"]},
        {"status": 0, "verification": {"headline": 3}},
        {"status": 0, "plan": {"torch": 1}},
        {"status": 0, "steps": [None]},
        {"status": 1, "diagnosis": {}},
        {"status": 1, "error": {"code": "fetch-no-space", "params": {"folder": {"a": 1}}}},
        {"status": 1, "error": {"code": "fetch-no-space", "params": {}}},
        {"status": 99},
        {"status": 0, "machine": {"os": "\ud800\x1b]0;x\x07"}},
        {"status": 0, "\ud800": 1},
    ],
)
def test_an_odd_report_is_a_row_and_no_crash(report: dict[str, object]) -> None:
    document = {"schema": 1, "machine": "7" * 32, "profile_sha256": PROFILE, "report": report}
    found = room("x", PROFILE, [parse(json.dumps(document).encode())])
    assert len(found.rows) == 1
    for shown in (room_page(found), room_csv(found), found.rows[0].system):
        assert b"\x1b" not in shown.encode()


@pytest.mark.parametrize(
    "report",
    [
        {"status": 0, "steps": [{"seconds": 10**400}]},
        {"status": 0, "steps": [{"seconds": float("inf")}]},
        {"status": 10**30},
        {"status": 0, "machine": {"memory": float("nan")}},
    ],
)
def test_a_number_that_nothing_has_is_no_result(report: dict[str, object], tmp_path: Path) -> None:
    for value in (Certificate("7" * 32, PROFILE, "", report), replace(told(1), received=float("inf"))):
        with pytest.raises(WizardError) as caught:
            parse(to_json(value))
        assert caught.value.code == "share-bad-result"


@pytest.mark.parametrize("text", ["seat 7;=cmd|' /C calc'!A0", 'x;"=1"', "x | +1", "x,\t@SUM(1)"])
def test_no_cell_begins_a_formula_where_a_semicolon_ends_one(text: str) -> None:
    for border in (";", "|", ","):
        for part in cell_of(text).split(border):
            assert not part.strip(' "').startswith(("=", "+", "-", "@", "＝")), part


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =cmd|x", "\r\n=1", "＝1"])
def test_no_cell_begins_a_formula(text: str) -> None:
    assert cell_of(text).startswith("'")


def test_the_table_is_one_row_for_each_machine() -> None:
    value = told(8, label="=HYPERLINK(1)")
    rows = list(csv.reader(io.StringIO(room_csv(some_room(value), "en").removeprefix("\ufeff"))))
    assert len(rows) == 5
    assert "'=HYPERLINK(1)" in [row[1] for row in rows]
    assert cell_of('a, "b"\nc') == 'a, "b" c'


def test_a_sentence_of_a_student_counts_where_it_is_one_of_ours() -> None:
    """As a template a sentence of somebody else could read what is in this program."""
    ours = WizardError("a.code", "Nothing was changed.", "Nothing was changed.")
    theirs = WizardError("a.code", "{path.__class__}", "{path.__class__}", path="x")
    said = {error: room("", PROFILE, [told(1, 1, error)]).rows[0] for error in (ours, theirs)}
    assert sentences(said[ours].why, "zh_CN") == sentences(said[ours].fix, "zh_CN") == "没有做任何改动。"
    assert said[theirs].why[0].message.sentence == ""


# -- certificates -----------------------------------------------------------------------------------------------


def test_a_certificate_names_no_person_and_no_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "alices-laptop")
    monkeypatch.setenv("USER", "alice")
    monkeypatch.setenv("LOGNAME", "alice")
    error = WizardError("fetch-no-space", folder=f"{Path.home()}/torch", file="", needed=1, free=0)
    report = report_document(None, None, status=1, error=error, prefix=str(Path.home() / "torch-envs" / "class"))
    data = to_json(certificate(report, PROFILE, "seat 3")).decode()
    assert "alice" not in data
    assert str(Path.home()) not in data
    assert "prefix" not in json.loads(data)["report"]


def test_the_machine_is_the_same_one_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = machine_id(PROFILE)
    assert machine_id(PROFILE) == first
    assert len(first) == 32
    assert machine_id("6" * 64) != first, "another class cannot tell that it is the same one"
    marks = certificates.own_marks()
    for others in ((f"{marks[0]}-2", marks[1]), (marks[0], "another")):  # its disk was copied
        monkeypatch.setattr(certificates, "own_marks", lambda others=others: others)
        assert machine_id(PROFILE) != first
    monkeypatch.setattr(certificates, "own_marks", lambda: marks)
    assert machine_id(PROFILE) == first
    (paths.home() / "class-machine-id").unlink()
    assert machine_id(PROFILE) != first, "nobody finds the name of a computer by trying"


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _hole(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize(
    "make", [_hole, lambda path: path.write_bytes(b"\xff\x00"), *(() if os.name == "nt" else (_pipe,))]
)
def test_a_broken_number_is_made_anew_and_kept(make: Callable[[Path], object]) -> None:
    paths.home().mkdir(parents=True, exist_ok=True)
    make(paths.home() / "class-machine-id")
    found: list[str] = []
    asking = threading.Thread(target=lambda: found.append(machine_id(PROFILE)), daemon=True)
    asking.start()
    asking.join(20)
    assert found == [machine_id(PROFILE)], "one computer is one row of the room"


def test_a_label_is_one_short_line() -> None:
    assert clean_label("  seat\n 7\u202e \x1b[31m ") == "seat 7 [31m"
    assert len(clean_label("x" * 500)) == 60


@pytest.mark.skipif(sys.platform == "win32", reason="a FIFO and a device have no names there")
def test_results_on_a_share(tmp_path: Path) -> None:
    write_into(tmp_path, told(1, 1, full()))
    write_into(tmp_path, told(1))
    write_into(tmp_path, told(2))
    (tmp_path / "notes.json").write_text("[]")
    (tmp_path / "big.json").write_bytes(b" " * 600_000)
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.json")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b[2J.json")).write_text("[]")
    good, odd = read_all(tmp_path)
    assert [value.report["status"] for value in good] == [0, 0]
    assert set(odd) == {"big.json", "notes.json", "pipe.json", "zero.json", "[2J.json"}
    assert room_page(room("x", PROFILE, good, odd)).encode()


def test_a_clock_is_told_without_a_server(tmp_path: Path) -> None:
    """From a share or a stick nothing is stamped: ahead of its own file, or before the pack was made."""
    for number, off in enumerate((0.0, 400 * DAY, -400 * DAY, -3 * DAY)):
        path = write_into(tmp_path, replace(told(number, off=off), received=None))
        os.utime(path, (CREATED, CREATED + 60))
    good, _ = read_all(tmp_path)
    made = time.strftime("%Y-%m-%d", time.gmtime(CREATED - 10 * DAY))
    codes = {row.label: row.code for row in room("x", PROFILE, good, made=made).rows}
    assert codes == {"seat 0": "ok", "seat 1": "clock", "seat 2": "clock", "seat 3": "ok"}, "3 days: it may be a copy"
    assert {row.code for row in room("x", PROFILE, good, made="?").rows if row.label != "seat 1"} == {"ok"}


# -- seats ------------------------------------------------------------------------------------------------------


def test_the_missing_are_counted_on_the_page_and_in_the_table() -> None:
    found = room("Room 101", PROFILE, [told(1), told(2, 1, full())], expected=30)
    assert found.missing == 28
    page = room_page(found, "en")
    assert "Computers that have reported: 2 of 30. Ready: 1. In need of help: 1." in page
    assert "Computers that have not reported yet: 28." in page
    assert "还有 28 台电脑没有上报结果。" in page
    rows = list(csv.reader(io.StringIO(room_csv(found, "en").removeprefix("\ufeff"))))
    assert len(rows) == 31
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [row[0] for row in rows].count("not reported") == 28


def test_more_than_expected_are_no_negative_number() -> None:
    found = room("Room 101", PROFILE, [told(1), told(2)], expected=1)
    assert found.missing == 0
    assert "not reported" not in room_csv(found, "en")


def test_the_number_of_seats_is_kept_in_the_pack(tmp_path: Path) -> None:
    assert read_seats(tmp_path) is None
    write_seats(tmp_path, 30)
    assert read_seats(tmp_path) == 30
    write_seats(tmp_path, 0)
    assert read_seats(tmp_path) is None
    for odd in ("[]", "{}", '{"seats": "x"}', '{"seats": true}', '{"seats": -1}', '{"seats": 1e99}', "{", "[" * 900):
        (tmp_path / "seats.json").write_text(odd)
        assert read_seats(tmp_path) is None, odd


def test_what_no_run_has_tested_is_not_called_ready(tmp_path: Path) -> None:
    """All may be there, and nobody knows whether it works."""
    (tmp_path / "room").mkdir()
    bases = ((tmp_path / "room").as_uri() + "/",)
    assert hand_in_present(bases, "0" * 64, "seat 1", tmp_path / "env") is None
    assert list((tmp_path / "room").iterdir()) == []
