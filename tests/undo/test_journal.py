"""The journal with real files: exact bytes back, links, modes, owners, and every reason to leave a file alone."""

from __future__ import annotations

import os
import signal
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from wizard.errors import UsageError, WizardError
from wizard.i18n import LANGUAGES, message, text
from wizard.undo.disk import replace_file, temporary_name
from wizard.undo.journal import Journal
from wizard.undo.model import Change, FileChange, How, OurKey, State, TakenOut, Write
from wizard.undo.storage import Storage

WHY = message("settings-file.reason.use", id="example")
SECRET = b"index-url = https://me:hunter2@corp.example/simple\r\n\xd6\xd0"
posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, owners and links as on Linux")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "undo")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "pip.conf"
    path.parent.mkdir()
    path.write_bytes(SECRET)
    return path


def leave(file: FileChange, now: bytes) -> TakenOut:
    return TakenOut(None, tuple(ours.key for ours in file.ours))


def code_of(error: pytest.ExceptionInfo[WizardError]) -> str:
    for language in LANGUAGES:
        assert text(error.value.summary, language)
        assert text(error.value.hint, language)
    return error.value.code


def test_exact_bytes_back(journal: Journal, file: Path) -> None:
    change = journal.write(file, b"new", reason=WHY, tool="pip", ours=(OurKey("a.b", ("1", "2"), None),))
    assert file.read_bytes() == b"new"
    assert journal.changes() == (change,)
    assert change.state is State.WRITTEN
    done = journal.undo(None, leave)
    assert [one.how for one in done.files] == [How.RESTORED]
    assert file.read_bytes() == SECRET
    assert journal.changes()[0].state is State.UNDONE


