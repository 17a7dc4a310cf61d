"""`setup --host`: a real sshd on loopback, with its own port, keys and settings, and the real worker behind it."""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.profile.known import make_official
from tests.line.host.conftest import Box
from tests.line.world import SITE
from tests.tools import needs
from wizard.app.bring import sent
from wizard.app.host import host_named
from wizard.model.messages import bytes_text

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the computer far away is a Linux"),
    needs("/usr/sbin/sshd", "ssh", "ssh-keygen", "xz"),
]


def events(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_whole_job_there_and_nothing_here(box: Box) -> None:
    prefix = box.world.home / "it's $HOME; a place"
    done = box.typed(*box.setup("--prefix", str(prefix)))
    assert done.returncode == 0, done.stderr
    assert "Bringing the program to box (2 MB)" in done.stderr
    assert "✓" in done.stderr
    assert (prefix / SITE / "torch" / "__init__.py").is_file()
    assert not (box.folder / "here" / "runs").exists(), "nothing was planned or made on this side"
    assert len(box.brought) == 2, box.brought
    assert "current" in box.brought
    again = box.typed(*box.setup("--prefix", str(prefix), "--if-missing"))
    assert (again.returncode, "Bringing" in again.stderr) == (0, False), again.stderr
    refused = box.typed("setup", "--host", "box", "--yes", "--prefix", str(prefix), *box.world.sources)
    assert (refused.returncode, "✗" in refused.stderr) == (2, True), "the reason from there, in a sentence"


def test_a_dry_run_shows_the_plan_and_a_refusal_needs_no_archive(box: Box) -> None:
    none = box.typed("setup", "--host", "box", "--dry-run", *box.world.sources)
    assert (none.returncode, "--archive" in none.stderr) == (2, True)
    assert not (box.home / "program").exists()
    shown = box.typed(*box.setup("--dry-run", "--name", "demo", "--events"))
    assert shown.returncode == 0, shown.stderr
    assert [one["event"] for one in events(shown.stdout)] == ["planned"]
    assert not (box.home / "envs").exists()
    nobody = box.typed("setup", "--host", "box", "--name", "demo", *box.world.sources)
    assert (nobody.returncode, "--yes" in nobody.stderr) == (2, True)


def test_a_cut_line_is_gone_back_to_and_nothing_is_told_twice(box: Box) -> None:
    program = box.begun(*box.setup("--name", "demo", "--events"))
    assert program.stdout is not None
    said = []
    for line in program.stdout:
        said.append(line)
        if json.loads(line)["event"] == "run-started":
            break
    box.cut()
    out, err = program.communicate(timeout=600)
    assert program.returncode == 0, err
    assert "going back there" in err
    told = [one for one in events("".join(said) + out) if one["event"] not in ("planned", "progress")]
    assert told[-1]["event"] == "run-finished"
    numbers = [one["seq"] for one in told]
    assert numbers == sorted(set(numbers)), "one worker, one voice"
    assert (box.home / "envs" / "demo").is_dir()


def test_a_computer_that_is_gone_goes_on_and_is_resumed(box: Box) -> None:
    program = box.begun(*box.setup("--name", "demo", "--events"))
    assert program.stdout is not None
    for line in program.stdout:
        if json.loads(line)["event"] == "run-started":
            break
    box.stop()
    _, err = program.communicate(timeout=600)
    assert program.returncode == 1, err
    assert "torch-wizard resume --host box" in err
    box.start()
    done = box.typed("resume", "--host", "box")
    assert done.returncode == 0, done.stderr
    assert (box.home / "envs" / "demo").is_dir()
    assert "PyTorch" in done.stderr, "and what the result is"


def test_ctrl_c_cancels_there(box: Box) -> None:
    program = box.begun(*box.setup("--name", "demo", "--events"))
    assert program.stdout is not None
    for line in program.stdout:
        if json.loads(line)["event"] == "run-started":
            break
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=600)
    assert events(out)[-1]["event"] == "run-finished", err
    assert program.returncode == 130, err


def test_a_transfer_that_was_cut_goes_on_where_it_was(box: Box) -> None:
    whole = box.archive.read_bytes()
    box.typed(*box.setup("--dry-run", "--name", "demo"))
    digest = next(name for name in box.brought if name != "current")
    program = box.home / "program"
    (program / digest / "torch-wizard").unlink()
    (program / f"{digest}.part").write_bytes(whole[:1_500_000])
    done = box.typed(*box.setup("--dry-run", "--name", "demo"))
    assert done.returncode == 0, done.stderr
    assert f"({bytes_text(len(whole) - 1_500_000)})" in done.stderr, "only what is missing goes"

    (program / digest / "torch-wizard").unlink()
    (program / f"{digest}.part").write_bytes(bytes(1_500_000))
    altered = box.typed(*box.setup("--dry-run", "--name", "demo"))
    assert (altered.returncode, "not the archive that was sent" in altered.stderr) == (1, True)
    assert not (program / f"{digest}.part").exists()
    assert box.typed(*box.setup("--dry-run", "--name", "demo")).returncode == 0


