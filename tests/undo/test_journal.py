"""The journal with real files: exact bytes back, in any order, and only what is ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.undo.noting import SECRET, WHY, code_of, leave
from wizard.model.errors import UsageError, WizardError
from wizard.undo.journal import UndoJournal
from wizard.undo.model import ChangeState, FileChange, How, OurKey, TakenOut, Write


def test_exact_bytes_back(journal: UndoJournal, file: Path) -> None:
    change = journal.write(file, b"new", reason=WHY, tool="pip", ours=(OurKey("a.b", ("1", "2"), None),))
    assert file.read_bytes() == b"new"
    assert journal.changes() == (change,)
    assert change.state is ChangeState.WRITTEN
    done = journal.undo(None, leave)
    assert [one.how for one in done.files] == [How.RESTORED]
    assert file.read_bytes() == SECRET
    assert journal.changes()[0].state is ChangeState.UNDONE


def test_a_file_that_was_not_there_goes_again_with_its_folders(journal: UndoJournal, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "uv.toml"
    journal.write(path, b"new", reason=WHY)
    assert [one.how for one in journal.undo(None, leave).files] == [How.REMOVED]
    assert not (tmp_path / "a").exists()


def test_a_folder_that_somebody_uses_stays(journal: UndoJournal, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "uv.toml"
    journal.write(path, b"new", reason=WHY)
    (tmp_path / "a" / "mine").write_bytes(b"")
    journal.undo(None, leave)
    assert [entry.name for entry in (tmp_path / "a").iterdir()] == ["mine"]


def test_edited_since_only_our_keys_go(journal: UndoJournal, file: Path) -> None:
    journal.write(file, b"ours\n", reason=WHY, ours=(OurKey("k", "1", "2"), OurKey("l", None, "3")))
    file.write_bytes(b"ours\nmine\n")
    seen: list[tuple[str, bytes]] = []

    def take_out(change: FileChange, now: bytes) -> TakenOut:
        seen.append((change.ours[0].key, now))
        return TakenOut(b"mine\n", ("l",))

    (done,) = journal.undo(None, take_out).files
    assert (done.how, done.left, seen) == (How.TAKEN_OUT, ("l",), [("k", b"ours\nmine\n")])
    assert file.read_bytes() == b"mine\n"


def test_edited_since_beyond_recognition_is_left(journal: UndoJournal, file: Path) -> None:
    journal.write(file, b"ours", reason=WHY, ours=(OurKey("k", "1", "2"),))
    file.write_bytes(b"not a settings file any more")
    (done,) = journal.undo(None, leave).files
    assert (done.how, done.left) == (How.LEFT, ("k",))
    assert file.read_bytes() == b"not a settings file any more"


def test_a_file_that_vanished_is_not_made_anew(journal: UndoJournal, file: Path) -> None:
    journal.write(file, b"ours", reason=WHY)
    file.unlink()
    assert [one.how for one in journal.undo(None, leave).files] == [How.LEFT]
    assert not file.exists()


def test_undoing_twice_says_so(journal: UndoJournal, file: Path) -> None:
    change = journal.write(file, b"ours", reason=WHY)
    journal.undo(change.id, leave)
    for again, code in (
        (change.id, "undo-already"),
        (None, "undo-nothing"),
        ("77", "undo-unknown"),
        ("x", "undo-unknown"),
    ):
        with pytest.raises(UsageError) as error:
            journal.undo(again, leave)
        assert code_of(error) == code


def test_changes_are_undone_last_first_and_out_of_order(journal: UndoJournal, file: Path) -> None:
    first = journal.write(file, b"1", reason=WHY)
    second = journal.write(file, b"2", reason=WHY)
    assert [change.id for change in journal.changes()] == [second.id, first.id]
    assert journal.undo(None, leave).change.id == second.id
    assert file.read_bytes() == b"1"
    journal.undo(None, leave)
    assert file.read_bytes() == SECRET
    third = journal.write(file, b"3", reason=WHY)
    journal.write(file, b"4", reason=WHY)
    assert [one.how for one in journal.undo(third.id, leave).files] == [How.LEFT]  # 4 is not ours of 3
    assert file.read_bytes() == b"4"


def test_an_older_change_waits_for_the_later_one_of_the_same_key(journal: UndoJournal, file: Path) -> None:
    """Else the later one would give back what the older one wrote, and nothing could take that back any more."""
    first = journal.write(file, b"k=1", reason=WHY, ours=(OurKey("k", None, "1"),))
    other = journal.write(file, b"k=1 l=1", reason=WHY, ours=(OurKey("l", None, "1"),))
    later = journal.write(file, b"k=2 l=1", reason=WHY, ours=(OurKey("k", "1", "2"),))
    with pytest.raises(UsageError) as error:
        journal.undo(first.id, leave)
    assert code_of(error) == "undo-later-first"
    assert error.value.params["later"] == later.id
    assert journal.find(other.id) == other  # another key is nobody's business
    journal.undo(later.id, leave)
    assert journal.find(first.id) == first
    journal.write(file, SECRET, reason=WHY, ours=(OurKey("k", "1", None),))
    file.write_bytes(b"k=1")  # somebody put it back by hand: it is as the first one left it
    assert journal.find(first.id) == first


def test_none_or_all(journal: UndoJournal, file: Path, tmp_path: Path) -> None:
    blocked = file / "not-a-folder" / "uv.toml"
    with pytest.raises(WizardError) as error:
        journal.write_all([Write(file, b"new", SECRET), Write(blocked, b"new", None)], WHY)
    assert code_of(error) in ("undo-not-writable", "undo-not-readable")
    assert file.read_bytes() == SECRET
    assert journal.changes() == ()
    assert not journal.is_unfinished()


def test_changed_in_the_meantime(journal: UndoJournal, file: Path) -> None:
    with pytest.raises(WizardError) as error:
        journal.write_all([Write(file, b"new", b"what was read a minute ago")], WHY)
    assert code_of(error) == "undo-changed-meanwhile"
    assert file.read_bytes() == SECRET
