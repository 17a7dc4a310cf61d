"""What stays of a file that is written: mode, links, owner; and files that are left alone."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tests.undo.noting import SECRET, WHY, as_nobody, code_of, leave, posix
from wizard.model.errors import WizardError
from wizard.undo.journal import UndoJournal
from wizard.undo.user_file import replace_file, temporary_name


@posix
def test_mode_and_time_of_the_file(journal: UndoJournal, file: Path) -> None:
    file.chmod(0o600)
    os.utime(file, (1, 1))
    journal.write(file, b"new", reason=WHY)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.stat().st_mtime > 1
    journal.undo(None, leave)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@posix
def test_a_new_file_has_the_mode_that_the_user_gives_new_files(journal: UndoJournal, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        journal.write(tmp_path / "new", b"", reason=WHY)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@posix
@pytest.mark.parametrize("is_relative", [True, False])
def test_a_link_stays_and_its_target_is_written(
    journal: UndoJournal, file: Path, tmp_path: Path, is_relative: bool
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
def test_a_link_to_nothing_yet(journal: UndoJournal, tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "dotfiles" / "condarc"
    link.symlink_to(target)
    journal.write(link, b"new", reason=WHY)
    assert target.read_bytes() == b"new"
    journal.undo(None, leave)
    assert link.is_symlink()
    assert not target.parent.exists()


@posix
def test_a_ring_of_links_is_refused(journal: UndoJournal, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(WizardError) as error:
        journal.write(tmp_path / "a", b"new", reason=WHY)
    assert code_of(error) == "undo-not-readable"


def test_read_only_is_respected_also_by_root(journal: UndoJournal, file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(WizardError) as error:
        journal.write(file, b"new", reason=WHY)
    assert code_of(error) == "undo-read-only"
    assert file.read_bytes() == SECRET
    assert journal.changes() == ()


@posix
def test_a_read_only_folder(open_folder: Path) -> None:
    locked = open_folder / "locked"
    locked.mkdir()
    (locked / "pip.conf").write_bytes(SECRET)
    (locked / "pip.conf").chmod(0o666)
    locked.chmod(0o555)
    journal = UndoJournal(open_folder / "undo")
    assert as_nobody(lambda: journal.write(locked / "pip.conf", b"new", reason=WHY)) == "undo-not-writable"
    assert as_nobody(lambda: journal.write(locked / "new" / "pip.conf", b"new", reason=WHY)) == "undo-not-writable"
    assert (locked / "pip.conf").read_bytes() == SECRET
    assert [entry.name for entry in locked.iterdir()] == ["pip.conf"]
    assert as_nobody(lambda: (journal.changes(), journal.is_unfinished())) == "((), False)"
    locked.chmod(0o755)


@posix
def test_what_is_no_file_is_left_alone(journal: UndoJournal, tmp_path: Path) -> None:
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
@pytest.mark.skipif(sys.platform != "win32" and os.getuid() != 0, reason="only root can make a file somebody else's")
def test_somebody_elses_file_stays_theirs(open_folder: Path, journal: UndoJournal) -> None:
    path = open_folder / "pip.conf"
    path.write_bytes(SECRET)
    path.chmod(0o666)
    other = UndoJournal(open_folder / "undo")
    assert as_nobody(lambda: other.write(path, b"new", reason=WHY)) == "undo-not-yours"
    assert path.read_bytes() == SECRET
    os.chown(path, 1234, 1235)
    journal.write(path, b"new", reason=WHY)  # root writes, and it is still theirs
    assert (path.stat().st_uid, path.stat().st_gid, stat.S_IMODE(path.stat().st_mode)) == (1234, 1235, 0o666)
