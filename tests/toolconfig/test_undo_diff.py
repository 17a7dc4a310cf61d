"""What undoing is said to do is what it does: each preview against the real journal and the real files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wizard.app.use.settings import undo, undo_diffs
from wizard.model.messages import message
from wizard.toolconfig.edit import apply, propose
from wizard.toolconfig.model import Edit, Tool
from wizard.undo.model import Change, How

URL = "https://mirror.example/simple"
BEFORE = "# mine\n[global]\ntimeout = 20\n"


def changed(path: Path, value: str = URL) -> Change:
    diffs = propose([Edit(Tool.PIP, path, "global.index-url", value)])
    return apply(diffs, message("settings-file.reason.source", id="tuna", name="tuna"))


def untouched(path: Path) -> None:
    """As the program left it."""


def edited(path: Path) -> None:
    path.write_text(path.read_text() + "retries = 3\n")


def overruled(path: Path) -> None:
    path.write_text(path.read_text().replace(URL, "https://own.example/simple"))


def removed(path: Path) -> None:
    path.unlink()


def restored(path: Path) -> None:
    path.write_text(BEFORE)


@pytest.mark.parametrize("since", [untouched, edited, overruled, removed, restored])
@pytest.mark.parametrize("was_there", [True, False])
def test_the_preview_is_what_happens(since: Callable[[Path], None], was_there: bool, tmp_path: Path) -> None:
    path = tmp_path / "pip.conf"
    if was_there:
        path.write_text(BEFORE)
    change = changed(path)
    since(path)
    before = path.read_text() if path.exists() else None
    [diff] = undo_diffs(change)
    assert (path.read_text() if path.exists() else None) == before, "a look changes nothing"
    [done] = undo(change).files
    after = path.read_text() if path.exists() else None
    assert (diff.how, diff.left) == (done.how, done.left)
    assert bool(diff.text) == ((after or "") != (before or ""))
    gone = [line[1:] for line in diff.text.splitlines() if line.startswith("-") and not line.startswith("---")]
    assert all(line not in (after or "").splitlines() for line in gone)


def test_the_diff_shows_the_line_that_goes(tmp_path: Path) -> None:
    path = tmp_path / "pip.conf"
    path.write_text(BEFORE)
    [diff] = undo_diffs(changed(path))
    assert diff.how is How.RESTORED
    assert f"-index-url = {URL}" in diff.text


def test_a_password_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "pip.conf"
    path.write_text(BEFORE)
    [diff] = undo_diffs(changed(path, "https://li:secret@mirror.example/simple"))
    assert "mirror.example" in diff.text
    assert "secret" not in diff.text
