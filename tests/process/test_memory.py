"""Programs that get no more memory: real ones under a limit, and what is told of them."""

from __future__ import annotations

import _thread
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wizard.environment.create.venv_engine import failure
from wizard.environment.inspect.prefix import ask_python
from wizard.install.installer import find_places
from wizard.install.lock import LockRequest, compile_lock
from wizard.machine.asking import TimedCall, asker, run_all
from wizard.machine.host.interpreters import ask_interpreter
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.process import Request, run, without_memory
from wizard.process.running import LineDecoder
from wizard.system import paths

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of a process's memory are POSIX'")

GREEDY = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
"""


def never() -> bool:
    return False


@pytest.mark.parametrize(
    "then",
    [
        "bytearray(1 << 30)",
        "import mmap; mmap.mmap(-1, 1 << 30)",
        "import threading; threading.stack_size(1 << 30); threading.Thread(target=print).start()",
    ],
    ids=["object", "map", "thread"],
)
def test_a_child_that_gets_no_more_memory(tmp_path: Path, then: str) -> None:
    outcome = run(Request((sys.executable, "-c", GREEDY + then)))
    assert not outcome.ok
    error = failure(outcome, tmp_path)
    assert error.code == "no-memory", error.details
    for language in LANGUAGES:
        assert text(error.summary, language)
        assert "ulimit" in text(error.hint, language)


def test_what_a_child_says_has_no_room_here(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Its words are read beside us: the child is ended, and no traceback of the reader is shown."""

    def full(self: LineDecoder, data: bytes, final: bool = False) -> list[str]:
        raise MemoryError

    monkeypatch.setattr(LineDecoder, "feed", full)
    outcome = run(Request((sys.executable, "-c", "import time; print('one', flush=True); time.sleep(600)")))
    error = without_memory(outcome)
    assert error is not None
    assert error.code == "no-memory"
    assert "Traceback" not in capfd.readouterr().err


def test_another_failure_is_none() -> None:
    assert without_memory(run(Request((sys.executable, "-c", "raise SystemExit('no solution found')")))) is None
    assert without_memory(run(Request((sys.executable, "-c", "print('MemoryError')")))) is None
    assert without_memory(RuntimeError("no running event loop")) is None
    assert without_memory(PermissionError(13, "denied")) is None


def test_a_python_without_memory_is_not_a_missing_or_broken_one(tmp_path: Path) -> None:
    python, greedy = tmp_path / "python", tmp_path / "greedy.py"
    greedy.write_text(f"{GREEDY}\nbytearray(1 << 30)\n")
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{greedy}'\n")  # a first line takes no path with a space
    python.chmod(0o755)
    for ask in (lambda: ask_interpreter(asker(never), python), lambda: ask_python(python), lambda: find_places(python)):
        with pytest.raises(WizardError) as caught:
            ask()
        assert caught.value.code == "no-memory", caught.value.details


def test_a_thread_that_died_before_it_began_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was under a limit of 80 MB: the system made the thread, and Python had no memory for its first line."""
    begin, born = _thread.start_new_thread, list[str]()

    def die_once(work: Callable[..., None], arguments: tuple[object, ...]) -> int:
        born.append(work.__qualname__)
        return 0 if len(born) == 1 else begin(work, arguments)

    monkeypatch.setattr(_thread, "start_new_thread", die_once)
    dead, well = TimedCall("dead", lambda: 1, 0), TimedCall("well", lambda: 2, 0)
    assert [task.name for task in run_all([dead, well], 0.3)] == ["well"]
    assert (dead.ended, dead.value, well.value) == (False, 0, 2)
    assert dead.error
    assert (lack := without_memory(dead.error))
    assert lack.code == "no-memory"
    assert well.error is None


WORDS = (  # recorded: uv 0.13.9 under limits of 60 to 80 MB, an abort of Rust, ld.so
    'Os { code: 11, kind: WouldBlock, message: "Resource temporarily unavailable" }',
    "memory allocation of 1048576 bytes failed",
    "error while loading shared libraries: libc.so.6: failed to map segment from shared object",
)


@pytest.mark.parametrize("words", WORDS)
def test_a_resolver_without_memory_is_no_conflict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    program = tmp_path / "uv"
    program.write_text(f"#!/bin/sh\necho '{words}' >&2\nkill -ABRT $$\n")
    program.chmod(0o755)
    monkeypatch.setattr(paths, "uv_executable", lambda: program)
    request = LockRequest(("torch",), "3.12", "linux", "x86_64", "2.35", no_index=True)
    with pytest.raises(WizardError) as caught:
        compile_lock(request, tmp_path, lambda _: None, never)
    assert caught.value.code == "no-memory", caught.value.details