def test_a_file_that_was_not_there_goes_again_with_its_folders(journal: Journal, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "uv.toml"
    journal.write(path, b"new", reason=WHY)
    assert [one.how for one in journal.undo(None, leave).files] == [How.REMOVED]
    assert not (tmp_path / "a").exists()


def test_a_folder_that_somebody_uses_stays(journal: Journal, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "uv.toml"
    journal.write(path, b"new", reason=WHY)
    (tmp_path / "a" / "mine").write_bytes(b"")
    journal.undo(None, leave)
    assert [entry.name for entry in (tmp_path / "a").iterdir()] == ["mine"]


def test_edited_since_only_our_keys_go(journal: Journal, file: Path) -> None:
    journal.write(file, b"ours\n", reason=WHY, ours=(OurKey("k", "1", "2"), OurKey("l", None, "3")))
    file.write_bytes(b"ours\nmine\n")
    seen: list[tuple[str, bytes]] = []

    def take_out(change: FileChange, now: bytes) -> TakenOut:
        seen.append((change.ours[0].key, now))
        return TakenOut(b"mine\n", ("l",))

    (done,) = journal.undo(None, take_out).files
    assert (done.how, done.left, seen) == (How.TAKEN_OUT, ("l",), [("k", b"ours\nmine\n")])
    assert file.read_bytes() == b"mine\n"


def test_edited_since_beyond_recognition_is_left(journal: Journal, file: Path) -> None:
    journal.write(file, b"ours", reason=WHY, ours=(OurKey("k", "1", "2"),))
    file.write_bytes(b"not a settings file any more")
    (done,) = journal.undo(None, leave).files
    assert (done.how, done.left) == (How.LEFT, ("k",))
    assert file.read_bytes() == b"not a settings file any more"


def test_a_file_that_vanished_is_not_made_anew(journal: Journal, file: Path) -> None:
    journal.write(file, b"ours", reason=WHY)
    file.unlink()
    assert [one.how for one in journal.undo(None, leave).files] == [How.LEFT]
    assert not file.exists()


def test_undoing_twice_says_so(journal: Journal, file: Path) -> None:
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


def test_changes_are_undone_last_first_and_out_of_order(journal: Journal, file: Path) -> None:
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


def test_an_older_change_waits_for_the_later_one_of_the_same_key(journal: Journal, file: Path) -> None:
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


def test_none_or_all(journal: Journal, file: Path, tmp_path: Path) -> None:
    blocked = file / "not-a-folder" / "uv.toml"
    with pytest.raises(WizardError) as error:
        journal.write_all([Write(file, b"new", SECRET), Write(blocked, b"new", None)], WHY)
    assert code_of(error) in ("undo-not-writable", "undo-not-readable")
    assert file.read_bytes() == SECRET
    assert journal.changes() == ()
    assert not journal.is_unfinished()


def test_changed_in_the_meantime(journal: Journal, file: Path) -> None:
    with pytest.raises(WizardError) as error:
        journal.write_all([Write(file, b"new", b"what was read a minute ago")], WHY)
    assert code_of(error) == "undo-changed-meanwhile"
    assert file.read_bytes() == SECRET


@posix
def test_mode_and_time_of_the_file(journal: Journal, file: Path) -> None:
    file.chmod(0o600)
    os.utime(file, (1, 1))
    journal.write(file, b"new", reason=WHY)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.stat().st_mtime > 1
    journal.undo(None, leave)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@posix
def test_a_new_file_has_the_mode_that_the_user_gives_new_files(journal: Journal, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        journal.write(tmp_path / "new", b"", reason=WHY)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@posix
@pytest.mark.parametrize("is_relative", [True, False])
def test_a_link_stays_and_its_target_is_written(
    journal: Journal, file: Path, tmp_path: Path, is_relative: bool
) -> None:
    link = file.with_name("link")
    link.symlink_to(file.name if is_relative else file)
    journal.write(link, b"new", reason=WHY)
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert not file.is_symlink()
    journal.undo(None, leave)
    assert link.is_symlink()
    assert file.read_bytes() == SECRET


@posix
def test_a_link_to_nothing_yet(journal: Journal, tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "dotfiles" / "condarc"
    link.symlink_to(target)
    journal.write(link, b"new", reason=WHY)
    assert target.read_bytes() == b"new"
    journal.undo(None, leave)
    assert link.is_symlink()
    assert not target.parent.exists()


@posix
def test_a_ring_of_links_is_refused(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(WizardError) as error:
        journal.write(tmp_path / "a", b"new", reason=WHY)
    assert code_of(error) == "undo-not-readable"


@posix
def test_read_only_is_respected_also_by_root(journal: Journal, file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(WizardError) as error:
        journal.write(file, b"new", reason=WHY)
    assert code_of(error) == "undo-read-only"
    assert file.read_bytes() == SECRET
    assert journal.changes() == ()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """tmp_path is closed to other users."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def as_nobody(deed: Callable[[], object]) -> str:
    """Done by a user without rights (root may do anything)."""

    def done() -> object:
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        return deed()

    return in_a_child(done)


def in_a_child(deed: Callable[[], object]) -> str:
    """What `deed` returned, or the code of its error."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = str(deed())
        except WizardError as error:
            said = error.code
        except BaseException as error:  # the parent shall see it
            said = repr(error)
        os.write(write_end, said.encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(pid, 0)
    return said


@posix
def test_a_read_only_folder(open_folder: Path) -> None:
    locked = open_folder / "locked"
    locked.mkdir()
    (locked / "pip.conf").write_bytes(SECRET)
    (locked / "pip.conf").chmod(0o666)
    locked.chmod(0o555)
    journal = Journal(open_folder / "undo")
    assert as_nobody(lambda: journal.write(locked / "pip.conf", b"new", reason=WHY)) == "undo-not-writable"
    assert as_nobody(lambda: journal.write(locked / "new" / "pip.conf", b"new", reason=WHY)) == "undo-not-writable"
    assert (locked / "pip.conf").read_bytes() == SECRET
    assert [entry.name for entry in locked.iterdir()] == ["pip.conf"]
    assert as_nobody(lambda: (journal.changes(), journal.is_unfinished())) == "((), False)"
    locked.chmod(0o755)


@posix
def test_a_disk_that_is_full(journal: Journal, file: Path) -> None:
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
def test_no_room_for_the_notes(journal: Journal, file: Path) -> None:
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


@posix
def test_room_that_runs_out_behind_the_last_file(journal: Journal, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The note that it is done cannot be kept: then it is not done."""
    saved: list[State] = []
    save = Storage.save

    def full(storage: Storage, change: Change) -> None:
        if change.state is State.WRITTEN:
            raise WizardError("undo-no-space", path="x")
        saved.append(change.state)
        save(storage, change)

    monkeypatch.setattr(Storage, "save", full)
    with pytest.raises(WizardError):
        journal.write(file, b"new", reason=WHY)
    assert file.read_bytes() == SECRET
    assert saved == [State.PREPARED, State.DROPPED]


@posix
def test_what_is_no_file_is_left_alone(journal: Journal, tmp_path: Path) -> None:
    """Root could put a file in place of /dev/null, and a pipe that nobody writes to is never read to its end."""
    pipe, link = tmp_path / "pipe", tmp_path / "pip.conf"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(WizardError) as error:
            journal.write(path, b"new", reason=WHY)
        assert code_of(error) == "undo-not-a-file"
    with pytest.raises(OSError, match="ordinary"):
        replace_file(pipe, b"new")
    assert pipe.is_fifo()
    assert not temporary_name(pipe).exists()


@posix
def test_notes_in_a_folder_that_may_not_be_looked_into(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    closed.chmod(0o000)
    journal = Journal(closed / "undo")
    assert as_nobody(journal.is_unfinished) == "False"
    assert as_nobody(journal.changes) == "state-not-writable"
    closed.chmod(0o700)


@posix
@pytest.mark.skipif(sys.platform != "win32" and os.getuid() != 0, reason="only root can make a file somebody else's")
def test_somebody_elses_file_stays_theirs(open_folder: Path, journal: Journal) -> None:
    path = open_folder / "pip.conf"
    path.write_bytes(SECRET)
    path.chmod(0o666)
    other = Journal(open_folder / "undo")
    assert as_nobody(lambda: other.write(path, b"new", reason=WHY)) == "undo-not-yours"
    assert path.read_bytes() == SECRET
    os.chown(path, 1234, 1235)
    journal.write(path, b"new", reason=WHY)  # root writes, and it is still theirs
    assert (path.stat().st_uid, path.stat().st_gid, stat.S_IMODE(path.stat().st_mode)) == (1234, 1235, 0o666)


@posix
def test_the_old_files_are_for_their_owner_alone(journal: Journal, file: Path, tmp_path: Path) -> None:
    journal.write(file, b"new", reason=WHY)
    kept = [path for path in (tmp_path / "undo").rglob("*") if path.is_file() and path.name != "lock"]
    assert any(path.read_bytes() == SECRET for path in kept)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept), kept
    assert all(
        stat.S_IMODE(path.stat().st_mode) == 0o700 for path in (tmp_path / "undo", *(tmp_path / "undo").glob("[0-9]*"))
    )


def test_a_record_of_another_time_is_no_crash(journal: Journal, file: Path, tmp_path: Path) -> None:
    change = journal.write(file, b"new", reason=WHY)
    for damage in (b"", b"[]", b"{", b'{"schema": 2}', b"null", b'{"schema": 1, "files": 3}'):
        (tmp_path / "undo" / change.id / "record.json").write_bytes(damage)
        assert journal.changes() == ()
        with pytest.raises(WizardError) as error:
            journal.undo(change.id, leave)
        assert code_of(error) == "undo-unreadable"
    assert file.read_bytes() == b"new"


def test_a_kept_file_that_was_changed_is_not_given_back(journal: Journal, file: Path, tmp_path: Path) -> None:
    change = journal.write(file, b"new", reason=WHY)
    (tmp_path / "undo" / change.id / "0.before").write_bytes(b"somebody was here")
    with pytest.raises(WizardError) as error:
        journal.undo(None, leave)
    assert code_of(error) == "undo-unreadable"
    assert file.read_bytes() == b"new"
    assert journal.changes()[0].state is State.WRITTEN


def test_one_at_a_time(journal: Journal, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.undo.journal._LOCK_SECONDS", 0.2)
    journal.write(file, b"new", reason=WHY)
    (tmp_path / "undo" / "unfinished").touch()  # as while another process writes
    with FileLock(tmp_path / "undo" / "lock"):
        with pytest.raises(WizardError) as error:
            Journal(tmp_path / "undo").write(file, b"newer", reason=WHY)
        assert code_of(error) == "undo-busy"
        assert Journal(tmp_path / "undo").recover(leave) == ()
    assert file.read_bytes() == b"new"


def test_the_record_says_why_and_which_keys(journal: Journal, file: Path) -> None:
    ours = (OurKey("global.index-url", None, "https://m.example"), OurKey("x", ("a",), ()))
    change = journal.write(file, b"new", reason=WHY, tool="pip", ours=ours)
    (read,) = journal.changes()
    assert isinstance(read, Change)
    assert (read.reason, read.files[0].ours, read.files[0].tool, read.time) == (WHY, ours, "pip", change.time)
