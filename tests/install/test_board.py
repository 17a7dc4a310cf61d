"""Who gets the next buffer: one slow file must not keep all others from coming."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.install.files import locked, some_bytes
from wizard.transfer.download.file_store import Downloads
from wizard.transfer.download.hosts import Hosts
from wizard.transfer.download.model import BLOCK, Stopped
from wizard.transfer.download.scheduler import Scheduler
from wizard.transfer.download.task import FileTask


@pytest.fixture
def slow_and_quick(tmp_path: Path) -> tuple[Scheduler, FileTask, FileTask]:
    """Both are being fetched; all that has come of the slow one waits for its turn in the hash."""
    hosts, store = Hosts(), Downloads(tmp_path)
    slow, quick = (
        FileTask(locked(some_bytes(100 + number), "http://127.0.0.1:9/a"), store, hosts) for number in range(2)
    )
    board = Scheduler([slow, quick], hosts, 4, 0.0)
    slow.in_flight = quick.in_flight = slow.settling = 1
    return board, slow, quick


def filled(board: Scheduler, task: FileTask) -> int:
    """Takes buffers for it until one would be waited for. Returns how many."""
    count = 0
    while not board._has_its_share(task):
        task.waiting[count * BLOCK] = (board.take_buffer(task), BLOCK)
        count += 1
    return count


def in_a_thread(board: Scheduler, task: FileTask) -> tuple[threading.Thread, list[memoryview | None]]:
    got: list[memoryview | None] = []

    def take() -> None:
        try:
            got.append(board.take_buffer(task))
        except Stopped:
            got.append(None)

    thread = threading.Thread(target=take)
    thread.start()
    return thread, got


def test_a_slow_file_leaves_buffers_to_the_others(slow_and_quick: tuple[Scheduler, FileTask, FileTask]) -> None:
    board, slow, quick = slow_and_quick
    most = filled(board, slow)
    thread, got = in_a_thread(board, slow)
    others = [board.take_buffer(quick) for _ in range(most)]
    assert len(others) == most > 1
    assert thread.is_alive()
    assert not got
    buffer, _ = slow.waiting.pop(0)
    board.give_back(buffer)  # its turn in the hash is over
    thread.join(20)
    assert len(got) == 1
    assert got[0] is not None


def test_alone_it_may_have_them_all(slow_and_quick: tuple[Scheduler, FileTask, FileTask]) -> None:
    board, slow, quick = slow_and_quick
    quick.in_flight = 0
    taken = [board.take_buffer(slow) for _ in range(len(board._free))]
    assert len({id(buffer) for buffer in taken}) == len(taken) > 8
    assert not board._free


def test_who_waits_for_the_own_front_gets_the_last_one_back(
    slow_and_quick: tuple[Scheduler, FileTask, FileTask],
) -> None:
    """Its blocks wait for one that is still to come, over the very connection that wants a buffer."""
    board, slow, _ = slow_and_quick
    slow.settling = 0
    most = filled(board, slow)
    last = slow.waiting[(most - 1) * BLOCK][0]
    assert board.take_buffer(slow) is last
    assert len(slow.waiting) == most - 1


def test_who_waits_for_a_buffer_stops_with_the_rest(slow_and_quick: tuple[Scheduler, FileTask, FileTask]) -> None:
    board, slow, _ = slow_and_quick
    filled(board, slow)
    thread, got = in_a_thread(board, slow)
    board.stop()
    thread.join(20)
    assert got == [None]
