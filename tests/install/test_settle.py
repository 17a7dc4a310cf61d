"""Threads take turns at one file's hash, never two at once, whoever brings the next block at whatever moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from tests.install.files import locked, some_bytes
from wizard.model.lock import LockedFile
from wizard.transfer.download.block_writer import BlockWriter
from wizard.transfer.download.file_store import Downloads
from wizard.transfer.download.hosts import Hosts
from wizard.transfer.download.model import BLOCK
from wizard.transfer.download.part_file import new_buffer
from wizard.transfer.download.scheduler import Scheduler
from wizard.transfer.download.task import Block, FileTask


class _Meanwhile(threading.Condition):
    """Something that happens once, in the very moment after the lock was released."""

    then: Callable[[], None] | None = None

    def __exit__(self, *raised: object) -> None:
        super().__exit__(*raised)  # type: ignore[arg-type]
        then, self.then = self.then, None
        if then:
            then()


class _Slow:
    """A tap that holds up who hashes."""

    def __init__(self) -> None:
        self.inside, self.may_go_on = threading.Event(), threading.Event()

    def feed(self, file: LockedFile, start: int, data: memoryview) -> None:
        self.inside.set()
        assert self.may_go_on.wait(20)


def test_who_ends_a_turn_does_not_end_the_next_ones(tmp_path: Path) -> None:
    data, hosts, tap = some_bytes(3 * BLOCK), Hosts(), _Slow()
    task = FileTask(locked(data, "http://127.0.0.1:9/a"), Downloads(tmp_path), hosts)
    board = Scheduler([task], hosts, 1, 0.0)
    board.changed = changed = _Meanwhile(board._lock)
    task.open_io()
    first, second = BlockWriter(board), BlockWriter(board, tap)
    look = task.next_to_hash

    def put(settler: BlockWriter, number: int) -> None:
        buffer, start = new_buffer(BLOCK), number * BLOCK
        buffer[:] = data[start : start + BLOCK]
        block = Block(task, start, buffer, filled=BLOCK)
        board.put_block(block)
        assert board.next_block() is block
        settler._settle(block)

    other = threading.Thread(target=put, args=(second, 1))

    def begin_the_next_turn() -> None:
        other.start()
        assert tap.inside.wait(20)

    def look_and_find_nothing() -> tuple[int, int, memoryview | None] | None:
        found = look()
        if found is None:
            task.next_to_hash = look  # type: ignore[method-assign]
            changed.then = begin_the_next_turn
        return found

    task.next_to_hash = look_and_find_nothing  # type: ignore[method-assign]
    put(first, 0)
    put(first, 2)  # the hash is the other one's: nothing of the second block is taken twice
    tap.may_go_on.set()
    other.join(20)
    assert board.error is None
    assert [path.read_bytes() for _, path in board.finished] == [data]
