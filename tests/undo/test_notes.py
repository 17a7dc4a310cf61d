"""The journal's own notes: no room for them, damaged, closed, somebody else at them, for their owner alone."""

from __future__ import annotations

import signal
import stat
from pathlib import Path

import pytest
from filelock import FileLock

from tests.undo.noting import SECRET, WHY, as_nobody, code_of, in_a_child, leave, posix
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.undo.journal import UndoJournal
from wizard.undo.model import Change, ChangeState, OurKey
from wizard.undo.storage import Storage


@posix
def test_a_disk_that_is_full(journal: UndoJournal, file: Path) -> None:
    """A real limit of the system on the size of files: the write breaks off in the middle."""

    def write() -> object:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        return journal.write(file, b"x" * 400_000, reason=WHY)

    assert in_a_child(write) == "undo-not-writable"
    assert file.read_bytes() == SECRET
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]
    assert journal.changes() == ()


@posix
def test_no_room_for_the_notes(journal: UndoJournal, file: Path) -> None:
    file.write_bytes(b"x" * 400_000)

    def write() -> object:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        return journal.write(file, b"short", reason=WHY)

    assert in_a_child(write) == "undo-no-space"
    assert file.read_bytes() == b"x" * 400_000
    assert journal.changes() == ()
    for language in LANGUAGES:
        assert text(WizardError("undo-no-space", path="x").summary, language)


def test_room_that_runs_out_behind_the_last_file(
    journal: UndoJournal, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note that it is done cannot be kept: then it is not done."""
    saved: list[ChangeState] = []
    save = Storage.save

    def full(storage: Storage, change: Change) -> None:
        if change.state is ChangeState.WRITTEN:
            raise WizardError("undo-no-space", path="x")
        saved.append(change.state)
        save(storage, change)

    monkeypatch.setattr(Storage, "save", full)
    with pytest.raises(WizardError):
        journal.write(file, b"new", reason=WHY)
    assert file.read_bytes() == SECRET
    assert saved == [ChangeState.PREPARED, ChangeState.DROPPED]


@posix
def test_notes_in_a_folder_that_may_not_be_looked_into(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    closed.chmod(0o000)
    journal = UndoJournal(closed / "undo")
    assert as_nobody(journal.is_unfinished) == "False"
    assert as_nobody(journal.changes) == "state-not-writable"
    closed.chmod(0o700)


@posix
def test_the_old_files_are_for_their_owner_alone(journal: UndoJournal, file: Path, tmp_path: Path) -> None:
    journal.write(file, b"new", reason=WHY)
    kept = [path for path in (tmp_path / "undo").rglob("*") if path.is_file() and path.name != "lock"]
    assert any(path.read_bytes() == SECRET for path in kept)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept), kept
    assert all(
        stat.S_IMODE(path.stat().st_mode) == 0o700 for path in (tmp_path / "undo", *(tmp_path / "undo").glob("[0-9]*"))
    )


def test_a_record_of_another_time_is_no_crash(journal: UndoJournal, file: Path, tmp_path: Path) -> None:
    change = journal.write(file, b"new", reason=WHY)
    for damage in (b"", b"[]", b"{", b'{"schema": 2}', b"null", b'{"schema": 1, "files": 3}'):
        (tmp_path / "undo" / change.id / "record.json").write_bytes(damage)
        assert journal.changes() == ()
        with pytest.raises(WizardError) as error:
            journal.undo(change.id, leave)
        assert code_of(error) == "undo-unreadable"
    assert file.read_bytes() == b"new"


def test_a_kept_file_that_was_changed_is_not_given_back(journal: UndoJournal, file: Path, tmp_path: Path) -> None:
    change = journal.write(file, b"new", reason=WHY)
    (tmp_path / "undo" / change.id / "0.before").write_bytes(b"somebody was here")
    with pytest.raises(WizardError) as error:
        journal.undo(None, leave)
    assert code_of(error) == "undo-unreadable"
    assert file.read_bytes() == b"new"
    assert journal.changes()[0].state is ChangeState.WRITTEN


@pytest.mark.slow
def test_one_at_a_time(journal: UndoJournal, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.undo.journal._LOCK_SECONDS", 0.2)
    journal.write(file, b"new", reason=WHY)
    (tmp_path / "undo" / "unfinished").touch()  # as while another process writes
    with FileLock(tmp_path / "undo" / "lock"):
        with pytest.raises(WizardError) as error:
            UndoJournal(tmp_path / "undo").write(file, b"newer", reason=WHY)
        assert code_of(error) == "undo-busy"
        assert UndoJournal(tmp_path / "undo").recover(leave) == ()
    assert file.read_bytes() == b"new"


def test_the_record_says_why_and_which_keys(journal: UndoJournal, file: Path) -> None:
    ours = (OurKey("global.index-url", None, "https://m.example"), OurKey("x", ("a",), ()))
    change = journal.write(file, b"new", reason=WHY, tool="pip", ours=ours)
    (read,) = journal.changes()
    assert isinstance(read, Change)
    assert (read.reason, read.files[0].ours, read.files[0].tool, read.time) == (WHY, ours, "pip", change.time)
