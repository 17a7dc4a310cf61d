"""A process that outlives us, and Windows' second attempt where a job lets nobody out (its refusal is composed)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from wizard.process import detached
from wizard.process.request import child_environment
from wizard.system import processes_windows
from wizard.system.windows import job


def test_it_lives_on_and_its_words_are_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    pid = detached.start_detached(
        (sys.executable, "-I", "-c", "import os; print(os.getpid(), flush=True)"), child_environment(), log
    )
    while not log.read_text(encoding="utf-8").endswith("\n"):
        time.sleep(0.02)
    if os.name != "nt":
        assert log.read_text(encoding="utf-8").strip() == str(pid)
    while psutil.pid_exists(pid):  # reaped, not a zombie
        time.sleep(0.02)


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("name", ["link", "dangling", "fifo"])
def test_its_log_is_no_way_into_another_file(tmp_path: Path, name: str) -> None:
    victim, log = tmp_path / "victim", tmp_path / "log.txt"
    victim.write_text("the user's")
    if name == "fifo":
        os.mkfifo(log)
    else:
        log.symlink_to(victim if name == "link" else tmp_path / "made")
    with pytest.raises(OSError):  # noqa: PT011 (each has another number)
        detached.start_detached((sys.executable, "-I", "-c", "print('harm')"), child_environment(), log)
    assert victim.read_text() == "the user's"
    assert not (tmp_path / "made").exists()


class Started:
    pid = 7


def windows(refused: set[int], seen: list[int]) -> Any:
    """CreateProcess in a job without JOB_OBJECT_LIMIT_BREAKAWAY_OK: error 5, "Access is denied"."""

    def start(argv: tuple[str, ...], creationflags: int, **more: Any) -> Started:
        seen.append(creationflags)
        if creationflags in refused:
            raise PermissionError(13, "Access is denied")
        return Started()

    return start


def test_a_job_that_lets_nobody_out_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = job.detached(own_window=False)
    for refused, expected in ((set(), [first]), ({first}, [first, second])):
        seen: list[int] = []
        monkeypatch.setattr(subprocess, "Popen", windows(refused, seen))
        assert processes_windows.first_allowed(("x",), (first, second), {}).pid == 7
        assert seen == expected
    monkeypatch.setattr(subprocess, "Popen", windows({first, second}, []))
    with pytest.raises(PermissionError):
        processes_windows.first_allowed(("x",), (first, second), {})
