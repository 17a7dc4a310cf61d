"""How much a fetch takes, what it says that limits it, and how it goes on after sleep."""

from __future__ import annotations

import threading
import time
from collections import Counter

import click
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.install.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from wizard.app.pages.run import limit_words
from wizard.cli.options import CONNECTIONS, RATE, choices_from
from wizard.cli.root import parse
from wizard.cli.terminal import Terminal
from wizard.compatibility.model import Choices
from wizard.model.errors import Cancelled
from wizard.model.lock import LockedFile
from wizard.model.messages import text
from wizard.transfer.download import Downloads, Fetcher, FetchProgress, meter
from wizard.transfer.download.fetcher import Options, SleepWatch
from wizard.transfer.download.meter import Limit, Meter, ThreadMeter, judge

MB = 1 << 20


def limits_seen(store: Downloads, files: list[LockedFile], options: Options, connections: int = 4) -> Counter[str]:
    """How often each was named, without the first looks, in which there is nothing to measure yet."""
    seen: list[FetchProgress] = []
    Fetcher(store, connections, options).fetch(files, on_progress=seen.append)
    return Counter(item.limited_by for item in seen[2:-1])


# -- the bandwidth limit -------------------------------------------------------------------------------------


@given(st.integers(2_000, 50_000_000), st.lists(st.integers(1, 2_000_000), min_size=1, max_size=60))
def test_never_more_than_the_rate_and_never_in_a_burst(rate: int, wanted: list[int]) -> None:
    limit, got = Limit(rate), 0
    for count in wanted:
        given_, wait = limit.reserve(count, lambda: 100.0)
        assert 0 < given_ <= count
        assert got <= rate * wait + 1  # what came before has had its time
        assert given_ <= max(1024, rate * 0.05)
        got += given_


def test_what_did_not_come_is_not_counted() -> None:
    limit = Limit(1000)
    limit.reserve(1000, lambda: 5.0)
    limit.give_back(1000)
    assert limit.reserve(10, lambda: 5.0) == (10, 0.0)


def test_without_a_limit_nobody_waits() -> None:
    assert Limit(None).reserve(10**9) == (10**9, 0.0)
    with pytest.raises(ValueError, match="more than nothing"):
        Limit(0)


def test_all_connections_together_keep_to_the_rate(server: FaultServer, store: Downloads) -> None:
    data = [some_bytes(300_000, seed=number) for number in range(4)]
    files = [locked(item, server.add(f"/{at}", item), name=f"n{at}") for at, item in enumerate(data)]
    began = time.monotonic()
    seen = limits_seen(store, files, Options(environment={}, rate_limit=1_000_000))
    assert time.monotonic() - began > 1.0  # never faster; how much slower is the machine's affair
    assert seen.most_common(1)[0][0] == "limit"


@pytest.mark.parametrize(
    ("written", "value"),
    [("5M", 5 * MB), ("500k", 512_000), ("1.5m", 1_572_864), ("800", 800), ("1G", 1 << 30), ("2MB", 2 * MB)],
)
def test_rates_are_written_as_for_curl(written: str, value: int) -> None:
    assert RATE.convert(written, None, None) == value


@pytest.mark.parametrize("written", ["", "0", "fast", "-5M", "5T", "5 M/s", "1e6", "0.1"])
def test_what_is_no_rate_is_refused(written: str) -> None:
    with pytest.raises(click.BadParameter):
        RATE.convert(written, None, None)


@pytest.mark.parametrize("written", ["0", "17", "-1", "two", "", "1.5"])
def test_what_is_no_number_of_connections_is_refused(written: str) -> None:
    with pytest.raises(click.BadParameter):
        CONNECTIONS.convert(written, None, None)


def test_the_options_become_choices_that_the_plan_carries() -> None:
    typed = ["setup", "--limit-rate", "5M", "--connections", "2"]
    choices = choices_from(parse(typed, Terminal("en")).arguments)
    assert (choices.limit_rate, choices.connections) == (5 * MB, 2)
    assert msgspec.json.decode(msgspec.json.encode(choices), type=Choices) == choices
    assert choices_from(parse(["pick"], Terminal("en")).arguments).limit_rate is None


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_limit_has_words(language: str) -> None:
    said = {
        text(words, language)
        for name in ("network", "server", "disk", "processor", "limit")
        if (words := limit_words(name, 9.0))
    }
    assert len(said) == 5
    assert limit_words("none", 9.0) is limit_words("something newer", 9.0) is limit_words(None, 9.0) is None


# -- connections ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 16])
def test_never_more_connections_than_asked_for(server: FaultServer, store: Downloads, count: int) -> None:
    data = [some_bytes(200_000, seed=number) for number in range(3 * count)]
    slow = Faults(bytes_per_second=1e6)
    files = [locked(item, server.add(f"/{at}", item, slow), name=f"n{at}") for at, item in enumerate(data)]
    large = some_bytes(9 * MB)
    files.append(locked(large, server.add("/large", large), name="large"))
    Fetcher(store, count, Options(environment={})).fetch(files)
    assert min(count, 2) <= server.most_at_once <= count


# -- what limits it ------------------------------------------------------------------------------------------


def test_a_slow_line_is_the_network(server: FaultServer, store: Downloads) -> None:
    data = some_bytes(MB)
    file = locked(data, server.add("/a", data, Faults(bytes_per_second=0.8 * MB)))
    assert limits_seen(store, [file], Options(environment={})).most_common(1)[0][0] == "network"


