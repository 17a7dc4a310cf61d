"""A mirror for good by the command line, with its question, its exit status, and after a kill."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.clone import typed
from tests.toolconfig.using import PACKAGES, PIP, UV
from tests.toolconfig.world import Computer


def line(computer: Computer, *arguments: str) -> subprocess.CompletedProcess[str]:
    return typed("--lang", "en", *arguments, env=computer.environ)


@pytest.mark.slow
def test_the_command_line(computer: Computer) -> None:
    computer.write(PIP, "[global]\nextra-index-url = https://me:hunter2@corp.example/simple\n")
    asked = line(computer, "mirrors", "use", "tuna")
    assert (asked.returncode, "--yes" in asked.stderr) == (2, True)
    assert not (computer.home / UV).exists()
    used = line(computer, "mirrors", "use", "tuna", "--yes")
    assert used.returncode == 0, used.stderr
    assert f"+index-url = {PACKAGES}" in used.stdout
    assert "extra-index-url" in used.stderr
    listed = line(computer, "undo", "list", "--json")
    (change,) = json.loads(listed.stdout)["changes"]
    assert [file["path"] for file in change["files"]] == [str(computer.home / PIP), str(computer.home / UV)]
    assert [file["keys"] for file in change["files"]] == [["global.index-url"], ["index"]]
    assert line(computer, "undo", "--yes").returncode == 0
    assert not (computer.home / UV).exists()
    twice = line(computer, "undo", change["id"], "--yes")
    assert (twice.returncode, "already" in twice.stderr) == (2, True)
    said = "".join(done.stdout + done.stderr for done in (asked, used, listed, twice))
    assert "hunter2" not in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_the_next_start_settles_what_a_kill_left(computer: Computer, tmp_path: Path) -> None:
    path = computer.write(PIP, "[global]\ntimeout = 3\n")
    assert line(computer, "mirrors", "use", "tuna", "--yes").returncode == 0
    record = tmp_path / "own-home" / "undo" / "1" / "record.json"
    record.write_text(record.read_text().replace('"written"', '"prepared"'))
    (computer.home / UV).unlink()  # as if the kill had come between the two files
    (tmp_path / "own-home" / "undo" / "unfinished").touch()
    started = line(computer, "undo", "list")
    assert "taken back" in started.stderr
    assert path.read_text() == "[global]\ntimeout = 3\n"
    assert "taken back" not in line(computer, "undo", "list").stderr
