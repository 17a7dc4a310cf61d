"""Servers that trickle, over http and https: left for the next address at once, wherever in an answer it happens."""

from __future__ import annotations

import pytest

from tests.install.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from tests.servers.trickle import Trickle
from wizard.model.errors import WizardError
from wizard.model.lock import Lock
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options
from wizard.transfer.download.sizes import with_sizes

pytestmark = pytest.mark.slow

MB = 1 << 20


def options(environment: dict[str, str], patience: float = 0.5) -> Options:
    return Options(backoff=0.05, patience=patience, environment=environment)


def slowly(far: FaultServer, slow: Trickle, path: str) -> str:
    return f"{far.root.rpartition(':')[0]}:{slow.port}{path}"


@pytest.mark.parametrize("after", [0, 3000, 40_000], ids=["handshake or head", "early", "middle of the body"])
def test_one_that_trickles_is_left_for_the_next(
    far: FaultServer, store: Downloads, far_environment: dict[str, str], after: int
) -> None:
    data = some_bytes(2 * MB)
    good = far.add("/good", data)
    far.add("/slow", data)
    with Trickle(far.port, after) as slow:
        file = locked(data, slowly(far, slow, "/slow"), good)
        result = Fetcher(store, options=options(far_environment)).fetch([file])
        assert slow.connections > 0
    assert result.paths[0].read_bytes() == data
    assert far.sent["/good"] > 0


def test_chunk_sizes_may_trickle_too(far: FaultServer, store: Downloads, far_environment: dict[str, str]) -> None:
    data = some_bytes(MB)
    good = far.add("/good", data)
    far.add("/slow", data, Faults(says_length=False, knows_ranges=False))
    with Trickle(far.port, 50_000) as slow:
        file = locked(data, slowly(far, slow, "/slow"), good)
        assert Fetcher(store, options=options(far_environment)).fetch([file]).paths[0].read_bytes() == data


def test_further_files_do_not_wait_for_the_slow_one_again(
    far: FaultServer, store: Downloads, far_environment: dict[str, str]
) -> None:
    data = [some_bytes(100_000, seed) for seed in range(12)]
    with Trickle(far.port, 20_000) as slow:
        files = []
        for number, each in enumerate(data):
            far.add(f"/slow{number}", each)
            good = far.add(f"/good{number}", each)
            files.append(locked(each, slowly(far, slow, f"/slow{number}"), good, name=f"n{number}"))
        Fetcher(store, connections=2, options=options(far_environment)).fetch(files)
        asked = sum(far.requests(f"/slow{number}") for number in range(12))
    assert asked <= 4  # two connections, each with its first file; one try again at the most


def test_where_there_is_no_other_it_is_one_clear_sentence(
    far: FaultServer, store: Downloads, far_environment: dict[str, str]
) -> None:
    data = some_bytes(MB)
    far.add("/slow", data)
    with Trickle(far.port, 3000) as slow, pytest.raises(WizardError) as caught:
        Fetcher(store, options=options(far_environment)).fetch([locked(data, slowly(far, slow, "/slow"))])
    assert caught.value.code in ("fetch-slow", "fetch-stalled")


def test_a_slow_line_is_no_slow_server(server: FaultServer, store: Downloads) -> None:
    """Below the least rate, but nobody else has it and bytes come: it goes on to the end."""
    data = some_bytes(24_000)
    server.add("/slow", data)
    with Trickle(server.port, 5_000, pause=0.0004) as slow:
        file = locked(data, slowly(server, slow, "/slow"))
        assert Fetcher(store, options=options({}, 0.2)).fetch([file]).paths[0].read_bytes() == data


def test_a_loop_of_redirects_is_told_as_one(
    far: FaultServer, store: Downloads, far_environment: dict[str, str]
) -> None:
    data = some_bytes(1000)
    far.add("/a", data, Faults(redirect="/b"))
    url = far.add("/b", data, Faults(redirect="/a"))
    with pytest.raises(WizardError) as caught:
        Fetcher(store, options=Options(environment=far_environment)).fetch([locked(data, url)])
    assert caught.value.code == "fetch-redirect-loop"


def test_a_head_that_trickles_does_not_hold_up_the_question_for_sizes(
    far: FaultServer, far_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked before a plan is shown, and nobody watches there."""
    monkeypatch.setattr("wizard.transfer.download.sizes.SILENCE", 0.5)
    data = some_bytes(1000)
    far.add("/slow", data)
    with Trickle(far.port, 3000 if far.root.startswith("https") else 20) as slow:
        file = locked(data, slowly(far, slow, "/slow"), far.root + "/slow", sized=False)
        assert with_sizes(Lock((file,), ""), far_environment or {"X": ""}).files[0].size == len(data)


def test_one_without_ranges_that_always_begins_well_is_not_begun_for_ever(
    far: FaultServer, store: Downloads, far_environment: dict[str, str]
) -> None:
    """Each attempt gets the same first bytes, and is as slow after them."""
    far.add("/slow", some_bytes(2 * MB), Faults(knows_ranges=False))
    with Trickle(far.port, 5000) as slow:
        file = locked(some_bytes(2 * MB), slowly(far, slow, "/slow"))
        with pytest.raises(WizardError) as caught:
            Fetcher(store, options=options(far_environment)).fetch([file])
        assert caught.value.code == "fetch-slow"
        assert slow.connections == 2
