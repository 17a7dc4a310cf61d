"""A run is going on as long as its worker is there, however long that says nothing; everybody says the same of it."""

from __future__ import annotations

import json
import sys

import psutil
import pytest

from tests.line.world import World
from wizard.app.pages.event_tail import EventTail
from wizard.app.pages.run import RunView
from wizard.app.session import Session
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.events import EventKind, parse_line
from wizard.run.run_folder import RunFolder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot stop a process and let it go on")


def stopped_at_its_start(folder: RunFolder) -> psutil.Process:
    """A worker that stands still before it could take the run's lock or say a word."""
    before = attempts(folder)
    worker = psutil.Process(Session().start(folder.id))
    worker.suspend()
    assert attempts(folder) == before, "it was too quick to be stopped"
    return worker


def attempts(folder: RunFolder) -> int:
    lines = folder.journal.read_text(encoding="utf-8").splitlines() if folder.journal.exists() else []
    return sum('"what": "attempt"' in line for line in lines)


def state_told(world: World, folder: RunFolder) -> str:
    told = json.loads(world.run("runs", "--json").stdout.splitlines()[0])
    assert told["id"] == folder.id
    return str(told["state"])


def test_a_worker_that_stands_still_is_alive_for_everybody(home_world: World) -> None:
    folder = home_world.planned()
    worker = stopped_at_its_start(folder)
    assert Session().run(folder.id).state == "running"
    assert state_told(home_world, folder) == "running"
    for refused in (Session().resume, Session().start, Session().discard):
        with pytest.raises(WizardError) as caught:
            refused(folder.id)
        assert caught.value.code == "run-busy"
    terminal = home_world.start("resume")
    assert terminal.stderr is not None
    assert folder.id in terminal.stderr.readline(), "it says that it follows this run"
    worker.resume()
    _, said = terminal.communicate(timeout=180)
    assert terminal.returncode == 0, said
    assert "2.13.0" in said, "the result is told"
    assert attempts(folder) == 1


def test_a_worker_that_is_killed_before_its_first_word_is_dead(home_world: World) -> None:
    folder = home_world.planned()
    worker = stopped_at_its_start(folder)
    worker.kill()
    psutil.wait_procs([worker], timeout=60)
    assert Session().run(folder.id).state == state_told(home_world, folder) == "unfinished"
    healed = home_world.run("resume")
    assert healed.returncode == 0, healed.stderr


def test_after_the_end_resume_tells_the_result_and_no_button_removes_the_record(home_world: World) -> None:
    folder = home_world.planned()
    assert home_world.run("run", str(folder.plan)).returncode == 0
    for arguments in (("resume",), ("resume", folder.id)):
        told = home_world.run(*arguments)
        assert told.returncode == 0
        assert folder.id in told.stderr
        assert "2.13.0" in told.stderr
    events = home_world.run("resume", folder.id, "--events").stdout.splitlines()
    last = parse_line(events[-1])
    assert last is not None
    assert (last.kind, last.data["status"]) == (EventKind.RUN_FINISHED, 0)
    with pytest.raises(WizardError) as caught:
        Session().discard(folder.id)
    assert caught.value.code == "run-finished"
    assert folder.report.is_file()
    assert attempts(folder) == 1
    assert home_world.run("runs", "--remove", folder.id).returncode == 0  # who names it means it
    assert not folder.path.exists()


def test_the_ending_of_an_attempt_is_not_the_next_ones(home_world: World) -> None:
    """Cancelled, gone on with, and the new worker is killed before its first word: nobody calls that cancelled."""
    folder = home_world.planned()
    worker = psutil.Process(Session().start(folder.id))
    Session().request_cancel(folder.id)
    psutil.wait_procs([worker], timeout=120)
    assert Session().run(folder.id).exit_status == ExitStatus.CANCELLED
    worker = stopped_at_its_start(folder)
    worker.kill()
    psutil.wait_procs([worker], timeout=60)
    assert Session().run(folder.id).exit_status is None
    view = RunView()
    for event in EventTail(folder.events).read(10_000):
        view = view.after(event)
    assert view.ending is None
    told = home_world.run("resume")
    assert told.returncode == 0, told.stderr


def test_a_run_whose_notes_cannot_be_written_says_so(home_world: World) -> None:
    folder = home_world.planned()
    (folder.path / "lock").unlink(missing_ok=True)
    (folder.path / "lock").mkdir()  # holds for root as well
    for refused in (Session().start, Session().resume, Session().discard):
        with pytest.raises(WizardError) as caught:
            refused(folder.id)
        assert caught.value.code == "state-not-writable"
