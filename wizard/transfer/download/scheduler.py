"""Who fetches what next: the shared state of the connections, behind one lock.

Large files go first, each over a connection of its own as long as there are several: then its blocks come in order,
and hashes and unpacking use all processors; the last ones are fetched over all connections. One connection begins with
the smaller files, whose installing then does not come last. Buffers are few and belong to the board.

One file: all of it is behind one lock.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.transfer.download.hosts import Address, Hosts
from wizard.transfer.download.model import BLOCK, CHUNK, CHUNK_MAX, Fault, NoRanges, OtherTag, Stopped
from wizard.transfer.download.part_file import Range, new_buffer
from wizard.transfer.download.task import Block, FileTask

_SPARE_BUFFERS = 7  # being written, or waiting for their turn in the hash
_LEAST_SHARE = 2  # buffers of one file: one is being hashed, one is ready
_LOCKED_ELSEWHERE = 0.3
_MOST_LOSSES = 5  # of a file's folder: who removes it again and again does not want it
_WAIT = 0.25


@dataclass(frozen=True, slots=True)
class DownloadJob:
    """`kind`: open | range | hash. A range that ends where it starts: size not known yet. `streams`: the whole
    file in one piece."""

    task: FileTask
    kind: str
    address: Address | None = None
    start: int = 0
    end: int = 0
    streams: bool = False


class Scheduler:
    def __init__(self, tasks: Sequence[FileTask], hosts: Hosts, connections: int, backoff: float) -> None:
        self._lock = threading.RLock()
        self.changed = threading.Condition(self._lock)
        # Apart from the rest: they happen several times for a block, and whoever is woken by them wants Python's lock.
        self._room = threading.Condition(self._lock)  # a buffer is free, or may be taken from those that wait
        self._brought = threading.Condition(self._lock)  # a block is to be settled
        self._ended = threading.Condition(self._lock)  # a file is whole, or all is over
        self.tasks = sorted(tasks, key=lambda task: -(task.size or 0))
        self.stopping = False
        self.paused = False
        self.error: Fault | None = None
        self.failed: FileTask | None = None
        self.finished: list[tuple[FileTask, Path]] = []
        self.wakes = 0  # how often the computer slept in between
        self._blocks: deque[Block] = deque()
        self._alive: set[Block] = set()  # from the first byte until it is on the disk
        self._settling = 0
        self._hosts = hosts
        self._connections = connections
        self._backoff = backoff
        self._buffers = connections + _SPARE_BUFFERS
        self._free = [new_buffer(BLOCK) for _ in range(self._buffers)]
        self._left = list(self.tasks)

    # -- jobs ------------------------------------------------------------------------------------------------

    def next_job(self, worker: int, chunk: int) -> DownloadJob | None:
        """Waits for one; None when all is done or it is time to stop. `chunk`: how much this connection wants."""
        with self.changed:
            while not self.stopping and self._left:
                job = None if self.paused else self._choose(worker, chunk)
                if job:
                    job.task.in_flight += 1
                    return job
                self.changed.wait(_WAIT)
            return None

    def _choose(self, worker: int, chunk: int) -> DownloadJob | None:
        order = self._left
        if worker == 0:
            order = sorted(order, key=lambda task: (task.size or 0) > CHUNK_MAX)
        else:
            turn = (worker - 1) % len(order)
            order = order[turn:] + order[:turn]
        for task in order:
            job = self._job_of(task, chunk)
            if job:
                return job
        return None

    def _job_of(self, task: FileTask, chunk: int) -> DownloadJob | None:
        if task.must_restart:
            if task.is_busy:
                return None
            self._restart(task)
        if task.is_concluded:
            return None
        if task.part is None:
            is_free = not task.in_flight and task.locked_until <= time.monotonic()
            return DownloadJob(task, "open") if is_free else None
        if task.is_whole:
            return None if task.is_busy else DownloadJob(task, "hash")
        if task.in_flight and (task.in_stream or not task.is_probed):
            return None
        if not task.todo and not task.is_busy:
            self.give_up(task, Fault("fetch-internal", f"nothing to do and not whole: {task.size} {task.done}"))
        return self._range_of(task, chunk) if task.todo else None

    def _range_of(self, task: FileTask, chunk: int) -> DownloadJob | None:
        address = task.sources.pick(bool(task.done))
        if address is None:
            return None
        if task.wants_one_giver and task.givers - {address}:
            task.must_restart = True
            return self._job_of(task, chunk)
        if not address.knows_ranges:
            return self._stream(task, address)
        start, end = task.take(self._chunk(chunk))
        return DownloadJob(task, "range", address, start, end)

    def _stream(self, task: FileTask, address: Address) -> DownloadJob | None:
        if task.is_busy:
            return None
        if task.done:
            self._restart(task)
        task.todo.clear()
        task.in_stream = True
        return DownloadJob(task, "range", address, streams=True)

    def _restart(self, task: FileTask) -> None:
        self._give_back_all(task)
        if task.is_lost:
            task.close_io()
            task.is_lost = False
        task.restart()

    def _chunk(self, wanted: int) -> int:
        """Smaller ones towards the end, so that no connection is left alone with the last."""
        left = sum(end - start for task in self._left for start, end in task.todo)
        share = left // (2 * self._connections) // BLOCK * BLOCK
        return min(wanted, max(CHUNK, share))

    def close_job(self, job: DownloadJob, rest: Range | None = None, was_stream: bool = False) -> None:
        """End a job; `rest` is what it has not brought, and goes to whoever is free."""
        with self.changed:
            task = job.task
            task.in_flight -= 1
            if was_stream:
                task.in_stream = False
                task.must_restart = task.must_restart or task.size is None  # where to go on is not known
            if rest and not task.must_restart:
                task.todo.appendleft(rest)
            self.changed.notify_all()
            self._room.notify_all()  # its file may have been somebody's rival

    # -- blocks ----------------------------------------------------------------------------------------------

    def begin_block(self, block: Block) -> None:
        with self.changed:
            self._alive.add(block)

    def drop_block(self, block: Block) -> None:
        with self.changed:
            self._alive.discard(block)

    def put_block(self, block: Block) -> None:
        """Hand a block that has come to those who write."""
        with self.changed:
            block.task.settling += 1
            self._blocks.append(block)
            self._brought.notify()

    def next_block(self) -> Block | None:
        """Wait for a block to write; None when all is done or stopped."""
        with self.changed:
            while not self._blocks:
                if self.stopping or not self._left:
                    return None
                self._brought.wait(_WAIT)
            block = self._blocks.popleft()
            self._settling += 1
            return block

    def close_block(self, block: Block) -> None:
        """End the writing of a block; who waits for memory may go on."""
        with self.changed:
            block.task.settling -= 1
            self._settling -= 1
            self._alive.discard(block)
            self.changed.notify_all()
            if not block.task.settling:
                self._room.notify_all()

    @property
    def bytes_under_way(self) -> int:
        """What has come but is not on the disk yet."""
        return sum(block.filled - block.written for block in self._alive)

    # -- ends ------------------------------------------------------------------------------------------------

    def finish(self, task: FileTask, path: Path) -> None:
        """Take a file that is whole off the list."""
        with self.changed:
            self._give_back_all(task)
            self._left.remove(task)
            self.finished.append((task, path))
            self._tell_all()

    def wait_for_more(self, known: int, seconds: float) -> None:
        """Until more files are finished than are known, or it is over, or the time has passed."""
        with self.changed:
            if len(self.finished) == known and not self.stopping:
                self._ended.wait(seconds)

    def postpone(self, task: FileTask) -> None:
        """Another run is fetching this very file."""
        with self.changed:
            task.locked_until = time.monotonic() + _LOCKED_ELSEWHERE

    def fault(self, task: FileTask, address: Address, fault: Fault) -> None:
        """One attempt failed: go on elsewhere or later, or give up."""
        with self.changed:
            if isinstance(fault, OtherTag):
                address.trusts_etag, address.etag = False, None
                task.must_restart = task.must_restart or not task.file.sha256  # no hash would find old bytes in it
            elif isinstance(fault, NoRanges) and address.knows_ranges:
                address.knows_ranges = False
            else:
                # Nobody but the servers knows the size, and what one told was not this file's.
                is_other = fault.code == "fetch-changed" or (fault.code == "fetch-html" and not task.done)
                task.must_restart = task.must_restart or (is_other and task.file.size is None)
                if not task.sources.blame(address, fault, self._backoff):
                    self.give_up(task, task.sources.altered or fault)
            self.changed.notify_all()

    def wrong(self, task: FileTask, fault: Fault) -> None:
        """What came as this file is not it. Who gave all of it is to blame; of several it comes anew from one."""
        with self.changed:
            task.must_restart = True
            if len(task.givers) > 1:
                task.wants_one_giver = True
            elif not task.reused:
                for address in task.givers:
                    task.sources.blame(address, fault, self._backoff)
                if task.sources.is_used_up or not task.givers:
                    self.give_up(task, fault)
            self.changed.notify_all()

    def lost(self, task: FileTask, fault: Fault) -> None:
        """Somebody removed the folder of downloads: this file begins anew in a new one."""
        with self.changed:
            task.losses += not task.is_lost  # each connection and the disk's thread meet the same loss
            task.is_lost = task.must_restart = True
            if task.losses > _MOST_LOSSES:
                self.give_up(task, fault)
            self.changed.notify_all()

    def give_up(self, task: FileTask, fault: Fault) -> None:
        """Stop everything because of one file; only the first fault is kept."""
        with self.changed:
            if self.error is None:
                self.error, self.failed = fault, task
            self.stop()

    def stop(self) -> None:
        """Let every thread end at its next look, and wake those that wait."""
        with self.changed:
            self.stopping = True
            self._tell_all()

    def _tell_all(self) -> None:
        for condition in (self.changed, self._room, self._brought, self._ended):
            condition.notify_all()

    def woke(self) -> None:
        """The computer slept. Who cuts the connections does so after this: their faults then count for nothing."""
        with self.changed:
            self.wakes += 1
            for task in self._left:
                task.sources.forgive()
            self.changed.notify_all()

    def held_up_by(self) -> str:
        """While nothing comes: does a server want rest, or is one to be tried again later?"""
        if self._hosts.any_rests():
            return "server"
        now = time.monotonic()
        waits = (address.not_before > now for task in self._left for address in task.sources.addresses)
        return "network" if any(waits) else "none"

    def set_paused(self, paused: bool) -> None:
        """Let no new request begin, or let them begin again."""
        with self.changed:
            if paused != self.paused:
                self.paused = paused
                self.changed.notify_all()

    def must_leave(self, task: FileTask) -> bool:
        """Asked between two blocks of a range."""
        return self.stopping or self.paused or task.must_restart

    # -- buffers ---------------------------------------------------------------------------------------------

    def take_buffer(self, task: FileTask) -> memoryview:
        """A free one. When only buffers that wait for their turn in the hash are left, one of those: its bytes
        are on the disk and can be read back. Raises Stopped."""
        with self.changed:
            while not self.stopping:
                if self._has_its_share(task):
                    if task.waiting and not task.settling:
                        return _taken_back(task)
                elif self._free:
                    return self._free.pop()
                elif not self._blocks and not self._settling:
                    other = next((each for each in reversed(self._left) if each.waiting), None)
                    if other:
                        return _taken_back(other)
                self._room.wait(_WAIT)
            raise Stopped

    def _has_its_share(self, task: FileTask) -> bool:
        """One whose hash or unpacking is slow must not take them all: only one thread at a time can be at it, and the
        others would have nothing to do."""
        rivals = sum(1 for each in self._left if each.in_flight)
        return rivals > 1 and len(task.waiting) + task.settling >= max(_LEAST_SHARE, self._buffers // rivals)

    def give_back(self, buffer: memoryview) -> None:
        with self.changed:
            self._free.append(buffer)
            self._room.notify_all()

    def drop_stale(self, task: FileTask) -> None:
        """Buffers whose bytes were read back and hashed while they were being handed over."""
        for start in [start for start in task.waiting if start < task.hashed]:
            self.give_back(task.waiting.pop(start)[0])

    def _give_back_all(self, task: FileTask) -> None:
        self._free.extend(buffer for buffer, _ in task.waiting.values())
        task.waiting.clear()
        self._room.notify_all()


def _taken_back(task: FileTask) -> memoryview:
    """The buffer whose turn in the hash comes last."""
    return task.waiting.pop(max(task.waiting))[0]
