"""A machine finds its class by a folder, an address or a code, and a profile must have come a way that counts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.pack.classes import make_class, with_share
from tests.classroom.server.conftest import serve
from tests.install.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from tests.servers.raw_server import RawServer
from wizard.classroom.code import code_of
from wizard.classroom.join import Asked, Patience, enter
from wizard.classroom.pack.make import read_listing
from wizard.classroom.results.certificate import Certificate, certificate
from wizard.classroom.results.submit import hand_in, hand_in_failure, read_room
from wizard.classroom.server.announce import _answering, announcing, search
from wizard.classroom.server.server import PackServer, ServeOptions
from wizard.classroom.server.share import announced_at, serve_downloads
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import text
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.local_first import fetch_near_first
from wizard.transfer.download.model import FetchResult
from wizard.transfer.proxy.environment import with_direct

pytestmark = pytest.mark.slow


def address(server: PackServer) -> str:
    return f"http://127.0.0.1:{server.port}"


def code(pack: Path) -> str:
    return code_of(read_listing(pack).profile_sha256)


AT_ONCE = Patience(0.0)


def refused(asked: Asked, found: tuple[str, ...] = ()) -> str:
    with pytest.raises(WizardError) as caught:
        enter(asked, look=lambda code: found, patience=AT_ONCE)
    return caught.value.code


def test_a_folder_brings_its_profile(pack: Path) -> None:
    found = enter(Asked(pack=str(pack)))
    assert found.file.data == (pack / "profile.torchlab").read_bytes()
    assert found.bases == (pack.as_uri() + "/",)


def test_a_profile_beside_its_pack_uses_it(pack: Path) -> None:
    assert enter(Asked(profile=pack / "profile.torchlab")).bases == (pack.as_uri() + "/",)


def test_a_code_brings_the_profile_of_whoever_has_it(pack: Path, server: PackServer) -> None:
    found = enter(Asked(code=code(pack).upper()), look=lambda code: ("http://127.0.0.1:9/", address(server) + "/"))
    assert found.file.data == (pack / "profile.torchlab").read_bytes()
    assert found.path.read_bytes() == found.file.data
    assert found.path.name == f"{found.file.sha256}.torchlab"


def test_who_nobody_vouches_for_is_not_believed(pack: Path, server: PackServer) -> None:
    assert refused(Asked(pack=address(server))) == "share-needs-code"
    assert refused(Asked(pack=address(server), code="0" * 16)) == "share-wrong-code"
    assert refused(Asked(code="0" * 16), (address(server) + "/",)) == "share-not-found"
    assert refused(Asked(code=code(pack)[:9])) == "share-bad-code"
    for typed, words in (
        ("7YD-25C8-7SP", "it has 14 letters and digits"),
        ("7YD-25C8-7SP-8YWU", "No class code has the sign “U”"),
        ("7YD-25C8-7SP-8YWY", "is wrong, or two have changed places"),
    ):
        with pytest.raises(UsageError) as caught:
            enter(Asked(code=typed))
        assert words in text(caught.value.summary, "en"), "which kind of mistake it is"
        assert text(caught.value.summary, "zh_CN") != text(caught.value.summary, "en")
    assert refused(Asked(profile=pack / "profile.torchlab", code="0" * 16)) == "share-other-code"


def test_a_server_that_is_not_up_yet_is_asked_again(pack: Path, server: PackServer) -> None:
    """The first student is often earlier than the teacher: by address, and by the code alone."""
    wanted = (pack / "profile.torchlab").read_bytes()
    with FaultServer() as late:
        late.add("/pack.json", (pack / "pack.json").read_bytes(), Faults(times=1, status=404))
        late.add("/profile.torchlab", wanted)
        assert enter(Asked(pack=late.root, code=code(pack))).file.data == wanted
    looks = [(), (address(server) + "/",)]
    found = enter(Asked(code=code(pack)), look=lambda _: looks.pop(0) if looks else ())
    assert found.file.data == wanted


@pytest.mark.parametrize("with_profile", [False, True])
def test_what_is_waited_for_is_said_once_and_can_be_ended(pack: Path, with_profile: bool) -> None:
    """The class begins while the teacher still starts the server."""
    gone, told, asked = "http://127.0.0.1:9/", list[str](), 0

    def is_cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 6  # after some times that it was asked again

    named = Asked(pack / "profile.torchlab" if with_profile else None, gone, code(pack))
    for one, words in ((named, gone), (Asked(code=code(pack)), "No server in this network announces this class yet")):
        patience = Patience(240.0, lambda waits: told.append(text(waits, "en")), is_cancelled)
        with pytest.raises(Cancelled):
            enter(one, look=lambda _: (), patience=patience)
        (said,) = told
        assert words in said
        assert "4 min" in said
        told.clear()
        asked = 0


def test_that_nobody_announces_the_class_is_no_word_about_a_server(pack: Path) -> None:
    with pytest.raises(WizardError) as caught:
        enter(Asked(code=code(pack)), look=lambda _: (), patience=AT_ONCE)
    assert caught.value.code == "share-not-announced"
    said = text(caught.value.summary, "en") + text(caught.value.hint, "en")
    assert "let no announcements through" in said
    assert "--announce makes a server announce itself" in said


def test_a_server_that_swaps_the_profile_is_found_out(pack: Path, tmp_path: Path) -> None:
    """Its list names the right hash; what it hands out as the profile is another."""
    expected = code(pack)
    other = make_class("http://127.0.0.1:9", builds=(("linux", "cu128"),))
    (pack / "profile.torchlab").write_bytes(other.file.data)
    listing = json.loads((pack / "pack.json").read_text())
    for entry in listing["entries"]:
        if entry["path"] == "profile.torchlab":
            entry["size"] = len(other.file.data)
    (pack / "pack.json").write_text(json.dumps(listing))
    with serve(pack) as lying:
        assert refused(Asked(pack=address(lying), code=expected)) == "pack-profile-differs"
        found = (f"{address(lying)}/", "http://127.0.0.1:9/")
        assert refused(Asked(code=expected), found) == "pack-profile-differs", "it is no silent network"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("ftp://lab.example/", "pack-bad-address"),
        ("http://", "pack-bad-address"),
        ("http://x:99999/", "pack-bad-address"),
        ("http://u:secret@[::1/", "pack-bad-address"),
        ("/nowhere/at/all", "pack-no-folder"),
    ],
)
def test_an_address_that_is_none(spec: str, expected: str) -> None:
    assert refused(Asked(pack=spec, code="0" * 16)) == expected


def test_a_server_that_is_gone_and_one_that_is_none() -> None:
    assert refused(Asked(pack="http://127.0.0.1:9/", code="0" * 16)) == "pack-unreachable"
    with FaultServer() as web:
        web.add("/pack.json", b"<html>Please sign in</html>")
        assert refused(Asked(pack=web.root, code="0" * 16)) == "pack-unreadable"
        web.add("/pack.json", b" " * 9_000_000)
        assert refused(Asked(pack=web.root, code="0" * 16)) == "pack-unreadable"


def test_the_profile_names_servers_and_the_silent_ones_are_told(pack: Path, server: PackServer, tmp_path: Path) -> None:
    with FaultServer() as origin:
        course = with_share(make_class(origin.root), "http://127.0.0.1:9/", address(server) + "/")
    asked = Asked(profile=course.write(tmp_path / "course.torchlab"))
    found = enter(asked, agree=lambda file: {"127.0.0.1"})
    assert found.bases == (address(server) + "/",)
    assert [notice.key for notice in found.notices] == ["share.silent"]


def test_a_server_that_only_the_profile_names_is_asked_when_somebody_trusts_it(tmp_path: Path) -> None:
    asked: list[bytes] = []

    def answer(request: bytes) -> list[bytes | float]:
        asked.append(request)
        return [b""]

    with RawServer(answer) as stranger, FaultServer() as origin:
        course = with_share(make_class(origin.root), f"{stranger.root}/")
        path = course.write(tmp_path / "course.torchlab")
        assert enter(Asked(profile=path)).bases == ()
        assert enter(Asked(profile=path), agree=lambda file: {"127.0.0.2"}).notices == ()
        assert asked == []
        assert enter(Asked(profile=path), agree=lambda file: {stranger.root.rpartition("/")[2]}).notices
        assert asked


def test_a_name_that_stands_for_a_link_local_address_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name services are the one thing that is made up here."""
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("169.254.169.254", 0))])
    monkeypatch.setattr("wizard.classroom.join.open_pack", lambda *_: pytest.fail("asked"))
    with FaultServer() as origin:
        course = with_share(make_class(origin.root), "http://metadata.example/")
    asked = Asked(profile=course.write(tmp_path / "course.torchlab"))
    assert [notice.key for notice in enter(asked, agree=lambda file: {"metadata.example"}).notices] == ["share.silent"]


