from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from wizard.steps.journal import History, Journal, parse_history, read_history


def test_history_of_an_interrupted_run(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
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
    journal = Journal(tmp_path / "j")
    journal.installed(("a.whl",))
    journal.begin("create")
    journal.close()
    assert read_history(tmp_path / "j").installed == frozenset()


def test_a_line_cut_short_does_not_swallow_the_next(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(b'{"what": "installed", "wheels": ["a.w')
    journal = Journal(path)
    journal.installed(("b.whl",))
    journal.close()
    assert read_history(path).installed == {"b.whl"}


def test_a_new_attempt_has_no_final_line_yet(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
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
