"""Every way in which a server can fail, against a real one."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

import pytest

from tests.install.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from tests.waiting import HANG
from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import text
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.model import CHUNK

pytestmark = pytest.mark.slow

MB = 1 << 20
DATA = some_bytes(3 * MB)
LARGE = some_bytes(2 * CHUNK + 4321)
FAST = Options(stall=20.0, backoff=0.02, environment={})


def shown(value: object) -> str:
    """Only what is not as usual."""
    if not isinstance(value, Faults):
        return ""
    told = [
        f"{field.name}={getattr(value, field.name)}"
        for field in dataclasses.fields(Faults)
        if getattr(value, field.name) != field.default
    ]
    return ",".join(told) or "none"


def patient(faults: Faults) -> Options:
    """A stall ends soon where one is wanted; elsewhere a busy computer must not look like one."""
    return FAST if faults.stall_after is None else Options(stall=0.5, backoff=0.02, environment={})


def fetch(store: Downloads, *files: LockedFile, options: Options = FAST) -> list[bytes]:
    result = Fetcher(store, options=options).fetch(files)
    return [path.read_bytes() for path in result.paths]


def test_a_large_file_comes_in_ranges_and_small_ones_beside_it(server: FaultServer, store: Downloads) -> None:
    files = [locked(LARGE, server.add("/large", LARGE), name="large")]
    for number in range(5):
        data = some_bytes(10_000 + number, seed=number)
        files.append(locked(data, server.add(f"/s{number}", data), name=f"s{number}"))
    seen: list[str] = []
    result = Fetcher(store, options=FAST).fetch(files, on_file=lambda file, path: seen.append(file.name))
    assert [path.stat().st_size for path in result.paths] == [file.size for file in files]
    assert result.paths[0].read_bytes() == LARGE
    assert sorted(seen) == sorted(file.name for file in files)
    assert server.requests("/large") <= 4
    assert server.sent["/large"] == len(LARGE)
    assert result.bytes_fetched == sum(file.size or 0 for file in files)
    assert result.bytes_reused == 0
    names = {path.name for path in result.paths[0].parent.iterdir()}
    assert names == {"large-1.0-py3-none-any.whl"}


def test_what_is_verified_is_not_fetched_again(server: FaultServer, store: Downloads) -> None:
    file = locked(DATA, server.add("/a", DATA))
    fetch(store, file)
    result = Fetcher(store, options=FAST).fetch([file])
    assert (result.bytes_fetched, result.bytes_reused) == (0, len(DATA))
    assert server.requests("/a") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="within one process the time of the last change is believed there")
def test_a_shared_store_is_believed_by_hash_and_not_by_what_lies_in_it(server: FaultServer, store: Downloads) -> None:
    """Somebody else who may write there puts other bytes of the same size and time in their place, and a mark."""
    file = locked(DATA, server.add("/a", DATA))
    fetch(store, file)
    path = store.path_for(file)
    known = path.stat()
    for name in path.parent.iterdir():
        assert name == path, "nothing beside it says that it is good"
    path.write_bytes(b"x" * len(DATA))
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    path.with_name(f"{path.name}.verified").write_text(f"{known.st_size} {known.st_mtime_ns}")
    assert Downloads(store.root).find(file) is None
    assert fetch(store, file) == [DATA]


@pytest.mark.skipif(sys.platform == "win32", reason="there each process hashes: no time that nobody can set")
def test_what_was_hashed_is_not_hashed_again_by_the_next_process(
    server: FaultServer, store: Downloads, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = locked(DATA, server.add("/a", DATA))
    fetch(store, file)
    monkeypatch.setattr("wizard.transfer.download.file_store._hashed_here", {})
    monkeypatch.setattr("wizard.transfer.download.file_store.hash_file", lambda path: pytest.fail("hashed again"))
    assert Downloads(store.root).find(file) == store.path_for(file)


def test_a_file_that_was_damaged_in_the_store_is_fetched_again(server: FaultServer, store: Downloads) -> None:
    file = locked(DATA, server.add("/a", DATA))
    fetch(store, file)
    store.path_for(file).write_bytes(b"x" * len(DATA))
    assert fetch(store, file) == [DATA]


PAGE = 4096  # what a break may cost: less than a page is not written

# What happens, and how many bytes more than the file's own it may cost.
PASSING = [
    (Faults(times=2, drop_after=1_000_000), 2 * PAGE),
    (Faults(times=3, end_after=70_000), 3 * PAGE),
    (Faults(times=1, stall_after=500_000), PAGE),
    (Faults(times=1, length_lie=1000), 0),
    (Faults(times=1, length_lie=-1000), PAGE),
    (Faults(times=1, status=500), 0),
    (Faults(times=1, status=429, retry_after="0"), 0),
    (Faults(times=1, status=503, retry_after="0"), 0),
    (Faults(times=1, status=403), 0),
    (Faults(times=1, status=404), 0),
    (Faults(times=1, html=True), 0),
    (Faults(times=1, html=True, wrong_type="application/octet-stream"), 100),
    (Faults(times=1, wrong_byte=77), len(DATA)),
    (Faults(times=1, longer_by=5), 0),
    (Faults(times=1, longer_by=-5), 0),
    (Faults(knows_ranges=False), 0),
    (Faults(knows_ranges=False, says_length=False), 0),
    (Faults(etag='"a"'), 0),
    (Faults(etag_per_request=True), 0),
]


@pytest.mark.parametrize(("faults", "extra"), PASSING, ids=lambda value: shown(value))
def test_a_fault_that_passes_costs_little(server: FaultServer, store: Downloads, faults: Faults, extra: int) -> None:
    file = locked(DATA, server.add("/a", DATA, faults))
    result = Fetcher(store, options=patient(faults)).fetch([file])
    assert result.paths[0].read_bytes() == DATA
    assert result.bytes_fetched <= len(DATA) + extra


@pytest.mark.parametrize(("faults", "extra"), PASSING, ids=lambda value: shown(value))
def test_a_fault_of_a_file_whose_size_nobody_knows(
    server: FaultServer, store: Downloads, faults: Faults, extra: int
) -> None:
    """Then a lie about the size is found out by the hash only, and all of it comes anew."""
    file = locked(DATA, server.add("/a", DATA, faults), sized=False)
    result = Fetcher(store, options=patient(faults)).fetch([file])
    assert result.paths[0].read_bytes() == DATA
    assert result.bytes_fetched <= 2 * len(DATA) + extra


# What happens to a file of several ranges, the bytes it may cost more here, and on the server's side, where the bytes
# count that nobody read any more.
LASTING = [
    (Faults(knows_ranges=False), 0, 0),
    (Faults(etag_per_request=True), 0, len(LARGE)),
    (Faults(times=3, drop_after=3_000_000), 3 * PAGE, 3 * 3_000_000),
    (Faults(end_after=900_000), 12 * PAGE, 12 * PAGE),
    (Faults(times=1, etag='"one"', stall_after=2_000_000), PAGE, PAGE),
]


@pytest.mark.parametrize(("faults", "extra", "unread"), LASTING, ids=lambda value: shown(value))
def test_a_large_file_survives_too(
    server: FaultServer, store: Downloads, faults: Faults, extra: int, unread: int
) -> None:
    file = locked(LARGE, server.add("/a", LARGE, faults))
    result = Fetcher(store, options=patient(faults)).fetch([file])
    assert result.paths[0].read_bytes() == LARGE
    assert result.bytes_fetched <= len(LARGE) + extra
    assert server.sent["/a"] <= len(LARGE) + unread


@pytest.mark.parametrize(
    ("faults", "code"),
    [
        (Faults(status=403), "fetch-refused"),
        (Faults(status=404), "fetch-not-found"),
        (Faults(status=500), "fetch-server"),
        (Faults(status=429, retry_after="0"), "fetch-busy"),
        (Faults(html=True), "fetch-html"),
        (Faults(wrong_byte=2_000_000), "fetch-hash-mismatch"),
        (Faults(longer_by=9), "fetch-size-mismatch"),
        (Faults(end_after=1000), "fetch-short"),
        (Faults(stall_after=1000), "fetch-stalled"),
        (Faults(redirect="http://192.0.2.1/a"), "fetch-redirect"),
        (Faults(redirect="ftp://127.0.0.1/a"), "fetch-redirect"),
    ],
    ids=shown,
)
def test_a_fault_that_stays_is_one_clear_sentence(
    server: FaultServer, store: Downloads, faults: Faults, code: str
) -> None:
    file = locked(DATA, server.add("/a", DATA, faults))
    options = Options(stall=0.05 if faults.stall_after else HANG, backoff=0.001, environment={})
    with pytest.raises(WizardError) as caught:
        fetch(store, file, options=options)
    assert caught.value.code == code
    for language in ("en", "zh_CN"):
        assert file.release in text(caught.value.summary, language)
        assert text(caught.value.hint, language)
    assert file.filename in caught.value.details
    assert not store.path_for(file).exists()


@pytest.mark.parametrize(
    "faults",
    [
        Faults(status=403),
        Faults(status=404),
        Faults(status=502),
        Faults(status=429, retry_after="60"),
        Faults(html=True),
        Faults(wrong_byte=9),
        Faults(stall_after=9000),
        Faults(end_after=9000),
    ],
    ids=shown,
)
def test_the_next_address_is_taken_at_once(server: FaultServer, store: Downloads, faults: Faults) -> None:
    with FaultServer() as bad:
        file = locked(DATA, bad.add("/bad", DATA, faults), server.add("/good", DATA))
        assert fetch(store, file, options=patient(faults)) == [DATA]
        assert bad.requests("/bad") == 1
    assert server.requests("/good") == 1


def test_a_server_that_is_not_there(store: Downloads) -> None:
    with FaultServer() as gone:
        url = gone.add("/a", DATA)
    with pytest.raises(WizardError) as caught:
        fetch(store, locked(DATA, url), options=Options(backoff=0.001, environment={}))
    assert caught.value.code == "fetch-unreachable"


def test_retry_after_is_obeyed(server: FaultServer, store: Downloads) -> None:
    file = locked(DATA, server.add("/a", DATA, Faults(times=1, status=429, retry_after="1")))
    fetch(store, file)
    assert server.times[1] - server.times[0] > 0.9


def test_redirects_to_this_computer_are_followed(server: FaultServer, store: Downloads) -> None:
    target = server.add("/real", DATA)
    file = locked(DATA, server.add("/a", b"", Faults(redirect=target)))
    assert fetch(store, file) == [DATA]


def test_if_range_guards_a_resumed_file(server: FaultServer, store: Downloads) -> None:
    url = server.add("/a", LARGE, Faults(etag='"one"', times=1, drop_after=6_000_000))
    assert fetch(store, locked(LARGE, url)) == [LARGE]
    assert '"one"' in server.conditions


def test_http_outside_this_computer_is_refused(store: Downloads) -> None:
    with pytest.raises(WizardError) as caught:
        fetch(store, locked(DATA, "http://192.0.2.1/a.whl"))
    assert caught.value.code == "fetch-redirect"


def test_a_local_file_is_copied_while_it_is_hashed(store: Downloads, tmp_path: Path) -> None:
    source = tmp_path / "folder with space" / "a+b.whl"
    source.parent.mkdir()
    source.write_bytes(LARGE)
    assert fetch(store, locked(LARGE, source.as_uri(), sized=False)) == [LARGE]
    with pytest.raises(WizardError) as caught:
        fetch(store, locked(DATA, (tmp_path / "none.whl").as_uri()), options=Options(backoff=0.001, environment={}))
    assert caught.value.code == "fetch-not-found"


def test_an_empty_file(server: FaultServer, store: Downloads) -> None:
    assert fetch(store, locked(b"", server.add("/a", b""))) == [b""]


def test_a_full_disk_is_said_before_anything_is_asked(server: FaultServer, store: Downloads) -> None:
    file = locked(DATA, server.add("/a", DATA))
    with pytest.raises(WizardError) as caught:
        fetch(store, file, options=Options(environment={}, free_bytes=lambda folder: 1000))
    assert caught.value.code == "fetch-no-space"
    assert server.requests("/a") == 0


def test_unreadable_certificates_are_named(server: FaultServer, store: Downloads) -> None:
    file = locked(DATA, server.add("/a", DATA))
    with pytest.raises(WizardError) as caught:
        fetch(store, file, options=Options(environment={"SSL_CERT_FILE": "/no/such/file.pem"}))
    assert caught.value.code == "fetch-certificates"
