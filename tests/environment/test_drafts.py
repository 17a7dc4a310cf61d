"""A run that was shown and never started goes with its program; one that was started or kept is never taken away."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys

import pytest

from tests.app import values
from tests.line.world import World
from tests.waiting import HANG, wait_until
from wizard.app.session import Session
from wizard.app.use.runs import finish_deletions_in_background
from wizard.run.plan.plan_file import plan_to_json
from wizard.run.run_folder import RunFolder, clear_left_behind, create_run_folder, keep, new_run_id
from wizard.run.runs import known_runs
from wizard.system import moving, paths

pytestmark = pytest.mark.slow

_OF_ANOTHER = "import sys; from wizard.run.run_folder import create_run_folder; create_run_folder(sys.argv[1])"
linux_only = pytest.mark.skipif(sys.platform == "win32", reason="a Linux terminal")


def left_behind(run: str) -> RunFolder:
    """By a program that has ended since."""
    subprocess.run([sys.executable, "-c", _OF_ANOTHER, run], check=True, timeout=60)
    return RunFolder(paths.runs_dir() / run)


def test_what_a_dead_program_left_goes_and_nothing_else() -> None:
    gone = left_behind("20261121-100000-aaaa")
    mine = create_run_folder("20261121-100000-bbbb")
    started, kept = left_behind("20261121-100000-cccc"), left_behind("20261121-100000-dddd")
    started.events.touch()
    keep(kept.path)
    elsewhere = left_behind("20261121-100000-eeee")
    mark = elsewhere.path / "draft.json"
    mark.write_text(json.dumps({**json.loads(mark.read_text()), "host": f"not-{platform.node()}"}))
    cut = left_behind("20261121-100000-ffff")
    (cut.path / "draft.json").write_text('{"host')
    assert clear_left_behind(paths.runs_dir()) == (gone.id,)
    assert sorted(paths.runs_dir().iterdir()) == [one.path for one in (mine, started, kept, elsewhere, cut)]


def test_a_draft_that_somebody_holds_is_being_removed_and_no_setup_that_runs() -> None:
    folder = create_run_folder(new_run_id())
    moving.write_whole(folder.plan, plan_to_json(values.plan(folder.id)), 0o600)
    with folder.lock():
        assert folder.is_draft
        assert [info.state for info in known_runs()] == ["planned"]
        folder.events.touch()
        assert not folder.is_draft
        assert [info.state for info in known_runs()] == ["running"]
    assert [info.state for info in known_runs()] == ["unfinished"]


def test_a_number_that_another_process_has_now_is_no_life() -> None:
    folder = left_behind("20261121-100000-aaaa")
    mark = folder.path / "draft.json"
    mark.write_text(json.dumps({**json.loads(mark.read_text()), "pid": os.getpid(), "since": 1.0}))
    finish_deletions_in_background()
    assert not folder.path.exists()


@linux_only
def test_a_setup_that_is_killed_at_its_question_leaves_nothing(world: World) -> None:
    pty = pytest.importorskip("pty", reason="a Linux terminal")
    leader, follower = pty.openpty()
    try:
        program = subprocess.Popen(
            world.command("setup", "--name", "demo", *world.sources),
            env=world.environment,
            stdin=follower,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(lambda: any((run / "plan.json").is_file() for run in world.runs()))
        assert world.run("runs").stdout.split()[1] == "planned", "somebody is still deciding"
        program.send_signal(signal.SIGKILL)
        program.wait(HANG)
    finally:
        os.close(leader)
        os.close(follower)
    assert world.run("runs").stdout == ""
    assert world.runs() == []


def test_a_plan_that_was_asked_for_stays(world: World) -> None:
    done = world.run("setup", "--plan-only", "--name", "demo", *world.sources)
    run = json.loads(done.stdout)["run"]
    assert world.run("runs").stdout.split()[:2] == [run, "planned"]


def test_killed_between_the_yes_and_the_worker_it_is_offered_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kill is a worker that never comes."""
    done = world.run("setup", "--plan-only", "--name", "demo", *world.sources)
    run = json.loads(done.stdout)["run"]
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(world.home / "state"))
    monkeypatch.setattr("wizard.app.use.runs.start_detached", lambda *_, **__: 0)
    session = Session()
    session.start(run)
    assert [(info.id, info.state) for info in session.runs()] == [(run, "unfinished")]
    assert world.run("resume").returncode == 0
