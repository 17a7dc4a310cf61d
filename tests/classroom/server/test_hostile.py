"""Servers, folders and certificates that mean harm: each ends in one sentence, soon, and with nothing changed."""

from __future__ import annotations

import itertools
import os
import shutil
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.pack.classes import make_class, publish, with_share
from tests.install.files import locked, some_bytes
from tests.servers.fault_server import FaultServer
from tests.servers.raw_server import RawServer
from wizard.classroom.code import code_of
from wizard.classroom.join import Asked, Patience, enter
from wizard.classroom.pack import opened
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.files import put_bytes
from wizard.classroom.pack.make import check_pack, read_listing, wanted_of
from wizard.classroom.profile.read import parse_profile
from wizard.classroom.results.certificate import Certificate
from wizard.classroom.results.submit import hand_in
from wizard.classroom.server.server import PackServer, ServeOptions, content_of_pack
from wizard.model.errors import UsageError, WizardError
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.transport import may_lead

_OK = b"HTTP/1.1 200 OK\r\n"


def refused(asked: Asked, found: tuple[str, ...] = ()) -> str:
    with pytest.raises(WizardError) as caught:
        enter(asked, look=lambda code: found, patience=Patience(0.0))
    return caught.value.code


# -- where a server may send a client -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "url", "may"),
    [
        ("https://lab.example/p/", "https://files.example/p/", True),
        ("http://10.0.0.2:8765/p", "https://lab.example/p", True),
        ("http://10.0.0.2:8765/p", "http://10.0.0.2:8765/q", True),
        ("http://127.0.0.1:8765/p", "http://localhost:80/q", True),
        ("https://lab.example/p/", "http://lab.example/p/", False),  # believed for https alone
        ("https://lab.example/p/", "http://127.0.0.1/p/", False),
        ("http://10.0.0.2:8765/p", "http://10.0.0.1/reboot", False),
        ("http://10.0.0.2:8765/p", "http://127.0.0.1:631/", False),
        ("http://127.0.0.1:1/p", "file:///etc/passwd", False),
        ("https://lab.example/p", "file:///etc/passwd", False),
        ("http://10.0.0.2/p", "ftp://10.0.0.2/p", False),
        ("http://10.0.0.2/p", "/relative", False),
    ],
)
def test_where_a_server_may_send_a_client(start: str, url: str, may: bool) -> None:
    assert may_lead(start, url) is may


_ODD = {
    "to a file": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "to no address": b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n",
    "to no port": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/\r\nContent-Length: 0\r\n\r\n",
    "to odd letters": b"HTTP/1.1 302 Found\r\nLocation: /\xe9\xff\r\nContent-Length: 0\r\n\r\n",
    "to itself": b"HTTP/1.1 302 Found\r\nLocation: /pack.json\r\nContent-Length: 0\r\n\r\n",
    "a length that is none": _OK + b"Content-Length: \xb2\r\n\r\n{}",
    "a length of many digits": _OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    "a wait that is none": b"HTTP/1.1 503 Busy\r\nRetry-After: \xb2\r\nContent-Length: 0\r\n\r\n",
    "less than it says": _OK + b"Content-Length: 500\r\n\r\n{",
    "something packed": _OK + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00",
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "nothing": b"",
}


@pytest.mark.parametrize("odd", _ODD.values(), ids=_ODD.keys())
def test_an_odd_reply_is_one_sentence_and_the_next_address_is_asked(odd: bytes, tmp_path: Path) -> None:
    data = some_bytes(50_000)
    with RawServer(lambda asked: [odd]) as liar, FaultServer() as good:
        assert refused(Asked(pack=liar.root, code="0" * 16)) in ("pack-unreachable", "pack-unreadable")
        file = locked(data, f"{liar.root}/a.whl", good.add("/a.whl", data))
        options = Options(allow_http=True, backoff=0.01)
        (path,) = Fetcher(Downloads(tmp_path / "store"), options=options).fetch([file]).paths
        assert path.read_bytes() == data


def _endless() -> Iterator[tuple[str, Iterable[bytes | float]]]:
    yield "drops of a head", itertools.chain([b"HTTP/1.1 200 OK\r\n"], _drops(b"x"))
    yield "drops of a body", itertools.chain([_OK + b"Content-Length: 9000\r\n\r\n"], _drops(b" "))
    yield "many interim replies", itertools.chain(*itertools.repeat((b"HTTP/1.1 100 Continue\r\n\r\n", 0.01), 100_000))


def _drops(one: bytes) -> Iterator[bytes | float]:
    while True:
        yield from (one, 0.05)