def test_any_static_web_server_will_do(pack: Path) -> None:
    with FaultServer() as web:
        for path in pack.rglob("*"):
            if path.is_file():
                web.add("/packs/dl/" + path.relative_to(pack).as_posix().replace("+", "%2B"), path.read_bytes())
        found = enter(Asked(pack=f"{web.root}/packs/dl", code=code(pack)))
        files = found.file.profile.locks[0].files
        near = [replace(file, urls=found.further_urls()(file)) for file in files]
        fetched = Fetcher(Downloads(pack.parent / "student"), options=Options(allow_http=True)).fetch(near)
    assert fetched.bytes_fetched == sum(file.size or 0 for file in files)


# -- near first -------------------------------------------------------------------------------------------------


def fetch(files: list[LockedFile], near: FaultServer, store: Path) -> tuple[list[str], FetchResult]:
    far: list[str] = []
    options = Options(allow_http=True, backoff=0.01)
    result = fetch_near_first(
        Fetcher(Downloads(store), options=options),
        files,
        (near.root,),
        lambda progress: None,
        lambda file, path: None,
        lambda: False,
        lambda: False,
        lambda error: far.append(error.code),
    )
    return far, result


def test_a_near_server_that_stumbles_sends_nobody_away(tmp_path: Path) -> None:
    data = some_bytes(3_000_000)
    with FaultServer() as near, FaultServer() as official:
        urls = (near.add("/a.whl", data, Faults(status=503, times=3)), official.add("/a.whl", data))
        assert fetch([locked(data, *urls)], near, tmp_path)[0] == []
        assert official.requests("/a.whl") == 0


