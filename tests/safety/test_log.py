"""The log stays small and whole while several programs write it, and holds no secret."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wizard import paths
from wizard.process import child_environment
from wizard.safety import log

WRITERS, LINES, MOST = 4, 300, 8_000
SCRIPT = """
import sys
from wizard.safety.log import append
for number in range(int(sys.argv[2])):
    append("x.log", f"<{sys.argv[1]} {number} " + "·" * 40 + ">", most_bytes=int(sys.argv[3]))
"""


def test_several_programs_write_one_bounded_log() -> None:
    environment = child_environment({**paths.own_environment(), paths.HOME_VARIABLE: str(paths.home())})
    command = [sys.executable, "-c", SCRIPT]
    started = [
        subprocess.Popen([*command, str(each), str(LINES), str(MOST)], env=environment) for each in range(WRITERS)
    ]
    assert [process.wait() for process in started] == [0] * WRITERS
    files = sorted(path for path in paths.logs_dir().glob("x.log*") if path.suffix != ".lock")
    assert [path.name for path in files] == ["x.log", "x.log.1", "x.log.2"]
    # While one of them renames, the others go on writing; without that it would be twenty times as long.
    assert all(path.stat().st_size <= 5 * MOST for path in files)
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert line.startswith("<"), line
            assert line.endswith("·>"), line
            assert line.count("<") == 1


def test_secrets_and_endless_texts_stay_out() -> None:
    log.append("x.log", "https://me:word@mirror.example/simple failed")
    log.append("x.log", "begin " + "x" * 1_000_000 + " end")
    written = (paths.logs_dir() / "x.log").read_text(encoding="utf-8")
    assert "word" not in written
    assert "mirror.example" in written
    assert len(written) < 110_000
    assert written.endswith(" end\n")


@pytest.mark.parametrize("is_file", [True, False])
def test_a_log_that_cannot_be_written_stops_nothing(is_file: bool) -> None:
    if is_file:
        paths.home().mkdir(parents=True)
        paths.logs_dir().write_text("in the way", encoding="utf-8")
    else:
        (paths.logs_dir() / "x.log").mkdir(parents=True)
    assert log.append("x.log", "words") is None


def test_the_loggers_of_a_process_write_there_too(capsys: pytest.CaptureFixture[str]) -> None:
    handler = log.SharedLog("x.log")
    logger = logging.getLogger("wizard.test-of-the-log")
    logger.addHandler(handler)
    try:
        logger.error("it was %s", "so")
    finally:
        logger.removeHandler(handler)
    written = (paths.logs_dir() / "x.log").read_text(encoding="utf-8")
    assert f"{os.getpid()} ERROR wizard.test-of-the-log it was so" in written
    assert Path(paths.logs_dir() / "x.log").stat().st_mode & 0o077 == 0 or os.name == "nt"
