from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.model.errors import WizardError
from wizard.run.emitter import Emitter
from wizard.run.journal import History, RunJournal, parse_history, read_history
from wizard.run.run_folder import RunFolder


def test_history_of_an_interrupted_run(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path / "journal.jsonl")
    journal.attempt(1)
    journal.begin("create")
    journal.done("create", {"python": "/p/bin/python"})
    journal.installed(("a.whl",))
    journal.close()
    history = read_history(tmp_path / "journal.jsonl")
    assert history.done["create"] == {"python": "/p/bin/python"}
    assert history.installed == {"a.whl"}
    assert history.final is None


def test_a_new_environment_holds_nothing(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path / "j")
    journal.installed(("a.whl",))
    journal.begin("create")
    journal.close()
    assert read_history(tmp_path / "j").installed == frozenset()


def test_a_line_cut_short_does_not_swallow_the_next(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(b'{"what": "installed", "wheels": ["a.w')
    journal = RunJournal(path)
    journal.installed(("b.whl",))
    journal.close()
    assert read_history(path).installed == {"b.whl"}


def test_a_new_attempt_has_no_final_line_yet(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path / "j")
    journal.attempt(1)
    journal.final(130)
    assert read_history(tmp_path / "j").final == 130
    journal.attempt(2)
    journal.close()
    history = read_history(tmp_path / "j")
    assert (history.final, history.attempts) == (None, 2)


@given(st.lists(st.text(max_size=60)))
def test_garbage_is_no_history(lines: list[str]) -> None:
    assert isinstance(parse_history(lines), History)


def test_nothing_there_is_an_empty_history(tmp_path: Path) -> None:
    assert read_history(tmp_path / "none") == History()


@pytest.mark.parametrize(
    ("what", "after_crash"),
    [("a", False), ("aa", True), ("afa", False), ("afaa", True), ("aafa", True), ("aacfa", False), ("acaa", True)],
)
def test_an_attempt_knows_that_one_before_did_not_come_to_its_end(what: str, after_crash: bool) -> None:
    lines = {
        "a": '{"what": "attempt", "pid": 7}',
        "f": '{"what": "final", "status": 1}',
        "c": '{"what": "done", "name": "check"}',
    }
    assert parse_history([lines[each] for each in what]).after_crash is after_crash


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("way", ["link", "dangling", "fifo"])
@pytest.mark.parametrize("name", ["events.jsonl", "log.txt", "journal.jsonl"])
def test_a_file_of_a_run_is_no_way_into_another_file(tmp_path: Path, name: str, way: str) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("the user's")
    if way == "fifo":
        os.mkfifo(folder.path / name)
    else:
        (folder.path / name).symlink_to(victim if way == "link" else tmp_path / "made")
    open_it = partial(RunJournal, folder.journal) if name == "journal.jsonl" else partial(Emitter, folder)
    with pytest.raises(WizardError) as caught:
        open_it()
    assert caught.value.code == "state-not-writable"
    assert victim.read_text() == "the user's"
    assert not (tmp_path / "made").exists()


def test_a_progress_that_tells_nothing_new_is_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pause over night wrote ten lines a second."""
    clock = iter(index * 0.2 for index in range(1, 1000))
    monkeypatch.setattr("wizard.run.emitter.time.monotonic", lambda: next(clock))
    folder = RunFolder(tmp_path)
    emitter = Emitter(folder)
    for done in (1, 2, *[2] * 60, 3, 4):
        emitter.progress("fetch", done, 10, rate=0)
    emitter.close()
    lines = [json.loads(line) for line in folder.events.read_text(encoding="utf-8").splitlines()]
    assert [line["done"] for line in lines] == [1, 2, 2, 3, 4], "the same once in ten seconds"
