"""Several addresses: what each host is remembered for, and that going on elsewhere costs no byte twice."""

from __future__ import annotations

import email.utils
import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.install.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.transfer.download import Downloads, Fetcher, FetchResult
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.hosts import Hosts, Sources
from wizard.transfer.download.model import CHUNK, Fault
from wizard.transfer.download.part_file import PartState, write_state
from wizard.transfer.download.reply import refusal, retry_seconds

MB = 1 << 20
PAGE = 4096
DATA = some_bytes(3 * MB)
LARGE = some_bytes(3 * CHUNK + 4321, seed=3)
FAST = Options(stall=20.0, backoff=0.02, environment={})
STALLS_SOON = Options(stall=0.5, backoff=0.02, environment={})


@pytest.fixture
def first() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture
def second() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path / "downloads")


def fetch(store: Downloads, *files: LockedFile, connections: int = 4, options: Options = FAST) -> FetchResult:
    result = Fetcher(store, connections, options).fetch(files)
    for file, path in zip(files, result.paths, strict=True):
        assert path.stat().st_size == file.size
    return result


def half_fetched(store: Downloads, file: LockedFile, data: bytes, kept: int) -> None:
    part = store.part_for(file)
    part.parent.mkdir(parents=True)
    part.write_bytes(data[:kept])
    write_state(store.state_for(file), PartState(file.sha256, len(data), ((0, kept),)))


# -- going on elsewhere --------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [Faults(end_after=2 * MB), Faults(stall_after=2 * MB), Faults(drop_after=2 * MB)])
def test_the_next_source_goes_on_where_the_first_broke(
    first: FaultServer, second: FaultServer, store: Downloads, broken: Faults
) -> None:
    """Though each calls the file by another ETag."""
    one = Faults(**{**vars(broken), "etag": '"one"'})
    file = locked(LARGE, first.add("/a", LARGE, one), second.add("/a", LARGE, Faults(etag='"two"')))
    result = fetch(store, file, options=FAST if broken.stall_after is None else STALLS_SOON)
    assert result.paths[0].read_bytes() == LARGE
    assert result.bytes_fetched <= len(LARGE) + 8 * PAGE
    assert second.sent["/a"] < len(LARGE)
    assert '"one"' not in second.conditions


def test_a_source_without_ranges_is_not_asked_for_the_rest(
    first: FaultServer, second: FaultServer, store: Downloads
) -> None:
    """It would have to begin anew; what is there is kept for one that need not."""
    file = locked(LARGE, first.add("/a", LARGE, Faults(knows_ranges=False)), second.add("/a", LARGE))
    half_fetched(store, file, LARGE, 2 * CHUNK)
    result = fetch(store, file)
    assert result.paths[0].read_bytes() == LARGE
    assert result.bytes_fetched == len(LARGE) - 2 * CHUNK
    assert result.bytes_reused == 2 * CHUNK
    assert first.requests("/a") == 1


def test_a_stream_that_broke_is_gone_on_with_by_ranges(
    first: FaultServer, second: FaultServer, store: Downloads
) -> None:
    broken = Faults(knows_ranges=False, end_after=2 * CHUNK)
    file = locked(LARGE, first.add("/a", LARGE, broken), second.add("/a", LARGE))
    result = fetch(store, file)
    assert result.paths[0].read_bytes() == LARGE
    assert result.bytes_fetched <= len(LARGE) + PAGE


def test_a_portal_costs_nothing_of_what_is_there(first: FaultServer, store: Downloads) -> None:
    """It answers every request with 200 and a page, whatever the page calls itself."""
    for kind in ("text/html", "application/octet-stream"):
        data = some_bytes(2 * CHUNK, seed=len(kind))
        file = locked(data, first.add("/a", data, Faults(html=True, wrong_type=kind)), name=kind[:4])
        half_fetched(store, file, data, CHUNK)
        with pytest.raises(WizardError) as caught:
            fetch(store, file)
        assert caught.value.code in ("fetch-html", "fetch-size-mismatch")
        first.add("/a", data)
        assert fetch(store, file).bytes_fetched == len(data) - CHUNK


