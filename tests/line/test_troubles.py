"""Troubles that a first user found, each once: none of them may come back."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.abilities import needs_break
from tests.line.world import TORCH, World
from tests.servers.index_server import IndexServer
from tests.waiting import HANG
from wizard.process import redact


def planned(world: World, *more: str) -> Path:
    done = world.run("setup", "--plan-only", "--name", "demo", *world.sources, *more)
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["plan"])


@pytest.mark.parametrize("what", ["folder", "plan", "relative"])
def test_remove_takes_nothing_but_a_run_of_ours(world: World, what: str) -> None:
    documents = world.home / "documents"
    (documents / "thesis").mkdir(parents=True)
    (documents / "thesis" / "x.txt").write_text("years of work")
    (documents / "plan.json").write_bytes(planned(world).read_bytes())
    given = {"folder": str(documents), "plan": str(documents / "plan.json"), "relative": "../../documents"}[what]
    done = world.run("runs", "--remove", given)
    assert done.returncode == 2, done.stderr
    assert (documents / "thesis" / "x.txt").read_text() == "years of work"


def test_a_run_with_a_broken_plan_can_be_removed(world: World) -> None:
    plan = planned(world)
    plan.write_text("{")
    assert world.run("runs", "--remove", plan.parent.name).returncode == 0
    assert not plan.parent.exists()


def test_an_index_with_a_login_serves_the_whole_line_and_tells_no_password(world: World) -> None:
    login = "bob:p@sW0RDx"
    with (
        IndexServer(world.packages.root, password="bob:p@sW0RDx") as packages,
        IndexServer(world.torch.root, password="bob:p@sW0RDx") as torch,
    ):
        sources = (
            "--index",
            packages.simple.replace("://", "://bob:p%40sW0RDx@"),
            "--torch-index",
            torch.simple.replace("://", "://bob:p%40sW0RDx@"),
            *world.sources[4:],
        )
        done = world.run("setup", "--yes", "--name", "demo", *sources)
    assert done.returncode == 0, done.stderr
    for secret in (login, "p%40sW0RDx", "sW0RDx"):
        assert secret not in done.stderr + done.stdout
    private = {"plan.json", "files.json", "pylock.toml"}
    for path in (world.home / "state").rglob("*"):
        if path.is_file() and b"sW0RDx" in path.read_bytes():
            assert path.name in private, path
            assert os.name == "nt" or path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize("address", ["http://bob:p@ss@host/x", "https://u:a/b@c@host/simple/", "https://token@host"])
def test_no_part_of_an_odd_password_is_shown(address: str) -> None:
    shown = redact(f"see {address} and more")
    assert shown.startswith("see http")
    assert "://***@host" in shown
    assert "ss@" not in shown
    assert "a/b" not in shown


@needs_break
def test_ctrl_c_before_the_start_starts_nothing(world: World) -> None:
    program = world.start("setup", "--yes", "--name", "demo", *world.sources)
    assert program.stderr
    for line in program.stderr:
        if "To be downloaded" in line:
            break
    world.interrupt(program)
    _, said = program.communicate(timeout=HANG)
    if program.returncode == 0:
        pytest.fail("the whole install ran in spite of Ctrl+C")
    assert program.returncode == 130, said


def test_ctrl_c_at_the_question_is_a_no(world: World) -> None:
    pty = pytest.importorskip("pty", reason="a terminal of Linux")
    ours, theirs = pty.openpty()
    program = subprocess.Popen(
        world.command("setup", "--name", "demo", *world.sources),
        env=world.environment,
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert program.stderr
    for line in program.stderr:
        if "[y/N]" in line:
            break
    time.sleep(0.3)
    world.interrupt(program)
    program.communicate(timeout=HANG)
    os.close(ours)
    os.close(theirs)
    assert program.returncode == 130
    assert world.runs() == []


def test_a_worker_that_cannot_begin_says_why(world: World) -> None:
    plan = planned(world)
    assert world.run("run", str(plan)).returncode == 0
    plan.with_name("journal.jsonl").write_text('{"what": "attempt"}\n')
    plan.with_name("pylock.toml").unlink()
    plan.with_name("files.json").write_text("[")
    done = world.run("resume")
    assert done.returncode != 0
    assert "cannot be read as a plan" in done.stderr


def test_a_killed_worker_leaves_a_sentence(world: World) -> None:
    program = world.start("setup", "--yes", "--name", "demo", *world.sources)
    world.wait_for_journal(program)
    world.kill_all(but=program.pid)
    _, said = program.communicate(timeout=HANG)
    assert program.returncode == 1
    assert "✗" in said
    assert "resume" in said


def test_a_kill_between_check_and_verify_can_be_resumed(world: World) -> None:
    plan = planned(world)
    assert world.run("run", str(plan)).returncode == 0
    journal = plan.with_name("journal.jsonl")
    kept = [line for line in journal.read_text().splitlines() if '"verify"' not in line and '"final"' not in line]
    journal.write_text("\n".join(kept) + "\n")
    assert world.run("resume").returncode == 0


@pytest.mark.parametrize("line", ['{"what":"installed","wheels":5}', '{"what":"final","status":"abc"}', "[1]", "\x00"])
def test_an_odd_journal_line_is_passed_over(world: World, line: str) -> None:
    plan = planned(world)
    plan.with_name("journal.jsonl").write_text('{"what": "attempt", "pid": 1}\n' + line + "\n")
    listed = world.run("runs")
    assert listed.returncode == 0, listed.stderr
    assert "unfinished" in listed.stdout


def test_run_after_a_cancel_runs(world: World) -> None:
    plan = planned(world)
    plan.with_name("control").write_text("cancel")
    done = world.run("run", str(plan))
    assert done.returncode == 0, done.stderr
    assert "Packages installed" in done.stderr


def test_a_lost_journal_is_still_an_unfinished_run(world: World) -> None:
    plan = planned(world)
    plan.with_name("journal.jsonl").write_text("")
    assert "unfinished" in world.run("runs").stdout
    assert world.run("resume").returncode == 0
    prefix = world.home / "state" / "envs" / "demo"
    assert world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"


@pytest.mark.parametrize("unbuffered", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_output_that_cannot_be_written_is_no_success(world: World, unbuffered: dict[str, str]) -> None:
    """Also where Python would try again at its end what its buffer still holds."""
    environment = {name: value for name, value in world.environment.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            world.command("probe", "--json"),
            env={**environment, **unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].endswith("The output could not be written.")
    assert len(done.stderr.splitlines()) == 2


def test_hazards_of_the_place_are_said_before_the_question(world: World) -> None:
    done = world.run("setup", "--dry-run", "--name", "my 环境", *world.sources)
    assert done.returncode == 0
    assert "space" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a limit that a shell of Linux sets")
@pytest.mark.parametrize("kilobytes", [80_000, 160_000, 240_000, 400_000, 700_000])
def test_too_little_memory_is_told_as_that(world: World, kilobytes: int) -> None:
    """Threads need room for their stacks: the computer's Pythons could not be asked, and were "not there".

    How much is too little differs with the computer: where it suffices, all goes well.
    """
    limit = ("sh", "-c", f'ulimit -v {kilobytes}; exec "$0" "$@"')
    done = replace(world, program=(*limit, *world.program)).run("setup", "--dry-run", "--name", "demo", *world.sources)
    assert done.returncode in (0, 1), done.stderr
    assert (done.returncode == 1) == ("no more memory" in done.stderr), done.stderr
    assert done.returncode == 1 or kilobytes > 100_000
    assert "Traceback" not in done.stderr