def test_the_official_source_is_the_last_way_out(tmp_path: Path) -> None:
    data, other = some_bytes(900_000), some_bytes(900_000, 2)
    with FaultServer() as near, FaultServer() as official:
        good = locked(data, near.add("/a.whl", data), official.add("/a.whl", data), name="a")
        bad = locked(other, near.add("/b.whl", data), official.add("/b.whl", other), name="b")
        far, result = fetch([good, bad], near, tmp_path)
        assert far == ["fetch-hash-mismatch"]
        assert result.bytes_reused == 0, "nothing was here before"
        assert result.bytes_fetched >= len(data) + len(other)
        assert official.requests("/a.whl") == 0
        assert official.sent["/b.whl"] == len(other)


def test_class_servers_are_asked_without_the_proxy() -> None:
    urls = ("http://10.1.2.3:8765/", "https://files.lab.example/pack/")
    direct = with_direct({"HTTP_PROXY": "http://proxy.example:3128", "NO_PROXY": "localhost"}, urls)
    assert direct["NO_PROXY"] == "localhost,10.1.2.3"
    assert with_direct({"HTTP_PROXY": "http://proxy.example:3128"}, urls)["NO_PROXY"] == "10.1.2.3"


# -- others of the class ----------------------------------------------------------------------------------------


def test_who_has_finished_may_hand_the_files_on(pack: Path, server: PackServer, tmp_path: Path) -> None:
    """The second machine gets everything from the first, whose server takes no results; the stick that the first one's
    profile came on is in a third."""
    course = enter(Asked(pack=address(server), code=code(pack)))
    lock = course.file.profile.locks[0]
    files = (*lock.files, *(package.file for package in lock.conda))
    stick = Path(shutil.copy(course.path, tmp_path / "stick.torchlab"))
    near = [replace(file, urls=course.further_urls()(file)) for file in files]
    Fetcher(Downloads(), options=Options(allow_http=True)).fetch(near)
    with serve_downloads(course.file, stick, files, ServeOptions("127.0.0.1", 0), announce=False) as serving:
        stick.unlink()
        there = f"http://127.0.0.1:{serving.server.port}/"
        second = enter(Asked(pack=there, code=code(pack)))
        wanted = [replace(file, urls=second.further_urls()(file)) for file in files]
        assert all(file.urls for file in wanted)
        Fetcher(Downloads(tmp_path / "second"), options=Options(allow_http=True)).fetch(wanted)
        with pytest.raises(WizardError) as caught:
            hand_in_failure((there,), course.file.sha256, "", WizardError("fetch-internal"), None)
        assert caught.value.code == "share-not-handed-in"


