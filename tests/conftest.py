"""Fixtures that every test may use live in plugins of their own; here is only what every test must have."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from packaging.version import Version
from pytestqt.qtbot import QtBot

from tests.waiting import HANG
from wizard.system.paths import CACHE_VARIABLE, MATRICES_VARIABLE, STORE_VARIABLE, TEMP_VARIABLE, matrices_dir

# Else each of pytest's workers and each child compiles all modules anew, which takes longer than most tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A busy computer is no failure: no test of made-up values is held against the clock.
settings.register_profile("without-clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("without-clock")

NEWEST = Version("2.15.0")  # of the releases that the tests of the rule know
pytest_plugins = ["tests.channel.fixture", "tests.distribution", "tests.line.fixture", "tests.tools"]


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped tables up to `NEWEST`, so that a newer release changes no test of the rule, and without the SHA-256
    of the real wheels, which no made-up wheel of a test has."""
    folder = tmp_path_factory.mktemp("tables") / "matrices"
    shutil.copytree(matrices_dir(), folder)
    for path in folder.glob("*.csv"):
        head, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
        if head.startswith("torch,"):
            kept = (row for row in rows if Version(row.partition(",")[0]) <= NEWEST)
            path.write_text("".join((head, *kept)), encoding="utf-8")
    pins = folder / "wheel_hashes.csv"
    pins.write_text(pins.read_text(encoding="utf-8").split("\n", 1)[0] + "\n", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def home_of_its_own(tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes what the developer's own program has kept, nor anything else of the developer's."""
    monkeypatch.setenv(MATRICES_VARIABLE, str(tables))
    user = tmp_path.with_name(f"{tmp_path.name}-user")  # not inside: some tests look at all of their folder
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("USERPROFILE", str(user))
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "own-home"))
    for variable in (
        CACHE_VARIABLE,
        STORE_VARIABLE,
        TEMP_VARIABLE,
    ):  # set by the program
        monkeypatch.setenv(variable, "")
    monkeypatch.setenv("TORCH_WIZARD_REGION", "world")  # a developer in China would have mirrors race in every test


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """Waits as long as all tests do; its own five seconds are a speed."""
    for name in ("waitUntil", "waitExposed"):
        setattr(qtbot, name, partial(getattr(qtbot, name), timeout=int(HANG * 1000)))
    return qtbot


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Keep the collector from what is made while tests are collected: all of it stays, and each look costs seconds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Collect what a test of the window has made in the window's thread, as in the program
    (`wizard/gui/startup/app.py`): a server's thread may stop a window for ever, or delete what Qt is calling. Not
    before the test's fixtures have let go of it."""
    if "qapp" not in getattr(item, "fixturenames", ()):
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect(1)
        gc.enable()
