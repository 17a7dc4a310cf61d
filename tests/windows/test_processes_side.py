"""Windows' side of starting and stopping processes at work: it is plain Python, so it runs here.

What it does on Linux's processes is what it does on Windows' own, less what only Windows can refuse.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest

from wizard.process import tree
from wizard.process.request import StopTimeouts
from wizard.system import processes_windows
from wizard.system.windows import job


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

    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def send_signal(self, number: int) -> None:
        self._seen.append(f"signal {number}")

    def wait(self, seconds: float) -> int:
        self._seen.append(f"waited {seconds:g}")
        raise subprocess.TimeoutExpired("x", seconds)


def test_a_stop_ends_the_job_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A break would not be heard: each stop waited two seconds for nothing."""
    seen: list[str] = []
    monkeypatch.setattr(processes_windows, "JobObject", lambda: FakeJob(seen))
    monkeypatch.setattr(tree, "processes", processes_windows)
    stopped = tree.ProcessTree(FakeProcess(seen))  # type: ignore[arg-type]
    stopped.stop(StopTimeouts(interrupt=2, terminate=3, kill=4))
    assert seen == ["in 7", "ended"]
    stopped.kill()
    assert seen[2:] == ["ended"]
    assert processes_windows.child_arguments() == {"creationflags": job.CHILD}


GRANDCHILD = """
import subprocess, sys, time
print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("refusal", ["no job", "not into it"])
def test_a_child_that_no_job_takes_ends_with_what_it_started(monkeypatch: pytest.MonkeyPatch, refusal: str) -> None:
    class Refusing(FakeJob):
        def __init__(self) -> None:
            super().__init__([])
            if refusal == "no job":
                raise OSError("refused")

        def assign(self, pid: int) -> bool:
            return False

        def terminate(self) -> None:
            raise AssertionError("nothing is in it")

    monkeypatch.setattr(processes_windows, "JobObject", Refusing)
    child = subprocess.Popen([sys.executable, "-c", GRANDCHILD], stdout=subprocess.PIPE)
    family = processes_windows.Family(child)
    assert child.stdout
    grandchild = psutil.Process(int(child.stdout.readline()))
    family.stop(2, 2, 2)
    assert child.wait(60) != 0
    psutil.wait_procs([grandchild], 60)
    assert not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE
    family.kill()
    child.stdout.close()


def test_the_worker_joins_a_job_and_needs_no_guardian(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(processes_windows, "JobObject", lambda: FakeJob(seen))
    monkeypatch.setattr(tree, "processes", processes_windows)
    with tree.guarded(("no such program",)):
        assert tree.current() is None
    assert seen == [f"in {os.getpid()}"]

    def refused() -> FakeJob:
        raise OSError("refused")

    monkeypatch.setattr(processes_windows, "JobObject", refused)
    assert processes_windows.join_own_family()


def test_files_that_may_be_open() -> None:
    assert processes_windows.may_open(1000) == 1000


def test_who_runs_and_what_stops() -> None:
    assert processes_windows.is_running(os.getpid())
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not processes_windows.is_running(ended.pid)
    assert processes_windows.STOP_SIGNALS == (signal.SIGINT, signal.SIGTERM, 21)
