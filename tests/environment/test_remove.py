from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from wizard.environment.conda import records
from wizard.environment.remove.delete import finish_deletions
from wizard.environment.remove.trash import DELETING, new_deletion, pending, put_away
from wizard.environment.remove.unfinished import (
    MARKER,
    is_ours_unfinished,
    mark_begun,
    mark_complete,
    remove_unfinished,
)
from wizard.model.errors import UsageError, WizardError


def fill(prefix: Path) -> None:
    (prefix / "lib" / "deep").mkdir(parents=True)
    (prefix / "lib" / "deep" / "file").write_text("x")


def test_begun_filled_and_taken_back_with_the_folders_above(home: Path, prefix: Path) -> None:
    mark_begun(prefix, "run-1")
    fill(prefix)
    assert is_ours_unfinished(prefix, "run-1")
    assert is_ours_unfinished(prefix)
    assert not is_ours_unfinished(prefix, "run-2")
    mark_begun(prefix, "run-1")  # a resumed run
    assert remove_unfinished(prefix)
    assert list(home.iterdir()) == []
    assert not remove_unfinished(prefix)


def test_an_empty_folder_of_the_user_is_empty_again(home: Path, prefix: Path) -> None:
    prefix.mkdir(parents=True)
    mark_begun(prefix, "run-1")
    fill(prefix)
    assert remove_unfinished(prefix, "run-1")
    assert list(prefix.iterdir()) == []
    assert list(prefix.parent.iterdir()) == [prefix]


def test_folders_above_stay_when_somebody_uses_them(home: Path, prefix: Path) -> None:
    mark_begun(prefix, "run-1")
    (prefix.parent / "neighbour").touch()
    assert remove_unfinished(prefix)
    assert list(prefix.parent.iterdir()) == [prefix.parent / "neighbour"]


def test_nothing_else_is_ever_removed(home: Path, prefix: Path) -> None:
    fill(prefix)
    with pytest.raises(WizardError, match="not begun"):
        remove_unfinished(prefix)
    with pytest.raises(UsageError):
        mark_begun(prefix, "run-1")
    other = prefix.with_name("other")
    mark_begun(other, "run-1")
    with pytest.raises(WizardError, match="not begun"):
        remove_unfinished(other, "run-2")
    mark_complete(other)
    with pytest.raises(WizardError, match="not begun"):
        remove_unfinished(other)
    mark_complete(other)
    assert (prefix / "lib" / "deep" / "file").exists()
    assert other.is_dir()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run": 1}', '{"run": "a", "existed": true}'])
def test_a_broken_mark_is_no_mark(home: Path, prefix: Path, text: str) -> None:
    prefix.mkdir(parents=True)
    (prefix / MARKER).write_text(text)
    assert not is_ours_unfinished(prefix)
    with pytest.raises(WizardError):
        remove_unfinished(prefix)
    assert prefix.is_dir()


def test_the_trash_of_an_interrupted_removal_goes_too(home: Path, prefix: Path) -> None:
    mark_begun(prefix, "run-1")
    fill(prefix)
    put_away(new_deletion(prefix))
    assert not prefix.exists()
    assert remove_unfinished(prefix)
    assert list(prefix.parent.iterdir()) == []
    assert pending() == ()
    assert not remove_unfinished(prefix)


def test_the_users_empty_folder_comes_back_after_an_interrupted_removal(home: Path, prefix: Path) -> None:
    prefix.mkdir(parents=True)
    mark_begun(prefix, "run-1")
    put_away(new_deletion(prefix, existed=True))
    assert remove_unfinished(prefix)
    assert list(prefix.parent.iterdir()) == [prefix]
    assert list(prefix.iterdir()) == []


def test_a_folder_with_our_trash_name_and_no_mark_is_left(home: Path, prefix: Path) -> None:
    prefix.mkdir(parents=True)
    deletion = new_deletion(prefix)
    put_away(deletion)
    (deletion.trash / DELETING).unlink()
    (deletion.trash / "thesis").touch()
    assert finish_deletions().done == (deletion,)
    assert [path.name for path in deletion.trash.iterdir()] == ["thesis"]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights on Windows")
def test_links_are_not_followed(home: Path, prefix: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    fill(precious)
    mark_begun(prefix, "run-1")
    (prefix / "inside").symlink_to(precious)
    (prefix / "closed").mkdir()
    (prefix / "closed" / "link").symlink_to(precious)
    (prefix / "closed").chmod(0o500)
    link = prefix.with_name("link")
    link.symlink_to(prefix)
    assert not is_ours_unfinished(link)
    with pytest.raises(WizardError):
        remove_unfinished(link)
    link.unlink()
    assert remove_unfinished(prefix)
    assert not prefix.exists()
    assert (precious / "lib" / "deep" / "file").read_text() == "x"
    assert stat.S_IMODE(precious.stat().st_mode) & 0o700 == 0o700


def test_a_prefix_that_cannot_be_renamed_is_emptied(home: Path, prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mount point, or a file in use on Windows."""

    def refuse(source: Path, target: Path) -> None:
        raise OSError("busy")

    mark_begun(prefix, "run-1")
    fill(prefix)
    monkeypatch.setattr(os, "rename", refuse)
    assert remove_unfinished(prefix)
    assert list(home.iterdir()) == []


BEFORE = (b"", b"/old/env\n", b"/old/env", b"/old/env\r\n\n  /odd \xff\xfe\n", b"\n")


@pytest.mark.parametrize("before", BEFORE)
def test_the_users_list_gets_one_line_and_keeps_every_byte(home: Path, prefix: Path, before: bytes) -> None:
    if sys.platform == "win32":  # conda writes it in the system's encoding there, which need not know every letter
        prefix = home / "my env"
    listed = records.environments_list()
    assert listed == home / ".conda" / "environments.txt"
    if before:
        listed.parent.mkdir()
        listed.write_bytes(before)
    records.register(prefix)
    after = listed.read_bytes()
    assert after.startswith(before)
    assert str(prefix).encode() in after.splitlines()
    records.register(prefix)
    assert listed.read_bytes() == after
    records.unregister(prefix)
    glued = before if not before or before.endswith(b"\n") else before + os.linesep.encode()
    assert listed.read_bytes() == glued
    assert [path.name for path in listed.parent.iterdir()] == ["environments.txt"]


def test_without_a_list_nothing_is_taken_out(home: Path, prefix: Path) -> None:
    records.unregister(prefix)
    assert not (home / ".conda").exists()


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights on Windows")
def test_a_list_that_is_a_link_stays_one(home: Path, prefix: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.txt"
    real.write_bytes(b"/old\n")
    real.chmod(0o600)
    (home / ".conda").mkdir()
    records.environments_list().symlink_to(real)
    records.register(prefix)
    records.unregister(prefix)
    assert records.environments_list().is_symlink()
    assert real.read_bytes() == b"/old\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
