"""Folders that this user may not enter: named by variables, on PATH, our own, or inside an environment.

Root may do everything, so it becomes somebody else for the moment.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wizard.environment.inspect.survey import survey
from wizard.environment.naming import nearest_existing
from wizard.machine.host import condas, interpreters

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of Linux")
_NOBODY = 65534


@contextmanager
def ordinary_user() -> Iterator[None]:
    was_root = os.geteuid() == 0
    if was_root:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        if was_root:
            os.seteuid(0)


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() == 0:
            os.chown(name, _NOBODY, _NOBODY)
        yield Path(name)


@pytest.fixture
def closed(place: Path) -> Iterator[Path]:
    folder = place / "closed"
    folder.mkdir()
    folder.chmod(0)
    yield folder
    folder.chmod(0o700)


@pytest.mark.parametrize("below", ["", "further"])
def test_variables_that_lead_to_one_hide_nothing_else(closed: Path, place: Path, below: str) -> None:
    named = str(closed / below)
    around = {name: named for name in ("PYENV_ROOT", "CONDA_EXE", "MAMBA_EXE", "MAMBA_ROOT_PREFIX")}
    around["PATH"] = named
    with ordinary_user():
        assert list(interpreters.candidates(around, Path(named), root=place)) == []
        assert named not in str(list(condas.candidates(around)))
        assert condas.root_prefix(Path(named, "bin", "conda")) is None
        assert nearest_existing(closed / "a" / "b") == closed


def test_a_folder_of_ones_own_that_is_closed_is_listed_before_it_goes(place: Path) -> None:
    prefix = place / "demo"
    with ordinary_user():
        (prefix / "data" / "inner").mkdir(parents=True)
        (prefix / "pyvenv.cfg").write_text("home = /usr/bin\n")
        (prefix / "data" / "inner" / "thesis.txt").write_text("ten years")
        (prefix / "data" / "inner").chmod(0)
        try:
            seen = survey(prefix)
        finally:
            (prefix / "data" / "inner").chmod(0o700)
    assert [(row.path, row.is_folder) for row in seen.unowned] == [("data", True)]