def test_the_wrong_one_of_two_givers_is_found(first: FaultServer, second: FaultServer, store: Downloads) -> None:
    """The first gives a wrong byte and breaks off, the second ends the file: the hash cannot say whose fault it is."""
    wrong = Faults(wrong_byte=5, end_after=MB)
    file = locked(DATA, first.add("/a", DATA, wrong), second.add("/a", DATA))
    result = fetch(store, file)
    assert result.paths[0].read_bytes() == DATA
    assert result.bytes_fetched <= 3 * len(DATA)


# -- another file behind the address -------------------------------------------------------------------------


def test_another_etag_of_the_same_bytes_costs_nothing(first: FaultServer, store: Downloads) -> None:
    """Servers behind one name rarely agree about it."""
    file = locked(LARGE, first.add("/a", LARGE, Faults(etag_per_request=True)))
    result = fetch(store, file)
    assert result.paths[0].read_bytes() == LARGE
    assert result.bytes_fetched == len(LARGE)


def test_a_file_that_changes_in_the_middle_comes_from_elsewhere(
    first: FaultServer, second: FaultServer, store: Downloads
) -> None:
    file = locked(LARGE, first.add("/a", LARGE, Faults(etag='"one"', other_from=2)), second.add("/a", LARGE))
    result = fetch(store, file)
    assert result.paths[0].read_bytes() == LARGE
    assert result.bytes_fetched <= 3 * len(LARGE)


def test_a_file_that_became_another_is_one_sentence(first: FaultServer, store: Downloads) -> None:
    file = locked(LARGE, first.add("/a", LARGE, Faults(etag='"one"', other_from=2)))
    with pytest.raises(WizardError) as caught:
        fetch(store, file)
    assert caught.value.code == "fetch-hash-mismatch"
    assert not store.path_for(file).exists()


def test_bytes_of_an_earlier_run_are_blamed_on_no_source(first: FaultServer, store: Downloads) -> None:
    file = locked(DATA, first.add("/a", DATA, Faults(times=1, wrong_byte=2 * MB + 5)))
    half_fetched(store, file, bytes(len(DATA)), MB)
    assert fetch(store, file).paths[0].read_bytes() == DATA


def test_if_range_names_the_tag_of_this_address_only(first: FaultServer, store: Downloads) -> None:
    file = locked(LARGE, first.add("/a", LARGE, Faults(etag='"one"')))
    fetch(store, file)
    assert set(first.conditions) == {'"one"'}


# -- hosts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "faults",
    [Faults(status=404), Faults(status=403), Faults(html=True), Faults(status=500), Faults(stall_after=0)],
    ids=["404", "403", "html", "500", "stall"],
)
def test_thirty_files_do_not_each_pay_for_a_bad_source(
    first: FaultServer, second: FaultServer, store: Downloads, faults: Faults
) -> None:
    files = []
    for number in range(30):
        data = some_bytes(5000 + number, seed=number)
        urls = first.add(f"/{number}", data, faults), second.add(f"/{number}", data)
        files.append(locked(data, *urls, name=f"n{number}"))
    fetch(store, *files, options=FAST if faults.stall_after is None else STALLS_SOON)
    # Three that fail, and what the other connections had asked for meanwhile.
    assert sum(first.requests(f"/{number}") for number in range(30)) <= 3 + 3
    assert sum(second.requests(f"/{number}") for number in range(30)) == 30


def test_a_mirror_that_lacks_some_files_stays_first(first: FaultServer, second: FaultServer, store: Downloads) -> None:
    files = []
    for number in range(12):
        data = some_bytes(5000 + number, seed=number)
        faults = Faults(status=404) if number % 4 == 0 else Faults()
        urls = first.add(f"/{number}", data, faults), second.add(f"/{number}", data)
        files.append(locked(data, *urls, name=f"n{number}"))
    fetch(store, *files, connections=1)
    assert sum(second.requests(f"/{number}") for number in range(12)) == 3


def test_a_host_that_wants_rest_is_left_alone_by_all(first: FaultServer, second: FaultServer, store: Downloads) -> None:
    files = []
    for number in range(20):
        data = some_bytes(5000 + number, seed=number)
        urls = first.add(f"/{number}", data, Faults(status=429, retry_after="30")), second.add(f"/{number}", data)
        files.append(locked(data, *urls, name=f"n{number}"))
    fetch(store, *files)
    assert sum(first.requests(f"/{number}") for number in range(20)) <= 4


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("as_date", [False, True], ids=["seconds", "date"])
def test_nobody_asks_again_before_the_time(first: FaultServer, store: Downloads, status: int, as_date: bool) -> None:
    until = email.utils.formatdate(time.time() + 3, usegmt=True) if as_date else "2"
    files = []
    for number in range(6):
        data = some_bytes(5000 + number, seed=number)
        faults = Faults(times=1, status=status, retry_after=until) if number == 0 else Faults()
        files.append(locked(data, first.add(f"/{number}", data, faults), name=f"n{number}"))
    fetch(store, *files, connections=1)
    assert first.requests("/0") == 2
    waits = [later - earlier for earlier, later in itertools.pairwise(first.times)]
    assert max(waits) > 1.0


