"""200 random schedules of faults and kills: always the right bytes in the end, never a wrong file in between.

Every schedule is made from its number, which a failure names; `SEED=17 pytest …` runs one alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from tests.install.files import locked, some_bytes
from tests.servers.fault_server import Faults, FaultServer
from tests.thorough import times
from wizard.model.lock import LockedFile
from wizard.transfer.download import Downloads

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="forks; a kill is the same there as here"),
]

ROOT = Path(__file__).resolve().parents[2]
SCHEDULES, BATCHES = times(400, 200), 8
MB = 1 << 20
MOST_GOES = 12


class Nursery:
    """Children that fetch, one at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.install.fetch_child", "--nursery"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _ask(self, line: str) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def start(self, store: Path, files: Path) -> int:
        return self._ask(f"{store} {files}")

    def wait(self) -> int:
        return self._ask("wait")

    def close(self) -> str:
        """What the children said."""
        return self._process.communicate()[1]


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    running = Nursery()
    yield running
    running.close()


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@dataclass(frozen=True)
class Schedule:
    """`kills`: after so many more bytes have left the server; a go that ends before is not killed."""

    files: tuple[LockedFile, ...]
    data: tuple[bytes, ...]
    kills: tuple[int, ...]


def passing(chance: random.Random, size: int) -> Faults:
    """Any fault, for the first requests only."""
    at = chance.randrange(size + 1)
    faults = chance.choice(
        [
            Faults(drop_after=at),
            Faults(end_after=at),
            Faults(stall_after=at),
            Faults(status=403),
            Faults(status=404),
            Faults(status=429, retry_after="0"),
            Faults(status=503, retry_after="0"),
            Faults(status=500),
            Faults(html=True),
            Faults(html=True, wrong_type="application/zip"),
            Faults(wrong_byte=at),
            Faults(longer_by=7),
            Faults(longer_by=-7),
            Faults(length_lie=-3),
            Faults(length_lie=9),
            Faults(knows_ranges=False),
            Faults(knows_ranges=False, says_length=False),
            Faults(etag_per_request=True),
            Faults(bytes_per_second=max(2e6, size * 4.0)),
            Faults(redirect="ftp://x/y"),
        ]
    )
    return replace(faults, times=chance.randint(1, 3))


def make_schedule(seed: int, server: FaultServer) -> Schedule:
    chance = random.Random(seed)
    files, data = [], []
    for number in range(chance.randint(1, 4)):
        size = chance.choice([0, 1, 4096, chance.randint(2, 300_000), chance.randint(MB, 3 * MB)])
        if number == 0 and chance.random() < 0.3:
            size = chance.randint(5 * MB, 11 * MB)
        content = some_bytes(size, seed=seed * 10 + number)
        if content in data:
            continue
        urls = []
        for way in range(chance.randint(1, 3)):
            # Only further addresses may stay bad: the first one is good in the end.
            faults = passing(chance, size) if chance.random() < 0.8 else Faults()
            if way and chance.random() < 0.3:
                faults = chance.choice([Faults(status=404), Faults(html=True), Faults(wrong_byte=size // 2)])
            urls.append(server.add(f"/{seed}/{number}/{way}", content, faults))
        chance.shuffle(urls)
        files.append(locked(content, *urls, name=f"f{number}", sized=chance.random() < 0.8))
        data.append(content)
    total = sum(map(len, data))
    kills = tuple(chance.randrange(max(1, total)) for _ in range(chance.randint(1, 3)))
    return Schedule(tuple(files), tuple(data), kills)


def sent_by(server: FaultServer, seed: int) -> int:
    return sum(count for path, count in list(server.sent.items()) if path.startswith(f"/{seed}/"))


def go(nursery: Nursery, server: FaultServer, seed: int, store: Path, order: Path, kill_after: int | None) -> int:
    """One child, killed when the server has sent so much. Returns its exit status."""
    before = sent_by(server, seed)
    pid = nursery.start(store, order)
    while kill_after is not None:
        if Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
            break  # it was done before
        if sent_by(server, seed) - before >= kill_after:
            os.kill(pid, signal.SIGKILL)
            break
        time.sleep(0.001)
    return nursery.wait()


def check_no_wrong_file(schedule: Schedule, root: Path) -> int:
    """Returns how many are there."""
    found = 0
    for file in schedule.files:
        path = Downloads(root).path_for(file)
        if path.exists():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256, f"a wrong file: {path.name}"
            found += 1
    return found


def carry_out(nursery: Nursery, server: FaultServer, seed: int, folder: Path) -> None:
    schedule = make_schedule(seed, server)
    store, order = folder / "store", folder / "files.json"
    folder.mkdir()
    order.write_text(json.dumps([asdict(file) for file in schedule.files]), encoding="utf-8")
    for kill_after in schedule.kills:
        go(nursery, server, seed, store, order, kill_after)
        check_no_wrong_file(schedule, store)
    # Then as a person would: go on as long as it says that something passing was wrong.
    for _ in range(MOST_GOES):
        status = go(nursery, server, seed, store, order, None)
        count = check_no_wrong_file(schedule, store)
        assert status in (0, 1), "it fell over"
        if status == 0:
            break
    assert count == len(schedule.files), "not all came"
    for file, content in zip(schedule.files, schedule.data, strict=True):
        assert Downloads(store).path_for(file).read_bytes() == content


@pytest.mark.parametrize("batch", range(BATCHES))
def test_always_the_right_bytes(nursery: Nursery, server: FaultServer, tmp_path: Path, batch: int) -> None:
    named = os.environ.get("SEED")
    for seed in [int(named)] if named else range(batch, SCHEDULES, BATCHES):
        try:
            carry_out(nursery, server, seed, tmp_path / str(seed))
        except (AssertionError, OSError) as error:
            raise AssertionError(f"schedule SEED={seed}: {error}") from error
