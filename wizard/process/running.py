"""A program that runs: started in its own group, read without blocking, stopped whole.

On Linux the child leads a new session, and the kernel kills it when the thread that started it dies
(so a worker that is killed leaves nothing behind: always wait in the thread that started). On Windows
a job object does both.

Too little memory, by a limit (`ulimit -v`, a cluster's `--mem`) or because the computer has no more, is told apart
everywhere: a Python that could not start for it is not a Python that is missing.

One file: the start, the reading and the stop of a child share its state.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import queue
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO

import psutil

from wizard.model.errors import WizardError
from wizard.process.request import Outcome, Request, child_environment
from wizard.process.tree import ProcessTree
from wizard.system.processes import child_arguments
from wizard.system.windows.registry import MACHINE, Registry, registry

_FULL = ("no space left", "os error 28", "not enough space", "os error 112", "disk quota")


def says_full(text: str) -> bool:
    said = text.lower()
    return any(words in said for words in _FULL)


_SAID = re.compile(
    r"\bMemoryError\b|memory allocation of \d+ bytes failed|cannot allocate memory|std::bad_alloc"
    r"|os error (?:12|1455)\b"
    r"|failed to map segment from shared object(?!: operation not permitted)|can't start new thread"
    r"|(?:failed to spawn|can't spawn worker) thread|Os \{ code: (?:11, kind: WouldBlock|12,)",
    re.IGNORECASE,
)  # Python, Rust and tokio (a panic over a thread too), glibc, C++, Windows' page file


def says_no_memory(text: str) -> bool:
    return bool(_SAID.search(text))


def without_memory(cause: Outcome | BaseException) -> WizardError | None:
    """`no-memory`, if that is why a child failed or this exception was raised; else None."""
    if isinstance(cause, WizardError):
        return cause if cause.code == "no-memory" else None
    if isinstance(cause, Outcome):
        said = f"{cause.stderr}\n{cause.stdout}\n{cause.start_error}"
        return None if cause.ok or not says_no_memory(said) else WizardError("no-memory", details=cause.tail(40))
    lacks = isinstance(cause, MemoryError) or (isinstance(cause, OSError) and cause.errno == errno.ENOMEM)
    threads = isinstance(cause, RuntimeError) and says_no_memory(str(cause))
    return WizardError("no-memory", details=repr(cause)) if lacks or threads else None


# Does a child that says nothing still do anything? One that was denied memory may wait for itself for ever.

_LOOK = 0.5  # seconds between two looks at its processor time
_AFTER_DENIAL = 5.0  # seconds for one that said that it got no memory: what follows is its end


class Silence:
    """`longest` seconds without a line and without processor time; None: no limit."""

    def __init__(self, pid: int, longest: float | None) -> None:
        self._pid, self._longest = pid, longest
        self._since = self._looked = time.monotonic()
        self._spent = 0.0

    def heard(self, line: str) -> None:
        self._since = time.monotonic()
        if self._longest is not None and says_no_memory(line):
            self._longest = min(self._longest, _AFTER_DENIAL)

    def is_over(self) -> bool:
        """Return whether the child has neither written nor used its processor for longer than it may."""
        if self._longest is None:
            return False
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            self._looked, spent = now, self._processor_seconds()
            if spent != self._spent:
                self._spent, self._since = spent, now
        return now - self._since > self._longest

    def _processor_seconds(self) -> float:
        try:
            times = psutil.Process(self._pid).cpu_times()
        except psutil.Error:
            return self._spent
        return float(times.user + times.system)


# Bytes of a child become lines: incrementally, never failing, `\r` folded.
#
# A progress bar redraws its line with a carriage return; only its last state before the newline counts. Most programs
# write UTF-8. Windows' own write the console's code page (cp936 in China) when a line is no UTF-8, or UTF-16
# throughout, with a mark at the beginning or without one.

_UTF_8_MARK = codecs.BOM_UTF8
_UTF_16_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_CODE_PAGES = r"SYSTEM\CurrentControlSet\Control\Nls\CodePage"
_ENOUGH = 4  # bytes to tell by


def console_code_page() -> str:
    """What the system's own programs write into a pipe; "" where that is UTF-8."""
    return code_page_of(registry())


def code_page_of(known: Registry) -> str:
    """Not this process's own: the frozen program asks Windows for UTF-8 for itself alone (its manifest)."""
    page = f"cp{known.values(MACHINE, _CODE_PAGES).get('OEMCP', '')}"
    try:
        return codecs.lookup(page).name
    except LookupError:
        return ""


