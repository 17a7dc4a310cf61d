"""A result is its computer's own and of the class, or the admin is told that nothing proves it."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from tests.classroom.pack.classes import Class
from tests.classroom.server.test_server import ask
from tests.servers.raw_server import RawServer
from wizard.classroom.code import code_of
from wizard.classroom.join import Asked, enter
from wizard.classroom.pack.make import check_pack, read_listing
from wizard.classroom.results.certificate import Certificate, certificate, signed, to_json
from wizard.classroom.results.proof import CHALLENGE, Challenges, RefusedResult, class_key_of, machine_of
from wizard.classroom.results.room_page import room_page, sentences
from wizard.classroom.results.submit import hand_in, read_room
from wizard.classroom.server.limits import Limits
from wizard.classroom.server.server import PackServer, ServeOptions, content_of_pack
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import text

TODAY = datetime.now(timezone.utc).isoformat(timespec="seconds")  # a computer whose clock is a day off needs help
REPORT = {"schema": 1, "status": 0, "created": TODAY, "steps": [{"name": "fetch", "seconds": 1.5}]}


@pytest.fixture
def refused() -> list[RefusedResult]:
    return []


@pytest.fixture
def proving(pack: Path, refused: list[RefusedResult]) -> Iterator[PackServer]:
    content = content_of_pack(pack, read_listing(pack))
    with PackServer(content, ServeOptions("127.0.0.1", 0), on_refused=refused.append) as server:
        yield server


def base_of(server: PackServer) -> str:
    return f"http://127.0.0.1:{server.port}/"


def challenge_of(server: PackServer) -> str:
    return ask(server, f"/{CHALLENGE}")[2].decode().strip()


def post(server: PackServer, value: Certificate) -> int:
    return ask(server, "/results", method="POST", body=to_json(value))[0]


def own(course: Class, label: str = "seat 7") -> Certificate:
    return certificate(REPORT, course.file.sha256, label)


def test_a_repeated_result_keeps_the_seats_name(course: Class) -> None:
    assert own(course, "seat 7").label == own(course, "").label == "seat 7"
    assert own(course, "seat 8").label == own(course, "").label == "seat 8"
    assert certificate(REPORT, "0" * 64).label == "", "of another class"


def test_who_typed_the_key_behind_the_code_is_proven(proving: PackServer, course: Class, pack: Path) -> None:
    code = code_of(course.file.sha256, class_key_of(pack))
    assert len(code.partition("+")[2]) == 13
    enter(Asked(pack=base_of(proving), code=code))
    hand_in([base_of(proving)], own(course))
    found = read_room(pack)
    (row,) = found.rows
    assert (row.proof, row.state, row.why) == ("class", "green", ())
    assert found.notes == ()


def test_what_nothing_proves_is_kept_and_marked(proving: PackServer, course: Class, pack: Path) -> None:
    enter(Asked(pack=base_of(proving), code=code_of(course.file.sha256)))
    hand_in([base_of(proving)], own(course))
    assert post(proving, Certificate("ab" * 16, course.file.sha256, "of an older program", REPORT)) == 201
    rows = {row.label: row for row in read_room(pack).rows}
    said = {label: sentences(row.why, "en") for label, row in rows.items()}
    assert {label: row.proof for label, row in rows.items()} == {"seat 7": "own", "of an older program": "none"}
    assert "not signed for the class" in said["seat 7"]
    assert "could have sent it" in said["of an older program"]
    page = room_page(read_room(pack), "en")
    assert all(words in page.replace("&#x27;", "'") for words in said.values())


def test_a_wrong_key_proves_nothing(proving: PackServer, course: Class, pack: Path) -> None:
    right = class_key_of(pack)
    wrong = f"{(int(right, 16) + 1) % 16**12:012x}"
    enter(Asked(pack=base_of(proving), code=code_of(course.file.sha256, wrong)))
    hand_in([base_of(proving)], own(course))
    assert [row.proof for row in read_room(pack).rows] == ["own"]


def test_nobody_writes_the_row_of_another(
    proving: PackServer,
    course: Class,
    pack: Path,
    refused: list[RefusedResult],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mine = own(course)
    hand_in([base_of(proving)], mine)
    forged = replace(mine, report={**REPORT, "status": 1})
    assert post(proving, forged) == 403
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "of another"))
    theirs = signed(certificate(REPORT, course.file.sha256), challenge_of(proving))
    assert theirs.machine != mine.machine
    assert post(proving, replace(forged, proof=theirs.proof)) == 403
    (kept,) = (pack / "results").iterdir()
    assert json.loads(kept.read_bytes())["report"]["status"] == 0
    assert [(one.reason, one.client, one.machine) for one in refused] == [
        ("forged", "127.0.0.1", mine.machine[:8]),
        ("forged", "127.0.0.1", mine.machine[:8]),
    ]
    assert read_room(pack).refused == tuple(refused)
    for note in read_room(pack).notes:
        assert text(note, "zh_CN") in room_page(read_room(pack))
    assert "127.0.0.1" in text(refused[0].words, "en")


def test_a_result_that_was_changed_on_the_way_is_refused(
    proving: PackServer, course: Class, refused: list[RefusedResult]
) -> None:
    value = signed(own(course), challenge_of(proving))
    assert post(proving, replace(value, label="seat 8")) == 403
    assert [one.reason for one in refused] == ["forged"]


def test_a_result_is_taken_once(proving: PackServer, course: Class, refused: list[RefusedResult]) -> None:
    value = signed(own(course), challenge_of(proving))
    assert [post(proving, value), post(proving, value)] == [201, 403]
    for challenge in ("", "0" * 72, Challenges().new()):  # of nobody, of another server
        assert post(proving, signed(own(course), challenge)) == 403
    assert [one.reason for one in refused] == ["replayed"] * 4


def test_a_challenge_is_good_for_two_minutes() -> None:
    now = [1000.0]
    challenges = Challenges(lambda: now[0])
    first, second = challenges.new(), challenges.new()
    now[0] += 119
    assert challenges.use(first)
    assert not challenges.use(first)
    now[0] += 3
    assert not challenges.use(second)


def test_a_server_of_an_older_program_takes_it_still(course: Class) -> None:
    came: list[bytes] = []

    def older(asked: bytes) -> list[bytes]:
        came.append(asked)
        status = b"201 Created" if asked.startswith(b"POST") else b"404 Not Found"
        return [b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n"]

    with RawServer(older) as server:
        assert hand_in([server.root + "/"], own(course)) == server.root + "/"
    assert [asked.split()[0] for asked in came] == [b"GET", b"POST"]


def test_strangers_cannot_fill_the_room(course: Class, pack: Path) -> None:
    """Results that nothing proves give way to one that its computer signed, and those to one of the class."""
    options = ServeOptions("127.0.0.1", 0, Limits(results_kept=3))
    with PackServer(content_of_pack(pack, read_listing(pack)), options) as server:
        strangers = [Certificate(f"{one:02x}" * 16, course.file.sha256, f"stranger {one}", REPORT) for one in range(5)]
        assert [post(server, one) for one in strangers] == [201, 201, 201, 507, 507]
        assert post(server, strangers[0]) == 201, "who is there already may say something new"
        enter(Asked(pack=base_of(server), code=code_of(course.file.sha256, class_key_of(pack))))
        hand_in([base_of(server)], own(course))
        assert post(server, strangers[4]) == 507
    room = read_room(pack)
    assert sorted(row.proof for row in room.rows) == ["class", "none", "none"]
    assert any("Unsigned results: 2" in text(one, "en") for one in room.notes)


def test_a_forged_file_in_the_folder_is_no_result(course: Class, pack: Path) -> None:
    """On a share that all may write to."""
    value = signed(own(course))
    hand_in([pack.as_uri() + "/"], own(course))
    (pack / "results" / value.filename).write_bytes(to_json(replace(value, label="seat 8")))
    found = read_room(pack)
    assert (found.rows, found.unreadable) == ((), (value.filename,))


def test_what_is_signed_goes_before_what_is_later(course: Class, pack: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    hand_in([pack.as_uri() + "/"], own(course))
    hand_in([pack.as_uri() + "/"], own(course))
    later = replace(own(course, "of anybody"), received=2e9)
    (copy / "results").mkdir()
    (copy / "results" / later.filename).write_bytes(to_json(later))
    (row,) = read_room(pack, [copy]).rows
    assert (row.label, row.proof) == ("seat 7", "own")
    assert row.why == (), "a folder without a server has no key of the class, so nobody lacks it"


def test_the_key_of_the_class_is_handed_to_nobody(proving: PackServer, pack: Path) -> None:
    assert class_key_of(pack)
    assert ask(proving, "/results.key")[0] == ask(proving, "/refused.jsonl")[0] == 404
    assert check_pack(pack, lambda count: None, lambda: False).others == ()
    if (pack / "results.key").stat().st_uid:
        assert stat.S_IMODE((pack / "results.key").stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("key", ["", "12ab", "12ab-34cd-56e", "12ab-34cd-56eg", "12ab-34cd-56ef-78"])
def test_a_key_that_was_mistyped_is_said(key: str, pack: Path) -> None:
    with pytest.raises(UsageError) as caught:
        enter(Asked(pack=str(pack), code="3f9a-22b1-07cd-91ee+" + key))
    assert caught.value.code == "share-bad-code"


def test_a_number_is_the_hash_of_a_key() -> None:
    assert machine_of(b"k" * 32) == hashlib.sha256(b"k" * 32).hexdigest()[:32]


def test_an_odd_proof_is_no_result(proving: PackServer, course: Class) -> None:
    value = signed(own(course), challenge_of(proving))
    assert value.proof
    for proof in ({"key": "zz"}, {"signature": "a"}, {"key": "ab" * 500}, {"challenge": "é"}):
        document = json.loads(to_json(value))
        document["proof"] |= proof
        status = ask(proving, "/results", method="POST", body=json.dumps(document).encode())[0]
        assert status in (400, 403), proof


def test_a_refusal_is_told_to_the_student_as_not_handed_in(proving: PackServer, course: Class, pack: Path) -> None:
    (pack / "results").rename(pack / "kept")
    (pack / "results").write_text("a file in its place")
    with pytest.raises(WizardError) as caught:
        hand_in([base_of(proving)], own(course))
    assert caught.value.code == "share-not-handed-in"
