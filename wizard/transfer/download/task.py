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
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import BaseFileLock

from wizard.model.lock import LockedFile
from wizard.system.moving import DISK_FULL
from wizard.transfer.download import meter, part_file
from wizard.transfer.download.file_store import Downloads
from wizard.transfer.download.hosts import Address, Hosts, Sources
from wizard.transfer.download.meter import ThreadMeter
from wizard.transfer.download.model import BLOCK, Changed, Fault, Tap
from wizard.transfer.download.part_file import (
    ALIGN,
    PartFile,
    PartState,
    fingerprint,
    read_state,
    remove_state,
    write_state,
)

_SAVE_SECONDS = 1.0
_ROOM_FOR_RECORD = 64 * 1024  # bytes: a small file and its name, whatever the file system


class FileTask:
    def __init__(self, file: LockedFile, store: Downloads, hosts: Hosts) -> None:
        self.file = file
        self.size = file.size
        self.key = file.key
        self.sources = Sources(file.urls, hosts, file.key)
        self.givers: set[Address] = set()  # whose bytes are in it
        self.wants_one_giver = False  # bytes of several made a wrong file, and nobody knows whose
        self.locked_until = 0.0  # another run is at it
        self.done: part_file.Ranges = ()
        self.todo: deque[part_file.Range] = deque()  # gaps; (0, 0) while the size is unknown
        self.in_flight = 0  # jobs of connections
        self.settling = 0  # blocks that wait to be written
        self.losses = 0  # how often its folder was gone
        self.is_lost = False  # … and is: what is open of it is worth nothing
        self.must_restart = False  # as soon as nobody works on it any more
        self.in_stream = False  # comes in one piece, from a server that knows no ranges
        self.hashed = 0
        self.reused = 0
        self.waiting: dict[int, tuple[memoryview, int]] = {}  # offset -> buffer that waits for the hash
        self.is_hashing = False
        self.is_concluded = False
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
        if state and state.size and state.sha256 == self.file.sha256.lower() and self.size in (None, state.size):
            present = part_path.stat().st_size if part_path.exists() else 0
            if all(end <= present for _, end in state.done):
                self.size, self.done = state.size, state.done
                for address in self.sources.addresses:
                    address.etag = state.etag if state.source == fingerprint(address.url) else None
        self.part = PartFile(part_path)
        self.reused = part_file.total(self.done)
        self.plan()

    def plan(self) -> None:
        """What is missing."""
        self.todo = deque([(0, 0)] if self.size is None else part_file.missing(self.done, self.size, ALIGN))
        self.is_probed = self.is_probed and self.size is not None

    def take(self, chunk: int) -> part_file.Range:
        """The next piece of it; only when `todo` is not empty."""
        start, end = self.todo.popleft()
        if end - start > chunk:
            self.todo.appendleft((start + chunk, end))
            end = start + chunk
        return start, end

    @property
    def is_busy(self) -> bool:
        return bool(self.in_flight or self.settling or self.is_hashing)

    # -- replies ---------------------------------------------------------------------------------------------

    def accept_size(self, size: int | None) -> None:
        """Raises Changed when it is not the file that was begun, Fault when it cannot be the locked one."""
        if size is not None and self.file.size is not None and size != self.file.size:
            raise Fault("fetch-size-mismatch", f"{size} bytes instead of {self.file.size}", hard=True)
        if size is not None and self.size is not None and size != self.size:
            raise Changed(f"{size} bytes instead of {self.size}")
        self.size = size if self.size is None else self.size

    def restart(self) -> None:
        """Nothing that was fetched counts any more. Only when nobody works on it: a late write of old bytes
        over new ones would not be seen by a hash that is taken from memory."""
        self.must_restart = self.is_concluded = False
        self.done, self.hashed, self.reused = (), 0, 0
        self.givers.clear()
        for address in self.sources.addresses:
            address.etag = None
        self._digest = hashlib.sha256()
        self.size = self.file.size
        self.is_probed = self.in_stream = False
        self.plan()

    # -- bytes -----------------------------------------------------------------------------------------------

    def mark(self, start: int, end: int) -> None:
        self.done = part_file.add(self.done, start, end)

    def got_from(self, address: Address) -> None:
        self.givers.add(address)
        if not self.wants_one_giver:  # else two that break off in turn would go on for ever
            address.progressed()

    @property
    def bytes_done(self) -> int:
        return part_file.total(self.done)

    @property
    def is_whole(self) -> bool:
        return self.size is not None and self.done == (((0, self.size),) if self.size else ())

    def next_to_hash(self) -> tuple[int, int, memoryview | None] | None:
        """(start, end, buffer or None: read it back); None when the front waits for bytes."""
        held = self.waiting.pop(self.hashed, None)
        if held:
            return self.hashed, self.hashed + held[1], held[0]
        reach = part_file.covered_to(self.done, self.hashed)
        following = min((start for start in self.waiting if start > self.hashed), default=reach)
        end = min(reach, following, self.hashed + BLOCK)
        return (self.hashed, end, None) if end > self.hashed else None

    def digest_io(
        self,
        start: int,
        end: int,
        held: memoryview | None,
        scratch: memoryview,
        watch: ThreadMeter,
        tap: Tap | None = None,
    ) -> None:
        """Raises Fault when the part file no longer holds what it should."""
        block = held
        if block is None:
            assert self.part is not None
            block = scratch
            watch.to(meter.DISK)
            if self.part.read(block, end - start, start) < end - start:
                raise Changed("the part file is shorter than its record")
        watch.to(meter.HASH)
        self._digest.update(block[: end - start])
        if tap:
            tap.feed(self.file, start, block[: end - start])

    def digest(self) -> str:
        return self._digest.hexdigest()

    # -- disk ------------------------------------------------------------------------------------------------

    def save_io(self, snapshot: Callable[[], PartState], force: bool = False) -> None:
        """Flushes the bytes, then says so in the sidecar; at most about once a second."""
        now = time.monotonic()
        if not (force or now - self._saved >= _SAVE_SECONDS) or not self.saving.acquire(blocking=force):
            return
        try:
            if self.part is None or not self.size:  # of a file without a known size nothing can be resumed
                return
            state = snapshot()
            self.part.sync()
            write_state(self._store.state_for(self.file), state)
            self._saved = time.monotonic()
        finally:
            self.saving.release()

    def save_last_io(self) -> None:
        """Record what is there at the end of a fetch. Raises OSError.

        On a full disk the record has no room either: the last bytes give way to it.
        """
        try:
            self.save_io(self.state, force=True)
        except OSError as error:
            if error.errno not in DISK_FULL or self.part is None or not self.done:
                raise
            keep = max(0, self.done[-1][1] - _ROOM_FOR_RECORD) // ALIGN * ALIGN
            self.part.cut(keep)
            self.done = tuple((start, min(end, keep)) for start, end in self.done if start < keep)
            self.save_io(self.state, force=True)

    def state(self) -> PartState:
        """Return what is noted on disk: which parts are done, and of which version of the file."""
        tagged = next((address for address in self.sources.addresses if address.etag), None)
        etag, source = (tagged.etag, fingerprint(tagged.url)) if tagged else (None, "")
        return PartState(self.file.sha256.lower(), self.size or 0, self.done, etag, source)

    def finish_io(self) -> Path:
        """Where no hash was promised, `file` has the computed one afterwards."""
        with self.saving:
            assert self.part is not None
            self.part.finish(self.size or 0)
            self.part = None
            path = self._store.accept(self.file, self.digest())
            remove_state(self._store.state_for(self.file))
            self.file = replace(self.file, sha256=self.digest())
        return path

    def close_io(self) -> None:
        """Close the part file and let its lock go; it may be called twice."""
        with self.saving:
            if self.part:
                self.part.close()
                self.part = None
        if self.lock:
            self.lock.release()
            self.lock = None


@dataclass(slots=True, eq=False)
class Block:
    """`start` of the buffer in the file, bytes in the buffer (`filled`), bytes of it on the disk (`written`).

    Without a buffer it only asks to go on with the hash.
    """

    task: FileTask
    start: int
    buffer: memoryview | None = None
    address: Address | None = None
    filled: int = 0
    written: int = 0

    @property
    def at(self) -> int:
        return self.start + self.filled