class LineDecoder:
    """Feed bytes in any portions; get whole lines out. `flush` gives the unfinished rest."""

    def __init__(self, code_page: str | None = None) -> None:
        self._code_page = console_code_page() if code_page is None else code_page
        self._rest = b""
        self._width = 0  # bytes of a newline: 1, or 2 for UTF-16; 0 while nothing is known
        self._utf_16 = ""

    def feed(self, data: bytes, final: bool = False) -> Iterator[str]:
        """Yield the whole lines of what came; its encoding is recognized from the first bytes."""
        self._rest += data
        if not self._width and (final or len(self._rest) >= _ENOUGH or self._is_plain_line()):
            self._recognize()
        if self._width == 1:
            *whole, self._rest = self._rest.split(b"\n")
            yield from (_fold(self._plain(line)) for line in whole)
        elif self._width:
            yield from self._wide_lines()

    def flush(self) -> Iterator[str]:
        """Yield what is left at the end, also a line without an end."""
        yield from self.feed(b"", final=True)
        rest, self._rest = self._rest, b""
        line = _fold(rest.decode(self._utf_16, "replace") if self._utf_16 else self._plain(rest))
        if line:
            yield line

    def _is_plain_line(self) -> bool:
        """A short first line that somebody may be waiting for."""
        return b"\n" in self._rest and b"\0" not in self._rest and self._rest[:2] not in _UTF_16_MARKS

    def _recognize(self) -> None:
        begun = self._rest
        marked = _UTF_16_MARKS.get(begun[:2], "")
        # Plain letters of UTF-16 have a zero as every second byte; no text has one in UTF-8 or a code page.
        bare = "utf-16-le" if len(begun) >= _ENOUGH and begun[0] and not begun[1] and begun[2] and not begun[3] else ""
        self._utf_16 = marked or bare
        self._width = 2 if self._utf_16 else 1
        self._rest = begun[2:] if marked else begun.removeprefix(_UTF_8_MARK)

    def _wide_lines(self) -> Iterator[str]:
        whole = len(self._rest) & ~1
        text = self._rest[:whole].decode(self._utf_16, "replace")
        *lines, rest = text.split("\n")
        if lines:  # half a character at the end of the rest is decoded again with what follows
            kept = len(rest.encode(self._utf_16, "surrogatepass")) + len(self._rest) - whole
            self._rest = self._rest[len(self._rest) - kept :]
        yield from map(_fold, lines)

    def _plain(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError:
            return line.decode(self._code_page or "utf-8", "replace")


def _fold(line: str) -> str:
    return line.rstrip("\r").rsplit("\r", 1)[-1]


_READ_SIZE = 65536
_POLL = 0.05
_PIPE_GRACE = 2.0

IsCancelled = Callable[[], bool]


@contextlib.contextmanager
def _stdin(request: Request) -> Iterator[int | IO[bytes]]:
    if request.stdin_file is None:
        yield subprocess.PIPE if request.stdin else subprocess.DEVNULL
        return
    with request.stdin_file.open("rb", buffering=0) as file:
        file.seek(request.stdin_from)
        yield file


class Running:
    """Raises OSError from the constructor when the program cannot be started; `run` turns that into an outcome."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._started = time.monotonic()
        self._lines: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()
        self._texts: dict[str, list[str]] = {"stdout": [], "stderr": []}
        environment = request.environment
        with _stdin(request) as stdin:
            self._process = subprocess.Popen(
                request.argv,
                cwd=request.cwd,
                env=dict(child_environment() if environment is None else environment),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **child_arguments(),
            )
        self._silence = Silence(self._process.pid, request.silence)
        self._open_pipes = 2
        self._is_endless = False
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
        try:
            self._read_all(name, pipe)
        except MemoryError as error:  # nobody would read what the child says
            self._tree.kill()
            self._lines.put(("stderr", repr(error)))
        pipe.close()
        self._lines.put(None)

    def _read_all(self, name: str, pipe: IO[bytes]) -> None:
        decoder, said, most = LineDecoder(), 0, self.request.most_bytes
        while data := pipe.read1(_READ_SIZE) if hasattr(pipe, "read1") else pipe.read(_READ_SIZE):
            said += len(data)
            if most is not None and said > most:
                self._is_endless = True
                break
            for line in decoder.feed(data):
                self._lines.put((name, line))
        for line in decoder.flush():
            self._lines.put((name, line))

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
        late = timeout is not None and time.monotonic() - self._started > timeout
        return late or self._is_endless or self._silence.is_over()

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
            self.request,
            code,
            "\n".join(self._texts["stdout"]),
            "\n".join(self._texts["stderr"]),
            time.monotonic() - self._started,
            timed_out=(late or self._is_endless) and not cancelled,
            cancelled=cancelled,
        )


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
