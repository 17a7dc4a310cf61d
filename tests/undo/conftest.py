"""A journal and a settings file of one test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.undo.noting import SECRET
from wizard.undo.journal import UndoJournal


@pytest.fixture
def journal(tmp_path: Path) -> UndoJournal:
    return UndoJournal(tmp_path / "undo")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "pip.conf"
    path.parent.mkdir()
    path.write_bytes(SECRET)
    return path


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """tmp_path is closed to other users."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)
