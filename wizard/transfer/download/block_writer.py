"""What happens to a block once it has come: written to its place, recorded, hashed when it is its turn.

Threads of their own, so that a connection receives while the disk and the hash work.
"""

from __future__ import annotations

from wizard.process import without_memory
from wizard.system.moving import DISK_FULL
from wizard.transfer.download import meter
from wizard.transfer.download.meter import ThreadMeter
from wizard.transfer.download.model import BLOCK, Fault, Tap
from wizard.transfer.download.part_file import PartState, new_buffer
from wizard.transfer.download.scheduler import Scheduler
from wizard.transfer.download.task import Block, FileTask


class BlockWriter:
    def __init__(self, board: Scheduler, tap: Tap | None = None) -> None:
        self._board = board
        self._tap = tap
        self._scratch = new_buffer(BLOCK)
        self.watch = ThreadMeter()

    def work(self) -> None:
        """The thread's whole life: ends when the board is stopping and nothing waits any more."""
        try:
            while block := self._board.next_block():
                self._settle(block)
                self.watch.to(meter.IDLE)
        except BaseException as error:
            self._board.give_up(self._board.tasks[0], own_fault(error))
            raise

    def _settle(self, block: Block) -> None:
        task = block.task
        try:
            if block.buffer is not None:
                self._store_block(block, block.buffer)
            self._hash(task)
            if not task.is_concluded:
                save(self._board, task, self.watch)
        except Fault as fault:
            self._board.wrong(task, fault)
        except OSError as error:
            disk_failed(self._board, task, error)
        finally:
            self._board.close_block(block)

    def _store_block(self, block: Block, buffer: memoryview) -> None:
        kept = False
        try:
            write(self._board, block, block.filled, self.watch)
            with self._board.changed:
                task = block.task
                if not task.must_restart and block.filled and block.start >= task.hashed:
                    task.waiting[block.start] = (buffer, block.filled)
                    kept = True
        finally:
            if not kept:
                self._board.give_back(buffer)

    def _hash(self, task: FileTask) -> None:
        """Takes the hash as far as bytes reach; one thread at a time does it for a file."""
        with self._board.changed:
            if task.is_hashing or task.part is None or task.must_restart:
                return
            task.is_hashing = True
        while self._hash_once(task):  # the last one lets go: by now it may be another thread's turn
            pass
        with self._board.changed:
            is_whole = task.is_whole and task.hashed == task.size and not (task.must_restart or task.is_concluded)
            task.is_concluded = task.is_concluded or is_whole
        if is_whole:
            self._conclude(task)

    def _hash_once(self, task: FileTask) -> bool:
        with self._board.changed:
            self._board.drop_stale(task)
            stop = task.must_restart or self._board.stopping
            found = None if stop else task.next_to_hash()
            if found is None:
                task.is_hashing = False  # under the same lock: who brings the next block goes on
                return False
        start, end, held = found
        try:
            task.digest_io(start, end, held, self._scratch, self.watch, self._tap)
            with self._board.changed:
                task.hashed = end
        except BaseException:
            with self._board.changed:
                task.is_hashing = False
            raise
        finally:
            if held is not None:
                self._board.give_back(held)
        return True

    def _conclude(self, task: FileTask) -> None:
        if task.file.sha256 and task.digest() != task.file.sha256.lower():
            raise Fault("fetch-hash-mismatch", f"got {task.digest()}, locked {task.file.sha256}", hard=True)
        self.watch.to(meter.DISK)
        path = task.finish_io()
        task.close_io()
        self._board.finish(task, path)


def write(board: Scheduler, block: Block, upto: int, watch: ThreadMeter) -> None:
    """The buffer's bytes up to `upto`, as far as they are not on the disk yet. Raises OSError."""
    task, part, low = block.task, block.task.part, block.written
    if upto <= low or task.must_restart or part is None or block.buffer is None:
        return
    before = watch.to(meter.DISK)
    part.write(block.buffer[low:], upto - low, block.start + low)
    watch.to(before)
    with board.changed:
        block.written = upto
        task.mark(block.start, block.start + upto)
        if block.address:
            task.got_from(block.address)


def save(board: Scheduler, task: FileTask, watch: ThreadMeter) -> None:
    """Write a file's state to disk; the time that it takes counts as the disk's."""

    def snapshot() -> PartState:
        with board.changed:
            return task.state()

    before = watch.to(meter.DISK)
    task.save_io(snapshot)
    watch.to(before)


def disk_failed(board: Scheduler, task: FileTask, error: OSError) -> None:
    """A folder that is gone is made again; everything else ends the fetch."""
    if isinstance(error, FileNotFoundError):
        board.lost(task, Fault("fetch-folder-gone", str(error)))
    else:
        board.give_up(task, disk_fault(error))


def disk_fault(error: OSError) -> Fault:
    """Return the fault for what the disk refused: no room, no memory, or another reason."""
    if error.errno in DISK_FULL:
        return Fault("fetch-no-space", str(error))
    if without_memory(error):
        return own_fault(error)
    return Fault("fetch-write", str(error))


def own_fault(error: BaseException) -> Fault:
    """What ended a thread of ours: lack of memory, or a bug."""
    return Fault("no-memory" if without_memory(error) else "fetch-internal", repr(error))
