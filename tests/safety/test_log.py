"""The log stays small and whole while several programs write it, and holds no secret."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from wizard.process import child_environment
from wizard.safety import log
from wizard.safety.fatal_error import last_words
from wizard.safety.hard_crash import watched
from wizard.safety.log import append
from wizard.system import paths

WRITERS, LINES, MOST = 4, 300, 8_000
SCRIPT = """
import sys
from wizard.safety.log import append
for number in range(int(sys.argv[2])):
    append("x.log", f"<{sys.argv[1]} {number} " + "·" * 40 + ">", most_bytes=int(sys.argv[3]))
"""


def _write_at_once(lines: int, most_bytes: int) -> None:
    environment = child_environment({**paths.own_environment(), paths.HOME_VARIABLE: str(paths.home())})
    command = [sys.executable, "-c", SCRIPT]
    started = [
        subprocess.Popen([*command, str(each), str(lines), str(most_bytes)], env=environment) for each in range(WRITERS)
    ]
    assert [process.wait() for process in started] == [0] * WRITERS


def _assert_whole(lines: list[str]) -> None:
    for line in lines:
        assert line.startswith("<"), line
        assert line.endswith("·>"), line
        assert line.count("<") == 1


def test_several_programs_write_one_bounded_log() -> None:
    _write_at_once(LINES, MOST)
    files = sorted(path for path in paths.logs_dir().glob("x.log*") if path.suffix != ".lock")
    assert [path.name for path in files] == ["x.log", "x.log.1", "x.log.2"]
    # While one of them renames, the others go on writing; without that it would be twenty times as long.
    assert all(path.stat().st_size <= 5 * MOST for path in files)
    for path in files:
        _assert_whole(path.read_text(encoding="utf-8").splitlines())


def test_several_programs_lose_no_line() -> None:
    """Windows' C library goes to the end and writes then: in Wine 34 of 6,000 lines were written over."""
    _write_at_once(4 * LINES, 10_000_000)
    lines = (paths.logs_dir() / "x.log").read_text(encoding="utf-8").splitlines()
    _assert_whole(lines)
    assert len(set(lines)) == WRITERS * 4 * LINES


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


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_no_log_is_written_through_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a home that others may write to, a link of a log's name leads to a file of the user's own."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    precious = tmp_path / "precious"
    precious.write_text("mine")
    paths.logs_dir().mkdir(parents=True)
    for name in ("app.log", f"hard-{os.getpid()}.txt", "start.log"):
        (paths.logs_dir() / name).symlink_to(precious)
    assert append("app.log", "words") is None
    with watched():
        pass
    last_words(RuntimeError("broken"))
    assert precious.read_text() == "mine"


def test_the_last_words_have_a_folder_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shared temporary folder is anybody's: no known name in it, and nothing there for others to read."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "file" / "home"))
    (tmp_path / "file").write_text("no folder")
    shared = tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    (shared / "start.log").write_text("another user's")
    last_words(RuntimeError("broken"))
    written = next(shared.glob("torch-setup-*/start.log"))
    assert "RuntimeError: broken" in written.read_text()
    assert str(written) in capsys.readouterr().err
    assert (shared / "start.log").read_text() == "another user's"
    if sys.platform != "win32":
        assert (written.parent.stat().st_mode & 0o777, written.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can stand in another's home")
def test_root_in_another_users_home_is_told_before_anything_is_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    around = {**os.environ, "HOME": str(home)}
    around.pop(paths.HOME_VARIABLE, None)
    around.pop("XDG_DATA_HOME", None)
    line = [sys.executable, "-m", "wizard", "--lang", "en", "runs"]
    quiet = subprocess.run(line, env=around, capture_output=True, text=True, check=False)
    assert "as root" not in quiet.stderr
    os.chown(home, 12345, 12345)
    told = subprocess.run(line, env=around, capture_output=True, text=True, check=False)
    assert told.stderr.splitlines()[0].startswith("This runs as root, but in the home folder of 12345")
