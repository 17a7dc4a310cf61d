"""What is offered, and every way in which whoever serves it can lie: nothing is believed but the key's word."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest

from tests.servers.fault_server import Faults, FaultServer
from tests.update.conftest import DOCUMENT, SIGNATURE, Maker, next_start
from wizard import __version__
from wizard.app.update.offer import Offered, ask
from wizard.classroom.profile.signature import new_key
from wizard.model.errors import WizardError
from wizard.model.messages import text
from wizard.model.table_update import updates_dir
from wizard.transfer.http import Client


def asked(maker: Maker, tables: int = 1, today: date | None = None) -> Offered:
    return ask(maker.client(), maker.source(tables), today)


def refusal(maker: Maker, tables: int = 1, today: date | None = None, client: Client | None = None) -> str:
    """The code; whatever it is, no table has changed."""
    with pytest.raises(WizardError) as caught:
        ask(client or maker.client(), maker.source(tables), today)
    assert next_start().update is None
    assert text(caught.value.summary, "en").strip()
    return caught.value.code


def test_newer_tables_and_a_newer_program_are_told(maker: Maker) -> None:
    maker.publish(2, newest={"version": "99.1", "page": "https://example.org/torch-setup"})
    offered = asked(maker)
    assert (offered.state, offered.document.version, offered.is_newer_program) == ("newer", 2, True)
    assert asked(maker, tables=2).state == "same", "a copy that brings them asks for nothing"
    assert maker.server.requests("/2/policy.toml") == 0, "nothing is fetched before a yes"


@pytest.mark.parametrize("version", [__version__, "0.0.1"])
def test_the_same_or_an_older_program_is_no_news(maker: Maker, version: str) -> None:
    maker.publish(2, newest={"version": version, "page": "https://example.org/torch-setup"})
    assert not asked(maker).is_newer_program


def test_tables_for_a_newer_program_are_named_as_that(maker: Maker) -> None:
    maker.publish(2, program="99.0")
    assert asked(maker).state == "program"


def test_another_key_signs_for_nobody(maker: Maker) -> None:
    maker.signer = new_key()
    maker.publish(2)
    assert refusal(maker) == "update-forged"


@pytest.mark.parametrize("byte", [3, 40, 200])
def test_one_altered_byte_of_the_document_is_seen(maker: Maker, byte: int) -> None:
    maker.publish(2)
    maker.faulty(DOCUMENT, Faults(wrong_byte=byte))
    assert refusal(maker) == "update-forged"


def test_a_signature_of_another_document_does_not_count(maker: Maker) -> None:
    maker.publish(2)
    signature = maker.served(SIGNATURE)
    maker.publish(3)
    maker.server.add(SIGNATURE, signature)
    assert refusal(maker) == "update-forged"


@pytest.mark.parametrize(
    ("path", "faults", "code"),
    [
        (DOCUMENT, Faults(html=True), "update-forged"),
        (SIGNATURE, Faults(html=True), "update-forged"),
        (SIGNATURE, Faults(status=404), "source-status"),
        (DOCUMENT, Faults(status=403), "source-forbidden"),
        (DOCUMENT, Faults(status=500), "source-status"),
        (DOCUMENT, Faults(drop_after=100), "source-offline"),
        (DOCUMENT, Faults(end_after=100, says_length=False), "update-forged"),
        (SIGNATURE, Faults(end_after=50, says_length=False), "update-forged"),
        (DOCUMENT, Faults(redirect="http://example.org/update.json"), "source-insecure"),
        (DOCUMENT, Faults(redirect=DOCUMENT), "source-redirects"),
    ],
)
def test_a_server_that_misbehaves_gives_a_sentence_and_nothing_else(
    maker: Maker, path: str, faults: Faults, code: str
) -> None:
    maker.publish(2)
    maker.faulty(path, faults)
    assert refusal(maker) == code


def test_https_is_not_left_for_a_server_here_either(maker: Maker) -> None:
    maker.publish(2)
    with FaultServer() as plain:
        maker.faulty(DOCUMENT, Faults(redirect=plain.add(DOCUMENT, maker.served(DOCUMENT))))
        assert refusal(maker) == "source-insecure"
        assert plain.requests(DOCUMENT) == 0


@pytest.mark.parametrize("faults", [Faults(stall_after=100), Faults(answer_after=60.0)])
def test_a_silent_server_is_left(maker: Maker, faults: Faults) -> None:
    maker.publish(2)
    maker.faulty(DOCUMENT, faults)
    assert refusal(maker, client=maker.client((30.0, 1.0))) == "source-timeout"


@pytest.mark.parametrize("path", [DOCUMENT, SIGNATURE])
def test_a_body_without_an_end_is_left_where_it_is_too_long(maker: Maker, path: str) -> None:
    maker.publish(2)
    maker.faulty(path, Faults(says_length=False), data=bytes(200_000_000))
    assert refusal(maker) == "update-too-large"
    assert maker.server.requests(path) == 1
    # Counted are whole sendings, some of which were cut: at the smaller limit perhaps the first already.
    assert maker.server.sent[path] < 100_000_000, "what lay in the sockets, not all of it"


def test_a_server_that_nobody_vouches_for_is_not_asked(maker: Maker) -> None:
    maker.publish(2)
    assert refusal(maker, client=Client(environment={})) == "network-tls-issuer"
    assert maker.server.requests(DOCUMENT) == 0


def test_an_old_document_is_told_to_be_held_back(maker: Maker) -> None:
    maker.publish(2, expires="2030-06-30", date="2030-04-01")
    assert asked(maker, today=date(2030, 6, 30)).state == "newer"
    assert refusal(maker, today=date(2030, 7, 1)) == "update-expired"


def test_a_clock_that_is_behind_is_told(maker: Maker) -> None:
    maker.publish(2, expires="2030-06-30", date="2030-04-03")
    assert asked(maker, today=date(2030, 4, 1)).state == "newer", "somewhere it is two days earlier by a wrong clock"
    assert refusal(maker, today=date(2030, 3, 31)) == "update-clock"


def test_no_older_number_is_believed_once_a_higher_one_was_seen(maker: Maker) -> None:
    maker.publish(2)
    older = maker.served(DOCUMENT), maker.served(SIGNATURE)
    maker.publish(3)
    assert asked(maker).document.version == 3, "seen, and not taken"
    for path, data in zip((DOCUMENT, SIGNATURE), older, strict=True):
        maker.server.add(path, data)
    assert refusal(maker) == "update-older"
    assert refusal(maker, tables=5) == "update-older", "nor one below those that travel with the program"


def test_an_expired_document_is_not_remembered(maker: Maker) -> None:
    maker.publish(9, expires="2030-06-30", date="2030-04-01")
    assert refusal(maker, today=date(2030, 7, 1)) == "update-expired"
    maker.publish(2)
    assert asked(maker).document.version == 2


def test_one_number_stands_for_one_update(maker: Maker) -> None:
    maker.publish(2)
    asked(maker)
    maker.publish(2, expires=(date.today() + timedelta(days=5)).isoformat())
    assert refusal(maker) == "update-two"


def test_a_new_key_begins_anew(maker: Maker) -> None:
    """After somebody stole the old one and signed the highest number there is."""
    maker.publish(1_000_000)
    asked(maker)
    maker.key = new_key()
    maker.publish(2)
    assert asked(maker).document.version == 2


def test_what_was_remembered_and_is_damaged_is_as_nothing(maker: Maker) -> None:
    updates_dir().mkdir(parents=True)
    (updates_dir() / "seen.json").write_text('{"key": 1', encoding="utf-8")
    maker.publish(2)
    assert asked(maker).state == "newer"


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "class-profile"},
        {"schema": 2},
        {"version": 0},
        {"version": True},
        {"stray": 1},
        {"date": "2030-02-30"},
        {"expires": "soon"},
        {"program": "latest"},
        {"newest": {"version": "2.0", "page": "http://example.org"}},
        {"newest": {"version": "2.0", "page": "https://example.org/\x1b[2J"}},
        {"tables": {"../../policy.toml": {"sha256": "0" * 64, "bytes": 1}}},
        {"tables": {"unheard_of.csv": {"sha256": "0" * 64, "bytes": 1}}},
        {"tables": {"policy.toml": {"sha256": "0" * 63, "bytes": 1}}},
        {"tables": {"policy.toml": {"sha256": "0" * 64, "bytes": 9_000_000}}},
        {"tables": {"policy.toml": {"sha256": "0" * 64, "bytes": -1}}},
        {"tables": {f"{a}.csv": {"sha256": "0" * 64, "bytes": 8_000_000} for a in ("gpus", "builds", "releases")}
         | {f"{a}.toml": {"sha256": "0" * 64, "bytes": 8_388_608} for a in ("policy", "lint")}},
    ],
)  # fmt: skip
def test_even_a_key_of_ours_cannot_sign_everything(maker: Maker, fields: dict[str, object]) -> None:
    maker.publish(2)
    maker.publish_document(**fields)
    assert refusal(maker) == "update-unreadable"


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff\xfe", b"[" * 60_000, b'{"kind": '])
def test_what_is_no_document_is_refused_though_it_is_signed(maker: Maker, data: bytes) -> None:
    maker.publish_bytes(data)
    assert refusal(maker) == "update-unreadable"


def test_the_next_place_is_asked_where_one_lies(maker: Maker) -> None:
    maker.publish(2)
    maker.server.add("/liar/update.json", b"{}")
    maker.server.add("/liar/update.json.minisig", maker.served(SIGNATURE))
    both = tuple(maker.server.root + path for path in ("/liar/update.json", DOCUMENT))
    offered = ask(maker.client(), maker.source(addresses=both))
    assert (offered.state, offered.address) == ("newer", both[1])
    maker.server.add(DOCUMENT, b"{}")
    with pytest.raises(WizardError, match="not signed"):
        ask(maker.client(), maker.source(addresses=both))


def test_the_document_is_what_the_maintainers_script_says(maker: Maker) -> None:
    maker.publish(2)
    said = json.loads(maker.served(DOCUMENT))
    assert (said["version"], said["program"]) == (2, __version__)
    assert len(said["tables"]) > 20