@pytest.mark.parametrize("reply", [each for _, each in _endless()], ids=[name for name, _ in _endless()])
def test_who_answers_without_end_is_cut_off(reply: Iterable[bytes | float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "_WHOLE_SECONDS", 0.4)
    with RawServer(lambda asked: reply) as dripping:
        with pytest.raises(WizardError) as caught:
            opened._read(dripping.root + "/", "pack.json", None)
        assert caught.value.code == "pack-unreachable"
        with pytest.raises(WizardError) as caught:
            hand_in([dripping.root + "/"], Certificate("a" * 32, "b" * 64, "", {"status": 0}), seconds=0.4)
        assert caught.value.code == "share-not-handed-in"


@pytest.mark.parametrize("reply", [each for _, each in _endless()][1:], ids=[name for name, _ in _endless()][1:])
def test_a_server_that_drips_is_left_for_the_next(reply: Iterable[bytes | float], tmp_path: Path) -> None:
    """It never keeps silent for long, and would be waited for until the end of the term."""
    data = some_bytes(9_000)
    with RawServer(lambda asked: reply) as dripping, FaultServer() as good:
        file = locked(data, f"{dripping.root}/a.whl", good.add("/a.whl", data))
        options = Options(allow_http=True, backoff=0.01, patience=0.4)
        (path,) = Fetcher(Downloads(tmp_path / "store"), options=options).fetch([file]).paths
        assert path.read_bytes() == data
        alone = Fetcher(Downloads(tmp_path / "alone"), options=options)
        with pytest.raises(WizardError) as caught:
            alone.fetch([replace(file, urls=file.urls[:1])])
        assert caught.value.code == "fetch-slow"


# -- many that announce, or keep silent -----------------------------------------------------------------------------


def test_servers_that_keep_silent_cost_their_time_once(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile may name 64 of them; and anybody may announce the code."""
    monkeypatch.setattr(opened, "_WHOLE_SECONDS", 1.0)
    monkeypatch.setattr(opened._read, "__defaults__", (1.0,))
    gate = threading.Barrier(8, timeout=20)

    def silent(asked: bytes) -> Iterable[bytes | float]:
        gate.wait()  # broken, and so an odd reply, unless all eight are asked at once
        return [_OK, 30.0]

    with RawServer(silent) as server, FaultServer() as origin:
        course = with_share(make_class(origin.root), *(f"{server.root}/{number}/" for number in range(8)))
        asked = Asked(profile=course.write(tmp_path / "course.torchlab"))
        found = enter(asked, agree=lambda file: {"127.0.0.1"})
        assert len(found.notices) == 8
        assert not gate.broken
        code = code_of(read_listing(pack).profile_sha256)
        content = content_of_pack(pack, read_listing(pack))
        with PackServer(content, ServeOptions("127.0.0.1", 0)) as honest:
            bases = (*(f"{server.root}/{number}/" for number in range(8)), f"http://127.0.0.1:{honest.port}/")
            assert enter(Asked(code=code), look=lambda _: bases).file.data == (pack / "profile.torchlab").read_bytes()


def test_one_that_pretends_to_keep_a_result_is_not_the_last_word(pack: Path) -> None:
    content = content_of_pack(pack, read_listing(pack))
    value = Certificate("a" * 32, content.profile_sha256, "seat 1", {"status": 0})
    with (
        RawServer(lambda asked: [b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"]) as liar,
        PackServer(content, ServeOptions("127.0.0.1", 0)) as honest,
    ):
        hand_in([liar.root + "/", f"http://127.0.0.1:{honest.port}/"], value)
    assert [path.name for path in (pack / "results").iterdir()] == [value.filename]


# -- folders ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="pipes and links as on Linux")
def test_a_folder_with_pipes_and_devices_for_files(pack: Path) -> None:
    """Of a stick that somebody found: nothing is waited for, and nothing read without end."""
    for name, code in (("profile.torchlab", "pack-unreachable"), ("pack.json", "pack-no-folder")):
        kept = (pack / name).read_bytes()
        (pack / name).unlink()
        os.mkfifo(pack / name)
        assert refused(Asked(pack=str(pack))) == code
        with pytest.raises(WizardError):
            check_pack(pack, lambda count: None, lambda: False)
        (pack / name).unlink()
        (pack / name).symlink_to("/dev/zero")
        with pytest.raises(WizardError):
            check_pack(pack, lambda count: None, lambda: False)
        (pack / name).unlink()
        (pack / name).write_bytes(kept)
    (pack / "pack.json").write_bytes(b" " * 9_000_000)
    with pytest.raises(WizardError) as caught:
        read_listing(pack)
    assert caught.value.code == "pack-unreadable"


@pytest.mark.skipif(os.name == "nt", reason="links as on Linux")
def test_a_link_in_the_folder_leads_nowhere(pack: Path, tmp_path: Path) -> None:
    wheel = min((pack / "wheels").glob("*.whl"), key=lambda path: path.stat().st_size)
    secret = tmp_path / "secret"
    secret.write_bytes(b"s" * wheel.stat().st_size)
    content = content_of_pack(pack, read_listing(pack))
    with PackServer(content, ServeOptions("127.0.0.1", 0)) as server:
        wheel.unlink()
        wheel.symlink_to(secret)  # after it was checked, of the very same size
        url = f"http://127.0.0.1:{server.port}/wheels/{wheel.name}"
        file = locked(b"x" * secret.stat().st_size, url)
        fetcher = Fetcher(Downloads(tmp_path / "s"), options=Options(allow_http=True, backoff=0.01))
        with pytest.raises(WizardError) as caught:
            fetcher.fetch([file])
        assert caught.value.code == "fetch-not-found"
        assert server.counted.bytes_sent < secret.stat().st_size


@pytest.mark.skipif(os.name == "nt", reason="links as on Linux")
def test_what_is_not_needed_any_more_is_not_deleted_behind_a_link(tmp_path: Path) -> None:
    """`wheels` of a stranger's pack is a link to somebody's own folder."""
    theirs, folder = tmp_path / "theirs", tmp_path / "pack"
    theirs.mkdir()
    (theirs / "thesis.whl").write_text("words")
    with FaultServer() as origin:
        course = make_class(origin.root)
        publish(origin, course)
        build(wanted_of(course.file), folder, BuildOptions(), Downloads(tmp_path / "own"))
        text = (folder / "pack.json").read_text()
        unneeded = text.replace('"unneeded": []', '"unneeded": ["wheels/thesis.whl"]')
        assert unneeded != text
        (folder / "pack.json").write_text(unneeded)
        (folder / "wheels").rename(tmp_path / "real")
        for path in (tmp_path / "real").iterdir():
            shutil.copy(path, theirs)
        (folder / "wheels").symlink_to(theirs)
        build(wanted_of(course.file), folder, BuildOptions(remove=True), Downloads(tmp_path / "own"))
    assert (theirs / "thesis.whl").read_text() == "words"


def test_two_who_write_one_file_at_once_are_both_well(tmp_path: Path) -> None:
    """As two results of one machine in the same moment."""
    start, failed = threading.Barrier(8), []

    def write(number: int) -> None:
        start.wait()
        try:
            for turn in range(20):
                put_bytes(tmp_path / "one.json", f"{number} {turn}".encode())
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert [path.name for path in tmp_path.iterdir()] == ["one.json"]


# -- profiles ---------------------------------------------------------------------------------------------------


def test_a_name_that_lists_thousands_of_systems_is_no_wheel() -> None:
    """It is not multiplied out: a profile may hold ten thousand such names, and would be read for minutes."""
    many = ".".join("abcdefghijklmnopqrstuvwxyz0123456789")
    text = make_class("https://files.example").file.data.decode()
    text = text.replace("numpy-2.3.0-py3-none-any.whl", f"numpy-2.3.0-{many[:58]}-{many[:58]}-{many[:58]}.whl")
    with pytest.raises(UsageError) as caught:
        parse_profile(text.encode())
    assert caught.value.code == "profile-bad"
    assert "is not the name of a wheel" in caught.value.details


def test_a_key_of_thousands_of_parts_is_not_read() -> None:
    """The reader of TOML would be at a file of this kind for hours; points in strings are no matter."""
    for key in ("[" + "a." * 20_000 + "a]\nx = 1", "x = {" + "'a' . " * 20_000 + "a = 1}"):
        with pytest.raises(UsageError) as caught:
            parse_profile(key.encode())
        assert (caught.value.code, caught.value.details) == ("profile-not-toml", "line 1: a key of too many parts")
    for text in ("x = '" + "a." * 900 + "'", 'x = "' + "\\u0041." * 300 + '" # ok'):
        with pytest.raises(UsageError) as caught:
            parse_profile(text.encode())
        assert caught.value.code == "profile-bad"
    for heading in ("[a.b.c.d.e]", " [[a.b.c.d.e]] # [[x]]"):
        with pytest.raises(UsageError) as caught:
            parse_profile(f"x = 'a.b.c.d.e'\n{heading}".encode())
        assert caught.value.details == "line 2: a key of too many parts"
    with pytest.raises(UsageError) as caught:
        parse_profile(b"[lock.file]  # from https://a.b.c.d.example/e.f.g")
    assert caught.value.code == "profile-bad"


def test_a_class_server_with_a_question_is_no_address() -> None:
    text = make_class("https://files.example").file.data.decode()
    text = text.replace("[[lock]]", '[sources]\nshare = ["http://10.0.0.1/apply?reboot=1&x="]\n\n[[lock]]', 1)
    with pytest.raises(UsageError) as caught:
        parse_profile(text.encode())
    assert "sources.share[0]" in caught.value.details
