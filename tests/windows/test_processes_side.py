"""Windows' side of starting and stopping processes at work: it is plain Python, so it runs here.

What it does on Linux's processes is what it does on Windows' own, less what only Windows can refuse.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from wizard.process import guardian, tree
from wizard.process.request import StopTimeouts
from wizard.system import (
    processes_linux,
    processes_windows,
)
from wizard.windows import creation


class FakeJob:
    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def assign(self, pid: int) -> bool:
        self._seen.append(f"in {pid}")
        return True

    def terminate(self) -> None:
        self._seen.append("ended")


class FakeProcess:
    pid = 7

    def __init__(self, seen: list[str], obeys: bool) -> None:
        self._seen, self._obeys = seen, obeys

    def send_signal(self, number: int) -> None:
        self._seen.append(f"signal {number}")

    def wait(self, seconds: float) -> int:
        self._seen.append(f"waited {seconds:g}")
        if not self._obeys:
            raise subprocess.TimeoutExpired("x", seconds)
        return 0


@pytest.mark.parametrize("obeys", [True, False])
def test_a_stop_asks_once_then_ends_the_job(monkeypatch: pytest.MonkeyPatch, obeys: bool) -> None:
    seen: list[str] = []
    monkeypatch.setattr(processes_windows, "Job", lambda: FakeJob(seen))
    monkeypatch.setattr(tree, "processes", processes_windows)
    stopped = tree.ProcessTree(FakeProcess(seen, obeys))  # type: ignore[arg-type]
    stopped.stop(StopTimeouts(interrupt=2, terminate=3, kill=4))
    assert seen == ["in 7", "signal 1", "waited 2", "ended"]
    stopped.kill()
    assert seen[4:] == ["ended"]
    assert processes_windows.child_arguments() == {"creationflags": creation.CHILD}


def test_the_worker_joins_a_job_and_needs_no_guardian(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(processes_windows, "Job", lambda: FakeJob(seen))
    monkeypatch.setattr(guardian, "processes", processes_windows)
    with guardian.guarded(("no such program",)):
        assert guardian.current() is None
    assert seen == [f"in {os.getpid()}"]

    def refused() -> FakeJob:
        raise OSError("refused")

    monkeypatch.setattr(processes_windows, "Job", refused)
    assert processes_windows.join_own_family()


def test_files_that_may_be_open() -> None:
    assert processes_windows.may_open(1000) == 1000
    assert processes_linux.may_open(16) >= 16


def test_who_runs_and_what_stops() -> None:
    assert processes_windows.is_running(os.getpid())
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not processes_windows.is_running(ended.pid)
    assert processes_windows.STOP_SIGNALS == (signal.SIGINT, signal.SIGTERM, 21)
    assert set(processes_linux.STOP_SIGNALS) == {signal.SIGINT, signal.SIGTERM}
