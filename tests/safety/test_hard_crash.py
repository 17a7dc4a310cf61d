"""A crash below Python is told by the next start, once; a kill is no crash."""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wizard.process import child_environment
from wizard.safety.hard_crash import collect_earlier, watched, what_of
from wizard.system import paths

SCRIPT = "from wizard.safety.hard_crash import watched\nwith watched():\n    {do}\n"
SEGFAULT = "import ctypes; ctypes.string_at(0)"
KILL = "import os; os.kill(os.getpid(), 9)"


def run(do: str) -> int:
    environment = child_environment({**paths.own_environment(), paths.HOME_VARIABLE: str(paths.home())})
    return subprocess.run([sys.executable, "-c", SCRIPT.format(do=do)], env=environment, check=False).returncode


def left() -> list[str]:
    return [path.name for path in paths.logs_dir().glob("hard-*")]


def test_a_crash_is_told_once() -> None:
    assert run(SEGFAULT) != 0
    assert len(left()) == 1
    (trace,) = collect_earlier()
    assert what_of(trace) in ("Segmentation fault", "access violation")
    assert "string_at" in trace
    assert left() == []
    assert collect_earlier() == ()


def test_a_kill_and_a_plain_end_are_no_crash() -> None:
    if sys.platform != "win32":
        assert run(KILL) != 0
        assert len(left()) == 1
    assert run("pass") == 0
    assert collect_earlier() == ()
    assert left() == []


def test_who_is_alive_is_let_be() -> None:
    was_on = faulthandler.is_enabled()
    with watched():
        assert collect_earlier() == ()
        assert len(left()) == 1
    assert left() == []
    assert faulthandler.is_enabled() == was_on


@pytest.mark.skipif(sys.platform == "win32", reason="a FIFO has no name there, and a link needs a right")
def test_what_is_no_file_of_ours_is_let_be(tmp_path: Path) -> None:
    """A FIFO and a link under the name of a trace: the start neither waits for the one nor reads through the other."""
    logs = paths.logs_dir()
    logs.mkdir(parents=True)
    os.mkfifo(logs / "hard-999999998.txt")
    other = tmp_path / "other.txt"
    other.write_text("Fatal Python error: Segmentation fault\n", encoding="utf-8")
    (logs / "hard-999999999.txt").symlink_to(other)
    environment = child_environment({**paths.own_environment(), paths.HOME_VARIABLE: str(paths.home())})
    script = "from wizard.safety.hard_crash import collect_earlier; print(collect_earlier())"
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True, timeout=60
    )
    assert ended.stdout == "()\n"
    assert len(left()) == 2
    assert other.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a FIFO has no name there")
def test_a_fifo_in_place_of_its_own_trace_stops_no_start() -> None:
    """Its number is known beforehand: the next process's own file is one, too."""
    script = (
        "import os; from wizard.system import paths\n"
        "paths.logs_dir().mkdir(parents=True); os.mkfifo(paths.logs_dir() / f'hard-{os.getpid()}.txt')\n"
    )
    environment = child_environment({**paths.own_environment(), paths.HOME_VARIABLE: str(paths.home())})
    subprocess.run([sys.executable, "-c", script + SCRIPT.format(do="pass")], env=environment, check=True, timeout=60)
    assert len(left()) == 1


def test_errors_that_a_library_of_windows_mends_itself() -> None:
    """Composed in faulthandler's form: COM's and C++'s own exceptions are reported although nothing ends."""
    mended = "Windows fatal exception: code 0x8001010d\n\nThread 0x1 (most recent call first):\n"
    assert what_of(mended) is None
    assert what_of("Windows fatal exception: code 0xe06d7363\n") is None
    assert what_of(f"{mended}Windows fatal exception: access violation\n") == "access violation"
    assert what_of("") is None


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_start() -> None:
    paths.home().mkdir(parents=True)
    paths.logs_dir().write_text("in the way", encoding="utf-8")
    with watched():
        pass
    assert collect_earlier() == ()
