"""One connection's thread: takes ranges from the board until there are none, and hands on what arrives.

It receives only; a full block goes to the settlers. On a slow line the whole pages that have come are
written and recorded about once a second, so that a kill costs no more.
"""

from __future__ import annotations

import http.client
import time
from collections import deque
from dataclasses import replace

from filelock import Timeout

from wizard.transfer.download import meter
from wizard.transfer.download.block_writer import disk_failed, own_fault, save, write
from wizard.transfer.download.file_store import Downloads
from wizard.transfer.download.hosts import Address
from wizard.transfer.download.meter import Limit, ThreadMeter
from wizard.transfer.download.model import BLOCK, CHUNK, CHUNK_MAX, Fault, NoRanges, OtherTag, Stopped
from wizard.transfer.download.part_file import ALIGN, Range
from wizard.transfer.download.reply import Reply, as_fault
from wizard.transfer.download.scheduler import DownloadJob, Scheduler
from wizard.transfer.download.task import Block, FileTask
from wizard.transfer.download.transport import Transport

_FLUSH_SECONDS = 1.0
_NAP = 0.1
_LEAST_RATE = 4096  # bytes a second while we wait for nothing else: who sends less is left for the next address
_KEEPS_WAITING = 64  # … less is no slow network: such an address counts as one that failed
_WAITING = (meter.ANSWER, meter.BYTES, meter.RECEIVE)
_ANSWERS_IN_A_CHUNK = 20  # a range takes at least so many times as long as its server takes to answer


