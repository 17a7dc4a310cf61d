"""Real programs, really started: what comes out, how they end, and that nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.abilities import needs_times_of_others, patience
from tests.waiting import wait_until
from wizard.process import Request, Running, StopTimeouts, child_environment, run, running, without_memory

BIN = str(Path(sys.executable).parent)
FAST = StopTimeouts(interrupt=0.3, terminate=0.3, kill=2)


def python(code: str, **more: object) -> Request:
    return Request((sys.executable, "-c", code), **more)  # type: ignore[arg-type]


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_outcome_holds_both_streams_and_the_code() -> None:
    outcome = run(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"))
    assert (outcome.exit_code, outcome.stdout, outcome.stderr, outcome.ok) == (3, "out", "err", False)


def test_program_that_is_not_there_is_an_outcome() -> None:
    outcome = run(Request(("no-such-program-anywhere",)))
    assert outcome.exit_code is None
    assert outcome.start_error


def test_stdin_is_handed_over() -> None:
    assert run(python("print(input()[::-1])", stdin="中文 abc\n")).stdout == "cba 文中"


def test_undecodable_bytes_and_carriage_returns() -> None:
    outcome = run(python("import sys; sys.stdout.buffer.write(b'10%\\r50%\\r100%\\n\\xff\\xfe end')"))
    # The console's code page on Windows may know every byte.
    odd = b"\xff\xfe".decode("oem" if sys.platform == "win32" else "utf-8", "replace")
    assert outcome.stdout.split("\n") == ["100%", f"{odd} end"]


def test_timeout_stops_the_whole_tree() -> None:
    code = (
        "import subprocess,sys,time\n"
        "c=subprocess.Popen([sys.executable,'-c','import time;time.sleep(600)'])\n"
        "print(c.pid,flush=True)\n"
        "time.sleep(600)\n"
    )
    outcome = run(python(code, timeout=patience(1.5), stop=FAST))
    assert outcome.timed_out
    assert not outcome.ok
    wait_until(lambda: is_gone(int(outcome.stdout)))


def test_a_program_that_ignores_the_polite_signals_is_killed() -> None:
    code = (
        "import signal,time\n"
        "signal.signal(signal.SIGINT,signal.SIG_IGN);signal.signal(signal.SIGTERM,signal.SIG_IGN)\n"
        "print('ready',flush=True)\n"
        "time.sleep(600)\n"
    )
    running = Running(python(code, stop=FAST))
    assert next(running.lines()) == ("stdout", "ready")
    outcome = running.finish(is_cancelled=lambda: True)
    assert outcome.cancelled
    assert outcome.exit_code == (1 if sys.platform == "win32" else -signal.SIGKILL)


def test_a_grandchild_that_holds_the_pipes_does_not_hang_us() -> None:
    code = (
        "import subprocess,sys\n"
        "c=subprocess.Popen([sys.executable,'-c','import time;time.sleep(600)'])\n"
        "print(c.pid,flush=True)\n"
    )
    outcome = run(python(code))
    assert outcome.exit_code == 0
    wait_until(lambda: is_gone(int(outcome.stdout)))


@pytest.mark.parametrize("moment", ["at once", "later"])
def test_a_killed_worker_leaves_neither_child_nor_grandchild(tmp_path: Path, moment: str) -> None:
    note = tmp_path / "pids"
    inner = (
        "import os,subprocess,sys,time,pathlib\n"
        "c=subprocess.Popen([sys.executable,'-c','import time;time.sleep(600)'])\n"
        f"pathlib.Path({str(note)!r}).write_text(f'{{os.getpid()}} {{c.pid}}')\n"
        "time.sleep(600)\n"
    )
    outer = (
        "import sys\nfrom wizard.process import Request,guarded,run\n"
        f"with guarded((sys.executable,'-I','-S')): run(Request((sys.executable,'-c',{inner!r})))\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", outer])
    try:
        wait_until(
            lambda: note.exists() and len(note.read_text().split()) == 2, pause=0.001 if moment == "at once" else 0.3
        )
        worker.kill()
        wait_until(lambda: all(is_gone(int(pid)) for pid in note.read_text().split()))
    finally:
        worker.kill()
        worker.wait()


def test_secrets_never_stand_in_what_is_printed() -> None:
    request = python("import sys; sys.exit('https://me:tok3n@host/simple?token=abc failed')")
    shown = run(request).tail()
    assert "tok3n" not in shown
    assert "abc" not in shown
    assert "***@host" in shown


def test_child_environment_drops_what_would_betray_and_keeps_the_rest() -> None:
    base = {
        "PATH": os.pathsep.join((BIN, ".", "bin", "", BIN)),
        "HOME": "/h",
        "CI": "1",
        "PYTHONPATH": "/x",
        "LD_LIBRARY_PATH": "/bundle",
        "PIP_INDEX_URL": "u",
        "UV_INDEX": "u",
        "_PYI_ARCHIVE_FILE": "f",
        "CONDA_PREFIX": "/c",
        "CUDA_VISIBLE_DEVICES": "1",
        "https_proxy": "http://p:1",
    }
    made = child_environment({"EXTRA": "1"}, base)
    assert set(made) == {
        "PATH",
        "HOME",
        "CUDA_VISIBLE_DEVICES",
        "https_proxy",
        "EXTRA",
        "PYTHONUTF8",
        "PYTHONNOUSERSITE",
        "PYTHONIOENCODING",
    }
    assert made["PYTHONNOUSERSITE"] == "1"
    assert made["PATH"] == os.pathsep.join((BIN, BIN)), "none of the folder that it is started in"


@pytest.mark.slow
@needs_times_of_others
@pytest.mark.parametrize("then", ["", "print('memory allocation of 8 bytes failed', file=sys.stderr, flush=True);"])
def test_a_child_that_hangs_is_ended_and_one_that_works_is_not(then: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was denied memory is not waited for as long as others are."""
    monkeypatch.setattr(running, "_AFTER_DENIAL", 0.5)
    longest = 3600.0 if then else 2.0
    code = f"import sys, threading; {then} threading.Event().wait()"
    hangs = run(python(code, silence=longest))
    assert hangs.timed_out
    assert (without_memory(hangs) is not None) == bool(then)
    works = "import time; end = time.process_time() + 2.5\nwhile time.process_time() < end: pass"
    assert run(python(works, silence=2.0)).ok


def test_who_says_without_end_is_ended() -> None:
    outcome = run(python("while True: print('A' * 60_000, end='')", most_bytes=1_000_000, stop=FAST))
    assert (outcome.ok, outcome.timed_out) == (False, True)
    assert len(outcome.stdout) <= 1_000_000
