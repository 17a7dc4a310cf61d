"""Who fetches what next: the shared state of the connections, behind one lock.

Large files go first and one after the other, each over all connections, so that the first is whole early
and its installation starts; one connection serves the small files in between. Buffers are few and belong
to the board.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.packages.fetch.model import BLOCK, CHUNK, Changed, Fault, NoRanges
from wizard.packages.fetch.part import new_buffer
from wizard.packages.fetch.ranges import Range
from wizard.packages.fetch.task import FileTask

if TYPE_CHECKING:
    from wizard.packages.fetch.settle import Block

_SPARE_BUFFERS = 7  # being written, or waiting for their turn in the hash
_LOCKED_ELSEWHERE = 0.3
_WAIT = 0.25


@dataclass(frozen=True, slots=True)
class Job:
    """`kind`: open | range | hash. A range that ends where it starts: size not known yet."""

    task: FileTask
    kind: str
    start: int = 0
    end: int = 0


class Board:
    def __init__(self, tasks: Sequence[FileTask], connections: int, backoff: float) -> None:
        self.changed = threading.Condition(threading.RLock())
        self.tasks = sorted(tasks, key=lambda task: -(task.size or 0))
        self.stopping = False
        self.paused = False
        self.error: Fault | None = None
        self.failed: FileTask | None = None
        self.finished: list[tuple[FileTask, Path]] = []
        self.bytes_fetched = 0
        self._blocks: deque[Block] = deque()
        self._alive: set[Block] = set()  # from the first byte until it is on the disk
        self._settling = 0
        self._backoff = backoff
        self._free = [new_buffer(BLOCK) for _ in range(connections + _SPARE_BUFFERS)]
        self._left = list(self.tasks)

    # -- jobs ------------------------------------------------------------------------------------------------

    def next_job(self, worker: int) -> Job | None:
        """Waits for one; None when all is done or it is time to stop."""
        with self.changed:
            while not self.stopping and self._left:
                job = None if self.paused else self._choose(worker)
                if job:
                    job.task.in_flight += 1
                    return job
                self.changed.wait(_WAIT)
            return None

    def _choose(self, worker: int) -> Job | None:
        order = self._left
        if worker == 0:
            order = sorted(order, key=lambda task: (task.size or 0) > CHUNK)
        elif worker % 2:
            order = order[1:] + order[:1]  # two files at once: their hashes can use two processors
        for task in order:
            job = self._job_of(task)
            if job:
                return job
        return None

    def _job_of(self, task: FileTask) -> Job | None:
        if task.sources.not_before > time.monotonic():
            return None
        if task.must_restart:
            if task.is_busy:
                return None
            self._give_back_all(task)
            task.restart()
        if task.is_concluded:
            return None
        if task.part is None:
            return None if task.in_flight else Job(task, "open")
        if task.in_flight and (task.in_stream or not task.is_probed):
            return None
        if task.todo:
            start, end = task.todo.popleft()
            return Job(task, "range", start, end)
        return None if task.is_busy or not task.is_whole else Job(task, "hash")

    def close_job(self, job: Job, rest: Range | None = None) -> None:
        with self.changed:
            job.task.in_flight -= 1
            if rest and not job.task.must_restart:
                job.task.todo.appendleft(rest)
            self.changed.notify_all()

    # -- blocks ----------------------------------------------------------------------------------------------

    def begin_block(self, block: Block) -> None:
        with self.changed:
            self._alive.add(block)

    def drop_block(self, block: Block) -> None:
        with self.changed:
            self._alive.discard(block)

    def put_block(self, block: Block) -> None:
        with self.changed:
            block.task.settling += 1
            self._blocks.append(block)
            self.changed.notify_all()

    def next_block(self) -> Block | None:
        with self.changed:
            while not self._blocks:
                if self.stopping or not self._left:
                    return None
                self.changed.wait(_WAIT)
            block = self._blocks.popleft()
            self._settling += 1
            return block

    def close_block(self, block: Block) -> None:
        with self.changed:
            block.task.settling -= 1
            self._settling -= 1
            self._alive.discard(block)
            self.changed.notify_all()

    def received(self, count: int) -> None:
        with self.changed:
            self.bytes_fetched += count

    @property
    def bytes_under_way(self) -> int:
        """What has come but is not on the disk yet."""
        return sum(block.filled - block.written for block in self._alive)

    # -- ends ------------------------------------------------------------------------------------------------

    def finish(self, task: FileTask, path: Path) -> None:
        with self.changed:
            self._give_back_all(task)
            self._left.remove(task)
            self.finished.append((task, path))
            self.changed.notify_all()

    def postpone(self, task: FileTask) -> None:
        """Another run is fetching this very file."""
        with self.changed:
            task.sources.not_before = time.monotonic() + _LOCKED_ELSEWHERE

    def fault(self, task: FileTask, url: str, fault: Fault) -> None:
        """One attempt failed: go on elsewhere or later, or give up."""
        with self.changed:
            if isinstance(fault, NoRanges):
                task.must_restart = task.in_stream = True
            else:
                if isinstance(fault, Changed) or fault.code == "fetch-hash-mismatch":
                    task.must_restart = True
                if not task.sources.blame(url, fault, self._backoff):
                    self.give_up(task, fault)
            self.changed.notify_all()

    def give_up(self, task: FileTask, fault: Fault) -> None:
        with self.changed:
            if self.error is None:
                self.error, self.failed = fault, task
            self.stopping = True
            self.changed.notify_all()

    def stop(self) -> None:
        with self.changed:
            self.stopping = True
            self.changed.notify_all()

    def set_paused(self, paused: bool) -> None:
        with self.changed:
            if paused != self.paused:
                self.paused = paused
                self.changed.notify_all()

    def must_leave(self, task: FileTask) -> bool:
        """Asked between two blocks of a range."""
        return self.stopping or self.paused or task.must_restart

    # -- buffers ---------------------------------------------------------------------------------------------

    def take_buffer(self) -> memoryview:
        """A free one. When only buffers that wait for their turn in the hash are left, one of those: its bytes
        are on the disk and can be read back."""
        with self.changed:
            while not self._free:
                task = next((task for task in reversed(self._left) if task.waiting), None)
                if task and not self._blocks and not self._settling:
                    return task.waiting.pop(max(task.waiting))[0]
                self.changed.wait(_WAIT)
            return self._free.pop()

    def give_back(self, buffer: memoryview) -> None:
        with self.changed:
            self._free.append(buffer)
            self.changed.notify_all()

    def drop_stale(self, task: FileTask) -> None:
        """Buffers whose bytes were read back and hashed while they were being handed over."""
        for start in [start for start in task.waiting if start < task.hashed]:
            self._free.append(task.waiting.pop(start)[0])

    def _give_back_all(self, task: FileTask) -> None:
        self._free.extend(buffer for buffer, _ in task.waiting.values())
        task.waiting.clear()