def test_a_server_that_takes_its_time_is_the_server(server: FaultServer, store: Downloads) -> None:
    slow = Faults(answer_after=0.4)
    data = [some_bytes(1000, seed=number) for number in range(6)]
    files = [locked(item, server.add(f"/{at}", item, slow), name=f"n{at}") for at, item in enumerate(data)]
    assert limits_seen(store, files, Options(environment={}), 2).most_common(1)[0][0] == "server"


@pytest.mark.slow
def test_a_server_that_wants_rest_is_the_server(server: FaultServer, store: Downloads) -> None:
    data = some_bytes(1000)
    file = locked(data, server.add("/a", data, Faults(times=1, status=429, retry_after="4")))
    assert limits_seen(store, [file], Options(environment={})).most_common(1)[0][0] == "server"


def test_one_that_cannot_be_reached_is_the_network(store: Downloads) -> None:
    with FaultServer() as gone:
        data = some_bytes(1000)
        file = locked(data, gone.add("/a", data))
    give_up = threading.Event()
    threading.Timer(20.0, give_up.set).start()
    seen: list[FetchProgress] = []

    def is_told() -> bool:
        return give_up.is_set() or (bool(seen) and (seen[-1].state, seen[-1].limited_by) == ("waiting", "network"))

    with pytest.raises(Cancelled):
        Fetcher(store, options=Options(environment={}, backoff=30.0)).fetch([file], seen.append, is_cancelled=is_told)
    assert not give_up.is_set()


@pytest.mark.parametrize(
    ("connections_do", "settlers_do", "limit"),
    [
        ({meter.BUFFER: 9.0, meter.BYTES: 2.0}, {meter.DISK: 5.0, meter.HASH: 1.0}, "disk"),
        ({meter.BUFFER: 9.0, meter.BYTES: 2.0}, {meter.DISK: 1.0, meter.HASH: 5.0}, "processor"),
        ({meter.RECEIVE: 8.0, meter.BYTES: 2.0}, {meter.DISK: 1.0}, "processor"),
        ({meter.BYTES: 8.0, meter.BUFFER: 2.0}, {meter.DISK: 3.0}, "network"),
        ({meter.ANSWER: 8.0, meter.BYTES: 2.0}, {}, "server"),
        ({meter.LIMIT: 8.0, meter.BYTES: 2.0}, {}, "limit"),
        ({meter.IDLE: 12.0}, {meter.HASH: 2.0, meter.DISK: 0.1}, "processor"),  # all has come
        ({meter.IDLE: 12.0}, {meter.IDLE: 9.0}, "none"),
        ({}, {}, "none"),
    ],
)
def test_the_greatest_share_of_time_is_what_limits(
    connections_do: dict[str, float], settlers_do: dict[str, float], limit: str
) -> None:
    assert judge(connections_do, settlers_do, 3.0, "none") == limit


def test_a_wait_that_has_not_ended_counts() -> None:
    watch = ThreadMeter()
    measured = Meter([watch], [])
    measured.limited_by("none")
    watch.to(meter.BYTES)
    time.sleep(0.05)
    assert measured.limited_by("none") == "network"


# -- sleep ---------------------------------------------------------------------------------------------------


class Clocks:
    """The computer's, with a sleep that the test puts in."""

    def __init__(self) -> None:
        self.slept = 0.0

    def __call__(self) -> tuple[float, float]:
        return time.time() + self.slept, time.monotonic()


def test_after_sleep_it_goes_on_at_once(server: FaultServer, store: Downloads) -> None:
    """The connection is dead and says nothing; without the look at the clocks this waits an hour."""
    data = some_bytes(3 * MB)
    file = locked(data, server.add("/a", data, Faults(times=1, stall_after=2 * MB)))
    clocks, give_up = Clocks(), threading.Event()
    threading.Timer(20.0, give_up.set).start()

    def watch(progress: FetchProgress) -> None:
        if progress.done >= 2 * MB:
            clocks.slept = 3600.0

    options = Options(stall=3600.0, environment={}, clocks=clocks)
    result = Fetcher(store, options=options).fetch([file], watch, is_cancelled=give_up.is_set)
    assert result.paths[0].read_bytes() == data
    assert result.bytes_fetched <= len(data) + 4096
    assert server.requests("/a") == 2


def test_what_failed_around_sleep_is_nobodys_fault(server: FaultServer, store: Downloads) -> None:
    """Sleeping again and again uses no source up."""
    data = some_bytes(200_000)
    file = locked(data, server.add("/a", data, Faults(times=12, stall_after=0)))
    clocks, give_up = Clocks(), threading.Event()
    threading.Timer(30.0, give_up.set).start()

    def watch(progress: FetchProgress) -> None:
        if server.requests("/a") > clocks.slept / 3600:
            clocks.slept += 3600.0

    options = Options(stall=3600.0, environment={}, clocks=clocks)
    result = Fetcher(store, options=options).fetch([file], watch, is_cancelled=give_up.is_set)
    assert result.paths[0].read_bytes() == data
    assert server.requests("/a") == 13


@pytest.mark.parametrize("counts_sleep", [True, False])
def test_sleep_is_a_gap_between_the_clocks_or_between_two_looks(counts_sleep: bool) -> None:
    """The second only where the monotonic clock runs on in sleep: elsewhere the computer was merely busy."""
    moments = iter([(100.0, 5.0), (100.1, 5.1), (160.2, 5.2), (160.3, 5.3), (190.0, 35.0), (190.1, 35.1), (90.0, 35.2)])
    watch = SleepWatch(lambda: next(moments), counts_sleep=counts_sleep)
    assert [watch.has_slept() for _ in range(6)] == [False, True, False, counts_sleep, False, False]
