"""Kills, stops and restarts: what was kept is not fetched again, and two runs share one folder."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.install.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from tests.waiting import wait_until
from wizard.model.errors import Cancelled
from wizard.model.lock import LockedFile
from wizard.transfer.download import Downloads, Fetcher, FetchProgress
from wizard.transfer.download.fetcher import Options, _Rate
from wizard.transfer.download.part_file import PartState, read_state, total, write_state

MB = 1 << 20
ROOT = Path(__file__).resolve().parents[2]
PLAIN = Options(stall=5.0, backoff=0.02, environment={})


def recorded(store: Downloads, file: LockedFile) -> int:
    state = read_state(store.state_for(file))
    return total(state.done) if state else 0


def test_a_killed_process_is_resumed_without_fetching_twice(
    server: FaultServer, store: Downloads, tmp_path: Path
) -> None:
    large, small = some_bytes(12 * MB + 99), some_bytes(200_000, seed=2)
    slow = Faults(bytes_per_second=1.2 * MB, etag='"e"')
    files = [
        locked(large, server.add("/large", large, slow), name="large"),
        locked(small, server.add("/small", small), name="small"),
    ]
    work = tmp_path / "files.json"
    work.write_text(json.dumps([asdict(file) for file in files]), encoding="utf-8")
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.install.fetch_child", str(store.root), str(work)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        wait_until(lambda: recorded(store, files[0]) > 2 * MB)
        child.kill()
    kept = recorded(store, files[0])
    assert store.find(files[1]), "the small file was whole before the kill"
    server.add("/large", large, Faults(etag='"e"'))
    wait_until(lambda: server.at_once == 0)  # what it still had on its way to the dead process is counted
    before = server.sent["/large"]
    result = Fetcher(store, options=PLAIN).fetch(files)
    assert [path.read_bytes() for path in result.paths] == [large, small]
    assert server.sent["/small"] == len(small)
    # A page per broken range may come again; recorded bytes do not.
    assert server.sent["/large"] - before <= len(large) - kept + 8 * 4096
    assert result.bytes_fetched == server.sent["/large"] - before
    assert result.bytes_reused >= kept + len(small)


def test_cancel_is_quick_and_keeps_what_came(server: FaultServer, store: Downloads) -> None:
    data = some_bytes(9 * MB)
    url = server.add("/a", data, Faults(stall_after=3 * MB))
    file = locked(data, url)
    stop = threading.Event()

    def on_progress(progress: FetchProgress) -> None:
        if progress.done >= 3 * MB:  # all that comes before the silence
            stop.set()

    with pytest.raises(Cancelled):
        Fetcher(store, options=Options(environment={})).fetch([file], on_progress, is_cancelled=stop.is_set)
    threads = [thread for thread in threading.enumerate() if thread.daemon and "work" in thread.name]
    assert threads == []
    assert recorded(store, file) >= 3 * MB
    before = server.sent["/a"]
    server.add("/a", data)
    result = Fetcher(store, options=PLAIN).fetch([file])
    assert result.paths[0].read_bytes() == data
    assert server.sent["/a"] - before <= len(data) - 3 * MB


def test_pause_stops_the_bytes_and_going_on_completes(server: FaultServer, store: Downloads) -> None:
    data = some_bytes(6 * MB)
    file = locked(data, server.add("/a", data, Faults(bytes_per_second=3 * MB)))
    paused = threading.Event()
    states: list[str] = []

    def watch(progress: FetchProgress) -> None:
        states.append(progress.state)
        if progress.done > MB and "paused" not in states:
            paused.set()
        if states.count("paused") > 5:
            paused.clear()

    result = Fetcher(store, options=PLAIN).fetch([file], on_progress=watch, is_paused=paused.is_set)
    assert "paused" in states
    assert result.paths[0].read_bytes() == data


def test_a_pause_is_no_part_of_the_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("wizard.transfer.download.fetcher.time.monotonic", lambda: clock[0])
    rate, count = _Rate(), 0
    for is_paused in (False, True, False):
        for _ in range(10):
            clock[0] += 0.5
            count += 0 if is_paused else MB
            seen = rate.see(count, is_paused)
            assert seen == (0 if is_paused else 2 * MB)


def test_progress_grows_to_the_whole(server: FaultServer, store: Downloads) -> None:
    data = some_bytes(5 * MB)
    seen: list[FetchProgress] = []
    Fetcher(store, options=PLAIN).fetch([locked(data, server.add("/a", data))], on_progress=seen.append)
    assert (seen[-1].done, seen[-1].total, seen[-1].files_done) == (len(data), len(data), 1)
    assert [item.done for item in seen] == sorted(item.done for item in seen)
    assert [(one.done, one.size) for one in seen[-1].large] == [(len(data), len(data))], "that it is here is said"


def test_two_runs_share_a_folder(server: FaultServer, store: Downloads) -> None:
    data = some_bytes(4 * MB)
    file = locked(data, server.add("/a", data, Faults(bytes_per_second=6 * MB)))
    results: list[bytes] = []

    def run() -> None:
        results.append(Fetcher(store, options=PLAIN).fetch([file]).paths[0].read_bytes())

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [data, data]
    assert server.sent["/a"] == len(data)


def test_a_record_that_lies_is_found_out(server: FaultServer, store: Downloads) -> None:
    """The disk lost what the sidecar names (a power cut): the hash says so, and the file comes anew."""
    data = some_bytes(3 * MB)
    file = locked(data, server.add("/a", data))
    part = store.part_for(file)
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(3 * MB))
    write_state(store.state_for(file), PartState(file.sha256, len(data), ((0, 2 * MB),)))
    assert Fetcher(store, options=PLAIN).fetch([file]).paths[0].read_bytes() == data


def test_a_whole_part_needs_no_server(server: FaultServer, store: Downloads) -> None:
    """Killed between the last byte and the rename."""
    data = some_bytes(3 * MB + 5)
    file = locked(data, server.add("/a", data, Faults(status=500)))
    part = store.part_for(file)
    part.parent.mkdir(parents=True)
    part.write_bytes(data)
    write_state(store.state_for(file), PartState(file.sha256, len(data), ((0, len(data)),)))
    result = Fetcher(store, options=PLAIN).fetch([file])
    assert (result.bytes_fetched, result.bytes_reused) == (0, len(data))
    assert result.paths[0].read_bytes() == data
