"""Fixtures that every test may use live in plugins of their own; here is only what every test must have."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest_plugins = ["tests.channel.fixture", "tests.distribution", "tests.line.fixture"]


@pytest.fixture(autouse=True)
def home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes what the developer's own program has kept, nor anything else of the developer's."""
    user = tmp_path.with_name(f"{tmp_path.name}-user")  # not inside: some tests look at all of their folder
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("USERPROFILE", str(user))
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "own-home"))
    monkeypatch.setenv("TORCH_WIZARD_REGION", "world")  # a developer in China would have mirrors race in every test


@pytest.fixture(autouse=True)
def collected_by_the_windows_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """As in the program (`wizard/gui/collecting.py`): else a server's thread may stop a window for ever."""
    if "qtbot" not in request.fixturenames:
        yield
        return
    gc.disable()
    yield
    gc.collect(0)  # all that the test has made
    gc.enable()
