"""A program that runs: started in its own group, read without blocking, stopped whole.

On Linux the child leads a new session, and the kernel kills it when the thread that started it dies
(so a worker that is killed leaves nothing behind: always wait in the thread that started). On Windows
a job object does both.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO

from wizard.process.decode import LineDecoder
from wizard.process.environment import child_environment
from wizard.process.request import Outcome, Request
from wizard.process.silence import Silence
from wizard.process.tree import ProcessTree
from wizard.system.processes import child_arguments

_READ_SIZE = 65536
_POLL = 0.05
_PIPE_GRACE = 2.0

IsCancelled = Callable[[], bool]


class Running:
    """Raises OSError from the constructor when the program cannot be started; `run` turns that into an outcome."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._started = time.monotonic()
        self._lines: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()
        self._texts: dict[str, list[str]] = {"stdout": [], "stderr": []}
        environment = request.environment
        self._process = subprocess.Popen(
            request.argv,
            cwd=request.cwd,
            env=dict(child_environment() if environment is None else environment),
            stdin=subprocess.PIPE if request.stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **child_arguments(),
        )
        self._silence = Silence(self._process.pid, request.silence)
        self._open_pipes = 2
        self._ended = 0.0
        self._tree = ProcessTree(self._process)
        self._readers = [
            threading.Thread(target=self._read, args=(name, pipe), daemon=True)
            for name, pipe in (("stdout", self._process.stdout), ("stderr", self._process.stderr))
        ]
        try:
            for reader in self._readers:
                reader.start()
        except RuntimeError:  # no memory for a thread: nobody would read what the child says
            self._tree.kill()
            self._process.wait()
            raise
        if request.stdin and self._process.stdin:
            with contextlib.suppress(BrokenPipeError), self._process.stdin as pipe:
                pipe.write(request.stdin.encode())

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read(self, name: str, pipe: IO[bytes]) -> None:
        decoder = LineDecoder()
        while data := pipe.read1(_READ_SIZE) if hasattr(pipe, "read1") else pipe.read(_READ_SIZE):
            for line in decoder.feed(data):
                self._lines.put((name, line))
        for line in decoder.flush():
            self._lines.put((name, line))
        pipe.close()
        self._lines.put(None)

    def lines(self, is_cancelled: IsCancelled = lambda: False) -> Iterator[tuple[str, str]]:
        """(stream, line) until the program ends, or stops early when cancelled or past its timeout."""
        while self._open_pipes:
            if is_cancelled() or self._is_late() or self._is_held_open():
                return
            try:
                item = self._lines.get(timeout=_POLL)
            except queue.Empty:
                continue
            if item is None:
                self._open_pipes -= 1
                continue
            self._texts[item[0]].append(item[1])
            self._silence.heard(item[1])
            yield item

    def _is_held_open(self) -> bool:
        """The program has ended, but something that it started still holds its pipes."""
        if self._process.poll() is None:
            return False
        now = time.monotonic()
        self._ended = self._ended or now
        if now - self._ended > _PIPE_GRACE:
            self._tree.kill()
            return now - self._ended > 2 * _PIPE_GRACE
        return False

    def _is_late(self) -> bool:
        timeout = self.request.timeout
        return (timeout is not None and time.monotonic() - self._started > timeout) or self._silence.is_over()

    def finish(self, is_cancelled: IsCancelled = lambda: False) -> Outcome:
        """Reads the rest, waits, climbs the stop ladder if needed, and leaves no process of the tree."""
        for _ in self.lines(is_cancelled):
            pass
        cancelled, late = is_cancelled(), self._is_late()
        while self._process.poll() is None and not (cancelled or late):
            with contextlib.suppress(subprocess.TimeoutExpired):  # its pipes close a moment before it ends
                self._process.wait(_POLL)
            cancelled, late = is_cancelled(), self._is_late()
        late = late and self._process.poll() is None
        cancelled = cancelled and self._process.poll() is None
        if self._process.poll() is None:
            self._tree.stop(self.request.stop)
        self._tree.kill()
        code = self._process.wait()
        return Outcome(
            self.request, code, "\n".join(self._texts["stdout"]), "\n".join(self._texts["stderr"]),
            time.monotonic() - self._started, timed_out=late and not cancelled, cancelled=cancelled,
        )  # fmt: skip


def run(
    request: Request,
    on_line: Callable[[str, str], None] | None = None,
    is_cancelled: IsCancelled = lambda: False,
) -> Outcome:
    """Runs to the end. Never raises for what the program does; a program that is not there is an outcome."""
    try:
        running = Running(request)
    except (OSError, ValueError) as error:
        return Outcome(request, None, "", "", 0.0, start_error=str(error))
    if on_line:
        for stream, line in running.lines(is_cancelled):
            on_line(stream, line)
    return running.finish(is_cancelled)
