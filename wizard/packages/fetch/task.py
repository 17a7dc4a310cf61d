"""One file on its way: which ranges are there, which are handed out, how far the hash has come.

The SHA-256 follows the contiguous front. A chunk that arrives out of turn keeps its buffer until its turn
comes; when buffers run short it is read back from the part file. Every method is called under the board's
lock, except those whose names end in `_io`.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from filelock import BaseFileLock

from wizard.packages.fetch import ranges
from wizard.packages.fetch.model import BLOCK, CHUNK, Changed, Fault
from wizard.packages.fetch.part import ALIGN, PartFile
from wizard.packages.fetch.state import PartState, fingerprint, read_state, remove_state, write_state
from wizard.packages.fetch.store import Store
from wizard.packages.model import LockedFile

_SAVE_SECONDS = 1.0
_AT_ONCE = 0.1  # long enough that connections which fell together count as one failure


class FileTask:
    def __init__(self, file: LockedFile, store: Store) -> None:
        self.file = file
        self.path = store.path_for(file)
        self.size = file.size
        self.sources = Sources(file.urls)
        self.done: ranges.Ranges = ()
        self.todo: deque[ranges.Range] = deque()
        self.in_flight = 0  # jobs of connections
        self.settling = 0  # blocks that wait to be written
        self.must_restart = False  # as soon as nobody works on it any more
        self.in_stream = False  # the server knows no ranges
        self.etag: str | None = None
        self.hashed = 0
        self.reused = 0
        self.waiting: dict[int, tuple[memoryview, int]] = {}  # offset -> buffer that waits for the hash
        self.is_hashing = False
        self.is_concluded = False
        self.trusts_etag = True  # servers behind one name may disagree about it; then the hash alone decides
        self.is_probed = False  # a reply has told size and whether ranges work
        self.part: PartFile | None = None
        self.lock: BaseFileLock | None = None
        self.saving = threading.Lock()
        self._digest = hashlib.sha256()
        self._store = store
        self._saved = 0.0

    # -- opening ---------------------------------------------------------------------------------------------

    def open_io(self) -> None:
        """Raises OSError. What an earlier run left is taken over if it is of this very file."""
        part_path, state_path = self._store.part_for(self.file), self._store.state_for(self.file)
        part_path.parent.mkdir(parents=True, exist_ok=True)
        state = read_state(state_path)
        if state and state.sha256 == self.file.sha256.lower() and self.size in (None, state.size):
            present = part_path.stat().st_size if part_path.exists() else 0
            if all(end <= present for _, end in state.done):
                self.size, self.done = state.size, state.done
                self.etag = state.etag if state.source == fingerprint(self.sources.current) else None
        self.part = PartFile(part_path)
        self.reused = ranges.total(self.done)
        self.plan()

    def plan(self) -> None:
        """What is missing, as chunks in order."""
        if self.size is not None and not self.in_stream:
            self.todo = deque(ranges.split(ranges.missing(self.done, self.size, ALIGN), CHUNK))
        else:
            self.todo = deque([(0, self.size or 0)])
        self.is_probed = self.is_probed and self.size is not None

    @property
    def is_busy(self) -> bool:
        return bool(self.in_flight or self.settling or self.is_hashing)

    # -- replies ---------------------------------------------------------------------------------------------

    def accept_size(self, size: int | None, etag: str | None) -> None:
        """Raises Changed when it is not the file that was begun, Fault when it cannot be the locked one."""
        if size is not None and self.file.size is not None and size != self.file.size:
            raise Fault("fetch-size-mismatch", f"{size} bytes instead of {self.file.size}", hard=True)
        if size is not None and self.size is not None and size != self.size:
            raise Changed(f"{size} bytes instead of {self.size}")
        if self.etag and etag and etag != self.etag:
            self.trusts_etag = False
            raise Changed(f"ETag {etag} instead of {self.etag}")
        self.etag = (etag or self.etag) if self.trusts_etag else None
        if size is not None and self.size is None and not self.in_stream:
            self.size = size
            self.todo = deque((start, end) for start, end in ranges.split([(0, size)], CHUNK) if start)
        self.size = size if self.size is None else self.size
        self.is_probed = True

    def restart(self) -> None:
        """Nothing that was fetched counts any more. Only when nobody works on it: a late write of old bytes
        over new ones would not be seen by a hash that is taken from memory."""
        self.must_restart = self.is_concluded = False
        self.done, self.hashed, self.reused = (), 0, 0
        self.etag = None
        self._digest = hashlib.sha256()
        self.size = self.file.size
        self.is_probed = False
        self.plan()

    # -- bytes -----------------------------------------------------------------------------------------------

    def mark(self, start: int, end: int) -> None:
        self.done = ranges.add(self.done, start, end)

    @property
    def bytes_done(self) -> int:
        return ranges.total(self.done)

    @property
    def is_whole(self) -> bool:
        return self.size is not None and self.done == (((0, self.size),) if self.size else ())

    def next_to_hash(self) -> tuple[int, int, memoryview | None] | None:
        """(start, end, buffer or None: read it back); None when the front waits for bytes."""
        held = self.waiting.pop(self.hashed, None)
        if held:
            return self.hashed, self.hashed + held[1], held[0]
        reach = ranges.covered_to(self.done, self.hashed)
        following = min((start for start in self.waiting if start > self.hashed), default=reach)
        end = min(reach, following, self.hashed + BLOCK)
        return (self.hashed, end, None) if end > self.hashed else None

    def digest_io(self, start: int, end: int, held: memoryview | None, scratch: memoryview) -> None:
        """Raises Fault when the part file no longer holds what it should."""
        block = held
        if block is None:
            assert self.part is not None
            block = scratch
            if self.part.read(block, end - start, start) < end - start:
                raise Changed("the part file is shorter than its record")
        self._digest.update(block[: end - start])

    def digest(self) -> str:
        return self._digest.hexdigest()

    # -- disk ------------------------------------------------------------------------------------------------

    def save_io(self, snapshot: Callable[[], PartState], force: bool = False) -> None:
        """Flushes the bytes, then says so in the sidecar; at most about once a second."""
        now = time.monotonic()
        if not (force or now - self._saved >= _SAVE_SECONDS) or not self.saving.acquire(blocking=force):
            return
        try:
            if self.part is None:
                return
            state = snapshot()
            self.part.sync()
            write_state(self._store.state_for(self.file), state)
            self._saved = time.monotonic()
        finally:
            self.saving.release()

    def state(self) -> PartState:
        return PartState(
            self.file.sha256.lower(), self.size or 0, self.done, self.etag, fingerprint(self.sources.current)
        )

    def finish_io(self) -> Path:
        with self.saving:
            assert self.part is not None
            self.part.finish(self.size or 0)
            self.part = None
            path = self._store.accept(self.file)
            remove_state(self._store.state_for(self.file))
        return path

    def close_io(self) -> None:
        with self.saving:
            if self.part:
                self.part.close()
                self.part = None
        if self.lock:
            self.lock.release()
            self.lock = None


class Sources:
    """The addresses of one file, in order, and how each has behaved. Progress forgives soft faults."""

    HARD_TRIES = 2
    SOFT_TRIES = 6

    def __init__(self, urls: tuple[str, ...]) -> None:
        if not urls:
            raise ValueError("a locked file without an address")
        self._urls = urls
        self._at = 0
        self._hard = [0] * len(urls)
        self._soft = [0] * len(urls)
        self.not_before = 0.0

    @property
    def current(self) -> str:
        return self._urls[self._at]

    def progressed(self) -> None:
        self._soft[self._at] = 0

    def blame(self, url: str, fault: Fault, backoff: float) -> bool:
        """Goes on to the next address; False when all are used up. Only the first of several connections
        that fail at one address together counts."""
        if url != self.current or time.monotonic() < self.not_before:
            return True
        counts = self._hard if fault.hard else self._soft
        counts[self._at] += 1
        tries = self._hard[self._at] + self._soft[self._at]
        usable = [index for index in range(len(self._urls)) if self._is_usable(index)]
        if not usable:
            return False
        following = [index for index in usable if index > self._at] or usable
        is_round = following[0] <= self._at
        self._at = following[0]
        wait = 0.0
        if is_round:
            wait = min(backoff * 2 ** (tries - 2), 60 * backoff) if tries > 1 else min(_AT_ONCE, backoff)
        if fault.retry_after is not None and is_round:
            wait = max(wait, fault.retry_after)
        self.not_before = time.monotonic() + wait
        return True

    def _is_usable(self, index: int) -> bool:
        return self._hard[index] < self.HARD_TRIES and self._soft[index] < self.SOFT_TRIES
