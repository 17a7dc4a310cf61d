"""Fetches locked files: several at once, several ranges of one, resumed where an earlier run stopped.

Callbacks come on the calling thread. There is no wall-clock limit for a file: a stall (no bytes for `stall`
seconds), or next to nothing for `patience` seconds, ends an attempt and the next address goes on at once. Only a file
whose every address fails again and again without a byte ends the fetch.

One file: the threads, their beginning and their end share one state.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.model.errors import Cancelled, WizardError, gigabytes_apart
from wizard.model.lock import LockedFile
from wizard.process import redact
from wizard.system.traits import this
from wizard.transfer.download.block_writer import BlockWriter
from wizard.transfer.download.file_store import Downloads
from wizard.transfer.download.hosts import Hosts
from wizard.transfer.download.meter import Limit, Meter, ThreadMeter
from wizard.transfer.download.model import Fault, FetchProgress, FetchResult, LargeFile, Tap
from wizard.transfer.download.scheduler import Scheduler
from wizard.transfer.download.task import FileTask
from wizard.transfer.download.transport import Transport, tls_context
from wizard.transfer.download.worker import Connection

# Notices that the computer slept: then every connection is dead without knowing it, and waiting is no use.
#
# The wall clock runs on in sleep and the monotonic one stands still (Linux), or both run on and nobody looked at them
# for long (Windows; elsewhere that is only a busy computer). A clock that was merely set looks alike; new connections
# cost little.

Clocks = Callable[[], tuple[float, float]]  # wall, monotonic

_GAP_SECONDS = 10.0


def clocks() -> tuple[float, float]:
    return time.time(), time.monotonic()


class SleepWatch:
    """`counts_sleep`: the monotonic clock runs on in sleep."""

    def __init__(self, clocks: Clocks = clocks, counts_sleep: bool | None = None) -> None:
        self._clocks = clocks
        self._counts_sleep = this().clock_counts_sleep if counts_sleep is None else counts_sleep
        self._wall, self._monotonic = clocks()

    def has_slept(self) -> bool:
        """Since it was last asked; it wants to be asked several times a second."""
        wall, monotonic = self._clocks()
        passed, counted = wall - self._wall, monotonic - self._monotonic
        self._wall, self._monotonic = wall, monotonic
        return passed - counted > _GAP_SECONDS or (self._counts_sleep and counted > _GAP_SECONDS)


OnProgress = Callable[[FetchProgress], None]
OnFile = Callable[[LockedFile, Path], None]
IsAsked = Callable[[], bool]

DEFAULT_CONNECTIONS = 4
_TICK = 0.1
_SETTLERS = 3
_JOIN_SECONDS = 1.0
_DISK_RESERVE = 64 * 1024 * 1024
_RATE_SECONDS = 3.0
_LARGE = 5_000_000  # bytes: a file of this size is told by itself


def _free_bytes(folder: Path) -> int:
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class Options:
    """`backoff`: seconds before an address is asked again, doubled each time. `rate_limit`: bytes per second, over all
    connections together."""

    stall: float = 30.0
    backoff: float = 1.0
    environment: Mapping[str, str] | None = None  # proxy and certificates; None: the process's own
    allow_http: bool = False
    rate_limit: int | None = None
    patience: float = 30.0  # seconds of waiting for a server that sends next to nothing
    free_bytes: Callable[[Path], int] = _free_bytes
    clocks: Clocks = clocks
    tap: Tap | None = None  # who wants the bytes of the files as they come


class Fetcher:
    def __init__(
        self, store: Downloads, connections: int = DEFAULT_CONNECTIONS, options: Options | None = None
    ) -> None:
        self._store = store
        self._connections = connections
        self._options = options or Options()

    def fetch(
        self,
        files: Sequence[LockedFile],
        on_progress: OnProgress = lambda progress: None,
        on_file: OnFile = lambda file, path: None,
        is_cancelled: IsAsked = lambda: False,
        is_paused: IsAsked = lambda: False,
    ) -> FetchResult:
        """`on_file` as soon as a file is verified, with its hash where none was promised.

        Raises WizardError (`fetch-…`) or Cancelled; what was fetched until then is kept."""
        return _Run(self._store, self._connections, self._options, files).go(
            on_progress, on_file, is_cancelled, is_paused
        )


class _Run:
    def __init__(self, store: Downloads, connections: int, options: Options, files: Sequence[LockedFile]) -> None:
        self._store = store
        self._options = options
        self._began = time.monotonic()
        self._files = list({file.key: file for file in files}.values())
        self._order = files
        self._paths: dict[str, Path] = {}
        self._reused = 0
        self._present = [(file, path) for file in self._files if (path := self._find(file))]
        present = {file.key for file, _ in self._present}
        hosts = Hosts()
        tasks = [FileTask(file, store, hosts) for file in self._files if file.key not in present]
        self._board = Scheduler(tasks, hosts, connections, options.backoff)
        self._connections = self._connect(connections) if tasks else []
        settlers = [BlockWriter(self._board, self._options.tap) for _ in range(_SETTLERS if tasks else 0)]
        self._meter = Meter([item.watch for item in self._connections], [item.watch for item in settlers])
        works = [*(item.work for item in self._connections), *(item.work for item in settlers)]
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]
        self._sleep = SleepWatch(options.clocks)
        self._present_bytes = sum(path.stat().st_size for _, path in self._present)
        self._rate = _Rate()
        self._delivered = 0

    def _find(self, file: LockedFile) -> Path | None:
        return self._store.find(file)

    def _connect(self, count: int) -> list[Connection]:
        options = self._options
        try:
            context = tls_context(options.environment)
        except Fault as fault:
            raise WizardError(fault.code, details=redact(fault.details)) from fault
        limit = Limit(options.rate_limit)
        watches = [ThreadMeter() for _ in range(count)]
        return [
            Connection(
                self._board,
                number,
                Transport(options.stall, options.environment, options.allow_http, context, watch),
                self._store,
                limit,
                watch,
            )
            for number, watch in enumerate(watches)
        ]

    def go(self, on_progress: OnProgress, on_file: OnFile, is_cancelled: IsAsked, is_paused: IsAsked) -> FetchResult:
        self._check_space()
        try:
            for file, path in self._present:
                self._reused += path.stat().st_size
                self._paths[file.key] = path
                on_file(replace(file, sha256=path.parent.name), path)
            for thread in self._threads:
                thread.start()
            while not self._is_over(on_file):
                if is_cancelled():
                    raise Cancelled
                self._board.set_paused(is_paused())
                if self._sleep.has_slept():
                    self._begin_anew()
                for connection in self._connections:
                    connection.check_pace(self._options.patience)
                on_progress(self._progress())
                self._board.wait_for_more(self._delivered, _TICK)
            on_progress(self._progress())
        finally:
            self._end()
        return self._result()

    def _begin_anew(self) -> None:
        """After sleep the other sides have forgotten the connections."""
        self._board.woke()
        for connection in self._connections:
            connection.cut()

    def _is_over(self, on_file: OnFile) -> bool:
        """Delivers what was finished meanwhile. Raises what the connections gave up on."""
        board = self._board
        while self._delivered < len(board.finished):
            task, path = board.finished[self._delivered]
            self._delivered += 1
            self._reused += task.reused
            self._paths[task.key] = path
            on_file(task.file, path)
        if board.error:
            raise self._error(board.error)
        self._check_space_while()
        return self._delivered == len(board.tasks)

    def _error(self, fault: Fault) -> WizardError:
        name, details = "", fault.details
        if self._board.failed:
            file = self._board.failed.file
            name, details = file.release, f"{file.filename}: {details}"
        blanks = {"file": name, "folder": str(self._store.root), "needed": 0, "free": 0, **fault.params}
        return WizardError(fault.code, details=redact(details), **blanks)

    def _end(self) -> None:
        """Stops the threads. One that hangs in connecting is left behind: it cannot write any more."""
        self._board.stop()
        for connection in self._connections:
            connection.cut()
        until = time.monotonic() + _JOIN_SECONDS
        for thread in self._threads:
            if thread.ident:
                thread.join(max(0.0, until - time.monotonic()))
        for task in self._board.tasks:
            with contextlib.suppress(OSError):
                if task.part:
                    task.save_last_io()
            task.close_io()

    # -- figures ---------------------------------------------------------------------------------------------

    def _missing_bytes(self) -> int:
        """What the disk still has to take; parts of an earlier run have their room already."""
        return sum(max(0, (task.size or 0) - self._allocated(task.file)) for task in self._board.tasks)

    def _allocated(self, file: LockedFile) -> int:
        try:
            found = self._store.part_for(file).stat()
        except OSError:
            return 0
        blocks: int | None = getattr(found, "st_blocks", None)  # Windows has none
        return found.st_size if blocks is None else 512 * blocks

    def _check_space(self) -> None:
        needed = self._missing_bytes()
        free = self._options.free_bytes(self._store.root)
        if needed and free < needed + _DISK_RESERVE:
            raise self._no_space(needed, free)

    def _check_space_while(self) -> None:
        if not self._rate.is_due():
            return
        free = self._options.free_bytes(self._store.root)
        if free < _DISK_RESERVE // 4 and self._delivered < len(self._board.tasks):
            raise self._no_space(self._missing_bytes(), free)

    def _no_space(self, needed: int, free: int) -> WizardError:
        wanted, left = gigabytes_apart(needed, free)
        return WizardError(
            "fetch-no-space",
            details=f"{needed} bytes needed, {free} free",
            file="",
            folder=str(self._store.root),
            needed=wanted,
            free=left,
        )

    def _progress(self) -> FetchProgress:
        board = self._board
        with board.changed:
            done = self._present_bytes + sum(task.bytes_done for task in board.tasks) + board.bytes_under_way
            sizes = [task.size for task in board.tasks]
            active = next((task.file.filename for task in board.tasks if task.in_flight), "")
            waiting = not board.paused and not active
            large = [
                LargeFile(task.file.name, task.bytes_done, task.size)
                for task in board.tasks
                if task.size and task.size >= _LARGE and (task.is_busy or task.bytes_done)
            ]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        if total is not None:
            total += self._present_bytes
        state = "paused" if board.paused else "waiting" if waiting and self._delivered < len(sizes) else "fetching"
        rate = self._rate.see(self._bytes_fetched, board.paused)
        limited_by = self._meter.limited_by(board.held_up_by())
        ready = len(self._present) + self._delivered
        return FetchProgress(
            done,
            total,
            rate,
            active,
            ready,
            len(self._files),
            state,
            "none" if board.paused else limited_by,
            tuple(task.file.filename for task, _ in board.finished[: self._delivered]),
            tuple(sorted(large, key=lambda one: -one.size)),
        )

    @property
    def _bytes_fetched(self) -> int:
        return sum(connection.received for connection in self._connections)

    def _result(self) -> FetchResult:
        paths = tuple(self._paths[file.key] for file in self._order)
        return FetchResult(paths, self._bytes_fetched, self._reused, time.monotonic() - self._began)


class _Rate:
    """Bytes per second over the last few seconds, of which a pause is none."""

    def __init__(self) -> None:
        self._seen: list[tuple[float, int]] = [(time.monotonic(), 0)]
        self._checked = 0.0

    def see(self, count: int, is_paused: bool = False) -> float:
        now = time.monotonic()
        if is_paused:
            self._seen.clear()
        self._seen.append((now, count))
        while len(self._seen) > 2 and now - self._seen[0][0] > _RATE_SECONDS:
            self._seen.pop(0)
        began, first = self._seen[0]
        return (count - first) / (now - began) if now > began else 0.0

    def is_due(self) -> bool:
        now = time.monotonic()
        if now - self._checked < 1.0:
            return False
        self._checked = now
        return True
