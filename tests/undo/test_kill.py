"""Killed without a word at every touch of the file system: each file is whole, and the next start settles all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.undo.killed_child import NEW, OLD, STEP, WANTED, files, keep
from wizard.undo.journal import UndoJournal
from wizard.undo.model import ChangeState, How

ROOT = Path(__file__).resolve().parents[2]
MODE = 0o666 if sys.platform == "win32" else 0o640


def worlds(what: str, base: Path, **more: str) -> list[Path]:
    """What the killed children left behind; the last one was not killed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.undo.killed_child", what, str(base)],
        cwd=ROOT,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return sorted(base.iterdir())


def contents(folder: Path) -> list[bytes | None]:
    return [path.read_bytes() if path.exists() else None for path in files(folder)]


BEFORE: list[bytes | None] = [OLD, None, OLD, OLD]
AFTER: list[bytes | None] = list(WANTED)


def check_whole(folder: Path) -> None:
    for now, old, new in zip(contents(folder), BEFORE, AFTER, strict=True):
        assert now in (old, new), (folder, now)


def check_settled(folder: Path) -> None:
    """No half of anything, nothing of ours lying about, and nothing more to do."""
    assert contents(folder) in (BEFORE, AFTER), folder
    left = [path for path in folder.rglob("*") if path.name.endswith(".torch-setup-new") and "undo" not in path.parts]
    assert not left
    journal = UndoJournal(folder / "undo")
    assert not journal.is_unfinished()
    assert journal.recover(keep) == ()
    assert [path.stat().st_mode & 0o777 for path in (files(folder)[0], files(folder)[2])] == [MODE, MODE]
    if contents(folder) == BEFORE:
        assert not (folder / "made").exists()


@pytest.mark.slow
def test_killed_while_writing(tmp_path: Path) -> None:
    kept, taken_back = 0, 0
    for folder in worlds("write", tmp_path):
        check_whole(folder)
        journal = UndoJournal(folder / "undo")
        journal.recover(keep)
        check_settled(folder)
        if contents(folder) == BEFORE:
            taken_back += 1
            assert journal.changes() == ()
            continue
        kept += 1
        assert [change.state for change in journal.changes()] == [ChangeState.WRITTEN]
        hows = [file.how for file in journal.undo(None, keep).files]
        assert hows == [How.RESTORED, How.REMOVED, How.RESTORED, How.RESTORED]
        check_settled(folder)
        assert contents(folder) == BEFORE
    assert taken_back > 20 // STEP, "the kills came too late to prove anything"
    assert kept > 3 // STEP, "no kill came after the last file was in its place"


@pytest.mark.slow
def test_killed_while_undoing(tmp_path: Path) -> None:
    """Begun is begun: the next start takes all of it back; a kill before the first word of it leaves the change."""
    begun = 0
    for folder in worlds("undo", tmp_path):
        check_whole(folder)
        journal = UndoJournal(folder / "undo")
        journal.recover(keep)
        check_settled(folder)
        begun += contents(folder) == BEFORE
        if contents(folder) == AFTER:
            journal.undo(None, keep)
        assert contents(folder) == BEFORE
        assert [change.state for change in journal.changes()] == [ChangeState.UNDONE]
    assert begun > 10 // STEP


@pytest.mark.slow
def test_killed_again_while_settling(tmp_path: Path) -> None:
    begun = [folder for folder in worlds("write", tmp_path / "first") if contents(folder)[:3:2] == [NEW, OLD]]
    half = int(begun[-1].name)
    again = list(worlds("recover", tmp_path / "second", KILL_WRITE_AT=str(half)))
    assert again
    for folder in again:
        check_whole(folder)
        UndoJournal(folder / "undo").recover(keep)
        check_settled(folder)
        assert contents(folder) == BEFORE
