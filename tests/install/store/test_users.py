"""Several people on one machine: a store that everybody may read, and one that belongs to a stranger."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.install import wheels
from tests.install.files import locked
from tests.users import as_user
from wizard.install.store import PackageStore
from wizard.install.store.build import StoreBuilder
from wizard.install.store.folder import altered_files
from wizard.install.store.link import Linker
from wizard.model.lock import LockedFile

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only the administrator can become two other people"
)
ANNA, BEN = 20_001, 20_002


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Everybody may go through it, and each has a home in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for user in (ANNA, BEN):
            (folder / str(user)).mkdir(mode=0o755)
            os.chown(folder / str(user), user, user)
        yield folder


@pytest.fixture
def wheel(open_folder: Path) -> Path:
    made = wheels.build(open_folder / "wheels", "shared", files={"shared/part.py": b"answer = 42\n"})
    made.parent.chmod(0o755)
    made.chmod(0o644)
    return made


def fill(root: Path | None, wheel: Path, *, shared: bool) -> str:
    builder = StoreBuilder(PackageStore(root, shared=shared), "run")
    try:
        builder.accept(locked(wheel.read_bytes(), name="shared"), wheel)
        while not builder.wait(1.0):
            pass
    finally:
        builder.close()
    return "filled"


def take(root: Path, file: LockedFile, site: Path) -> Any:
    """What is found there, how it gets into an environment, and where new packages would go."""
    store = PackageStore(root)
    entry = store.find(file)
    if entry is None:
        return [None, str(store.root)]
    site.mkdir()
    linker = Linker(lambda: False)
    for future in linker.begin(entry, site):
        future.result()
    linker.close()
    placed = site / "shared" / "part.py"
    return [placed.read_text(), str(store.root), os.access(placed, os.W_OK), os.access(entry.folder, os.W_OK)]


def test_what_the_administrator_shares_is_everybodys_to_read(open_folder: Path, wheel: Path) -> None:
    root, file = open_folder / "store", locked(wheel.read_bytes(), name="shared")
    fill(root, wheel, shared=True)
    entry = PackageStore(root).find(file)
    assert entry is not None
    for user in (ANNA, BEN):
        home = open_folder / str(user)
        found = as_user(user, home, lambda home=home: take(root, file, home / "site"))  # type: ignore[misc]
        assert found == ["answer = 42\n", str(home / "store"), True, False]
    (open_folder / str(ANNA) / "site/shared/part.py").write_text("edited in place")
    assert altered_files(entry, deep=True) == (), "hers was a copy"
    assert (open_folder / str(BEN) / "site/shared/part.py").read_text() == "answer = 42\n"


def test_an_own_store_is_closed_and_a_strangers_is_not_believed(open_folder: Path, wheel: Path) -> None:
    file, hers = locked(wheel.read_bytes(), name="shared"), open_folder / str(ANNA) / "store"
    assert as_user(ANNA, hers.parent, lambda: fill(None, wheel, shared=False)) == "filled"
    assert hers.stat().st_mode & 0o077 == 0
    hers.chmod(0o755)  # she lets everybody look in
    his = open_folder / str(BEN)
    assert as_user(BEN, his, lambda: take(hers, file, his / "site")) == [None, str(his / "store")]
    assert PackageStore(hers).find(file) is None, "not even by the administrator"


def test_a_place_that_may_not_be_entered_is_passed_over(open_folder: Path, wheel: Path) -> None:
    (open_folder / "closed").mkdir(mode=0o700)
    place = open_folder / "closed" / "store"
    home = open_folder / str(BEN)
    assert as_user(BEN, home, lambda: str(PackageStore(place).root)) == str(home / "store")