def test_a_failure_reaches_the_room_over_server_or_share(pack: Path, server: PackServer) -> None:
    sha256 = read_listing(pack).profile_sha256
    for base in (address(server) + "/", pack.as_uri() + "/"):
        error = WizardError("fetch-no-space", folder="~", file="", needed=3.0, free=0.1)
        assert hand_in_failure(("http://127.0.0.1:9/", base), sha256, "seat 1", error, None) == base
        (row,) = read_room(pack).rows
        assert (row.state, row.code, row.label) == ("red", "fetch-no-space", "seat 1")
        next((pack / "results").glob("*.json")).unlink()


def test_two_servers_make_one_room(pack: Path, server: PackServer) -> None:
    """A machine that failed at one and was well at the other counts once, as it is now."""
    sha256, error = read_listing(pack).profile_sha256, WizardError("fetch-no-space", folder="~", file="", needed=3.0)
    second = Path(shutil.copytree(pack, pack.parent / "second"))
    hand_in_failure((pack.as_uri() + "/",), sha256, "seat 1", error, None)
    (first,) = (pack / "results").glob("*.json")
    told = json.loads(first.read_text())
    report = {**told["report"], "status": 0, "error": None, "created": "2099" + told["report"]["created"][4:]}
    hand_in([second.as_uri() + "/"], certificate(report, sha256, "seat 1"))
    hand_in([second.as_uri() + "/"], Certificate("7" * 32, sha256, "seat 2", report))
    assert {row.label for row in read_room(pack).rows} == {"seat 1"}
    for found in (read_room(pack, [second]), read_room(second, [pack])):
        assert [row.label for row in found.rows] == ["seat 1", "seat 2"]
        assert "fetch-no-space" not in [row.code for row in found.rows]


def test_of_a_server_with_two_addresses_the_one_that_answers(pack: Path, server: PackServer) -> None:
    """As the bridge of a virtual machine: announced first, and nobody there from here."""
    sha256 = read_listing(pack).profile_sha256
    with announcing(server.port, sha256, "Two", ("127.0.0.1", "127.0.0.2")):
        found = search(sha256, interfaces=("127.0.0.1",), seconds=10.0)
    assert [each.base for each in found] == [address(server) + "/"]
    assert _answering(("127.0.0.2", "127.0.0.1"), server.port) == "127.0.0.1"
    assert _answering(("127.0.0.2", "127.0.0.3"), server.port) is None
    assert _answering(("192.0.2.77",), 9) == "192.0.2.77"


def test_a_server_is_announced_where_it_listens() -> None:
    assert announced_at("192.0.2.7") == ("192.0.2.7",)
    assert announced_at("") == announced_at("0.0.0.0") == announced_at("::") == announced_at("lab.example") == ()


def test_servers_are_found_by_the_announced_code(pack: Path, server: PackServer) -> None:
    sha256 = read_listing(pack).profile_sha256
    with ExitStack() as stack:
        stack.enter_context(announcing(server.port, sha256, "Deep learning 101", ("127.0.0.1",)))
        stack.enter_context(announcing(9, "0" * 64, "Another", ("127.0.0.1",)))
        found = search(sha256, interfaces=("127.0.0.1",), seconds=10.0)
        assert [each.base for each in found] == [address(server) + "/"]
        assert found[0].title == "Deep learning 101"
        assert search("1" * 16, interfaces=("127.0.0.1",), seconds=0.5) == ()


def test_the_program_starts_without_the_servers_libraries() -> None:
    """They cost time and are needed by few."""
    code = (
        "import sys; import wizard.cli.setup, wizard.cli.classroom.pack; "
        "print([name for name in ('aiohttp', 'zeroconf', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
