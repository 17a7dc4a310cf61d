"""One connection's thread: takes ranges from the board until there are none, and hands on what arrives.

It receives only; a full block goes to the settlers. On a slow line the whole pages that have come are
written and recorded about once a second, so that a kill costs no more.
"""

from __future__ import annotations

import http.client
import time

from filelock import Timeout

from wizard.packages.fetch.board import Board, Job
from wizard.packages.fetch.model import BLOCK, CHUNK, Fault, NoRanges, Stopped
from wizard.packages.fetch.part import ALIGN
from wizard.packages.fetch.ranges import Range
from wizard.packages.fetch.settle import Block, disk_fault, save, write
from wizard.packages.fetch.store import Store
from wizard.packages.fetch.task import FileTask
from wizard.packages.fetch.transport import Reply, Transport, as_fault

_FLUSH_SECONDS = 1.0
_STEP_MIN, _STEP_MAX = 16 * 1024, 1024 * 1024


class Connection:
    def __init__(self, board: Board, number: int, transport: Transport, store: Store) -> None:
        self._board = board
        self._number = number
        self._transport = transport
        self._store = store
        self._step = 4 * _STEP_MIN

    def work(self) -> None:
        """The thread's whole life. A bug ends the fetch, not just this thread."""
        try:
            while job := self._board.next_job(self._number):
                self._do(job)
        except BaseException as error:
            self._board.give_up(self._board.tasks[0], Fault("fetch-internal", repr(error)))
            raise
        finally:
            self._transport.close()

    def cut(self) -> None:
        self._transport.cut()

    def _do(self, job: Job) -> None:
        task = job.task
        url = task.sources.current
        span = _Span(job)
        try:
            if job.kind == "open":
                self._open(task)
            elif job.kind == "hash":
                self._board.put_block(Block(task, 0))
            else:
                self._fetch(job, url, span)
        except (Stopped, Fault, OSError) as error:
            self._transport.close()
            with self._board.changed:
                task.must_restart = task.must_restart or (job.kind == "range" and task.in_stream)
            if isinstance(error, Fault):
                self._board.fault(task, url, error)
            elif isinstance(error, OSError):
                self._board.give_up(task, disk_fault(error))
        finally:
            self._board.close_job(job, span.rest(job))

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
            task.close_io()
            self._board.finish(task, found)
            return
        task.open_io()

    # -- a range ---------------------------------------------------------------------------------------------

    def _fetch(self, job: Job, url: str, span: _Span) -> None:
        task = job.task
        if task.size is None and not task.in_stream:
            span.end = CHUNK
        reply = self._transport.get(url, job.start, None if task.in_stream else span.end, task.etag)
        self._check(task, job, reply, span)
        limit = task.size if task.in_stream else span.end
        while limit is None or span.at < limit:
            block = Block(task, span.at, self._board.take_buffer())
            self._board.begin_block(block)
            is_end = self._fill(block, reply, BLOCK if limit is None else min(BLOCK, limit - span.at), span)
            if is_end:
                break
        if limit is None:
            self._know_size(task, span.at)

    def _know_size(self, task: FileTask, size: int) -> None:
        with self._board.changed:
            task.size = size
        self._board.put_block(Block(task, 0))

    def _check(self, task: FileTask, job: Job, reply: Reply, span: _Span) -> None:
        """Is this the file, and the part of it, that was asked for? Raises Fault."""
        if "html" in reply.content_type.lower():
            raise Fault("fetch-html", reply.content_type, hard=True)
        with self._board.changed:
            if reply.status == 200 and not task.in_stream:
                if job.start or task.done or task.is_probed:
                    task.accept_size(reply.total, reply.etag)
                    raise NoRanges
                task.in_stream = True
                task.todo.clear()
            if reply.status == 206 and (reply.total is None or reply.start != job.start):
                raise NoRanges
            task.accept_size(reply.total, reply.etag)
            if not task.in_stream and task.size is not None:
                span.end = min(span.end, task.size)
            self._board.changed.notify_all()

    def _fill(self, block: Block, reply: Reply, length: int, span: _Span) -> bool:
        """Reads one block and hands it on. True: the reply ended where no size was known."""
        try:
            is_end = self._receive(block, reply, length)
        except BaseException:
            write(self._board, block, block.filled // ALIGN * ALIGN)
            save(self._board, block.task)
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
            count = self._read(reply, buffer[block.filled : min(block.filled + self._step, length)])
            if count == 0:
                if task.in_stream and task.size is None:
                    return True
                raise Fault("fetch-short", f"ended at byte {block.at}")
            if block.at == 0 and buffer[0] == ord("<"):
                raise Fault("fetch-html", "begins with '<'", hard=True)
            block.filled += count
            self._board.received(count)
            if time.monotonic() - flushed_at > _FLUSH_SECONDS:
                write(self._board, block, block.filled // ALIGN * ALIGN)
                save(self._board, task)
                flushed_at = time.monotonic()
        return False

    def _read(self, reply: Reply, part: memoryview) -> int:
        """One read; its size follows the speed, so that progress is seen and a drop costs little."""
        began = time.monotonic()
        try:
            count = reply.body.readinto(part)
        except (http.client.HTTPException, OSError, ValueError) as error:
            if self._board.stopping:
                raise Stopped from None
            raise as_fault(error) from error
        seconds = time.monotonic() - began
        if seconds < 0.05:
            self._step = min(self._step * 2, _STEP_MAX)
        elif seconds > 0.25:
            self._step = max(self._step // 2, _STEP_MIN)
        return count


class _Span:
    """The range of a job: how far it was handed on, and where it ends."""

    def __init__(self, job: Job) -> None:
        self.at = job.start
        self.end = job.end

    def rest(self, job: Job) -> Range | None:
        """What is still to be fetched of it."""
        if job.kind != "range" or job.task.in_stream:
            return None
        if job.task.size is None:
            return (0, 0)
        return (self.at, self.end) if self.at < self.end else None