@pytest.mark.parametrize("who", ["unknown computer", "other computer", "other key", "nobody there"])
def test_who_is_not_known_is_not_believed(box: Box, who: str) -> None:
    known = box.folder / "known"
    if who == "unknown computer":
        known.write_text("")
    elif who == "other computer":
        known.write_text(known.read_text().split(" ")[0] + " " + (box.folder / "stranger.pub").read_text())
    elif who == "other key":
        (box.folder / "authorized").write_bytes((box.folder / "stranger.pub").read_bytes())
    else:
        box.stop()
    refused = box.typed(*box.setup("--name", "demo"))
    said = "shows another key than" if who == "other computer" else "ssh does not get to box"
    assert (refused.returncode, said in refused.stderr) == (1, True), refused.stderr
    assert not (box.home / "program").exists()


@pytest.mark.parametrize("option", ["--pack", "--class", "--label", "--serve-after"])
def test_what_is_about_a_class_in_this_room_does_not_go_along(box: Box, option: str) -> None:
    refused = box.typed(*box.setup(option, "7"))
    assert (refused.returncode, f"{option} does not go with --host" in refused.stderr) == (2, True), refused.stderr


def test_a_project_is_read_here_and_only_what_it_declares_goes(box: Box) -> None:
    project = box.folder / "it's mine"
    project.mkdir()
    (project / "requirements.txt").write_text("torch\npadding-a==1.0\n-r more/extra.txt\n-e ./lib\n")
    (project / "more").mkdir()
    (project / "more" / "extra.txt").write_text("numpy==2.2.0\n")
    ran = box.folder / "ran"
    (project / "setup.py").write_text(f"open({str(ran)!r}, 'w')\nfrom setuptools import setup\nsetup()\n")
    for name in (".env", "model.py", "data.bin"):
        (project / name).write_text("not to be carried anywhere")
    for path in (one for one in project.rglob("*") if one.is_file()):
        os.utime(path, (1_736_935_200, 1_736_935_200))
    asked = box.setup("--project", str(project), "--name", "demo")
    refused = box.typed(*asked)
    assert (refused.returncode, "--relax numpy" in refused.stderr) == (2, True), refused.stderr
    strict = box.typed(*asked, "--strict")
    assert strict.returncode == 1, strict.stderr
    done = box.typed(*asked, "--relax", "numpy")
    assert done.returncode == 0, done.stderr
    assert "what it needs go to box (3)" in done.stderr
    assert "which releases there were on 2025-01-15" in done.stderr, "its own day went along"
    assert "-m pip install --no-deps -e FOLDER/lib" in done.stderr, "the code is not there"
    assert (box.home / "envs" / "demo" / SITE / "padding_a").is_dir()
    assert not (box.home / "sent").exists()
    assert not ran.exists(), "nothing of it was run"


def test_a_profile_is_read_here(box: Box) -> None:
    make_official(box.world)
    here = replace(box.world, channel=None).sources
    lesson = box.folder / "lesson.torchlab"
    made = box.world.run("profile", "make", "--name", "demo", "-o", str(lesson), *here)
    assert made.returncode == 0, made.stderr
    asked = ("setup", "--host", "box", "--archive", str(box.archive), "--profile", str(lesson), "--yes", "--events")
    done = box.typed(*asked)
    assert done.returncode == 0, done.stderr
    assert events(done.stdout)[-1]["event"] == "run-finished"
    assert (box.home / "envs" / "demo").is_dir()
    assert not (box.home / "sent").exists()
    again = box.typed(*asked)
    assert [one["event"] for one in events(again.stdout)] == ["unchanged"], again.stderr
    lesson.write_text(lesson.read_text()[:-40])
    bad = box.typed(*asked)
    assert (bad.returncode, bad.stdout) == (2, ""), bad.stderr


def test_files_go_whole_and_are_taken_away(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "PATH"):
        monkeypatch.setenv(name, box.environment[name])
    files = {"-p/it's.txt": b"a\0b", "-p/新/x.toml": b""}
    with sent(host_named("box"), files) as place:
        found = {str(path.relative_to(place)): path.read_bytes() for path in Path(place).rglob("*") if path.is_file()}
        assert found == files
        assert all(path.stat().st_mode & 0o077 == 0 for path in Path(place).rglob("*.txt"))
    assert not (box.home / "sent").exists()