class Connection:
    """`watch` is also the transport's. `received` counts bytes, for whoever reads it."""

    def __init__(
        self, board: Scheduler, number: int, transport: Transport, store: Downloads, limit: Limit, watch: ThreadMeter
    ) -> None:
        self._board = board
        self._number = number
        self._transport = transport
        self._store = store
        self._limit = limit
        self._chunk = CHUNK
        self._pace: tuple[float, int] | None = None  # how long it had waited for servers, how much had come then
        self._let_go: Fault | None = None
        self.watch = watch
        self.received = 0

    def work(self) -> None:
        """The thread's whole life. A bug ends the fetch, not just this thread."""
        try:
            while job := self._board.next_job(self._number, self._chunk):
                self._do(job)
                self.watch.to(meter.IDLE)
        except BaseException as error:
            self._board.give_up(self._board.tasks[0], own_fault(error))
            raise
        finally:
            self._transport.close()

    def cut(self) -> None:
        self._transport.cut()

    def check_pace(self, patience: float) -> None:
        """From the run's own thread: a server that sends a byte now and then, or a head without end, never counts as
        silent. Only the time that was spent waiting for it counts, not for the disk or under the bandwidth limit."""
        pace, waited = self._pace, self._waited()
        if pace is None or waited - pace[0] < patience:
            return
        seconds, came = waited - pace[0], self.received - pace[1]
        if came < _LEAST_RATE * seconds:
            is_hard = came < _KEEPS_WAITING * seconds
            self._let_go = Fault("fetch-slow", f"{came} bytes in {seconds:.0f} seconds", hard=is_hard)
            self.cut()
        self._pace = (waited, self.received)

    def _waited(self) -> float:
        spent = self.watch.read()
        return sum(spent.get(what, 0.0) for what in _WAITING)

    def _do(self, job: DownloadJob) -> None:
        task, span, wakes = job.task, _Span(job), self._board.wakes
        try:
            if job.kind == "open":
                self._open(task)
            elif job.kind == "hash":
                self._board.put_block(Block(task, 0))
            elif job.address:
                self._fetch(job, job.address, span)
        except (Stopped, Fault, OSError) as raised:
            self._transport.close()
            error = self._judged(raised)
            if isinstance(error, Fault) and error.code == "fetch-slow" and span.streams:
                error.hard = True  # it would begin anew, and be as slow
            if isinstance(error, OSError):
                disk_failed(self._board, task, error)
            elif isinstance(error, Fault) and job.address and self._board.wakes == wakes:
                self._board.fault(task, job.address, error)
        finally:
            self._pace = None
            self._board.close_job(job, span.rest(job), span.streams)

    def _judged(self, error: Exception) -> Exception:
        let_go, self._let_go = self._let_go, None
        return let_go if let_go and isinstance(error, Fault) else error

    def _open(self, task: FileTask) -> None:
        lock = self._store.lock_for(task.file)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            self._board.postpone(task)
            raise Stopped from None
        task.lock = lock
        if found := self._store.find(task.file):
            task.reused = found.stat().st_size
            task.file = replace(task.file, sha256=found.parent.name)
            task.close_io()
            self._board.finish(task, found)
            return
        task.open_io()
        if self._board.stopping:  # whoever ends the fetch may have closed all files while we were hashing
            task.close_io()
            raise Stopped

    # -- a range ---------------------------------------------------------------------------------------------

    def _fetch(self, job: DownloadJob, address: Address, span: _Span) -> None:
        task = job.task
        if task.size is None and not span.streams:
            span.end = CHUNK
        began = time.monotonic()
        self._let_go, self._pace = None, None if address.url.startswith("file:") else (self._waited(), self.received)
        self.watch.to(meter.ANSWER)
        tag = None if span.streams else address.etag
        reply = self._transport.get(address.url, job.start, None if span.streams else span.end, tag)
        answered = time.monotonic()
        self._check(job, address, reply, span, tag)
        limit = task.size if span.streams else span.end
        while limit is None or span.at < limit:
            self.watch.to(meter.BUFFER)
            block = Block(task, span.at, self._board.take_buffer(task), address)
            self.watch.to(meter.RECEIVE)
            self._board.begin_block(block)
            is_end = self._fill(block, reply, BLOCK if limit is None else min(BLOCK, limit - span.at), span)
            if is_end:
                break
        if limit is None:
            self._know_size(task, span.at)
        self._learn_chunk(answered - began, (span.at - job.start) / max(time.monotonic() - answered, 1e-6))

    def _learn_chunk(self, answer: float, rate: float) -> None:
        wanted = int(_ANSWERS_IN_A_CHUNK * answer * rate) // BLOCK * BLOCK
        self._chunk = min(max(wanted, CHUNK), CHUNK_MAX)

    def _know_size(self, task: FileTask, size: int) -> None:
        with self._board.changed:
            task.size = size
        self._board.put_block(Block(task, 0))

    def _check(self, job: DownloadJob, address: Address, reply: Reply, span: _Span, tag: str | None) -> None:
        """Is this the file, and the part of it, that was asked for? Raises Fault."""
        if "html" in reply.content_type.lower():
            raise Fault("fetch-html", reply.content_type, hard=True)
        task = job.task
        is_late_whole = reply.status == 200 and not span.streams and (job.start or task.done or task.is_probed)
        if is_late_whole:
            _refuse_page(reply)
        with self._board.changed:
            is_first = task.size is None
            task.accept_size(reply.total)
            if is_late_whole:
                raise OtherTag if tag else NoRanges
            if reply.status == 206 and (reply.total is None or reply.start != job.start):
                raise NoRanges
            if reply.status == 200 and not span.streams:
                span.streams = task.in_stream = True
                address.knows_ranges = False
                task.todo.clear()
            address.learn_etag(reply.etag)
            if not span.streams and task.size is not None:
                if is_first and task.size > span.end:
                    task.todo = deque([(span.end, task.size)])
                span.end = min(span.end, task.size)
            task.is_probed = True
            self._board.changed.notify_all()

    def _fill(self, block: Block, reply: Reply, length: int, span: _Span) -> bool:
        """Reads one block and hands it on. True: the reply ended where no size was known."""
        try:
            is_end = self._receive(block, reply, length)
        except BaseException:
            try:
                write(self._board, block, block.filled // ALIGN * ALIGN, self.watch)
                save(self._board, block.task, self.watch)
            finally:  # the folder may be gone: a buffer that is not given back is missing to all until the end
                span.at = block.start + block.written
                self._board.drop_block(block)
                if block.buffer is not None:
                    self._board.give_back(block.buffer)
            raise
        span.at = block.at
        self._board.put_block(block)
        return is_end

    def _receive(self, block: Block, reply: Reply, length: int) -> bool:
        task, buffer, flushed_at = block.task, block.buffer, time.monotonic()
        assert buffer is not None
        while block.filled < length:
            if self._board.must_leave(task):
                raise Stopped
            count = self._read(task, reply, buffer[block.filled : length])
            if count == 0:
                if task.in_stream and task.size is None:
                    return True
                raise Fault("fetch-short", f"ended at byte {block.at}")
            if block.at == 0 and buffer[0] == ord("<"):
                raise Fault("fetch-html", "begins with '<'", hard=True)
            block.filled += count
            self.received += count
            if time.monotonic() - flushed_at > _FLUSH_SECONDS:
                write(self._board, block, block.filled // ALIGN * ALIGN, self.watch)
                save(self._board, task, self.watch)
                flushed_at = time.monotonic()
        return False

    def _read(self, task: FileTask, reply: Reply, part: memoryview) -> int:
        """One read: what is there, as much as the bandwidth limit allows."""
        allowed, wait = self._limit.reserve(len(part))
        if wait > 0:
            self._wait_turn(task, wait)
        try:
            count = reply.body.readinto(part[:allowed])
        except (http.client.HTTPException, OSError, ValueError) as error:
            if self._board.stopping:
                raise Stopped from None
            raise as_fault(error) from error
        self._limit.give_back(allowed - count)
        return count

    def _wait_turn(self, task: FileTask, seconds: float) -> None:
        before, until = self.watch.to(meter.LIMIT), time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._board.must_leave(task):
                raise Stopped
            time.sleep(min(left, _NAP))
        self.watch.to(before)


def _refuse_page(reply: Reply) -> None:
    """A portal may give any type to its page, and no size."""
    first = bytearray(1)
    try:
        count = reply.body.readinto(memoryview(first))
    except (http.client.HTTPException, OSError) as error:
        raise as_fault(error) from error
    if count and first == b"<":
        raise Fault("fetch-html", "begins with '<'", hard=True)


class _Span:
    """The range of a job: how far it was handed on, and where it ends."""

    def __init__(self, job: DownloadJob) -> None:
        self.at = job.start
        self.end = job.end
        self.streams = job.streams

    def rest(self, job: DownloadJob) -> Range | None:
        """What is still to be fetched of it."""
        size = job.task.size
        if job.kind != "range":
            return None
        if size is None:
            return (0, 0)
        end = size if self.streams else self.end
        return (self.at, end) if self.at < end else None