def test_one_that_wants_too_long_a_rest_is_given_up(first: FaultServer, store: Downloads) -> None:
    file = locked(DATA, first.add("/a", DATA, Faults(status=503, retry_after="86400")))
    with pytest.raises(WizardError) as caught:
        fetch(store, file)
    assert caught.value.code == "fetch-busy"
    assert first.requests("/a") == 1


def test_a_server_of_the_class_may_ask_for_a_short_rest_only(
    first: FaultServer, second: FaultServer, store: Downloads
) -> None:
    """It answers each time that it wants more: the next address is asked, and no file waits for it."""
    files = []
    for number in range(4):
        data = some_bytes(5000 + number, seed=number)
        urls = [first.add(f"/{number}", data, Faults(status=503, retry_after="31"))]
        if number == 0:
            urls.append(second.add("/0", data))
        files.append(locked(data, *urls, name=f"n{number}"))
    fetch(store, files[0])
    with pytest.raises(WizardError) as caught:
        fetch(store, *files[1:])
    assert caught.value.code == "fetch-busy"
    assert max(first.requests(f"/{number}") for number in range(4)) == 1


def test_an_official_source_may_ask_for_a_longer_rest() -> None:
    for url, is_left in (("https://a.example/a", True), ("http://10.0.0.7/a", False)):
        sources = Sources([url], Hosts(), "a")
        assert sources.blame(sources.addresses[0], Fault("fetch-busy", retry_after=599), 0.1) is is_left


def test_retry_after_as_a_date_follows_the_servers_clock() -> None:
    assert retry_seconds("30") == 30.0
    assert retry_seconds("Sat, 21 Nov 2026 10:00:20 GMT", "Sat, 21 Nov 2026 10:00:00 GMT") == 20.0
    assert retry_seconds("Sat, 21 Nov 2026 10:00:00 GMT", "Sat, 21 Nov 2026 10:05:00 GMT") == 0.0
    assert retry_seconds("soon") is None
    assert retry_seconds("") is None
    assert refusal(503, "busy", None, None).code == "fetch-server"
    assert refusal(503, "busy", "5", None).code == "fetch-busy"


def test_addresses_on_one_host_share_its_memory() -> None:
    hosts = Hosts()
    a = Sources(["https://user:pw@Mirror.example/a", "https://other.example/a"], hosts, "a")
    b = Sources(["https://mirror.example/b", "https://other.example/b"], hosts, "b")
    a.blame(a.addresses[0], Fault("fetch-busy", retry_after=50), 0.1)
    found = b.pick(False)
    assert found
    assert found.url == "https://other.example/b"


# -- redirects -----------------------------------------------------------------------------------------------


def test_a_redirect_to_another_host_is_followed_once_and_without_the_login(
    first: FaultServer, second: FaultServer, store: Downloads
) -> None:
    target = second.add("/real", LARGE)
    url = first.add("/a", b"", Faults(redirect=target)).replace("http://", "http://me:secret@")
    result = fetch(store, locked(LARGE, url))
    assert result.paths[0].read_bytes() == LARGE
    assert set(second.logins) == {None}
    assert set(first.logins) != {None}
    assert first.requests("/a") <= 4  # once for each connection, not for each range


def test_where_a_redirect_led_may_end(first: FaultServer, second: FaultServer, store: Downloads) -> None:
    """Signed addresses run out: then the first one is asked again, and nobody is blamed."""
    old = second.add("/old", LARGE, Faults(end_after=2 * MB))
    url = first.add("/a", LARGE, Faults(times=1, redirect=old))
    result = Fetcher(store, 1, FAST).fetch([locked(LARGE, url)])
    assert result.paths[0].read_bytes() == LARGE
    assert result.bytes_fetched <= len(LARGE) + 8 * PAGE
