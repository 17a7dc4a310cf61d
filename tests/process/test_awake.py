"""A job keeps the computer awake: by the system's own program while it runs, and by nothing afterwards."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from wizard.process.awake import awake

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Linux asks a program; Windows is told by one call")

# As systemd's own does it: notes what it was asked, runs the command, and ends with it.
STAND_IN = '#!/bin/sh\necho "$$" "$@" > "{note}"\nshift 4\n"$@" &\nchild=$!\ntrap "kill $child" TERM INT\nwait $child\n'


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


@pytest.fixture
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program, note = tmp_path / "bin" / "systemd-inhibit", tmp_path / "note"
    program.parent.mkdir()
    program.write_text(STAND_IN.format(note=note), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return note


def test_sleep_is_held_off_as_long_as_the_job_runs(note: Path) -> None:
    before = children()
    with awake():
        while not note.is_file() or not note.read_text().endswith("\n"):
            time.sleep(0.01)
        pid, *asked = note.read_text().split()
        assert "--what=idle:sleep" in asked
        assert "--mode=block" in asked
        assert psutil.pid_exists(int(pid))
    assert children() == before
    assert not psutil.pid_exists(int(pid))


def test_it_ends_with_a_job_that_fails(note: Path) -> None:
    before = children()
    with pytest.raises(ZeroDivisionError), awake():
        raise ZeroDivisionError
    assert children() == before


def test_a_computer_without_that_program_runs_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = []
    with awake():
        done.append(1)
    assert done == [1]
